// The interface between the service and its database, the same for both engines.
import type { SQL } from "drizzle-orm";
import type { PgDatabase, PgInsertBase, PgInsertValue, PgQueryResultHKT, PgTable } from "drizzle-orm/pg-core";
import type { Clock } from "../core/clock.ts";
import type { Environment } from "../core/environment.ts";
import type { Site } from "../core/operator_settings.ts";
import type { FollowedRecords, JobName } from "./commit_effects.ts";
import type { CheckDepth } from "./sqlite/whole_check.ts";

type DrizzleDatabase = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** The queries of a read. Each is awaited; no other call fetches data. */
export interface ReadStatements extends Pick<DrizzleDatabase, "select" | "selectDistinct" | "$with" | "$count"> {
  with(
    ...queries: Parameters<DrizzleDatabase["with"]>
  ): Pick<ReturnType<DrizzleDatabase["with"]>, "select" | "selectDistinct">;
}

/** A row to insert. `merchant_id` may be left to the scope, and is required where the scope has no owner. */
export type InsertableRow<Row> = Row extends { merchant_id?: infer Owner }
  ? Omit<Row, "merchant_id"> & { merchant_id?: Owner | undefined }
  : Row;

/** An insert that has been started. */
interface InsertStatement<T extends PgTable> {
  values(rows: InsertableRow<PgInsertValue<T>> | InsertableRow<PgInsertValue<T>>[]): PgInsertBase<T, PgQueryResultHKT>;
  /** Rows with all columns in order, including `merchant_id`: the scope adds nothing. */
  select(rows: SQL): PgInsertBase<T, PgQueryResultHKT>;
}

/** The queries of a write. */
export interface WriteStatements
  extends Pick<DrizzleDatabase, "select" | "selectDistinct" | "$with" | "$count" | "update" | "delete"> {
  with(...queries: Parameters<DrizzleDatabase["with"]>): Omit<ReturnType<DrizzleDatabase["with"]>, "insert">;
  insert<T extends PgTable>(table: T): InsertStatement<T>;
}

/**
 * The tenant scope: whose records are visible, and who owns new ones. A table with a column `merchant_id` belongs to
 * merchants.
 */
export interface TenantScope {
  /** The only merchant whose records are visible; null for all. */
  readonly visible: number | null;
  /** The merchant that owns new records; null where each record must name its owner. */
  readonly owner: number | null;
}

/** A consistent view of a store at one time. Functions that take it only read. */
export interface Db {
  readonly sql: ReadStatements;
  /** Milliseconds since 1970 by the store's clock; constant within the view. */
  readonly now: number;
  readonly mode: Environment;
  /** How the service is reached from outside. */
  readonly site: Site;
  /** Identifies the store: the same object for all its views and transactions, used as the key of caches. */
  readonly home: object;
  /** The scope of `sql`, which is applied to every query automatically. */
  readonly scope: TenantScope;
  /** The same view in another scope. */
  scoped(scope: TenantScope): Db;
  /**
   * Caches a result for all who share this view in the same scope. It must depend on the records alone, not on `now`.
   */
  memo<T>(key: string, make: () => T): T;
}

/**
 * A transaction. Functions that take it write. While it is open, only its own calls may be awaited, one after another.
 * After a statement has failed, no more can run unless `nested` has undone it.
 */
export interface Tx extends Db {
  readonly sql: WriteStatements;
  /**
   * The same transaction in another scope. Memos are separate for each scope, so two scopes must not work on the same
   * records in one transaction.
   */
  scoped(scope: TenantScope): Tx;
  /** A new random identifier that sorts by time: `newId("evt")` is `evt_` and a UUIDv7 without dashes. */
  newId(prefix: string): string;
  /** The transaction that contains this nested one; null at the top level. */
  readonly outer: Tx | null;
  /** Runs `work` in a savepoint with its own `Tx`. If it throws, only its changes are undone. */
  nested<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Wakes `job` at this time (ms) after the commit. Dropped when the write fails. */
  wake(job: JobName, at: number): void;
  /** Reports a change of these records after the commit. Dropped when the write fails. */
  changed(followed: FollowedRecords): void;
  /**
   * Runs `work` once before this transaction (or nested one) ends, in order of registration and in the scope of the
   * caller. A key that is already pending in the same scope is not registered again; once its work has started, it can
   * be.
   */
  atEnd(key: string, work: (tx: Tx) => Promise<void>): void;
  /** Caches state of this scope for the duration of this transaction (or nested one). */
  memo<T>(key: string, make: () => T): T;
}

/** Facts about the storage, for health checks and metrics. */
export interface StoreFacts {
  readonly engine: "sqlite" | "postgres";
  readonly database_bytes: number;
  /** The size of a SQLite database's write-ahead log; null on PostgreSQL. */
  readonly log_bytes: number | null;
  /** Free space on the disk of a SQLite database; null on PostgreSQL. */
  readonly free_bytes: number | null;
  /** PostgreSQL connections in use and idle, and how many calls wait for one; null on SQLite. */
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number } | null;
  /** The damage that `findDamage` has found since a SQLite database was opened; null on PostgreSQL. */
  readonly damage: string | null;
}

/** The read queues: one per merchant id; null for views of all merchants; "slices" for long responses. */
export type ReadQueueKey = number | null | "slices";

/** The write access of a store. */
export type Writer = Pick<Store, "write">;

/** Shifts pending due times by `by_ms` after the clock was set. */
export type ClockStepListener = (tx: Tx, by_ms: number) => Promise<void>;

/** The data of one environment. */
export interface Store {
  readonly mode: Environment;
  /** The scope of its views and transactions; that of a base store is unrestricted. */
  readonly scope: TenantScope;
  /** The unscoped store that this one is a view of, or itself. */
  readonly base: Store;
  /** The same store in another scope. Cheap: usually the same object for the same scope. */
  scoped(scope: TenantScope): Store;
  /** The store's time. Later transactions never have an earlier `now`, unless the clock was set far back. */
  readonly clock: Clock;
  /**
   * Runs `work` in a consistent read-only view. `work` awaits nothing but `db`. Read queues take turns; by default,
   * each merchant has its own.
   */
  read<T>(work: (db: Db) => Promise<T>, line?: ReadQueueKey): Promise<T>;
  /** As `read`, including everything that other processes committed before this call. It may wait for the disk. */
  readLatest<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction: all or nothing, durable when it resolves. `work` awaits nothing but `tx`. It may run
   * again, so it changes nothing else.
   * Refuses: storage_full, storage_unavailable.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Called after a commit, once for each job to wake, with the earliest requested time (ms). */
  onWake(listener: (job: JobName, at: number) => void): void;
  /** Called after a commit, once for each kind of records that it changed. */
  onChange(listener: (followed: FollowedRecords) => void): void;
  /**
   * Called with a transaction, before any other, when the clock was set ahead (or back, with a negative `by_ms`) by
   * five minutes or more. Pending due times must be shifted by as much.
   */
  onStep(listener: ClockStepListener): void;
  /** Sizes and connections, without reading records. Refuses: storage_unavailable. */
  facts(): Promise<StoreFacts>;
  /**
   * Checks a SQLite database for damage while it is in use. Returns what is damaged; null when nothing is, or when
   * `ending` was aborted first. On PostgreSQL, nothing is checked.
   */
  findDamage(depth: CheckDepth, ending: AbortSignal): Promise<string | null>;
  /**
   * Removes overwritten and deleted data from the log of a SQLite database, by copying the log into the database and
   * truncating it. Returns false while another process uses the log. On PostgreSQL, nothing is done: its server cleans
   * up and overwrites on its own schedule.
   */
  shred(): Promise<boolean>;
  /** Waits for running work, then releases the data. */
  close(): Promise<void>;
}

/**
 * Runs `piece` in one transaction after another until it returns false. A service that is shutting down does not wait
 * for the rest, which the next round continues.
 */
export async function writeChunks(
  store: Store,
  { ending }: { readonly ending: AbortSignal },
  chunk: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  for (let more = true; more && !ending.aborted; ) more = await store.write(chunk);
}
