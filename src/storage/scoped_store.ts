// A store in a scope: its views and transactions are those of the base store, scoped.
import type { Clock } from "../core/clock.ts";
import type { Environment } from "../core/environment.ts";
import type { FollowedRecords, JobName } from "./commit_effects.ts";
import type { ClockStepListener, Db, ReadQueueKey, Store, StoreFacts, TenantScope, Tx } from "./database.ts";
import { cachedByKey, scopeKey } from "./scope.ts";
import type { CheckDepth } from "./sqlite/whole_check.ts";

const stores = new WeakMap<Store, Map<string, Store>>();

/** A base store in a scope; usually the same object for the same scope. */
export function scopedStore(base: Store, scope: TenantScope): Store {
  const key = scopeKey(scope);
  if (key === "") return base;
  const scoped = stores.getOrInsertComputed(base, () => new Map());
  return cachedByKey(scoped, key, () => new ScopedStore(base, scope));
}

class ScopedStore implements Store {
  readonly base: Store;
  readonly scope: TenantScope;

  constructor(base: Store, scope: TenantScope) {
    this.base = base;
    this.scope = scope;
  }

  get mode(): Environment {
    return this.base.mode;
  }

  get clock(): Clock {
    return this.base.clock;
  }

  scoped(scope: TenantScope): Store {
    return this.base.scoped(scope);
  }

  read<T>(work: (db: Db) => Promise<T>, line: ReadQueueKey = this.scope.visible): Promise<T> {
    return this.base.read((db) => work(db.scoped(this.scope)), line);
  }

  readLatest<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.base.readLatest((db) => work(db.scoped(this.scope)));
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.base.write((tx) => work(tx.scoped(this.scope)));
  }

  onWake(listener: (job: JobName, at: number) => void): void {
    this.base.onWake(listener);
  }

  onChange(listener: (followed: FollowedRecords) => void): void {
    this.base.onChange(listener);
  }

  onStep(listener: ClockStepListener): void {
    this.base.onStep(listener);
  }

  facts(): Promise<StoreFacts> {
    return this.base.facts();
  }

  findDamage(depth: CheckDepth, ending: AbortSignal): Promise<string | null> {
    return this.base.findDamage(depth, ending);
  }

  shred(): Promise<boolean> {
    return this.base.shred();
  }

  close(): Promise<void> {
    return this.base.close();
  }
}
