// A view of a SQLite database that is held while the files are copied as they are. A server may go on writing.
import { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { LoggedErasure } from "../erasures.ts";
import { refuseMarked } from "./data_directory.ts";
import { checkpointPragmas } from "./sqlite_connection.ts";

/** What must be copied so that a database and its log together are exactly one state of it. */
export interface HeldView {
  /** The number of the last commit in the view, and its moment in milliseconds by the machine's clock. */
  readonly number: number;
  readonly at: number;
  /** The names of the migrations that the database has. */
  readonly migrations: readonly string[];
  /** The customers who were erased by then, or were about to be, and when. */
  readonly erased: readonly Omit<LoggedErasure, "mode">[];
  /** How much of the database's file belongs to the copy, in bytes. */
  readonly file_bytes: number;
  /** How much of the log belongs to it, from its beginning; 0 when the file alone is the state. */
  readonly log_bytes: number;
  /** The open files. Only `close` closes them: before the view has ended, that would let go of its locks. */
  readonly file: number;
  readonly log: number | null;
  /** How many bytes the log has by now. It cannot begin anew while the view is held. */
  grown(): number;
  /** Releases the view. */
  close(): void;
}

/** So many views are taken before it is given up that no commit comes in between; each takes less than 1 ms. */
const tries_max = 1000;
const log_header_bytes = 32;
const frame_header_bytes = 24;

/**
 * Takes a view of a database and holds it. While it is held, SQLite neither begins the log anew nor copies pages of
 * later commits into the file: the file's bytes and the log's first `log_bytes`, read at any time until `close`, are
 * together the state at the commit `number`. A page that a checkpoint writes meanwhile stands in these frames, too.
 * Refuses a database that was moved elsewhere, or into which a move is not finished.
 * Call it in a process that closes no other descriptor of these files before `close`: POSIX drops SQLite's locks then.
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
    // The first look makes the log's file, where there was none.
    raw.query("select 1 from sqlite_schema limit 1").all();
    log = openLog(path);
    const { number, at, log_bytes } = takeView(raw, path, log);
    const migrations = raw.query<{ name: string }, []>("select name from migrations order by name").all();
    refuseMarked(raw, path);
    return {
      ...{ number, at, log_bytes, file, log, close },
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

/** None where the database is of before erasures. `now` is for those that are not finished. */
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
    // A database that is not in WAL mode has none: nobody has opened it yet.
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Begins a transaction between two looks at the log that find the same: its end is where the view ends. A log that was
 * begun anew in between has another head.
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
      // While a commit changes what is asked for, the answer is -1.
      const is_known = log === null || before.held >= 0;
      if (row !== null && is_known && before.held === after.held && before.head === after.head) {
        // Once every frame of the view is in the file, no checkpoint writes there until the view ends.
        const whole = after.copied >= after.held;
        const frame_bytes = frame_header_bytes + page_bytes;
        return { ...row, log_bytes: whole ? 0 : log_header_bytes + after.held * frame_bytes };
      }
      raw.run("rollback");
      if (row === null) throw new Error(`${path} does not know its last commit`);
    }
    throw Object.assign(new Error(`${path} is written to without a pause`), { code: "SQLITE_BUSY" });
  } finally {
    asked.finalize();
    looking.close();
  }
}

/** The head of a log, by which it is told from the one before it. */
function headOf(log: number): string {
  const head = Buffer.alloc(log_header_bytes);
  return head.toString("latin1", 0, readSync(log, head, 0, log_header_bytes, 0));
}
