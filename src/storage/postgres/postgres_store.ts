// The store on PostgreSQL: a pool of connections to one schema, transactions of its own making, retries.
import { AsyncLocalStorage } from "node:async_hooks";
import { randomInt } from "node:crypto";
import pg from "pg";
import type { Clock } from "../../core/clock.ts";
import { readAddress } from "../../core/config.ts";
import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import type { Log } from "../../core/log.ts";
import { noSite, type Site } from "../../core/operator_settings.ts";
import type { FollowedRecords, JobName } from "../commit_effects.ts";
import {
  CommitEffects,
  type CommitListeners,
  commit_seconds,
  commit_writes,
  commits,
  failures,
  retries,
} from "../commit_effects.ts";
import type { ClockStepListener, Db, Store, StoreFacts, TenantScope, Tx } from "../database.ts";
import { unscoped } from "../scope.ts";
import { scopedStore } from "../scoped_store.ts";
import { SteadyClock, step_min_ms } from "../steady_clock.ts";
import { storageErrorOf, withoutQuery } from "../storage_errors.ts";
import { StoreView, Transaction } from "../transaction.ts";
import { type DatabaseTimes, isRetried, PostgresSession } from "./postgres_session.ts";
import { schemaLockQuery } from "./schema_lock.ts";

interface PostgresSettings {
  readonly url: string;
  /** The schema that holds this store's tables; it has been migrated. */
  readonly schema: string;
  readonly mode: Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** How the service is reached, once it is known; nothing leads to it when absent. */
  readonly site?: (() => Site) | undefined;
  /** How many connections there may be at once; 16 when absent. */
  readonly connections?: number | undefined;
  /** How long the database may owe an answer before its connection is given up, in milliseconds; 35,000 when absent. */
  readonly silent_ms?: number | undefined;
  /** Whose time counts: the database's, moved as far ahead as the clock is (the default), or the clock's alone. */
  readonly time?: "database" | "clock";
}

/** How many connections a server has to each world where nothing else is said. */
const default_connections = 16;
// What a connection has gathered on both sides goes with it.
const lifetime_seconds = 3600;
// Also how long a request waits for its turn, which on a busy machine is as long as it may wait for a lock.
const connect_timeout_ms = 10_000;
const attempts_max = 20;
const yield_ms = 50;
const keep_every_ms = 1000;
// How long the time that elapses here is believed, before the database is asked for its own once more.
const asked_every_ms = 1000;
const stepped = new Error("the clock was set, and nothing that waits was moved yet");

// The tables of a schema with their indexes.
const schemaSize = `select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes
  from pg_class where relkind = 'r' and relnamespace = $1::regnamespace`;

// Integers and sums come as numbers, JSON as its text, which Drizzle reads: as on SQLite.
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number);
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) pg.types.setTypeParser(type, (text) => text);

// The longest statement is ended by PostgreSQL after 30 seconds (`sessionSettings`), so that an answer comes by then.
const idle_max_ms = 35_000;
const idle_check_ms = 2500;

/** What this needs of a connection beyond its types. */
export interface DestroyableClient {
  readonly connection: { readonly stream: { destroy(error?: Error): void } };
}

/** What a transaction is for; `move` lets what waits be moved after the clock was set. */
type TransactionPurpose = "read" | "write" | "move";

/** Opens the store of one mode on a migrated schema. Connections are made when they are needed. */
export function openPostgres(settings: PostgresSettings): Store {
  return new PostgresStore(settings);
}

/** A database for people: its address without user and password. */
export function databaseLabel(url: string): string {
  const address = readAddress(url);
  if (address === null) return "postgres://";
  const host = address.searchParams.get("host") ?? address.hostname;
  return `postgres://${host}:${address.port || "5432"}${address.pathname}`;
}

/**
 * What a new connection is told first. A commit waits for the disk even where the server's default is not to. Reading a
 * row by its index costs little more than reading on, unless the house has said what it costs: else a statement that
 * was planned while its tables were small goes on reading all of them when they are not.
 */
export function sessionSettings(schema: string): string {
  return [
    `set search_path to "${schema.replaceAll('"', '""')}"`,
    "set statement_timeout = '30s'",
    "set lock_timeout = '10s'",
    "set idle_in_transaction_session_timeout = '30s'",
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
    "select set_config('random_page_cost', '1.1', false) where current_setting('random_page_cost') = '4'",
  ].join("; ");
}

class PostgresStore implements Store {
  readonly mode: Environment;
  readonly scope = unscoped;
  readonly base = this;
  readonly clock: SteadyClock;
  readonly #settings: PostgresSettings;
  /** The machine's time as the database told it last, and what time had elapsed by then. */
  #sample: { readonly at: number; readonly elapsed: number } | null = null;
  /**
   * The time that was kept last, as it was found when the database told its time. Servers keep theirs in its place, and
   * only there: after a move by another, what is kept is another, and a time from before the move is not kept.
   */
  #kept_at = 0;
  #onStep: ClockStepListener | null = null;
  /** The moving of what waits, while it goes on. */
  #moving: Promise<void> | null = null;
  readonly #pool: pg.Pool;
  readonly #sessions = new WeakMap<pg.ClientBase, PostgresSession>();
  readonly #scope = new AsyncLocalStorage<object>();
  readonly #listeners: CommitListeners = { wakes: [], changes: [] };
  #closed = false;
  readonly #watching: Timer;
  /** The connections that are in use. */
  readonly #used = new Set<pg.PoolClient>();

  constructor(settings: PostgresSettings) {
    this.mode = settings.mode;
    this.#settings = settings;
    const { clock: source, log } = settings;
    const onStep = () => this.#moveWaits();
    this.clock = new SteadyClock({ source, read: () => this.#machineTime(), log, onStep });
    const first = `${sessionSettings(settings.schema)}; ${schemaLockQuery(settings.schema)}`;
    // No look at what is silent sees it yet. The type of pg lacks the limit.
    const opening = { text: first, query_timeout: connect_timeout_ms } as pg.QueryConfig;
    const onConnect = (client: pg.ClientBase) => client.query(opening);
    this.#pool = new pg.Pool({
      connectionString: settings.url,
      max: settings.connections ?? default_connections,
      maxLifetimeSeconds: lifetime_seconds,
      keepAlive: true,
      connectionTimeoutMillis: connect_timeout_ms,
      onConnect: onConnect as (client: pg.ClientBase) => void,
    });
    const lost = (error: Error) => settings.log.warn("a database connection was lost", { reason: error.message });
    this.#pool.on("error", lost);
    // A connection in use tells of its loss by an event too; the statement that waits on it fails by itself.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    this.#watching = setInterval(() => this.#endSilent(), idle_check_ms);
    this.#watching.unref();
  }

  scoped(scope: TenantScope): Store {
    return scopedStore(this, scope);
  }

  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeOnce(work);
      } catch (error) {
        if (error === stepped) {
          // All writes that are under way find out at once: a step that each of them took back would never end.
          this.#moving ??= this.#moveAll().finally(() => {
            this.#moving = null;
          });
          await this.#moving;
          continue;
        }
        if (!isRetried(error)) {
          if (storageErrorOf(error) !== null) failures.add(1, this.mode);
          throw withoutQuery(error);
        }
        retries.add(1, this.mode);
        if (attempt >= attempts_max) throw conflicting(error);
        // What this one stood in the way of goes first, and does not meet it halfway again.
        await Bun.sleep(yield_ms + randomInt(2 ** Math.min(attempt, 6)));
      }
    }
  }

  async read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    try {
      return await this.#transact("read", async (session, now) => {
        const db = new StoreView(session.sql, now, this.#world(), new Map());
        return await session.run(async () => await work(db));
      });
    } catch (error) {
      throw withoutQuery(error);
    }
  }

  /** Each read has a view of its own, so none is older than its call. */
  readLatest<T>(work: (db: Db) => Promise<T>): Promise<T> {
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
    try {
      const client = await this.#connect();
      const { totalCount, idleCount, waitingCount } = this.#pool;
      // The one that asks does not count.
      const connections = { busy: totalCount - idleCount - 1, idle: idleCount, waiting: waitingCount };
      try {
        const { rows } = await client.query<{ bytes: number }>(schemaSize, [this.#settings.schema]);
        const database_bytes = rows[0]?.bytes ?? 0;
        return { engine: "postgres", database_bytes, log_bytes: null, free_bytes: null, connections, damage: null };
      } finally {
        client.release();
      }
    } catch (error) {
      throw withoutQuery(error);
    }
  }

  async findDamage(): Promise<null> {
    return null;
  }

  async shred(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#watching);
    await this.#pool.end();
  }

  #world() {
    return { mode: this.mode, site: this.#settings.site?.() ?? noSite, home: this };
  }

  async #writeOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const effects = new CommitEffects();
    const begun_at = performance.now();
    const result = await this.#transact("write", async (session, now) => {
      const tx = new Transaction(session.sql, now, this.#world(), (part) => session.part(part));
      const value = await session.run(() => tx.run(work));
      effects.add(tx.effects);
      return value;
    });
    commits.add(1, this.mode);
    commit_writes.observe(1, this.mode);
    commit_seconds.observe((performance.now() - begun_at) / 1000, this.mode);
    effects.tell(this.#listeners);
    return result;
  }

  /** Lets what waits be moved by as much as the database's clock was set, unless another server has done so. */
  async #moveAll(): Promise<void> {
    const by_ms = this.clock.stepped_ms;
    if (by_ms === 0) return;
    const effects = new CommitEffects();
    try {
      await this.#transact("move", async (session, now) => {
        const at = now - this.clock.ahead_ms;
        const isMoved = Math.abs(at - (await session.lockTime())) < step_min_ms;
        const tx = new Transaction(session.sql, now, this.#world(), (part) => session.part(part));
        if (!isMoved) await session.run(() => tx.run(async () => this.#onStep?.(tx, by_ms)));
        await session.keepTime(at, null);
        this.#kept_at = at;
        effects.add(tx.effects);
      });
    } catch (error) {
      if (storageErrorOf(error) !== null || isRetried(error)) throw withoutQuery(error);
      const facts = { mode: this.mode, error: String(error) };
      this.#settings.log.error("what waits could not be moved after a step of the clock", facts);
    }
    this.clock.moved(by_ms);
    effects.tell(this.#listeners);
  }

  /** Sees to it that a transaction begins although nobody else wants one. */
  #moveWaits(): void {
    if (this.#onStep !== null) this.write(async () => {}).catch(() => {});
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#closed) throw new Fault("storage_unavailable", "The service is stopping.");
    return await this.#pool.connect();
  }

  /** Ends connections over which no answer comes any more: the network, or the database's machine, is gone. */
  #endSilent(): void {
    const most_ms = this.#settings.silent_ms ?? idle_max_ms;
    for (const client of this.#used) {
      if ((this.#sessions.get(client)?.silent_ms ?? 0) < most_ms) continue;
      this.#settings.log.warn("a database connection is silent, and is given up", { mode: this.mode });
      const silent = Object.assign(new Error("the database did not answer"), { code: "ETIMEDOUT" });
      (client as unknown as DestroyableClient).connection.stream.destroy(silent);
    }
  }

  /** One transaction from BEGIN to COMMIT. */
  async #transact<T>(
    kind: TransactionPurpose,
    work: (session: PostgresSession, now: number) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect();
    const session = this.#session(client);
    this.#used.add(client);
    try {
      const value = await work(session, await this.#begin(session, kind));
      if (kind === "read") session.leave();
      else await session.commit();
      this.#release(client, kind === "read" ? null : this.#keepTime(session));
      return value;
    } catch (error) {
      const ended = session.rollback();
      this.#release(client, ended);
      // Whoever is told of a refusal may ask again at once, and finds nothing locked by what was refused.
      if (kind !== "read") await ended.catch(() => {});
      throw error;
    }
  }

  /** Lets others have a connection, once it is done; one that cannot even end its transaction is thrown away. */
  #release(client: pg.PoolClient, ending: Promise<void> | null): void {
    const release = (worse?: Error) => {
      this.#used.delete(client);
      client.release(worse);
    };
    if (ending === null) release();
    else ending.then(() => release(), release);
  }

  #session(client: pg.ClientBase): PostgresSession {
    let session = this.#sessions.get(client);
    if (session === undefined) {
      session = new PostgresSession(client, this.#scope);
      this.#sessions.set(client, session);
    }
    return session;
  }

  /** Begins a transaction and answers its time. Throws when what waits has to be moved before. */
  async #begin(session: PostgresSession, kind: TransactionPurpose): Promise<number> {
    const check = () => {
      if (kind === "write" && this.clock.stepped_ms !== 0 && this.#onStep !== null) throw stepped;
    };
    const mode = kind === "read" ? "read" : "write";
    if (this.#isSampleFresh() && kind !== "move") {
      session.beginSoon(mode, (database_now) => {
        this.#notice(database_now);
        check();
      });
    } else this.#learn(await session.begin(mode));
    const now = this.clock.now();
    check();
    return now;
  }

  #isSampleFresh(): boolean {
    return this.#sample !== null && this.clock.elapsed() - this.#sample.elapsed < asked_every_ms;
  }

  /** Takes the database's time as it was told just now, and the one that was kept. */
  #learn({ now, kept_at }: DatabaseTimes): void {
    const isFirst = this.#sample === null;
    this.#sample = { at: now, elapsed: this.clock.elapsed() };
    this.#kept_at = kept_at;
    if (isFirst) this.clock.recall(kept_at);
  }

  /** Takes the database's time as it was told with another answer, perhaps late, if it shows that the clock was set. */
  #notice(database_now: number): void {
    if (this.#sample === null || this.#settings.time === "clock") return;
    const elapsed = this.clock.elapsed();
    const expected = this.#sample.at + elapsed - this.#sample.elapsed;
    if (Math.abs(database_now - expected) < step_min_ms) return;
    this.#sample = { at: database_now, elapsed };
    this.clock.now();
  }

  #machineTime(): number | null {
    const { clock, time } = this.#settings;
    if (this.#sample === null) return null;
    if (time === "clock") return clock.now() - clock.ahead_ms;
    return this.#sample.at + clock.elapsed() - this.#sample.elapsed;
  }

  /** Stores the time, at most about once a second and after the transaction that told it; null when that is not due. */
  #keepTime(session: PostgresSession): Promise<void> | null {
    const [at, former] = [this.clock.machine(), this.#kept_at];
    if (this.clock.stepped_ms !== 0 || at - former < keep_every_ms) return null;
    this.#kept_at = at;
    return session.keepTime(at, former);
  }
}

function conflicting(error: unknown): Fault {
  const fault = new Fault("write_conflict", "Others kept changing the same records. Nothing was changed; try again.");
  fault.cause = error;
  return fault;
}
