// The store on SQLite: one writer with group commit, and a read-only connection beside it.
import { AsyncLocalStorage } from "node:async_hooks";
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/fault.ts";
import type { Log } from "../kit/log.ts";
import type { Mode } from "../kit/mode.ts";
import { commit_seconds, commit_writes, commits, failures } from "./meters.ts";
import { type Connection, connectReader, connectWriter } from "./sqlite_connection.ts";
import { SteadyClock } from "./steady_clock.ts";
import type { Db, StepListener, Store, StoreFacts, Tx } from "./store.ts";
import { earliest, recalled, Transaction, type Wakes } from "./transaction.ts";
import { told, troubleFault, troubleOf } from "./trouble.ts";

const batch_max = 64;
const snapshot_ms = 10;

export interface SqliteSettings {
  /** The database file, which has been migrated. */
  readonly path: string;
  readonly mode: Mode;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once when nothing the storage says can be believed any more; the process must end within a second. */
  readonly fatal: (error: unknown) => void;
  /** Told the number of each commit, after it. */
  readonly committed?: (sequence: number) => void;
}

interface Job {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

interface Look {
  readonly work: (db: Db) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

const late = new Error("a transaction waited for something other than its own statements");

/** Resolves when the event loop turns. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function stopping(): Fault {
  return new Fault("storage_unavailable", "The service is stopping.");
}

/** Opens the store of one mode on a migrated SQLite file. */
export function openSqlite(settings: SqliteSettings): Store {
  return new SqliteStore(settings);
}

class SqliteStore implements Store {
  readonly mode: Mode;
  readonly clock: SteadyClock;
  readonly #settings: SqliteSettings;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #listeners: ((job: string, at: number) => void)[] = [];
  #onStep: StepListener | null = null;

  readonly #scope = new AsyncLocalStorage<Job>();
  #current: Job | undefined;
  /** The error after which the open savepoint can only be undone. */
  #broken: { readonly error: unknown } | null = null;
  #queue: Job[] = [];
  #writing = false;
  #looks: Look[] = [];
  #looking = false;
  /** Until then (monotonic ms) the open snapshot may be read; 0 when the next read must take a new one. */
  #snapshot_until = 0;
  /** What was made once for all who read this snapshot. */
  readonly #memos = new Map<string, unknown>();
  readonly #memo = <T>(key: string, make: () => T): T => recalled(this.#memos, key, make);
  #idle: Timer | null = null;
  /** What fails the work that was begun since the event loop turned last, unless it has ended. */
  #begun: ((error: Error) => void)[] = [];
  #dead: Fault | null = null;
  #closed = false;

  readonly #begin;
  readonly #commit;
  readonly #save;
  readonly #release;
  readonly #undo;
  readonly #count;
  readonly #number;
  readonly #beginLook;
  readonly #endLook;

  constructor(settings: SqliteSettings) {
    this.mode = settings.mode;
    this.#settings = settings;
    const { clock: source, log } = settings;
    const read = () => source.now() - source.ahead_ms;
    this.clock = new SteadyClock({ source, read, log, onStep: () => this.#moveWaits() });
    this.#writer = connectWriter(settings.path, {
      enter: () => this.#enter(),
      failed: (error) => {
        this.#broken ??= { error };
      },
    });
    this.#reader = connectReader(settings.path);
    const write = this.#writer.plain;
    this.#begin = write("begin immediate");
    this.#commit = write("commit");
    this.#save = write("savepoint part");
    this.#release = write("release part");
    this.#undo = write("rollback to part");
    this.#count = write("select total_changes()");
    // The moment goes back where what waits was moved, and there alone: else the next start would not know of it.
    this.#number = write(
      "update commit_sequence set number = number + 1, at = case when ? then ? else max(at, ?) end returning number",
    );
    this.clock.recall((write("select at from commit_sequence").values()[0]?.[0] as number | undefined) ?? 0);
    this.#beginLook = this.#reader.plain("begin");
    this.#endLook = this.#reader.plain("commit");
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      this.#queue.push({ work, done: resolve as (value: unknown) => void, fail: reject });
      if (this.#writing) return;
      this.#writing = true;
      setImmediate(() => void this.#flush());
    });
  }

  read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      this.#looks.push({ work, done: resolve as (value: unknown) => void, fail: reject });
      if (!this.#looking) void this.#look();
    });
  }

  onWake(listener: (job: string, at: number) => void): void {
    this.#listeners.push(listener);
  }

  onStep(listener: StepListener): void {
    this.#onStep = listener;
  }

  async facts(): Promise<StoreFacts> {
    const { path } = this.#settings;
    const { bavail, bsize } = statfsSync(dirname(path));
    return {
      engine: "sqlite",
      database_bytes: statSync(path).size,
      log_bytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      free_bytes: bavail * bsize,
      connections: null,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#writing || this.#looking) await nextTurn();
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#closeSnapshot();
    this.#reader.close();
    this.#writer.close();
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, batch_max);
      if (this.#dead !== null) for (const job of batch) job.fail(this.#dead);
      else await this.#runBatch(batch);
      // Let the answers out and the next requests in: they are the next batch.
      await nextTurn();
    }
    this.#writing = false;
  }

  async #runBatch(batch: readonly Job[]): Promise<void> {
    const settle: (() => void)[] = [];
    const wakes: Wakes = new Map();
    let number: number | null = null;
    let moved = 0;
    const begun_at = performance.now();
    try {
      this.#begin.run();
      const before = this.#changes();
      const now = this.clock.now();
      moved = await this.#runStep(now, wakes);
      for (const job of batch) settle.push(await this.#runJob(job, now, wakes));
      if (this.#changes() !== before || moved !== 0) {
        const at = now - this.clock.ahead_ms;
        number = (this.#number.values(moved !== 0, at, at)[0]?.[0] as number | undefined) ?? null;
      }
      if (!this.#looking) this.#closeSnapshot();
      this.#commit.run();
      this.#snapshot_until = 0;
    } catch (error) {
      this.#abandon(batch, error);
      return;
    }
    commits.add(1, this.mode);
    commit_writes.observe(batch.length, this.mode);
    commit_seconds.observe((performance.now() - begun_at) / 1000, this.mode);
    if (number !== null) this.#settings.committed?.(number);
    this.clock.moved(moved);
    for (const tell of settle) tell();
    for (const [job, at] of wakes) for (const listener of this.#listeners) listener(job, at);
  }

  /** Lets what waits be moved by as much as the clock was set, and answers by how much it was. */
  async #runStep(now: number, wakes: Wakes): Promise<number> {
    const by_ms = this.clock.stepped_ms;
    const move = this.#onStep;
    if (by_ms === 0 || move === null) return 0;
    const fail = (error: unknown) => {
      const facts = { mode: this.mode, error: String(error) };
      this.#settings.log.error("what waits could not be moved after a step of the clock", facts);
    };
    const tell = await this.#runJob({ work: (tx) => move(tx, by_ms), done: () => {}, fail }, now, wakes);
    tell();
    return by_ms;
  }

  /** Sees to it that a transaction begins although nobody else wants one. */
  #moveWaits(): void {
    if (this.#onStep !== null) this.write(async () => {}).catch(() => {});
  }

  /** Runs one write in its savepoint and says how to answer it. Throws when the whole batch is lost. */
  async #runJob(job: Job, now: number, wakes: Wakes): Promise<() => void> {
    const tx = new Transaction(this.#writer.sql, now, this.mode, (work) => this.#part(work));
    this.#save.run();
    try {
      this.#current = job;
      const value = await this.#inOneTurn(this.#scope.run(job, async () => await tx.run(job.work)));
      if (this.#broken !== null) throw this.#broken.error;
      this.#release.run();
      for (const [name, at] of tx.wakes) earliest(wakes, name, at);
      return () => job.done(value);
    } catch (error) {
      if (this.#lost(error)) throw error;
      this.#undo.run();
      this.#release.run();
      return () => job.fail(error);
    } finally {
      this.#current = undefined;
      this.#broken = null;
    }
  }

  /** A part of a write that can be undone by itself. Savepoints of one name nest: the innermost is meant. */
  async #part<T>(work: () => Promise<T>): Promise<T> {
    this.#enter();
    this.#save.run();
    const outer = this.#current;
    try {
      const value = await work();
      if (this.#broken !== null) throw this.#broken.error;
      this.#enter();
      this.#release.run();
      return value;
    } catch (error) {
      // Work that outlived its write finds its savepoint gone already.
      if (this.#current !== outer || this.#lost(error)) throw error;
      this.#undo.run();
      this.#release.run();
      this.#broken = null;
      throw error;
    }
  }

  /** After trouble with the storage, or when SQLite has ended the transaction, nothing of the batch can be kept. */
  #lost(error: unknown): boolean {
    return !this.#writer.raw.inTransaction || troubleOf(this.#broken?.error ?? error) !== null;
  }

  #abandon(batch: readonly Job[], error: unknown): void {
    failures.add(1, this.mode);
    let reason = error;
    try {
      if (this.#writer.raw.inTransaction) this.#writer.raw.run("rollback");
    } catch (worse) {
      reason = new Fault("storage_unavailable", "The storage failed.");
      (reason as Fault).cause = worse;
    }
    this.#notice(reason);
    for (const job of batch) job.fail(this.#dead ?? told(reason));
  }

  async #look(): Promise<void> {
    this.#looking = true;
    for (let next = this.#looks.shift(); next !== undefined; next = this.#looks.shift()) {
      const look = next;
      try {
        if (this.#dead !== null) throw this.#dead;
        this.#openSnapshot();
        const now = this.clock.now();
        const db = { sql: this.#reader.sql, now, mode: this.mode, memo: this.#memo };
        look.done(await this.#inOneTurn(look.work(db)));
      } catch (error) {
        this.#closeSnapshot();
        this.#notice(error);
        look.fail(this.#dead ?? told(error));
      }
    }
    this.#looking = false;
  }

  /**
   * Reads share one snapshot until something is committed, and for 10 ms at most: taking one costs more than a read. It
   * is closed before each commit and when idle, so that it never keeps the log from being written back.
   */
  #openSnapshot(): void {
    if (this.#snapshot_until > performance.now()) return;
    this.#closeSnapshot();
    this.#beginLook.run();
    this.#snapshot_until = performance.now() + snapshot_ms;
    this.#idle ??= setTimeout(() => {
      this.#idle = null;
      if (!this.#looking) this.#closeSnapshot();
    }, snapshot_ms);
  }

  #closeSnapshot(): void {
    this.#snapshot_until = 0;
    this.#memos.clear();
    if (this.#reader.raw.inTransaction) this.#endLook.run();
  }

  /** Work that awaits only its own statements has ended when the event loop turns; other work fails then. */
  #inOneTurn<T>(work: Promise<T>): Promise<T> {
    if (this.#begun.length === 0) setImmediate(() => this.#failLate());
    return new Promise((resolve, reject) => {
      this.#begun.push(reject);
      work.then(resolve, reject);
    });
  }

  #failLate(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const fail of begun) fail(late);
  }

  #enter(): void {
    const job = this.#scope.getStore();
    if (job === undefined || job !== this.#current) throw new Error("a transaction was used after it had ended");
    if (this.#broken !== null) {
      throw new Error("a statement of this write failed; only tx.nested can undo one", { cause: this.#broken.error });
    }
  }

  #changes(): unknown {
    return this.#count.values()[0]?.[0];
  }

  #notice(error: unknown): void {
    if (troubleOf(error) !== "fatal" || this.#dead !== null) return;
    this.#dead = troubleFault("fatal", error);
    this.#settings.fatal(error);
  }
}
