import type { Statement } from "bun:sqlite";
import { FairQueue } from "../../core/fair_queue.ts";
import type { Db, ReadQueueKey } from "../database.ts";
import { StoreView, type ViewContext } from "../transaction.ts";
import { connectReader, type SqliteConnection } from "./sqlite_connection.ts";

// Work that may await its own statements alone: those end before the event loop turns, anything else does not.

const late = new Error("a transaction waited for something other than its own statements");

/** Fails what has not ended when the event loop turns. */
export class SingleTurn {
  /** What fails the work that was begun since the event loop turned last. */
  #begun: ((error: Error) => void)[] = [];
  #begun_at = 0;

  /** Resolves as the work does, or is rejected when the event loop turns. */
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

  /** For how long work has gone on since the event loop turned last, in ms. */
  get lasted_ms(): number {
    return this.#begun.length === 0 ? 0 : performance.now() - this.#begun_at;
  }

  #failLate(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const fail of begun) fail(late);
  }
}

// The reading side of the store on SQLite: a connection that sees what is durable, and nothing before it is.

const view_ms = 10;
/** Reads that have gone on for so long let other requests have their turn. */
const turn_ms = 10;

interface SqliteReaderSettings {
  readonly path: string;
  readonly world: () => ViewContext;
  /** The time that a read is told. */
  readonly now: () => number;
  /** Throws when nothing may be read any more. */
  readonly enter: () => void;
  /** Told of an error of a read; answers what its caller is told. */
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
  /** The work on what is to be read, while it goes on. */
  #looking: Promise<void> | null = null;
  /** The end of the read that is under way. */
  #under_way: Promise<void> | null = null;
  /** Until then (monotonic ms) the open view may be read; 0 when the next read must take a new one. */
  #until = 0;
  /** Whether the open view is read as long as that, since what came after it is not durable yet. */
  #kept = false;
  /** Told when the view that is kept need be read no longer. */
  #released: (() => void)[] = [];
  #idle: Timer | null = null;
  /** What was made once for all who read this view. */
  readonly #memos = new Map<string, unknown>();

  constructor(settings: SqliteReaderSettings) {
    this.#settings = settings;
    this.#connection = connectReader(settings.path);
    this.#begin = this.#connection.plain("begin");
    this.#take = this.#connection.plain("select number from commit_sequence");
    this.#end = this.#connection.plain("commit");
  }

  /** Reads in several lines take turns. */
  read<T>(work: (db: Db) => Promise<T>, line: ReadQueueKey): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#looks.push(line, { work, done: resolve as (value: unknown) => void, fail: reject });
      this.#looking ??= Promise.resolve().then(() => this.#look());
    });
  }

  /** From now on all read what is durable now, whatever is committed, until `release`. */
  async keep(): Promise<void> {
    // A read that began before the last release does not lend its older view to those that come after.
    if (this.#until === 0) await this.#under_way;
    if (this.#until === 0) this.#open();
    // SQLite takes a view at the first statement that reads.
    this.#take.values();
    this.#kept = true;
  }

  /** What was committed is durable, or undone: who reads next takes a new view. */
  release(): void {
    this.#kept = false;
    this.#until = 0;
    if (this.#under_way === null) this.#close();
    for (const tell of this.#released.splice(0)) tell();
  }

  /** Resolves when whoever reads next takes a view that is newer than this call. */
  async passed(): Promise<void> {
    if (this.#kept) await new Promise<void>((resolve) => this.#released.push(resolve));
    else this.#until = 0;
  }

  /** Resolves when no open view is older than this call. A read ends before the event loop turns. */
  async renewed(): Promise<void> {
    this.#until = 0;
    await this.#under_way;
    if (this.#until === 0) this.#close();
  }

  /** Waits for the reads that were asked for. */
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
    const { world, now, enter, failed } = this.#settings;
    try {
      enter();
      if (!this.#kept && this.#until <= performance.now()) this.#open();
      const db = new StoreView(this.#connection.sql, now(), world(), this.#memos);
      done(await this.#turn.of(work(db)));
    } catch (error) {
      if (!this.#kept) this.#close();
      fail(failed(error));
    }
  }

  /** Reads share one view until something is committed, and for 10 ms at most: taking one costs more than a read. */
  #open(): void {
    this.#close();
    this.#begin.run();
    this.#until = performance.now() + view_ms;
  }

  /** A view that nobody needs would keep the log from being copied into the database. */
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
