// A connection to a SQLite file: its settings, and cached compiled statements.
import { Database, type Statement } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { assert } from "../../core/faults.ts";
import type { WriteStatements } from "../database.ts";

/** Called for every statement: `enter` may refuse it, `failed` receives its error. */
interface StatementWatch {
  enter(): void;
  failed(error: unknown): void;
}

export interface SqliteConnection {
  readonly raw: Database;
  readonly sql: WriteStatements;
  /** Compiles an unwatched statement, for starting and ending transactions. */
  readonly plain: (query: string) => Statement;
  /** Closes the file. The last connection to close copies the write-ahead log into the database. */
  close(): void;
}

/** The number in the file header that identifies a Packhouse database ("PACK"). */
export const applicationId = 0x5041434b;

const busy_timeout_ms = 5000;
const statements_max = 1000;
const log_limit = `journal_size_limit=${64 * 1024 * 1024}`;
/** The size to which a long log is truncated when it restarts while idle. */
const idle_log_limit = `journal_size_limit=${32 * 1024 * 1024}`;

/** The size (16 MiB) at which the log is copied into the database. */
export const checkpoint_pages = 4000;

/**
 * Opens a connection for writing, and creates the file if needed. With `by_others`, commits do not wait for the disk:
 * the caller must sync them and copy the log into the database.
 */
export function connectWriter(
  path: string,
  watch: StatementWatch,
  synced: "by_commit" | "by_others" = "by_commit",
): SqliteConnection {
  const raw = new Database(path, { create: true, readwrite: true, strict: true });
  set(raw, [`busy_timeout=${busy_timeout_ms}`, "journal_mode=wal", "synchronous=full"]);
  // Deleted and overwritten data becomes zeros, so that erased data does not remain in free pages.
  set(raw, ["secure_delete=on"]);
  set(raw, [`wal_autocheckpoint=${synced === "by_commit" ? checkpoint_pages : 0}`, ...common, log_limit]);
  assert(read(raw, "journal_mode") === "wal", "the database is not in WAL mode");
  assert(read(raw, "synchronous") === 2, "the database does not write through to the disk at each commit");
  assert(read(raw, "foreign_keys") === 1, "the database does not check foreign keys");
  return connection(raw, watch);
}

/** Opens a read-only connection to an existing file. */
export function connectReader(path: string): SqliteConnection {
  const raw = new Database(path, { readonly: true, strict: true });
  set(raw, [`busy_timeout=${busy_timeout_ms}`, ...common]);
  return connection(raw, null);
}

const common = [
  "foreign_keys=on",
  "temp_store=memory",
  "cache_size=-65536",
  "trusted_schema=off",
  "cell_size_check=on",
  "mmap_size=0",
];

/** The settings of a connection that only copies the log. */
export const checkpointPragmas: readonly string[] = [
  "busy_timeout=1000",
  "synchronous=full",
  "wal_autocheckpoint=0",
  idle_log_limit,
  ...common,
];

function set(raw: Database, pragmas: readonly string[]): void {
  for (const pragma of pragmas) raw.run(`pragma ${pragma}`);
}

function read(raw: Database, pragma: string): unknown {
  return raw.query(`pragma ${pragma}`).values()[0]?.[0];
}

/** Drizzle compiles a statement for every query, so `prepare` is replaced with a cached version. */
function connection(raw: Database, watch: StatementWatch | null): SqliteConnection {
  const kept = new Map<string, Statement>();
  const prepare = raw.prepare.bind(raw) as (query: string) => Statement;
  const keeping = (query: string): Statement => {
    let statement = kept.get(query);
    if (statement === undefined) {
      statement = watch === null ? prepare(query) : watched(prepare, query, watch);
      if (kept.size >= statements_max) forget(kept);
      kept.set(query, statement);
    }
    return statement;
  };
  raw.prepare = keeping as typeof raw.prepare;
  const plains: Statement[] = [];
  const plain = (query: string): Statement => {
    const statement = prepare(query);
    plains.push(statement);
    return statement;
  };
  const close = () => {
    // Open statements would keep the connection open.
    for (const statement of [...kept.values(), ...plains]) statement.finalize();
    raw.close();
  };
  return { raw, sql: drizzle({ client: raw }) as unknown as WriteStatements, plain, close };
}

function forget(kept: Map<string, Statement>): void {
  // Evict the oldest half without finalizing it, since a prepared query may still use its statement.
  let left = kept.size / 2;
  for (const query of kept.keys()) {
    if (left-- <= 0) return;
    kept.delete(query);
  }
}

function watched(prepare: (query: string) => Statement, query: string, watch: StatementWatch): Statement {
  const attempt = <T, V extends unknown[]>(act: (...values: V) => T, ...values: V): T => {
    watch.enter();
    try {
      return act(...values);
    } catch (error) {
      watch.failed(error);
      throw error;
    }
  };
  const statement = attempt(prepare, query);
  for (const method of ["run", "all", "values", "get"] as const) {
    const call = statement[method].bind(statement) as (...values: never[]) => never;
    statement[method] = (...values: never[]) => attempt(call, ...values);
  }
  return statement;
}
