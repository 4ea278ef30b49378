// The store on PostgreSQL: a connection pool for one schema, transactions and retries.
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
  /** The schema that holds this store's tables. It is already migrated. */
  readonly schema: string;
  readonly mode: Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** How the service is reached, once it is known; absent when it has no URL. */
  readonly site?: (() => Site) | undefined;
  /** The maximum number of connections; 16 by default. */
  readonly connections?: number | undefined;
  /** How long the database may owe a response before its connection is dropped, in milliseconds; 35,000 by default. */
  readonly unanswered_ms?: number | undefined;
  /** The source of time: the database's clock, moved ahead as far as `clock` is (the default), or `clock` alone. */
  readonly time?: "database" | "clock";
}

/** The default number of connections of a server to each environment. */
const default_connections = 16;
// Connections are renewed, so that the memory they accumulate on both sides is freed.
const lifetime_seconds = 3600;
// Also how long a request waits for a connection, which on a busy machine is as long as it may wait for a lock.
const connect_timeout_ms = 10_000;
const attempts_max = 20;
const yield_ms = 50;
const save_every_ms = 1000;
// How long elapsed time is trusted before the database's clock is read again.
const asked_every_ms = 1000;
const stepped = new Error("the clock was set, and due times were not shifted yet");

// The tables of a schema with their indexes.
const schemaSize = `select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes
  from pg_class where relkind = 'r' and relnamespace = $1::regnamespace`;

// Integers and sums become numbers. JSON stays text, which Drizzle parses, as on SQLite.
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number);
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) pg.types.setTypeParser(type, (text) => text);

// PostgreSQL ends statements after 30 seconds (`sessionSettings`), so that a response arrives by then.
const idle_max_ms = 35_000;
const idle_check_ms = 2500;

/** The undocumented part of a connection that is used here. */
export interface DestroyableClient {
  readonly connection: { readonly stream: { destroy(error?: Error): void } };
}

/** The purpose of a transaction. `move` shifts due times after the clock was set. */
type TransactionPurpose = "read" | "write" | "move";

/** Opens the store of an environment on a migrated schema. Connections are made when needed. */
export function openPostgres(settings: PostgresSettings): Store {
  return new PostgresStore(settings);
}

/** A database for display: its URL without user and password. */
export function databaseLabel(url: string): string {
  const address = readAddress(url);
  if (address === null) return "postgres://";
  const host = address.searchParams.get("host") ?? address.hostname;
  return `postgres://${host}:${address.port || "5432"}${address.pathname}`;
}

/**
 * The settings of a new connection. A commit waits for the disk even if the server's default does not. Index reads are
 * costed only slightly higher than sequential ones, unless the operator configured the cost: otherwise a statement that
 * was planned while its tables were small keeps reading whole tables later.
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
  /** The database's last reported time, and the elapsed time at that moment. */
  #sample: { readonly at: number; readonly elapsed: number } | null = null;
  /**
   * The last saved time, as read together with the database's time. Servers replace only this value: after another
   * server has shifted due times, the saved time differs, and a time from before the shift is not saved.
   */
  #saved_at = 0;
  #onStep: ClockStepListener | null = null;
  /** The shift of due times in progress. */
  #moving: Promise<void> | null = null;
  readonly #pool: pg.Pool;
  readonly #sessions = new WeakMap<pg.ClientBase, PostgresSession>();
  readonly #scope = new AsyncLocalStorage<object>();
  readonly #listeners: CommitListeners = { wakes: [], changes: [] };
  #closed = false;
  readonly #watching: Timer;
  /** The connections in use. */
  readonly #used = new Set<pg.PoolClient>();

  constructor(settings: PostgresSettings) {
    this.mode = settings.mode;
    this.#settings = settings;
    const { clock: source, log } = settings;
    const onStep = () => this.#triggerShift();
    this.clock = new SteadyClock({ source, read: () => this.#machineTime(), log, onStep });
    const first = `${sessionSettings(settings.schema)}; ${schemaLockQuery(settings.schema)}`;
    // The check for unanswered connections does not cover it yet. The types of `pg` lack the limit.
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
    // A connection in use also emits an event when it is lost. The statement that waits for it fails by itself.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    this.#watching = setInterval(() => this.#dropUnanswered(), idle_check_ms);
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
          // All writes in progress learn of it at once: if each of them shifted due times, it would never end.
          this.#moving ??= this.#shiftDueTimes().finally(() => {
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
        // Random back-off, so that conflicting writes do not meet again.
        await Bun.sleep(yield_ms + randomInt(2 ** Math.min(attempt, 6)));
      }
    }
  }

  async read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    try {
      return await this.#transact("read", async (session, now) => {
        const db = new StoreView(session.sql, now, this.#context(), new Map());
        return await session.run(async () => await work(db));
      });
    } catch (error) {
      throw withoutQuery(error);
    }
  }

  /** As `read`: each read has its own view, so none is older than its call. */
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
      // Does not count its own connection.
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

  #context() {
    return { mode: this.mode, site: this.#settings.site?.() ?? noSite, home: this };
  }

  async #writeOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const effects = new CommitEffects();
    const begun_at = performance.now();
    const result = await this.#transact("write", async (session, now) => {
      const tx = new Transaction(session.sql, now, this.#context(), (part) => session.part(part));
      const value = await session.run(() => tx.run(work));
      effects.add(tx.effects);
      return value;
    });
    commits.add(1, this.mode);
    commit_writes.observe(1, this.mode);
    commit_seconds.observe((performance.now() - begun_at) / 1000, this.mode);
    effects.notify(this.#listeners);
    return result;
  }

  /** Shifts due times after the database's clock was set, unless another server has done so. */
  async #shiftDueTimes(): Promise<void> {
    const by_ms = this.clock.stepped_ms;
    if (by_ms === 0) return;
    const effects = new CommitEffects();
    try {
      await this.#transact("move", async (session, now) => {
        const at = now - this.clock.ahead_ms;
        const isMoved = Math.abs(at - (await session.lockTime())) < step_min_ms;
        const tx = new Transaction(session.sql, now, this.#context(), (part) => session.part(part));
        if (!isMoved) await session.run(() => tx.run(async () => this.#onStep?.(tx, by_ms)));
        await session.saveTime(at, null);
        this.#saved_at = at;
        effects.add(tx.effects);
      });
    } catch (error) {
      if (storageErrorOf(error) !== null || isRetried(error)) throw withoutQuery(error);
      const facts = { mode: this.mode, error: String(error) };
      this.#settings.log.error("due times could not be shifted after the clock was set", facts);
    }
    this.clock.shifted(by_ms);
    effects.notify(this.#listeners);
  }

  /** Starts a transaction even if nobody else does. */
  #triggerShift(): void {
    if (this.#onStep !== null) this.write(async () => {}).catch(() => {});
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#closed) throw new Fault("storage_unavailable", "The service is shutting down.");
    return await this.#pool.connect();
  }

  /** Drops connections that no longer respond: the network or the database's machine is gone. */
  #dropUnanswered(): void {
    const most_ms = this.#settings.unanswered_ms ?? idle_max_ms;
    for (const client of this.#used) {
      if ((this.#sessions.get(client)?.unanswered_ms ?? 0) < most_ms) continue;
      this.#settings.log.warn("dropping a database connection that does not respond", { mode: this.mode });
      const silent = Object.assign(new Error("the database did not answer"), { code: "ETIMEDOUT" });
      (client as unknown as DestroyableClient).connection.stream.destroy(silent);
    }
  }

  /** Runs one transaction from BEGIN to COMMIT. */
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
      this.#release(client, kind === "read" ? null : this.#saveTime(session));
      return value;
    } catch (error) {
      const ended = session.rollback();
      this.#release(client, ended);
      // A caller that is refused may retry at once and must not find the refused transaction's locks.
      if (kind !== "read") await ended.catch(() => {});
      throw error;
    }
  }

  /** Returns a connection to the pool once it is done. One that cannot end its transaction is discarded. */
  #release(client: pg.PoolClient, ending: Promise<void> | null): void {
    const release = (worse?: Error) => {
      this.#used.delete(client);
      client.release(worse);
    };
    if (ending === null) release();
    else ending.then(() => release(), release);
  }

  #session(client: pg.ClientBase): PostgresSession {
    return this.#sessions.getOrInsertComputed(client, () => new PostgresSession(client, this.#scope));
  }

  /** Starts a transaction and returns its time. Throws when due times must be shifted first. */
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

  /** Stores the database's time as just reported, and the saved time. */
  #learn({ now, saved_at }: DatabaseTimes): void {
    const isFirst = this.#sample === null;
    this.#sample = { at: now, elapsed: this.clock.elapsed() };
    this.#saved_at = saved_at;
    if (isFirst) this.clock.recall(saved_at);
  }

  /**
   * Stores the database's time, which may be reported late with another result, only if it shows that the clock was
   * set.
   */
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

  /** Saves the time, at most about once a second, after the transaction that reported it; null when it is not due. */
  #saveTime(session: PostgresSession): Promise<void> | null {
    const [at, former] = [this.clock.machine(), this.#saved_at];
    if (this.clock.stepped_ms !== 0 || at - former < save_every_ms) return null;
    this.#saved_at = at;
    return session.saveTime(at, former);
  }
}

function conflicting(error: unknown): Fault {
  const fault = new Fault(
    "write_conflict",
    "Concurrent requests kept changing the same records. Nothing was changed; try again.",
  );
  fault.cause = error;
  return fault;
}
