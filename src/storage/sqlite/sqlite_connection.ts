// One connection to a SQLite file: its settings, and statements that are compiled once and kept.
import { Database, type Statement } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { assert } from "../../core/faults.ts";
import type { WriteStatements } from "../database.ts";

/** Told of every statement: `enter` may refuse it, `failed` learns of its error. */
interface StatementWatch {
  enter(): void;
  failed(error: unknown): void;
}

export interface SqliteConnection {
  readonly raw: Database;
  readonly sql: WriteStatements;
  /** Compiles a statement that nobody watches, for beginning and ending transactions. */
  readonly plain: (query: string) => Statement;
  /** Lets go of the file. The last connection to do so empties the write-ahead log into the database. */
  close(): void;
}

/** The number that marks a file as Packhouse's own ("PACK"), written into its header. */
export const applicationId = 0x5041434b;

const busy_timeout_ms = 5000;
const statements_max = 1000;
const log_limit = `journal_size_limit=${64 * 1024 * 1024}`;
/** What is left of a long log on the disk once it begins again, where it is not written to at the moment. */
const idle_log_limit = `journal_size_limit=${32 * 1024 * 1024}`;

/** With so many pages (16 MiB) it is time to copy the log into the database. */
export const checkpoint_pages = 4000;

/**
 * Opens a connection for writing; makes the file when it is not there. A commit waits for the disk, unless it is said
 * that the commits are `synced` by other means; then somebody else has to copy the log into the database, too.
 */
export function connectWriter(
  path: string,
  watch: StatementWatch,
  synced: "by_commit" | "by_others" = "by_commit",
): SqliteConnection {
  const raw = new Database(path, { create: true, readwrite: true, strict: true });
  set(raw, [`busy_timeout=${busy_timeout_ms}`, "journal_mode=wal", "synchronous=full"]);
  // What is deleted or written over is zeros in the file from then on: what was erased must not lie in a free page.
  set(raw, ["secure_delete=on"]);
  set(raw, [`wal_autocheckpoint=${synced === "by_commit" ? checkpoint_pages : 0}`, ...common, log_limit]);
  assert(read(raw, "journal_mode") === "wal", "the database is not in WAL mode");
  assert(read(raw, "synchronous") === 2, "the database does not write through to the disk at each commit");
  assert(read(raw, "foreign_keys") === 1, "the database does not check foreign keys");
  return connection(raw, watch);
}

/** Opens a read-only connection to a file that is there. */
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

/** Drizzle compiles a statement for every query; `prepare` is replaced to hand out the one that was made before. */
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
    // A connection with open statements would stay open behind our back.
    for (const statement of [...kept.values(), ...plains]) statement.finalize();
    raw.close();
  };
  return { raw, sql: drizzle({ client: raw }) as unknown as WriteStatements, plain, close };
}

function forget(kept: Map<string, Statement>): void {
  // The oldest half goes. It is not finalized: a query prepared once may still hold its statement.
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
