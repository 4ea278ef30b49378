// The reading side of the store on SQLite: a connection that sees only durable commits.
import type { Statement } from "bun:sqlite";
import { FairQueue } from "../../core/fair_queue.ts";
import type { Db, ReadQueueKey } from "../database.ts";
import { StoreView, type ViewContext } from "../transaction.ts";
import { connectReader, type SqliteConnection } from "./sqlite_connection.ts";

const late = new Error("a transaction waited for something other than its own statements");

/**
 * Fails work that has not finished when the event loop turns. Work may await only its own statements, which finish
 * before that.
 */
export class SingleTurn {
  /** Rejects the work that started since the event loop last turned. */
  #begun: ((error: Error) => void)[] = [];
  #begun_at = 0;

  /** Settles like the work, or rejects when the event loop turns. */
  of<T>(work: Promise<T>): Promise<T> {
    if (this.#begun.length === 0) {
      this.#begun_at = performance.now();
      setImmediate(() => this.#failLate());
    }
    return new Promise((resolve, reject) => {
      this.#begun.push(reject);
      work.then(resolve, reject);
    });
  }

  /** How long work has run since the event loop last turned (ms). */
  get lasted_ms(): number {
    return this.#begun.length === 0 ? 0 : performance.now() - this.#begun_at;
  }

  #failLate(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const fail of begun) fail(late);
  }
}

const view_ms = 10;
/** After this time, reads yield to other requests. */
const turn_ms = 10;

interface SqliteReaderSettings {
  readonly path: string;
  readonly context: () => ViewContext;
  /** The time of a read's view. */
  readonly now: () => number;
  /** Throws if reading is no longer allowed. */
  readonly enter: () => void;
  /** Converts the error of a read for its caller. */
  readonly failed: (error: unknown) => unknown;
}

interface QueuedRead {
  readonly work: (db: Db) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

export class SqliteReader {
  readonly #settings: SqliteReaderSettings;
  readonly #connection: SqliteConnection;
  readonly #begin: Statement;
  readonly #take: Statement;
  readonly #end: Statement;
  readonly #turn = new SingleTurn();
  readonly #looks = new FairQueue<ReadQueueKey, QueuedRead>();
  /** The running work on the queue. */
  #looking: Promise<void> | null = null;
  /** The end of the current read. */
  #under_way: Promise<void> | null = null;
  /** Until when (monotonic ms) the open view may be used; 0 if the next read must take a new one. */
  #until = 0;
  /** Whether the open view must be kept, since later commits are not durable yet. */
  #kept = false;
  /** Called when the kept view is released. */
  #released: (() => void)[] = [];
  #idle: Timer | null = null;
  /** Results that are shared within this view. */
  readonly #memos = new Map<string, unknown>();

  constructor(settings: SqliteReaderSettings) {
    this.#settings = settings;
    this.#connection = connectReader(settings.path);
    this.#begin = this.#connection.plain("begin");
    this.#take = this.#connection.plain("select number from commit_sequence");
    this.#end = this.#connection.plain("commit");
  }

  /** Runs a read. The queues take turns. */
  read<T>(work: (db: Db) => Promise<T>, line: ReadQueueKey): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#looks.push(line, { work, done: resolve as (value: unknown) => void, fail: reject });
      this.#looking ??= Promise.resolve().then(() => this.#look());
    });
  }

  /** Until `release`, all reads see what is durable now, whatever is committed. */
  async keep(): Promise<void> {
    // The older view of a read from before the last release must not be used by later reads.
    if (this.#until === 0) await this.#under_way;
    if (this.#until === 0) this.#open();
    // SQLite takes a view at the first reading statement.
    this.#take.values();
    this.#kept = true;
  }

  /** The commit is durable or rolled back: the next read takes a new view. */
  release(): void {
    this.#kept = false;
    this.#until = 0;
    if (this.#under_way === null) this.#close();
    for (const tell of this.#released.splice(0)) tell();
  }

  /** Resolves when the next read will take a view that is newer than this call. */
  async passed(): Promise<void> {
    if (this.#kept) await new Promise<void>((resolve) => this.#released.push(resolve));
    else this.#until = 0;
  }

  /** Resolves when all open views are newer than this call. Reads finish before the event loop turns. */
  async renewed(): Promise<void> {
    this.#until = 0;
    await this.#under_way;
    if (this.#until === 0) this.#close();
  }

  /** Waits for queued reads. */
  async close(): Promise<void> {
    await this.#looking;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#close();
    this.#connection.close();
  }

  async #look(): Promise<void> {
    if (this.#turn.lasted_ms > turn_ms) await new Promise(setImmediate);
    for (let next = this.#looks.shift(); next !== undefined; next = this.#looks.shift()) {
      const look = this.#lookOnce(next);
      this.#under_way = look;
      await look;
      this.#under_way = null;
      if (!this.#looks.isEmpty && this.#turn.lasted_ms > turn_ms) await new Promise(setImmediate);
    }
    this.#looking = null;
    if (this.#kept || !this.#connection.raw.inTransaction) return;
    if (this.#until === 0) this.#close();
    else this.#idle ??= setTimeout(() => this.#leave(), view_ms);
  }

  async #lookOnce({ work, done, fail }: QueuedRead): Promise<void> {
    const { context, now, enter, failed } = this.#settings;
    try {
      enter();
      if (!this.#kept && this.#until <= performance.now()) this.#open();
      const db = new StoreView(this.#connection.sql, now(), context(), this.#memos);
      done(await this.#turn.of(work(db)));
    } catch (error) {
      if (!this.#kept) this.#close();
      fail(failed(error));
    }
  }

  /** Reads share a view until the next commit, for at most 10 ms, since taking a view costs more than a read. */
  #open(): void {
    this.#close();
    this.#begin.run();
    this.#until = performance.now() + view_ms;
  }

  /** Ends the view, since an unused view would prevent copying the log into the database. */
  #leave(): void {
    this.#idle = null;
    if (this.#looking === null && !this.#kept) this.#close();
  }

  #close(): void {
    this.#until = 0;
    this.#memos.clear();
    if (this.#connection.raw.inTransaction) this.#end.run();
  }
}
