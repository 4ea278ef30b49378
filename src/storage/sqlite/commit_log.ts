// The write-ahead log of a server's database. A commit only appends to it. Other threads wait for the disk and copy the
// log into the database.
import type { Statement } from "bun:sqlite";
import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import type { Log } from "../../core/log.ts";
import { startWorker } from "../../core/workers.ts";
import { storageErrorOf } from "../storage_errors.ts";
import { type LogCheckpoint, type LogFrameCounts, openCheckpoint, restartLog } from "./checkpoint.ts";
import type { CheckpointRequest, CheckpointResponse } from "./checkpoint_worker.ts";
import { checkpoint_pages, type SqliteConnection } from "./sqlite_connection.ts";

/** The operations of `LogCheckpoint`, without blocking the calling thread. One call at a time. */
interface Checkpointer {
  copy(): Promise<LogFrameCounts>;
  restart(): Promise<LogFrameCounts>;
  cut(): Promise<LogFrameCounts>;
  close(): Promise<void>;
}

/** Runs checkpoints in this thread, which blocks it. Opens its connection on first use. */
function localCheckpointer(path: string): Checkpointer {
  let opened: LogCheckpoint | null = null;
  const checkpoint = () => {
    opened ??= openCheckpoint(path);
    return opened;
  };
  return {
    copy: async () => checkpoint().copy(),
    restart: async () => checkpoint().restart(),
    cut: async () => checkpoint().cut(),
    close: async () => opened?.close(),
  };
}

/**
 * Runs checkpoints in a worker that starts with the first one. If the worker fails, logs a warning and runs them in
 * this thread.
 */
function workerCheckpointer(path: string, log: Log): Checkpointer {
  let worker: Worker | null = null;
  const here = localCheckpointer(path);
  let lost = false;
  const begin = (): Worker => {
    const begun = startWorker("checkpoint");
    begun.addEventListener("error", ({ message }) => {
      lost = true;
      log.warn("the checkpoint thread failed; checkpoints now delay requests", { reason: message });
    });
    return begun;
  };
  const ask = async (act: "copy" | "restart" | "cut"): Promise<LogFrameCounts> => {
    if (!lost) worker ??= begin();
    const answer = lost || worker === null ? null : await responseOf(worker, { path, act });
    if (answer === null) return await here[act]();
    if ("frames" in answer) return answer.frames;
    throw Object.assign(new Error(answer.message), { code: answer.code });
  };
  return {
    copy: () => ask("copy"),
    restart: () => ask("restart"),
    cut: () => ask("cut"),
    close: async () => {
      if (!lost && worker !== null) await responseOf(worker, { path, act: "close" });
      worker?.terminate();
      await here.close();
    },
  };
}

/** The worker's response; null if it fails first. */
async function responseOf(worker: Worker, question: CheckpointRequest): Promise<CheckpointResponse | null> {
  const { promise, resolve } = Promise.withResolvers<CheckpointResponse | null>();
  const heard = ({ data }: MessageEvent<CheckpointResponse>) => resolve(data);
  const lost = () => resolve(null);
  worker.addEventListener("message", heard);
  worker.addEventListener("error", lost);
  worker.postMessage(question);
  return promise.finally(() => {
    worker.removeEventListener("message", heard);
    worker.removeEventListener("error", lost);
  });
}

/** A database and its log before a server opens them. */
export interface FoundDatabase {
  readonly path: string;
  /** The number and time (ms) of its last commit. */
  readonly number: number;
  readonly at: number;
  /** SQLite's count of schema changes. */
  readonly schema_version: number;
  /** Whether a migration will change it outside of numbered commits. */
  readonly migrates: boolean;
  /** Whether the files seem unchanged since the last server. */
  readonly untouched: boolean;
}

/**
 * Archives the frames of one log. While it holds the log, SQLite lets no process restart it, so that no frame is lost
 * before it is archived.
 */
export interface LogFollower {
  /** Archives the frames that an earlier run left in the log, before it is emptied. Blocks. Never throws. */
  found(database: FoundDatabase): void;
  /** Starts following the log of a database that was just opened. */
  begin(path: string): void;
  /** Archives all frames committed before this call. Returns false on failure or timeout; the log must then stay. */
  take(): Promise<boolean>;
  /** Lets the log restart. Call it only when all frames are archived and nothing is being committed. */
  release(): Promise<void>;
  /** Holds the log again, whether or not it restarted. */
  hold(): Promise<void>;
  /** Releases a log that has grown too long, although some frames are not archived. */
  abandon(): void;
  /** Archives the last frames and releases the log. */
  close(): Promise<void>;
}

interface CommitLogSettings {
  readonly path: string;
  /** The committing connection. Its commits no longer wait for the disk. */
  readonly writer: SqliteConnection;
  /** Whether checkpoints run in a thread of their own. */
  readonly worker: boolean;
  readonly log: Log;
  /** Waits until the data of an open file is on disk. */
  readonly sync?: ((file: number) => Promise<void>) | undefined;
  /** Archives the frames. Within limits, the log does not restart before it has them. */
  readonly follower?: LogFollower | null | undefined;
  /** Called when the log should restart. */
  readonly due: () => void;
  /** Called when a checkpoint failed in a way that makes the storage unreliable. */
  readonly failed: (error: unknown) => void;
}

/** The log file, for syncing. */
interface LogFile {
  /** Resolves when all commits are on disk. */
  sync(): Promise<void>;
  close(): void;
}

/** Opens the log of an open database. Closing it loses no locks, since SQLite has none on this file. */
function openLogFile(path: string, sync: CommitLogSettings["sync"] = promisify(fdatasync)): LogFile {
  const file = openSync(`${path}-wal`, "r");
  return {
    sync: async () => {
      try {
        await sync(file);
      } catch (error) {
        // SQLite's code for this: the state of the disk is unknown.
        throw Object.assign(new Error("the log could not be synced", { cause: error }), { code: "SQLITE_IOERR_FSYNC" });
      }
    },
    close: () => closeSync(file),
  };
}

/** The log of a process whose commits wait for the disk themselves. */
export interface CommandLog extends LogFile {
  /**
   * Copies a long log between two batches. Commits copy it too, but not completely, since reads keep the previous view.
   * Without this, the log would grow until the process ends.
   */
  tend(): Promise<void>;
}

/** The settings of a command's log. */
type CommandLogSettings = Pick<CommitLogSettings, "sync" | "log" | "failed">;

/** Opens the log of a writer. `renewed` of its reader resolves when this process has no open view. */
export function openCommandLog(
  path: string,
  { plain }: Pick<SqliteConnection, "plain">,
  reader: { readonly renewed: () => Promise<void> },
  { sync, ...told }: CommandLogSettings,
): CommandLog {
  const [look, copy] = [plain("pragma wal_checkpoint(noop)"), plain("pragma wal_checkpoint(passive)")];
  // The frames of the log at the last attempt. A view of another process may prevent copying them.
  let tried = Number.POSITIVE_INFINITY;
  return {
    ...openLogFile(path, sync),
    tend: async () => {
      try {
        // Not the uncopied frames: commits copy all but the last, and the log restarts only when all are copied.
        const held = look.values()[0]?.[1] as number;
        const isTooSoon = held >= tried && held < tried + checkpoint_pages / 4;
        if (held < checkpoint_pages || isTooSoon) return;
        tried = held;
        await reader.renewed();
        copy.values();
      } catch (error) {
        noticeFailure(told, error);
      }
    },
  };
}

/** Logs a checkpoint that failed because of a full disk or a lock. It is retried later. */
function noticeFailure({ log, failed }: Pick<CommitLogSettings, "log" | "failed">, error: unknown): void {
  if (storageErrorOf(error) === "fatal") failed(error);
  log.warn("the write-ahead log could not be copied into the database", { reason: String(error) });
}

/**
 * A log grows while it is copied. At three times the length at which copying starts, writes wait. A log that was longer
 * from the start, since a backup held a view, may grow by half first.
 */
const most_pages = 3 * checkpoint_pages;
const growth_most = 1.5;
/** How far a log may grow (256 MiB), and how long it waits, while its frames cannot be archived. */
const waits_pages = 65_536;
const waits_ms = 60_000;

/** Closing the database copies a shorter log (1 MiB) itself, which is faster than starting a thread. */
const short_pages = 256;

export class CommitLog {
  readonly #settings: CommitLogSettings;
  readonly #file: LogFile;
  readonly #checkpoints: Checkpointer;
  readonly #look: Statement;
  readonly #follower: LogFollower | null;
  /** The running first pass. */
  #copying: Promise<void> | null = null;
  /** Whether the first pass still waits for frames to be archived. Writes continue. */
  #taking = false;
  /** Since when (monotonic ms) frames cannot be archived. */
  #waits_since: number | null = null;
  #due = false;
  /** The frames of the log when last checked. */
  #held = 0;
  /** The frames that the last pass had copied. */
  #copied = 0;
  /** The callers that wait for the log to be truncated. */
  #cuts: ((cut: boolean) => void)[] = [];
  /** The number of frames at which the next pass starts. */
  #next = checkpoint_pages;
  /** Whether the next pass follows one during which much was written. */
  #follows = false;
  /** The number of frames at which writes wait for the running pass. */
  #most = most_pages;

  constructor(settings: CommitLogSettings) {
    const { path, writer, worker, log, sync, follower = null } = settings;
    this.#settings = settings;
    this.#follower = follower;
    this.#checkpoints = worker ? workerCheckpointer(path, log) : localCheckpointer(path);
    // SQLite itself syncs the log's header and its directory entry.
    restartLog(writer.raw);
    writer.raw.run("pragma synchronous=normal");
    this.#file = openLogFile(path, sync);
    this.#look = writer.plain("pragma wal_checkpoint(noop)");
    follower?.begin(path);
  }

  /** Resolves when all commits are on disk. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  /** Whether the log should restart before the next write. */
  get due(): boolean {
    return this.#due || this.#cuts.length > 0;
  }

  /** Requests that the log restart and be truncated. Resolves to false if it was in use. */
  cut(): Promise<boolean> {
    return new Promise((resolve) => this.#cuts.push(resolve));
  }

  /** Copies a long log while writes continue, then marks the rest as due. Not to be called within a transaction. */
  tend(): void {
    try {
      this.#held = this.#look.values()[0]?.[1] as number;
    } catch (error) {
      this.#notice(error);
      return;
    }
    if (this.#copying !== null) this.#due ||= !this.#taking && this.#held >= this.#most;
    else if (this.#held >= this.#next) {
      // A follow-up pass does not raise the limit.
      if (!this.#follows) this.#most = Math.max(most_pages, growth_most * this.#held);
      this.#follows = false;
      this.#copying = this.#copyFirst();
    }
  }

  /** Marks the rest as due, or schedules another pass if much was written during a long one. */
  #passed({ copied }: LogFrameCounts): void {
    this.#copying = null;
    const [done, left] = [copied - this.#copied, this.#held - copied];
    this.#copied = copied;
    if (done >= checkpoint_pages && left >= checkpoint_pages && !this.#due) {
      this.#next = 0;
      this.#follows = true;
    } else {
      this.#due = true;
      this.#settings.due();
    }
  }

  async #copyFirst(): Promise<void> {
    this.#taking = true;
    const taken = await this.#taken();
    this.#taking = false;
    if (!taken) {
      this.#copying = null;
      return;
    }
    const frames = await this.#tried(() => this.#checkpoints.copy());
    // Nothing is being committed, so little is left to archive.
    await this.#follower?.take();
    this.#passed(frames);
  }

  /** Whether the follower lets the log restart. If not, this is retried shortly. */
  async #taken(): Promise<boolean> {
    const follower = this.#follower;
    if (follower === null) return true;
    if (await follower.take()) {
      this.#waits_since = null;
      return true;
    }
    this.#waits_since ??= performance.now();
    this.#next = this.#held + checkpoint_pages / 4;
    if (this.#held < waits_pages && performance.now() - this.#waits_since < waits_ms) return false;
    this.#waits_since = null;
    follower.abandon();
    return true;
  }

  /**
   * Copies the rest of the log and restarts it. Nothing may be committed meanwhile. `release` resolves when all open
   * views are newer than its call.
   */
  async renew(release: () => Promise<void>): Promise<void> {
    await this.#copying;
    this.#due = false;
    const cuts = this.#cuts.splice(0);
    // Little was committed since the first pass.
    if (!(await this.#taken())) {
      for (const done of cuts) done(false);
      return;
    }
    await this.#follower?.release();
    const { held, is_cut = false } = await this.#tried(async () => {
      await release();
      const frames = await this.#checkpoints.copy();
      if (frames.copied < frames.held) return frames;
      // A view taken after the whole log was copied does not use the log, so it can restart.
      await release();
      return await (cuts.length > 0 ? this.#checkpoints.cut() : this.#checkpoints.restart());
    });
    await this.#follower?.hold();
    this.#next = held < checkpoint_pages ? checkpoint_pages : held + checkpoint_pages / 4;
    if (held < this.#copied) this.#copied = 0;
    this.#due = false;
    for (const done of cuts) done(is_cut);
  }

  /** Copies a long log in the other thread, so that closing the database is fast. */
  async close(): Promise<void> {
    await this.#copying;
    await this.#follower?.close();
    if (this.#settings.worker && this.#held >= short_pages) await this.#tried(() => this.#checkpoints.copy());
    await this.#checkpoints.close();
    this.#file.close();
  }

  async #tried(pass: () => Promise<LogFrameCounts>): Promise<LogFrameCounts> {
    try {
      return await pass();
    } catch (error) {
      this.#notice(error);
      return { held: this.#held, copied: 0 };
    }
  }

  #notice(error: unknown): void {
    noticeFailure(this.#settings, error);
  }
}
