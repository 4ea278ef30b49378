// A PostgreSQL connection with one transaction at a time. Statements are pipelined: `begin` and `savepoint` go with the
// first statement after them, an insert without results with the next statement, and the end of a read with the next
// use of the connection.
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
// The saved time is read first, so that it is never later than the time returned.
const ask_times = {
  name: "times",
  text: `select (extract(epoch from clock_timestamp()) * 1000)::bigint,
    coalesce((select at from store_clock where id = 1), 0)`,
};
const locked_time = { name: "locked_time", text: "select at from store_clock where id = 1 for update" };
const save_time = "insert into store_clock values (1, $1) on conflict (id) do update set at = excluded.at";
const commit = { name: "commit", text: "commit" };
const rollback = { name: "rollback", text: "rollback" };
// Savepoints with the same name nest: the innermost one applies.
const save = { name: "save", text: "savepoint part" };
const release = { name: "release", text: "release part" };
const undo = { name: "undo", text: "rollback to part" };

const held_max = 100;

/** The database's clock, and the store's last saved time or 0 (ms). */
export interface DatabaseTimes {
  readonly now: number;
  readonly saved_at: number;
}

/** Whether the database aborted a transaction because of others, so that it can be retried. */
export function isRetried(error: unknown): boolean {
  return ["40001", "40P01"].includes(databaseCode(error) ?? "");
}

/** A connection with its own Drizzle object, so that statements prepared on it are found again. */
export class PostgresSession implements StatementRunner {
  readonly sql: WriteStatements;
  readonly #pipeline: QueryPipeline;
  readonly #scope: AsyncLocalStorage<object>;
  #owner: object | undefined;
  #broken: { readonly error: unknown } | null = null;
  /** Why the transaction must not continue, whatever its work does. */
  #refusal: { readonly error: unknown } | null = null;
  /** The position where the transaction starts. */
  #start: SavepointMark;
  /** Whether the work has held statements, which may still fail. */
  #has_held = false;

  constructor(client: pg.ClientBase, scope: AsyncLocalStorage<object>) {
    this.#pipeline = new QueryPipeline(client);
    this.#start = this.#pipeline.mark();
    this.#scope = scope;
    const query = async (
      { text, name = "", rowMode }: Partial<PostgresStatement> & { rowMode?: string },
      values = [],
    ) => {
      const { columns, rows } = await this.ask({ text: text ?? "", name }, values);
      if (rowMode === "array") return { rows };
      return { rows: rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))) };
    };
    const runner: StatementRunner = { ask: (...of) => this.ask(...of), askLater: (...of) => this.askLater(...of) };
    this.sql = drizzle({ client: { query, ...runner } as unknown as pg.PoolClient }) as unknown as WriteStatements;
  }

  /** How long the database has owed a response, in milliseconds. */
  get unanswered_ms(): number {
    return this.#pipeline.unanswered_ms;
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
    if (this.#pipeline.held >= held_max) await this.ask(statement, values);
    else {
      this.#enter();
      this.#pipeline.hold(statement, values);
      this.#has_held = true;
    }
  }

  /** Locks and returns the store's last saved time, or 0, until this transaction ends. */
  async lockTime(): Promise<number> {
    const { rows } = await this.#send(locked_time);
    return Number(rows[0]?.[0] ?? 0);
  }

  /** Saves the store's time for the next start and for other servers, if it is still `former`; null replaces any. */
  async saveTime(at: number, former: number | null): Promise<void> {
    if (former === null) await this.#send({ text: save_time, name: "" }, [at]);
    else await this.#send({ text: `${save_time} where store_clock.at = $2`, name: "" }, [at, former]);
  }

  /** Starts a transaction and returns the database's times, in one round trip. */
  async begin(kind: keyof typeof begins): Promise<DatabaseTimes> {
    this.#open(kind);
    const { rows } = await this.#send(ask_times);
    return { now: Number(rows[0]?.[0]), saved_at: Number(rows[0]?.[1]) };
  }

  /** Starts a transaction with its first statement. `check` receives the database's time and may refuse to continue. */
  beginSoon(kind: keyof typeof begins, check: (database_now: number) => void): void {
    this.#open(kind);
    this.#pipeline.hold(ask_now, [], ({ rows }) => {
      try {
        check(Number(rows[0]?.[0]));
      } catch (error) {
        this.#refusal = { error };
        throw error;
      }
    });
  }

  /** Runs work that has exclusive use of this connection. */
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

  /** Runs work in a savepoint. */
  async part<T>(work: () => Promise<T>): Promise<T> {
    const start = this.#pipeline.mark();
    // Earlier held statements are sent first, so that their failure is not this savepoint's.
    await this.#savepoint(save);
    try {
      const value = await work();
      await this.#savepoint(release);
      return value;
    } catch (error) {
      if (this.#scope.getStore() !== this.#owner || isRetried(error) || this.#refusal !== null) throw error;
      const isHeld = this.#pipeline.holds(start);
      this.#pipeline.forget(start);
      this.#has_held = false;
      if (!isHeld) for (const statement of [undo, release]) this.#pipeline.hold(statement);
      this.#broken = null;
      throw error;
    }
  }

  async commit(): Promise<void> {
    // Whether the transaction can continue must be known before its commit is sent.
    if (this.#has_held && this.#pipeline.holds(this.#start)) await this.#send(ask_now);
    const { command } = await this.#send(commit);
    // PostgreSQL responds to the commit of a failed transaction with ROLLBACK, without an error.
    if (command !== "COMMIT") throw new Error(`a commit ended with ${command}`);
  }

  async rollback(): Promise<void> {
    const isHeld = this.#pipeline.holds(this.#start);
    this.#pipeline.forget(this.#start);
    if (!isHeld) await this.#send(rollback);
  }

  /** Ends a read, which needs no confirmation: with the next use of this connection, or very soon. */
  leave(): void {
    const isHeld = this.#pipeline.holds(this.#start);
    this.#pipeline.forget(this.#start);
    if (isHeld) return;
    this.#pipeline.hold(rollback);
    setImmediate(() => this.#pipeline.send());
  }

  #open(kind: keyof typeof begins): void {
    this.#broken = null;
    this.#refusal = null;
    this.#has_held = false;
    this.#start = this.#pipeline.mark();
    this.#pipeline.hold(begins[kind]);
  }

  #send(statement: PostgresStatement, values: readonly unknown[] = []): Promise<StatementResult> {
    this.#has_held = false;
    return this.#pipeline.ask(statement, values);
  }

  /** Starts or ends a savepoint: at once when statements are held, else with the next statement. */
  async #savepoint(statement: PostgresStatement): Promise<void> {
    if (this.#has_held) await this.ask(statement);
    else {
      this.#enter();
      this.#pipeline.hold(statement);
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
