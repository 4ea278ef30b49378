// The store on SQLite: one writer with group commit, and a read-only connection.
import { AsyncLocalStorage } from "node:async_hooks";
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import { noSite } from "../../core/operator_settings.ts";
import type { FollowedRecords, JobName } from "../commit_effects.ts";
import {
  CommitEffects,
  type CommitListeners,
  commit_seconds,
  commit_writes,
  commits,
  failures,
} from "../commit_effects.ts";
import type { ClockStepListener, Db, ReadQueueKey, Store, StoreFacts, TenantScope, Tx } from "../database.ts";
import { unscoped } from "../scope.ts";
import { scopedStore } from "../scoped_store.ts";
import { SteadyClock } from "../steady_clock.ts";
import { storageErrorOf, storageFault, withoutQuery } from "../storage_errors.ts";
import { Transaction, type ViewContext } from "../transaction.ts";
import { cutLog } from "./checkpoint.ts";
import { type CommandLog, CommitLog, openCommandLog } from "./commit_log.ts";
import { findDamage } from "./find_damage.ts";
import { connectWriter, type SqliteConnection } from "./sqlite_connection.ts";
import { SingleTurn, SqliteReader } from "./sqlite_reader.ts";
import type { SqliteSettings } from "./sqlite_settings.ts";
import type { CheckDepth } from "./whole_check.ts";

const batch_max = 64;
/**
 * After a batch is rerun, this many batches use savepoints from the start, so that frequent failures do not run twice.
 */
const careful_batches = 32;

interface QueuedWrite {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** Writes that share a transaction. */
interface WriteBatch {
  jobs: QueuedWrite[];
  /** Completes each write once the transaction is durable. */
  answers: (() => void)[];
  effects: CommitEffects;
  readonly begun_at: number;
  /** Whether each write has its own savepoint. */
  careful: boolean;
  /** The connection's count of changed rows when the transaction or the current write started. */
  changes: unknown;
  /** How far due times were shifted because the clock was set (ms). */
  moved: number;
  /** The machine's time that the last write used. */
  at: number;
}

/** The state of a batch at the start of its transaction. */
const noProgress = () => ({ answers: [], effects: new CommitEffects(), moved: 0, changes: null });

/** Resolves when the event loop turns. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function stopping(): Fault {
  return new Fault("storage_unavailable", "The service is stopping.");
}

/** Opens the store of one environment on a migrated SQLite file. */
export function openSqlite(settings: SqliteSettings): Store {
  return new SqliteStore(settings);
}

class SqliteStore implements Store {
  readonly mode: Environment;
  readonly scope = unscoped;
  readonly base = this;
  readonly clock: SteadyClock;
  readonly #settings: SqliteSettings;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteReader;
  /** Null if each commit waits for the disk itself. */
  readonly #log: CommitLog | null;
  /** If each commit waits itself: syncs earlier commits of other processes. */
  readonly #before: CommandLog | null;
  readonly #listeners: CommitListeners = { wakes: [], changes: [] };
  #onStep: ClockStepListener | null = null;
  readonly #inode: number;
  readonly #scope = new AsyncLocalStorage<QueuedWrite>();
  readonly #turn = new SingleTurn();
  #current: QueuedWrite | undefined;
  /** The error after which the open savepoint can only be rolled back. */
  #broken: { readonly error: unknown } | null = null;
  #queue: QueuedWrite[] = [];
  /** The running work on the queue. */
  #writing: Promise<void> | null = null;
  /** The last commit, until the disk has confirmed it. */
  #syncing: Promise<void> | null = null;
  /** Wakes the batch that waits for more writes or the disk. */
  #wakeBatch: () => void = () => {};
  /** How many more batches use savepoints from the start. */
  #careful = 0;
  #dead: Fault | null = null;
  #damage: string | null = null;
  #closed = false;

  readonly #begin;
  readonly #commit;
  readonly #rollback;
  readonly #save;
  readonly #release;
  readonly #undo;
  readonly #count;
  readonly #number;

  constructor(settings: SqliteSettings) {
    const { path, mode, clock: source, log, waits = "checkpoints", sync, follower } = settings;
    this.mode = mode;
    this.#settings = settings;
    const read = () => source.now() - source.ahead_ms;
    this.clock = new SteadyClock({ source, read, log, onStep: () => this.#shiftDueTimes() });
    const failed = (error: unknown) => {
      this.#broken ??= { error };
    };
    const synced = waits === "commits" ? "by_commit" : "by_others";
    this.#writer = connectWriter(path, { enter: () => this.#enter(), failed }, synced);
    const heard = { log, failed: (error: unknown) => this.#notice(error) };
    this.#log =
      waits === "commits"
        ? null
        : new CommitLog({
            ...heard,
            path,
            sync,
            follower,
            writer: this.#writer,
            worker: waits === "nobody",
            due: () => {
              if (!this.#closed) this.#wake();
            },
          });
    this.#reader = new SqliteReader({
      path,
      context: () => this.#context(),
      now: () => this.clock.now(),
      enter: () => {
        if (this.#dead !== null) throw this.#dead;
      },
      failed: (error) => {
        this.#notice(error);
        return this.#dead ?? withoutQuery(error);
      },
    });
    this.#before = waits === "commits" ? openCommandLog(path, this.#writer, this.#reader, { sync, ...heard }) : null;
    this.#inode = statSync(path).ino;
    const write = this.#writer.plain;
    this.#begin = write("begin immediate");
    this.#commit = write("commit");
    this.#rollback = write("rollback");
    this.#save = write("savepoint part");
    this.#release = write("release part");
    this.#undo = write("rollback to part");
    this.#count = write("select total_changes()");
    // The time decreases only if due times were shifted. Otherwise the next start would not notice the change.
    this.#number = write(
      "update commit_sequence set number = number + 1, at = case when ? then ? else max(at, ?) end returning number",
    );
    this.clock.recall((write("select at from commit_sequence").values()[0]?.[0] as number | undefined) ?? 0);
  }

  scoped(scope: TenantScope): Store {
    return scopedStore(this, scope);
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      this.#queue.push({ work, done: resolve as (value: unknown) => void, fail: reject });
      this.#wakeBatch();
      this.#wake();
    });
  }

  read<T>(work: (db: Db) => Promise<T>, line: ReadQueueKey = null): Promise<T> {
    if (this.#closed) return Promise.reject(stopping());
    return this.#reader.read(work, line);
  }

  async readLatest<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await this.#reader.passed();
    return this.read(work);
  }

  onWake(listener: (job: JobName, at: number) => void): void {
    this.#listeners.wakes.push(listener);
  }

  onChange(listener: (followed: FollowedRecords) => void): void {
    this.#listeners.changes.push(listener);
  }

  onStep(listener: ClockStepListener): void {
    this.#onStep = listener;
  }

  async facts(): Promise<StoreFacts> {
    const { path } = this.#settings;
    const found = statSync(path, { throwIfNoEntry: false });
    // Data written to a deleted file is lost when the process ends.
    if (found?.ino !== this.#inode) throw new Fault("storage_unavailable", "The database file was deleted.");
    const { bavail, bsize } = statfsSync(dirname(path));
    return {
      engine: "sqlite",
      database_bytes: found.size,
      log_bytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      free_bytes: bavail * bsize,
      connections: null,
      damage: this.#damage,
    };
  }

  async findDamage(depth: CheckDepth, ending: AbortSignal): Promise<string | null> {
    const found = await findDamage(this.#settings.path, depth, ending);
    if (found !== null) {
      this.#damage = found;
      this.#settings.damaged?.();
    }
    return found;
  }

  async shred(): Promise<boolean> {
    const cut = this.#log?.cut() ?? cutLog(this.#writer.raw);
    this.#wake();
    return cut;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#writing;
    await this.#syncing;
    await this.#reader.close();
    await this.#log?.close();
    this.#before?.close();
    this.#writer.close();
  }

  #wake(): void {
    this.#writing ??= nextTurn().then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0 || this.#log?.due) {
      await (this.#log ?? this.#before)?.tend();
      if (this.#dead !== null) for (const job of this.#queue.splice(0)) job.fail(this.#dead);
      else if (this.#log?.due) await this.#renewLog(this.#log);
      else await this.#runBatch();
      // Send responses and accept new requests, which form the next batch.
      await nextTurn();
    }
    this.#writing = null;
  }

  async #renewLog(log: CommitLog): Promise<void> {
    await this.#syncing;
    await log.renew(() => this.#reader.renewed());
  }

  async #runBatch(): Promise<void> {
    const jobs = this.#queue.splice(0, batch_max);
    const batch: WriteBatch = {
      jobs,
      begun_at: performance.now(),
      at: 0,
      careful: this.#careful > 0,
      ...noProgress(),
    };
    if (batch.careful) this.#careful -= 1;
    let number: number | null = null;
    try {
      this.#beginBatch(batch);
      await this.#gather(batch);
      if (this.#dead !== null) throw this.#dead;
      const { moved, at } = batch;
      if (this.#changes() !== batch.changes || moved !== 0) {
        number = (this.#number.values(moved !== 0, at, at)[0]?.[0] as number | undefined) ?? null;
      }
      // Until the disk confirms this commit, reads see the previous state.
      if (number !== null) await this.#reader.keep();
      // Only one commit is written to disk at a time, so at most one is incomplete after a power cut.
      if (number !== null) await this.#before?.sync();
      this.#commit.run();
    } catch (error) {
      this.#abandon(batch, error);
      // Unless an earlier commit is still unconfirmed.
      if (this.#syncing === null) this.#reader.release();
      return;
    }
    this.clock.shifted(batch.moved);
    if (number === null) this.#answer(batch);
    else this.#syncing = this.#settle(batch, number);
  }

  #beginBatch(batch: WriteBatch): void {
    this.#begin.run();
    batch.changes = this.#changes();
  }

  /** Rolls a batch back and reruns it with a savepoint for each write. */
  #rerun(batch: WriteBatch): void {
    this.#rollback.run();
    // Each write gets a new identity, so that late statements of its first run are refused.
    Object.assign(batch, { careful: true, jobs: batch.jobs.map((job) => ({ ...job })), ...noProgress() });
    this.#careful = careful_batches;
    this.#beginBatch(batch);
  }

  /** Runs the queued writes, and those that arrive while the disk confirms the previous commit. */
  async #gather(batch: WriteBatch): Promise<void> {
    for (let at = 0; ; at += 1) {
      while (at >= batch.jobs.length) {
        if (this.#syncing === null) return;
        await new Promise<void>((resolve) => {
          this.#wakeBatch = resolve;
        });
        batch.jobs.push(...this.#queue.splice(0, batch_max - batch.jobs.length));
      }
      const now = this.clock.now();
      batch.at = now - this.clock.ahead_ms;
      await this.#runStep(now, batch);
      const changes = at === 0 || batch.careful ? batch.changes : this.#changes();
      const answer = await this.#runJob(batch.jobs[at] as QueuedWrite, now, { ...batch, changes });
      if (answer !== null) batch.answers.push(answer);
      else {
        this.#rerun(batch);
        at = -1;
      }
    }
  }

  /** Moves due times as far as the clock was moved. */
  async #runStep(now: number, batch: WriteBatch): Promise<void> {
    const by_ms = this.clock.stepped_ms - batch.moved;
    const move = this.#onStep;
    if (by_ms === 0 || move === null) return;
    const fail = (error: unknown) => {
      const facts = { mode: this.mode, error: String(error) };
      this.#settings.log.error("due times could not be shifted after the clock was set", facts);
    };
    const step = { work: (tx: Tx) => move(tx, by_ms), done: () => {}, fail };
    const tell = await this.#runJob(step, now, { careful: true, effects: batch.effects, changes: null });
    tell?.();
    batch.moved += by_ms;
  }

  /** Starts a transaction so that due times are shifted. */
  #shiftDueTimes(): void {
    if (this.#onStep !== null) this.write(async () => {}).catch(() => {});
  }

  /** Waits for the disk, then completes the writes. */
  async #settle(batch: WriteBatch, number: number): Promise<void> {
    const failure = await this.#log?.sync().then(
      () => null,
      (error) => error,
    );
    this.#syncing = null;
    this.#reader.release();
    this.#wakeBatch();
    if (failure) this.#notice(failure);
    if (this.#dead !== null) for (const job of batch.jobs) job.fail(this.#dead);
    else {
      this.#settings.committed?.(number);
      this.#answer(batch);
    }
  }

  #answer({ answers, effects, begun_at }: WriteBatch): void {
    commits.add(1, this.mode);
    commit_writes.observe(answers.length, this.mode);
    commit_seconds.observe((performance.now() - begun_at) / 1000, this.mode);
    for (const answer of answers) answer();
    effects.notify(this.#listeners);
  }

  /**
   * Runs one write and returns a function that completes it; null if it failed after writing without a savepoint, so
   * that its batch must be rerun. Throws if the whole batch is lost.
   *
   * Savepoints cost time: SQLite keeps every page changed within one, and iterates over all of them at each statement
   * with a trigger.
   */
  async #runJob(
    job: QueuedWrite,
    now: number,
    { careful, effects, changes }: Pick<WriteBatch, "careful" | "effects" | "changes">,
  ): Promise<(() => void) | null> {
    const tx = new Transaction(this.#writer.sql, now, this.#context(), (work) => this.#part(work));
    if (careful) this.#save.run();
    try {
      this.#current = job;
      const value = await this.#turn.of(this.#scope.run(job, async () => await tx.run(job.work)));
      if (this.#broken !== null) throw this.#broken.error;
      if (careful) this.#release.run();
      effects.add(tx.effects);
      return () => job.done(value);
    } catch (error) {
      if (this.#lost(error)) throw error;
      if (!careful) return this.#changes() === changes ? () => job.fail(error) : null;
      this.#undo.run();
      this.#release.run();
      return () => job.fail(error);
    } finally {
      this.#current = undefined;
      this.#broken = null;
    }
  }

  /** Runs a part of a write in its own savepoint. Savepoints with the same name nest; the innermost is used. */
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
      // If the write has ended, its savepoint no longer exists.
      if (this.#current !== outer || this.#lost(error)) throw error;
      this.#undo.run();
      this.#release.run();
      this.#broken = null;
      throw error;
    }
  }

  /** Whether the batch is lost: the storage failed, or SQLite has ended the transaction. */
  #lost(error: unknown): boolean {
    return !this.#writer.raw.inTransaction || storageErrorOf(this.#broken?.error ?? error) !== null;
  }

  #abandon({ jobs }: WriteBatch, error: unknown): void {
    failures.add(1, this.mode);
    let reason = error;
    try {
      if (this.#writer.raw.inTransaction) this.#writer.raw.run("rollback");
    } catch (worse) {
      reason = new Fault("storage_unavailable", "The storage failed.");
      (reason as Fault).cause = worse;
    }
    this.#notice(reason);
    for (const job of jobs) job.fail(this.#dead ?? withoutQuery(reason));
  }

  #context(): ViewContext {
    return { mode: this.mode, site: this.#settings.site?.() ?? noSite, home: this };
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
    if (storageErrorOf(error) !== "fatal" || this.#dead !== null) return;
    this.#dead = storageFault("fatal", error);
    this.#settings.fatal(error);
  }
}
