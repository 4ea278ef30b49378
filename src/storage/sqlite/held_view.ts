// Holds a view of a SQLite database while its files are copied. A server may continue to write.
import { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { LoggedErasure } from "../erasures.ts";
import { refuseMarked } from "./data_directory.ts";
import { checkpointPragmas } from "./sqlite_connection.ts";

/** The parts of a database and its log that together are exactly one state. */
export interface HeldView {
  /** The number of the last commit in the view, and its time (ms) by the machine's clock. */
  readonly number: number;
  readonly at: number;
  /** The names of the migrations that the database has. */
  readonly migrations: readonly string[];
  /** The customers with a finished or started erasure, and its time. */
  readonly erased: readonly Omit<LoggedErasure, "mode">[];
  /** How many bytes of the database file to copy. */
  readonly file_bytes: number;
  /** How many bytes from the start of the log to copy; 0 if the file alone is the state. */
  readonly log_bytes: number;
  /** The open files. Only `close` may close them, since closing them earlier would release the view's locks. */
  readonly file: number;
  readonly log: number | null;
  /** The current size of the log in bytes. It cannot restart while the view is held. */
  grown(): number;
  /** Releases the view. */
  close(): void;
}

/** The attempts to take a view without a commit in between. Each takes less than 1 ms. */
const tries_max = 1000;
const log_header_bytes = 32;
const frame_header_bytes = 24;

/**
 * Takes and holds a view of a database. Until `close`, SQLite neither restarts the log nor copies pages of later
 * commits into the file. The file and the first `log_bytes` of the log, read at any time until then, are the state at
 * commit `number`. Pages that a checkpoint writes meanwhile are also in those frames. Refuses a database that is being
 * moved or was moved. The process must not close other descriptors of these files before `close`, since POSIX would
 * then release SQLite's locks.
 */
export function holdView(path: string): HeldView {
  const raw = new Database(path, { create: false, readwrite: true, strict: true });
  const file = openSync(path, "r");
  let log: number | null = null;
  const close = () => {
    if (raw.inTransaction) raw.run("rollback");
    raw.close();
    closeSync(file);
    if (log !== null) closeSync(log);
  };
  try {
    for (const pragma of checkpointPragmas) raw.run(`pragma ${pragma}`);
    // The first read creates the log file if it is missing.
    raw.query("select 1 from sqlite_schema limit 1").all();
    log = openLog(path);
    const { number, at, log_bytes } = takeView(raw, path, log);
    const migrations = raw.query<{ name: string }, []>("select name from migrations order by name").all();
    refuseMarked(raw, path);
    return {
      number,
      at,
      log_bytes,
      file,
      log,
      close,
      migrations: migrations.map(({ name }) => name),
      erased: erasedIn(raw, at),
      file_bytes: fstatSync(file).size,
      grown: () => (log === null ? 0 : fstatSync(log).size),
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The erased customers; none if the database has no erasures table. `now` is the time of unfinished erasures. */
function erasedIn(raw: Database, now: number): HeldView["erased"] {
  if (raw.query("select 1 from sqlite_schema where name = 'erasures'").all().length === 0) return [];
  return raw
    .query<Omit<LoggedErasure, "mode">, [number]>(
      `select c.id as customer_id, c.created_at, coalesce(e.finished_at, ?) as erased_at
         from erasures e cross join json_each(e.customers) one join customers c on c.id = one.value
         where e.status <> 'waiting'`,
    )
    .all(now);
}

function openLog(path: string): number | null {
  try {
    return openSync(`${path}-wal`, "r");
  } catch (error) {
    // A database that was never opened is not in WAL mode and has no log.
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Starts a transaction between two identical readings of the log, so that the end of the log is the end of the view. A
 * log that restarted in between has another header.
 */
function takeView(raw: Database, path: string, log: number | null) {
  const looking = new Database(path, { create: false, readwrite: true, strict: true });
  const asked = looking.prepare("pragma wal_checkpoint(noop)");
  const look = () => {
    const [, held, copied] = asked.values()[0] as [number, number, number];
    return { held, copied, head: log === null ? "" : headOf(log) };
  };
  try {
    const page_bytes = Number(raw.query("pragma page_size").values()[0]?.[0]);
    for (let tries = 0; tries < tries_max; tries += 1) {
      const before = look();
      raw.run("begin");
      const row = raw.query<{ number: number; at: number }, []>("select number, at from commit_sequence").get();
      const after = look();
      // -1 while a commit changes these figures.
      const is_known = log === null || before.held >= 0;
      if (row !== null && is_known && before.held === after.held && before.head === after.head) {
        // Once every frame of the view is in the file, no checkpoint writes to it until the view ends.
        const whole = after.copied >= after.held;
        const frame_bytes = frame_header_bytes + page_bytes;
        return { ...row, log_bytes: whole ? 0 : log_header_bytes + after.held * frame_bytes };
      }
      raw.run("rollback");
      if (row === null) throw new Error(`${path} has no commit number`);
    }
    throw Object.assign(new Error(`${path} is being written to continuously`), { code: "SQLITE_BUSY" });
  } finally {
    asked.finalize();
    looking.close();
  }
}

/** The header of a log, which changes when it restarts. */
function headOf(log: number): string {
  const head = Buffer.alloc(log_header_bytes);
  return head.toString("latin1", 0, readSync(log, head, 0, log_header_bytes, 0));
}
