// The seam between the service and its data: what features may ask of a database, whichever engine it is.
import type { SQL } from "drizzle-orm";
import type { PgDatabase, PgInsertBase, PgInsertValue, PgQueryResultHKT, PgTable } from "drizzle-orm/pg-core";
import type { Clock } from "../core/clock.ts";
import type { Environment } from "../core/environment.ts";
import type { Site } from "../core/operator_settings.ts";
import type { FollowedRecords, JobName } from "./commit_effects.ts";
import type { CheckDepth } from "./sqlite/whole_check.ts";

type DrizzleDatabase = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** The queries a read may ask. Everything is awaited; nothing is fetched by any other call. */
export interface ReadStatements extends Pick<DrizzleDatabase, "select" | "selectDistinct" | "$with" | "$count"> {
  with(
    ...queries: Parameters<DrizzleDatabase["with"]>
  ): Pick<ReturnType<DrizzleDatabase["with"]>, "select" | "selectDistinct">;
}

/** A row to be stored. Whose it is it may leave to the scope, and it must say it where the scope does not. */
export type InsertableRow<Row> = Row extends { merchant_id?: infer Owner }
  ? Omit<Row, "merchant_id"> & { merchant_id?: Owner | undefined }
  : Row;

/** An insert that is begun. */
interface InsertStatement<T extends PgTable> {
  values(rows: InsertableRow<PgInsertValue<T>> | InsertableRow<PgInsertValue<T>>[]): PgInsertBase<T, PgQueryResultHKT>;
  /** Rows of all columns in their order: whose they are, too, and no scope is added. */
  select(rows: SQL): PgInsertBase<T, PgQueryResultHKT>;
}

/** The queries a write may ask. */
export interface WriteStatements
  extends Pick<DrizzleDatabase, "select" | "selectDistinct" | "$with" | "$count" | "update" | "delete"> {
  with(...queries: Parameters<DrizzleDatabase["with"]>): Omit<ReturnType<DrizzleDatabase["with"]>, "insert">;
  insert<T extends PgTable>(table: T): InsertStatement<T>;
}

/** Whose records are seen and made. A table is owned by merchants if it has a column `merchant_id`. */
export interface TenantScope {
  /** The merchant whose records alone are seen; null for those of all. */
  readonly sees: number | null;
  /** The merchant to whom belongs what is made; null where each record says so by itself. */
  readonly makes: number | null;
}

/** A consistent view of one store at one time. What takes it reads. */
export interface Db {
  readonly sql: ReadStatements;
  /** Milliseconds since 1970 by the store's clock, the same throughout. */
  readonly now: number;
  readonly mode: Environment;
  /** How the world outside reaches the service of this process. */
  readonly site: Site;
  /** The same for all views and transactions of one store: what is known of it in memory is kept by this. */
  readonly home: object;
  /** Whose records `sql` sees and makes, without a word about it in any query. */
  readonly scope: TenantScope;
  /** The same view, seen so. */
  scoped(scope: TenantScope): Db;
  /**
   * What was read or made once for all who share this view in the same scope: it depends on the records alone, not on
   * `now`.
   */
  memo<T>(key: string, make: () => T): T;
}

/**
 * A transaction. What takes it writes. Only its own calls may be awaited while it is open, one after another. After a
 * statement failed nothing more can be asked, except where `nested` has undone it.
 */
export interface Tx extends Db {
  readonly sql: WriteStatements;
  /**
   * The same transaction, seen so. What one scope keeps in a memo another does not see: two of them do not work on the
   * same records in one transaction.
   */
  scoped(scope: TenantScope): Tx;
  /** A new random identifier that sorts by time: `newId("evt")` is `evt_` and a UUIDv7 without dashes. */
  newId(prefix: string): string;
  /** The transaction that this is a nested part of; null for a whole one. */
  readonly outer: Tx | null;
  /** Runs `work` in a savepoint with a `Tx` of its own: when it throws, what it did is undone, and only that. */
  nested<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** After the commit the scheduler runs `job` at this moment (ms). Forgotten when the write fails. */
  wake(job: JobName, at: number): void;
  /** After the commit whoever follows these records is told. Forgotten when the write fails. */
  changed(followed: FollowedRecords): void;
  /**
   * Runs `work` once before this transaction (or this nested part) ends, in order of registration. A key that still
   * waits is not registered again in the same scope; once its work has begun it may be. The work gets the scope it was
   * registered in.
   */
  atEnd(key: string, work: (tx: Tx) => Promise<void>): void;
  /** State of this scope that lives as long as this transaction (or this nested part). */
  memo<T>(key: string, make: () => T): T;
}

/** What the storage says of itself. */
export interface StoreFacts {
  readonly engine: "sqlite" | "postgres";
  readonly database_bytes: number;
  /** The write-ahead log beside a SQLite database; null on PostgreSQL. */
  readonly log_bytes: number | null;
  /** Room left on the disk of a SQLite database; null on PostgreSQL. */
  readonly free_bytes: number | null;
  /** Connections to PostgreSQL that work or rest, and how many writes and reads wait for one; null on SQLite. */
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number } | null;
  /** What `findDamage` has found in a SQLite database since it was opened; null on PostgreSQL. */
  readonly damage: string | null;
}

/** Who waits together to read: a merchant, by its id; those who see the records of all; slices of long responses. */
export type ReadQueueKey = number | null | "slices";

/** What writes, and nothing else. */
export type Writer = Pick<Store, "write">;

/** Moves by so many milliseconds what waits for a moment by the store's clock. */
export type ClockStepListener = (tx: Tx, by_ms: number) => Promise<void>;

/** The data of one mode. */
export interface Store {
  readonly mode: Environment;
  /** Whose records its views and transactions see and make; those of a bare store all. */
  readonly scope: TenantScope;
  /** The bare store that this one is a view of, or itself. */
  readonly base: Store;
  /** The same store, seen so. It is cheap, and mostly the same object for the same scope. */
  scoped(scope: TenantScope): Store;
  /** The store's time: no transaction that begins later has an earlier `now`, unless the clock was set far back. */
  readonly clock: Clock;
  /**
   * A consistent read-only view. `work` awaits nothing but `db`. Reads in several lines take turns; each merchant has
   * a line of its own unless one is given.
   */
  read<T>(work: (db: Db) => Promise<T>, line?: ReadQueueKey): Promise<T>;
  /** As `read`, and it sees what another process committed before this call. It may wait for the disk. */
  readLatest<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * All or nothing, durable when it resolves. `work` awaits nothing but `tx`, and may run again, so it touches nothing
   * else. Refuses: storage_full, storage_unavailable.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Told after a commit, once for each job that was to be woken, with the earliest moment asked for (ms). */
  onWake(listener: (job: JobName, at: number) => void): void;
  /** Told after a commit, once for each kind of records that it changed. */
  onChange(listener: (followed: FollowedRecords) => void): void;
  /**
   * Handed a transaction before any other when the clock was set by five minutes or more, forth (or back, then `by_ms`
   * is negative): what the service waits for is to be moved by as much.
   */
  onStep(listener: ClockStepListener): void;
  /** Sizes and connections, looked up without reading any record. Refuses: storage_unavailable. */
  facts(): Promise<StoreFacts>;
  /**
   * Checks a whole SQLite database for damage while it is in use, and answers what is damaged; null when nothing is, or
   * when `ending` came first. On PostgreSQL nothing is checked.
   */
  findDamage(depth: CheckDepth, ending: AbortSignal): Promise<string | null>;
  /**
   * Sees to it that what was overwritten or deleted before this call is not left in the log beside a SQLite database:
   * the log is copied and cut. Answers whether it was: it is not while somebody else uses it. On PostgreSQL nothing is
   * done: its server cleans up and overwrites in its own time.
   */
  shred(): Promise<boolean>;
  /** Waits for what runs, then lets go of the data. */
  close(): Promise<void>;
}

/**
 * Does work in transactions of one piece each, until a piece answers that no more is left. A service that is about to
 * stop does not wait for the rest: the next round goes on with it.
 */
export async function writeChunks(
  store: Store,
  { ending }: { readonly ending: AbortSignal },
  piece: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  for (let more = true; more && !ending.aborted; ) more = await store.write(piece);
}
