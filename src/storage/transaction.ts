// The state of a transaction, the same for both engines: memos, finishers, effects, one time.

import type { Environment } from "../core/environment.ts";
import { assert } from "../core/faults.ts";
import { randomId } from "../core/ids.ts";
import type { Site } from "../core/operator_settings.ts";
import type { FollowedRecords, JobName } from "./commit_effects.ts";
import { CommitEffects } from "./commit_effects.ts";
import type { Db, ReadStatements, TenantScope, Tx, WriteStatements } from "./database.ts";
import { cachedByKey, scopedSql, scopeKey, unscoped } from "./scope.ts";

/** How an engine runs a savepoint. */
type RunSavepoint = <T>(work: () => Promise<T>) => Promise<T>;

const finishers_max = 1000;

/** What all views of a store share. */
export interface ViewContext {
  readonly mode: Environment;
  readonly site: Site;
  readonly home: object;
}

/** The `Tx` of both engines. The engine creates one per write, `nested` one per savepoint. */
export class Transaction implements Tx {
  readonly sql: WriteStatements;
  readonly now: number;
  readonly mode: Environment;
  readonly site: Site;
  readonly home: object;
  readonly scope = unscoped;
  readonly outer: Tx | null;
  readonly #savepoint: RunSavepoint;
  #scoped: Map<string, Tx> | null = null;
  #memos: Map<string, unknown> | null = null;
  #finishers: Map<string, (tx: Tx) => Promise<void>> | null = null;
  #effects: CommitEffects | null = null;
  #ended = false;

  constructor(
    sql: WriteStatements,
    now: number,
    { mode, site, home }: ViewContext,
    savepoint: RunSavepoint,
    outer: Tx | null = null,
  ) {
    this.sql = sql;
    this.now = now;
    this.mode = mode;
    this.site = site;
    this.home = home;
    this.#savepoint = savepoint;
    this.outer = outer;
  }

  scoped(scope: TenantScope): Tx {
    const key = scopeKey(scope);
    if (key === "") return this;
    this.#scoped ??= new Map();
    return cachedByKey(this.#scoped, key, () => new ScopedTransaction(this, scope, key));
  }

  newId(prefix: string): string {
    return randomId(prefix, this.now);
  }

  async nested<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.#mustBeOpen();
    const inner = new Transaction(this.sql, this.now, this, this.#savepoint, this);
    const result = await this.#savepoint(() => inner.run(work));
    if (inner.effects !== null) this.#recordedEffects.add(inner.effects);
    return result;
  }

  wake(job: JobName, at: number): void {
    this.#recordedEffects.wake(job, at);
  }

  changed(followed: FollowedRecords): void {
    this.#recordedEffects.change(followed);
  }

  atEnd(key: string, work: (tx: Tx) => Promise<void>): void {
    this.#mustBeOpen();
    this.#finishers ??= new Map();
    if (!this.#finishers.has(key)) this.#finishers.set(key, work);
  }

  memo<T>(key: string, make: () => T): T {
    this.#memos ??= new Map();
    return memoizedIn(this.#memos, key, make);
  }

  /** Runs the work and its finishers. Afterwards the transaction cannot be used any more, whatever the outcome. */
  async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      if (this.#finishers !== null) await this.#finish(this.#finishers);
      return result;
    } finally {
      this.#ended = true;
    }
  }

  /** The effects of its commit, if any. */
  get effects(): CommitEffects | null {
    return this.#effects;
  }

  get #recordedEffects(): CommitEffects {
    this.#mustBeOpen();
    this.#effects ??= new CommitEffects();
    return this.#effects;
  }

  async #finish(finishers: Map<string, (tx: Tx) => Promise<void>>): Promise<void> {
    // A finisher may register others. The map's iterator also reaches those added during the loop.
    let count = 0;
    for (const [key, work] of finishers) {
      assert(++count <= finishers_max, `the finishers of a transaction never end: ${key}`);
      finishers.delete(key);
      await work(this);
    }
  }

  #mustBeOpen(): void {
    assert(!this.#ended, "a transaction was used after it had ended");
  }
}

/** A transaction in a scope. It delegates to the unscoped one. */
class ScopedTransaction implements Tx {
  readonly sql: WriteStatements;
  readonly now: number;
  readonly mode: Environment;
  readonly site: Site;
  readonly home: object;
  readonly scope: TenantScope;
  readonly #unscoped: Transaction;
  readonly #key: string;

  constructor(unscoped_tx: Transaction, scope: TenantScope, key: string) {
    this.sql = scopedSql(unscoped_tx.sql, scope);
    this.now = unscoped_tx.now;
    this.mode = unscoped_tx.mode;
    this.site = unscoped_tx.site;
    this.home = unscoped_tx.home;
    this.scope = scope;
    this.#unscoped = unscoped_tx;
    this.#key = key;
  }

  get outer(): Tx | null {
    return this.#unscoped.outer?.scoped(this.scope) ?? null;
  }

  scoped(scope: TenantScope): Tx {
    return this.#unscoped.scoped(scope);
  }

  newId(prefix: string): string {
    return this.#unscoped.newId(prefix);
  }

  nested<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#unscoped.nested((tx) => work(tx.scoped(this.scope)));
  }

  wake(job: JobName, at: number): void {
    this.#unscoped.wake(job, at);
  }

  changed(followed: FollowedRecords): void {
    this.#unscoped.changed(followed);
  }

  atEnd(key: string, work: (tx: Tx) => Promise<void>): void {
    this.#unscoped.atEnd(`${this.#key} ${key}`, (tx) => work(tx.scoped(this.scope)));
  }

  memo<T>(key: string, make: () => T): T {
    return this.#unscoped.memo(`${this.#key} ${key}`, make);
  }
}

/** The `Db` of both engines. */
export class StoreView implements Db {
  readonly sql: ReadStatements;
  readonly now: number;
  readonly mode: Environment;
  readonly site: Site;
  readonly home: object;
  readonly scope: TenantScope;
  readonly #memos: Map<string, unknown>;
  readonly #key: string;

  constructor(
    sql: ReadStatements,
    now: number,
    { mode, site, home }: ViewContext,
    memos: Map<string, unknown>,
    scope = unscoped,
  ) {
    this.sql = scopedSql(sql, scope);
    this.now = now;
    this.mode = mode;
    this.site = site;
    this.home = home;
    this.scope = scope;
    this.#memos = memos;
    this.#key = scopeKey(scope);
  }

  scoped(scope: TenantScope): Db {
    return scope === this.scope ? this : new StoreView(this.sql, this.now, this, this.#memos, scope);
  }

  memo<T>(key: string, make: () => T): T {
    return memoizedIn(this.#memos, this.#key === "" ? key : `${this.#key} ${key}`, make);
  }
}

/** Returns the value stored under a key, creating it on first use. */
function memoizedIn<T>(memos: Map<string, unknown>, key: string, make: () => T): T {
  if (!memos.has(key)) memos.set(key, make());
  return memos.get(key) as T;
}
