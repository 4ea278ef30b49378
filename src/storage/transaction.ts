// What a transaction carries beside its statements, alike on both engines: memos, finishers, effects, one time.

import type { Environment } from "../core/environment.ts";
import { assert } from "../core/faults.ts";
import { randomId } from "../core/ids.ts";
import type { Site } from "../core/operator_settings.ts";
import type { FollowedRecords, JobName } from "./commit_effects.ts";
import { CommitEffects } from "./commit_effects.ts";
import type { Db, ReadStatements, TenantScope, Tx, WriteStatements } from "./database.ts";
import { scopedSql, scopeKey, unscoped, unwrappedScope } from "./scope.ts";

/** How an engine runs a part of a transaction that can be undone by itself. */
type RunSavepoint = <T>(work: () => Promise<T>) => Promise<T>;

const finishers_max = 1000;

/** What every view of a store tells of it. */
export interface ViewContext {
  readonly mode: Environment;
  readonly site: Site;
  readonly home: object;
}

/** The `Tx` of both engines. The engine makes one for each write; `nested` makes one for each part. */
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
    return unwrappedScope(this.#scoped, key, () => new ScopedTransaction(this, scope, key));
  }

  newId(prefix: string): string {
    return randomId(prefix, this.now);
  }

  async nested<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.#mustBeOpen();
    const inner = new Transaction(this.sql, this.now, this, this.#savepoint, this);
    const result = await this.#savepoint(() => inner.run(work));
    if (inner.effects !== null) this.#noted.add(inner.effects);
    return result;
  }

  wake(job: JobName, at: number): void {
    this.#noted.wake(job, at);
  }

  changed(followed: FollowedRecords): void {
    this.#noted.change(followed);
  }

  atEnd(key: string, work: (tx: Tx) => Promise<void>): void {
    this.#mustBeOpen();
    this.#finishers ??= new Map();
    if (!this.#finishers.has(key)) this.#finishers.set(key, work);
  }

  memo<T>(key: string, make: () => T): T {
    this.#memos ??= new Map();
    return recalled(this.#memos, key, make);
  }

  /** Runs the work and then its finishers; whatever comes, nothing can be asked of this transaction afterwards. */
  async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      if (this.#finishers !== null) await this.#finish(this.#finishers);
      return result;
    } finally {
      this.#ended = true;
    }
  }

  /** What is to be set off once this has been committed, if anything. */
  get effects(): CommitEffects | null {
    return this.#effects;
  }

  get #noted(): CommitEffects {
    this.#mustBeOpen();
    this.#effects ??= new CommitEffects();
    return this.#effects;
  }

  async #finish(finishers: Map<string, (tx: Tx) => Promise<void>>): Promise<void> {
    // A finisher may register more, which run after it: the map's iterator reaches what is added meanwhile.
    let count = 0;
    for (const [key, work] of finishers) {
      assert(++count <= finishers_max, `the finishers of a transaction go on for ever: ${key}`);
      finishers.delete(key);
      await work(this);
    }
  }

  #mustBeOpen(): void {
    assert(!this.#ended, "a transaction was used after it had ended");
  }
}

/** A transaction as one scope sees it. All else it leaves to the whole. */
class ScopedTransaction implements Tx {
  readonly sql: WriteStatements;
  readonly now: number;
  readonly mode: Environment;
  readonly site: Site;
  readonly home: object;
  readonly scope: TenantScope;
  readonly #whole: Transaction;
  readonly #key: string;

  constructor(whole: Transaction, scope: TenantScope, key: string) {
    this.sql = scopedSql(whole.sql, scope);
    this.now = whole.now;
    this.mode = whole.mode;
    this.site = whole.site;
    this.home = whole.home;
    this.scope = scope;
    this.#whole = whole;
    this.#key = key;
  }

  get outer(): Tx | null {
    return this.#whole.outer?.scoped(this.scope) ?? null;
  }

  scoped(scope: TenantScope): Tx {
    return this.#whole.scoped(scope);
  }

  newId(prefix: string): string {
    return this.#whole.newId(prefix);
  }

  nested<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#whole.nested((tx) => work(tx.scoped(this.scope)));
  }

  wake(job: JobName, at: number): void {
    this.#whole.wake(job, at);
  }

  changed(followed: FollowedRecords): void {
    this.#whole.changed(followed);
  }

  atEnd(key: string, work: (tx: Tx) => Promise<void>): void {
    this.#whole.atEnd(`${this.#key} ${key}`, (tx) => work(tx.scoped(this.scope)));
  }

  memo<T>(key: string, make: () => T): T {
    return this.#whole.memo(`${this.#key} ${key}`, make);
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
    return recalled(this.#memos, this.#key === "" ? key : `${this.#key} ${key}`, make);
  }
}

/** What was made once under a key. */
function recalled<T>(memos: Map<string, unknown>, key: string, make: () => T): T {
  if (!memos.has(key)) memos.set(key, make());
  return memos.get(key) as T;
}
