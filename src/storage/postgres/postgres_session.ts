// One connection to PostgreSQL as transactions use it, one after another: what may be asked when, and what travels with
// what. A beginning and a savepoint go with the first statement behind them, an insert that answers nothing with the
// next statement, the end of a read with whatever comes next on the connection.
import type { AsyncLocalStorage } from "node:async_hooks";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import type { StatementRunner } from "../compiled_statement.ts";
import type { WriteStatements } from "../database.ts";
import { databaseCode } from "../storage_errors.ts";
import { type PostgresStatement, QueryPipeline, type SavepointMark, type StatementResult } from "./pipeline.ts";

const begins = {
  read: { name: "begin_read", text: "begin isolation level repeatable read read only" },
  write: { name: "begin_write", text: "begin isolation level read committed" },
} as const;
const ask_now = { name: "now", text: "select (extract(epoch from now()) * 1000)::bigint" };
// The kept time is looked up first, so that it is never one that was kept after the moment told.
const ask_times = {
  name: "times",
  text: `select (extract(epoch from clock_timestamp()) * 1000)::bigint,
    coalesce((select at from store_clock where id = 1), 0)`,
};
const locked_time = { name: "locked_time", text: "select at from store_clock where id = 1 for update" };
const keep_time = "insert into store_clock values (1, $1) on conflict (id) do update set at = excluded.at";
const commit = { name: "commit", text: "commit" };
const rollback = { name: "rollback", text: "rollback" };
// Savepoints of one name nest: the innermost is meant.
const save = { name: "save", text: "savepoint part" };
const release = { name: "release", text: "release part" };
const undo = { name: "undo", text: "rollback to part" };

const held_max = 100;

/** What the database tells of time (ms): its own, and the store's as it was kept last, or 0. */
export interface DatabaseTimes {
  readonly now: number;
  readonly kept_at: number;
}

/** Whether the database ended a transaction for the sake of others, so that it may run again. */
export function isRetried(error: unknown): boolean {
  return ["40001", "40P01"].includes(databaseCode(error) ?? "");
}

/** A connection with its Drizzle object, so that statements prepared on it are found again. */
export class PostgresSession implements StatementRunner {
  readonly sql: WriteStatements;
  readonly #road: QueryPipeline;
  readonly #scope: AsyncLocalStorage<object>;
  #owner: object | undefined;
  #broken: { readonly error: unknown } | null = null;
  /** Why the transaction may not go on, whatever its work makes of it. */
  #refusal: { readonly error: unknown } | null = null;
  /** Where the transaction begins. */
  #start: SavepointMark;
  /** Whether statements of the work are held, which may yet fail. */
  #owes = false;

  constructor(client: pg.ClientBase, scope: AsyncLocalStorage<object>) {
    this.#road = new QueryPipeline(client);
    this.#start = this.#road.mark();
    this.#scope = scope;
    const query = async (
      { text, name = "", rowMode }: Partial<PostgresStatement> & { rowMode?: string },
      values = [],
    ) => {
      const { columns, rows } = await this.ask({ text: text ?? "", name }, values);
      if (rowMode === "array") return { rows };
      return { rows: rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))) };
    };
    const asked: StatementRunner = { ask: (...of) => this.ask(...of), askLater: (...of) => this.askLater(...of) };
    this.sql = drizzle({ client: { query, ...asked } as unknown as pg.PoolClient }) as unknown as WriteStatements;
  }

  /** For how many milliseconds the database has owed an answer. */
  get silent_ms(): number {
    return this.#road.silent_ms;
  }

  async ask(statement: PostgresStatement, values: readonly unknown[] = []): Promise<StatementResult> {
    this.#enter();
    try {
      return await this.#send(statement, values);
    } catch (error) {
      this.#broken ??= { error };
      throw error;
    }
  }

  async askLater(statement: PostgresStatement, values: readonly unknown[]): Promise<void> {
    if (this.#road.held >= held_max) await this.ask(statement, values);
    else {
      this.#enter();
      this.#road.hold(statement, values);
      this.#owes = true;
    }
  }

  /** The store's time as it was kept last, or 0. Nobody keeps another until this transaction ends. */
  async lockTime(): Promise<number> {
    const { rows } = await this.#send(locked_time);
    return Number(rows[0]?.[0] ?? 0);
  }

  /** Keeps the store's time for the next start and for other servers, in place of `former`; null stands for any. */
  async keepTime(at: number, former: number | null): Promise<void> {
    if (former === null) await this.#send({ text: keep_time, name: "" }, [at]);
    else await this.#send({ text: `${keep_time} where store_clock.at = $2`, name: "" }, [at, former]);
  }

  /** Begins a transaction and answers what the database tells of time, in one trip. */
  async begin(kind: keyof typeof begins): Promise<DatabaseTimes> {
    this.#open(kind);
    const { rows } = await this.#send(ask_times);
    return { now: Number(rows[0]?.[0]), kept_at: Number(rows[0]?.[1]) };
  }

  /** Begins a transaction with its first statement. `check` is told the database's time, and may refuse to go on. */
  beginSoon(kind: keyof typeof begins, check: (database_now: number) => void): void {
    this.#open(kind);
    this.#road.hold(ask_now, [], ({ rows }) => {
      try {
        check(Number(rows[0]?.[0]));
      } catch (error) {
        this.#refusal = { error };
        throw error;
      }
    });
  }

  /** Runs work that alone may use this connection meanwhile. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const owner = {};
    this.#owner = owner;
    try {
      const value = await this.#scope.run(owner, work);
      if (this.#broken !== null) throw this.#broken.error;
      return value;
    } catch (error) {
      throw this.#refusal === null ? error : this.#refusal.error;
    } finally {
      this.#owner = undefined;
    }
  }

  /** A part of a transaction that can be undone by itself. */
  async part<T>(work: () => Promise<T>): Promise<T> {
    const start = this.#road.mark();
    // What is owed before is not this part's: it does not fail by it.
    await this.#bound(save);
    try {
      const value = await work();
      await this.#bound(release);
      return value;
    } catch (error) {
      if (this.#scope.getStore() !== this.#owner || isRetried(error) || this.#refusal !== null) throw error;
      const isHeld = this.#road.holds(start);
      this.#road.forget(start);
      this.#owes = false;
      if (!isHeld) for (const statement of [undo, release]) this.#road.hold(statement);
      this.#broken = null;
      throw error;
    }
  }

  async commit(): Promise<void> {
    // Whether the transaction may go on is known before its end is asked for.
    if (this.#owes && this.#road.holds(this.#start)) await this.#send(ask_now);
    const { command } = await this.#send(commit);
    // PostgreSQL answers ROLLBACK, without an error, to the commit of a transaction in which a statement failed.
    if (command !== "COMMIT") throw new Error(`a commit was answered by ${command}`);
  }

  async rollback(): Promise<void> {
    const isHeld = this.#road.holds(this.#start);
    this.#road.forget(this.#start);
    if (!isHeld) await this.#send(rollback);
  }

  /** Ends a read, which leaves nothing to end well or badly: with what comes next on this connection, or very soon. */
  leave(): void {
    const isHeld = this.#road.holds(this.#start);
    this.#road.forget(this.#start);
    if (isHeld) return;
    this.#road.hold(rollback);
    setImmediate(() => this.#road.send());
  }

  #open(kind: keyof typeof begins): void {
    this.#broken = null;
    this.#refusal = null;
    this.#owes = false;
    this.#start = this.#road.mark();
    this.#road.hold(begins[kind]);
  }

  #send(statement: PostgresStatement, values: readonly unknown[] = []): Promise<StatementResult> {
    this.#owes = false;
    return this.#road.ask(statement, values);
  }

  /** Begins or ends a part: at once when something is owed on this side of it, else with the next statement. */
  async #bound(statement: PostgresStatement): Promise<void> {
    if (this.#owes) await this.ask(statement);
    else {
      this.#enter();
      this.#road.hold(statement);
    }
  }

  #enter(): void {
    const owner = this.#scope.getStore();
    if (owner === undefined || owner !== this.#owner) throw new Error("a transaction was used after it had ended");
    if (this.#broken !== null) {
      throw new Error("a statement of this write failed; only tx.nested can undo one", { cause: this.#broken.error });
    }
  }
}
