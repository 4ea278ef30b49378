// Asks for checkpoints in a thread of their own, and does them in this one where there is none.

import type { Statement } from "bun:sqlite";
import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import type { Log } from "../../core/log.ts";
import { startWorker } from "../../core/workers.ts";
import { storageErrorOf } from "../storage_errors.ts";
import { type LogCheckpoint, type LogFrameCounts, openCheckpoint, restartLog } from "./checkpoint.ts";
import type { CheckpointAnswer, CheckpointQuestion } from "./checkpoint_worker.ts";
import { checkpoint_pages, type SqliteConnection } from "./sqlite_connection.ts";

/** What `Checkpoint` does, without waiting for the disk in the thread that asks. One call at a time. */
interface Checkpointer {
  copy(): Promise<LogFrameCounts>;
  restart(): Promise<LogFrameCounts>;
  cut(): Promise<LogFrameCounts>;
  close(): Promise<void>;
}

/** Checkpoints in this thread, which stands still meanwhile. The connection is opened when it is needed. */
function checkpointsHere(path: string): Checkpointer {
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
 * Checkpoints in a worker, which is started for the first of them; in this thread, with a warning, when the worker did
 * not start or was lost.
 */
function checkpointsAside(path: string, log: Log): Checkpointer {
  let worker: Worker | null = null;
  const here = checkpointsHere(path);
  let lost = false;
  const begin = (): Worker => {
    const begun = startWorker("checkpoint");
    begun.addEventListener("error", ({ message }) => {
      lost = true;
      log.warn("the thread for checkpoints was lost; they hold up what is answered now", { reason: message });
    });
    return begun;
  };
  const ask = async (act: "copy" | "restart" | "cut"): Promise<LogFrameCounts> => {
    if (!lost) worker ??= begin();
    const answer = lost || worker === null ? null : await checkpointAnswerOf(worker, { path, act });
    if (answer === null) return await here[act]();
    if ("frames" in answer) return answer.frames;
    throw Object.assign(new Error(answer.message), { code: answer.code });
  };
  return {
    copy: () => ask("copy"),
    restart: () => ask("restart"),
    cut: () => ask("cut"),
    close: async () => {
      if (!lost && worker !== null) await checkpointAnswerOf(worker, { path, act: "close" });
      worker?.terminate();
      await here.close();
    },
  };
}

/** What the worker answers; null when it is lost before it does. */
async function checkpointAnswerOf(worker: Worker, question: CheckpointQuestion): Promise<CheckpointAnswer | null> {
  const { promise, resolve } = Promise.withResolvers<CheckpointAnswer | null>();
  const heard = ({ data }: MessageEvent<CheckpointAnswer>) => resolve(data);
  const lost = () => resolve(null);
  worker.addEventListener("message", heard);
  worker.addEventListener("error", lost);
  worker.postMessage(question);
  return promise.finally(() => {
    worker.removeEventListener("message", heard);
    worker.removeEventListener("error", lost);
  });
}

// The seam between a database's write-ahead log and whoever keeps its frames elsewhere.

/** A database as it lies in its folder before a server uses it, with the log that was left beside it. */
export interface FoundDatabase {
  readonly path: string;
  /** The number of its last commit and its moment (ms). */
  readonly number: number;
  readonly at: number;
  /** SQLite's count of the changes of its schema. */
  readonly schema_version: number;
  /** Whether a migration is about to change it outside of any commit that is numbered. */
  readonly migrates: boolean;
  /** Whether the files are those that the last server left, as far as can be known. */
  readonly untouched: boolean;
}

/**
 * Keeps the frames of one log. As long as it holds the log, SQLite lets no writer begin it anew, in no process, so that
 * no frame is lost that was not taken.
 */
export interface LogFollower {
  /** Takes what an earlier run has left in the log, before that is emptied. Waits for the disk. Never throws. */
  found(database: FoundDatabase): void;
  /** Begins to follow the log of a database that is open from now on. */
  begin(path: string): void;
  /**
   * Takes all frames that were committed before this call. False when that failed or took too long: then the log should
   * be left as it is.
   */
  take(): Promise<boolean>;
  /** Lets the log begin anew. To be called when all was taken and nothing is committed. */
  letGo(): Promise<void>;
  /** Holds the log again, whether it began anew or not. */
  hold(): Promise<void>;
  /** Lets go of the log, although not all of it was taken, since it has grown too long. */
  giveUp(): void;
  /** Takes the last frames, and lets go of the log. */
  close(): Promise<void>;
}

// The write-ahead log of a server's database. A commit only appends to it; the disk is waited for in other threads, and
// so is the copying of the log into the database.

interface CommitLogSettings {
  readonly path: string;
  /** The connection that commits. It is set not to wait for the disk any more. */
  readonly writer: SqliteConnection;
  /** Whether checkpoints have a thread of their own. */
  readonly worker: boolean;
  readonly log: Log;
  /** Waits until what was written to an open file is on the disk. */
  readonly sync?: ((file: number) => Promise<void>) | undefined;
  /** Who keeps the frames elsewhere: the log does not begin anew before it has them, within bounds. */
  readonly follower?: LogFollower | null | undefined;
  /** Called when the log should begin anew. */
  readonly due: () => void;
  /** Called when a checkpoint failed in a way after which nothing can be believed. */
  readonly failed: (error: unknown) => void;
}

/** The log as a file by which the disk is waited for. */
interface LogFile {
  /** Resolves when all that was committed is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

/** Opens the log of a database that is open, for as long as that is: SQLite has no locks on this file to be lost. */
function openLogFile(path: string, sync: CommitLogSettings["sync"] = promisify(fdatasync)): LogFile {
  const file = openSync(`${path}-wal`, "r");
  return {
    sync: async () => {
      try {
        await sync(file);
      } catch (error) {
        // As SQLite calls it: nobody knows what is on the disk now.
        throw Object.assign(new Error("the log could not be synced", { cause: error }), { code: "SQLITE_IOERR_FSYNC" });
      }
    },
    close: () => closeSync(file),
  };
}

/** The log of a process whose commits wait for the disk by themselves. */
export interface CommandLog extends LogFile {
  /**
   * Copies the log once it has grown long, between two batches. A commit copies it, too, but not to its end, since
   * reads keep the view before that commit: without this, the log would grow until the process ends.
   */
  tend(): Promise<void>;
}

/** How the log of a writer is synced, and who is told when a checkpoint fails. */
type CommandLogSettings = Pick<CommitLogSettings, "sync" | "log" | "failed">;

/** Opens the log of a writer; `renewed` of its reader resolves when no view of this process is open. */
export function openCommandLog(
  path: string,
  { plain }: Pick<SqliteConnection, "plain">,
  reader: { readonly renewed: () => Promise<void> },
  { sync, ...told }: CommandLogSettings,
): CommandLog {
  const [look, copy] = [plain("pragma wal_checkpoint(noop)"), plain("pragma wal_checkpoint(passive)")];
  // How many frames the log held when it was tried last: a view of another process may keep them from being copied.
  let tried = Number.POSITIVE_INFINITY;
  return {
    ...openLogFile(path, sync),
    tend: async () => {
      try {
        // Not what is still to be copied: commits copy all but the last, and the log begins again only after all of it.
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

/** A checkpoint that fails for want of room or because of a lock is tried again later: nothing hangs on it. */
function noticeFailure({ log, failed }: Pick<CommitLogSettings, "log" | "failed">, error: unknown): void {
  if (storageErrorOf(error) === "fatal") failed(error);
  log.warn("the log of the database could not be copied", { reason: String(error) });
}

/**
 * While a log is copied it grows. At three times the length that is too long, writes wait for the copying; where it was
 * longer from the start, since somebody has held a view for long as a backup does, once it is half as long again.
 */
const most_pages = 3 * checkpoint_pages;
const growth_most = 1.5;
/**
 * How long a log waits for its frames to be taken: until it has so many (256 MiB), and for so long since they could not
 * be taken for the first time.
 */
const waits_pages = 65_536;
const waits_ms = 60_000;

/** A shorter log (1 MiB) is copied by whoever closes the database, sooner than a thread would begin to. */
const short_pages = 256;

export class CommitLog {
  readonly #settings: CommitLogSettings;
  readonly #file: LogFile;
  readonly #checkpoints: Checkpointer;
  readonly #look: Statement;
  readonly #follower: LogFollower | null;
  /** The first pass, while it goes on. */
  #copying: Promise<void> | null = null;
  /** Whether the first pass still waits for the frames to be taken; writes go on meanwhile. */
  #taking = false;
  /** Since when (monotonic ms) the frames could not be taken. */
  #waits_since: number | null = null;
  #due = false;
  /** How many frames the log held when it was looked at last. */
  #held = 0;
  /** How many frames were copied by the last pass. */
  #copied = 0;
  /** Those who wait for the log to be cut. */
  #cuts: ((cut: boolean) => void)[] = [];
  /** With so many frames the next pass begins. */
  #next = checkpoint_pages;
  /** Whether the next pass follows one during which much was written. */
  #follows = false;
  /** With so many frames, writes wait for the pass that goes on. */
  #most = most_pages;

  constructor(settings: CommitLogSettings) {
    const { path, writer, worker, log, sync, follower = null } = settings;
    this.#settings = settings;
    this.#follower = follower;
    this.#checkpoints = worker ? checkpointsAside(path, log) : checkpointsHere(path);
    // The head of the log and its place in the folder are on the disk from the start: SQLite sees to them by itself.
    restartLog(writer.raw);
    writer.raw.run("pragma synchronous=normal");
    this.#file = openLogFile(path, sync);
    this.#look = writer.plain("pragma wal_checkpoint(noop)");
    follower?.begin(path);
  }

  /** Resolves when all that was committed is on the disk. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  /** Whether the log should begin anew before more is written. */
  get due(): boolean {
    return this.#due || this.#cuts.length > 0;
  }

  /** Asks that the log be cut when it begins anew, which is then due. Answers whether it was: it may be in use. */
  cut(): Promise<boolean> {
    return new Promise((resolve) => this.#cuts.push(resolve));
  }

  /**
   * Copies a log that has grown long while writes go on, and then says that the rest is due. Not to be called within a
   * transaction.
   */
  tend(): void {
    try {
      this.#held = this.#look.values()[0]?.[1] as number;
    } catch (error) {
      this.#notice(error);
      return;
    }
    if (this.#copying !== null) this.#due ||= !this.#taking && this.#held >= this.#most;
    else if (this.#held >= this.#next) {
      // A pass that follows another one is no reason to let the log grow further.
      if (!this.#follows) this.#most = Math.max(most_pages, growth_most * this.#held);
      this.#follows = false;
      this.#copying = this.#copyFirst();
    }
  }

  /** Says that the rest is due; or that one more pass shall begin, where much was written during a long one. */
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
    // While nothing is committed, little is left to be taken.
    await this.#follower?.take();
    this.#passed(frames);
  }

  /** Whether the log may begin anew as far as its follower goes. If it may not, that is tried again a little later. */
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
    follower.giveUp();
    return true;
  }

  /**
   * Copies the rest of the log and begins it anew. Nothing is committed meanwhile; `letGo` resolves when each view of
   * the data that is open was taken after it was called.
   */
  async renew(letGo: () => Promise<void>): Promise<void> {
    await this.#copying;
    this.#due = false;
    const cuts = this.#cuts.splice(0);
    // What was committed since the first pass is little.
    if (!(await this.#taken())) {
      for (const done of cuts) done(false);
      return;
    }
    await this.#follower?.letGo();
    const { held, is_cut = false } = await this.#tried(async () => {
      await letGo();
      const frames = await this.#checkpoints.copy();
      if (frames.copied < frames.held) return frames;
      // A view of a log that has been copied as a whole does not look into it, and lets it begin anew.
      await letGo();
      return await (cuts.length > 0 ? this.#checkpoints.cut() : this.#checkpoints.restart());
    });
    await this.#follower?.hold();
    this.#next = held < checkpoint_pages ? checkpoint_pages : held + checkpoint_pages / 4;
    if (held < this.#copied) this.#copied = 0;
    this.#due = false;
    for (const done of cuts) done(is_cut);
  }

  /** Copies a log of some length while others answer, so that closing the database has little to wait for. */
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
