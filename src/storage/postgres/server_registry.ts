// The registry of servers on the same PostgreSQL database. Each server proves that it is alive by heartbeats and learns
// when another is gone. It uses its own connection, so that a busy pool does not make it look dead.
import { hostname } from "node:os";
import pg from "pg";
import { version } from "../../core/config.ts";
import type { Log } from "../../core/log.ts";
import { known_migrations } from "../migrations/migrate.ts";
import { type DestroyableClient, sessionSettings } from "./postgres_store.ts";

const beat_every_ms = 1000;
// PostgreSQL releases a session's lock when its process ends. A server that has missed some heartbeats as well is gone.
const missed_unlocked_max = 3;
// A server that still holds its lock may be slow, or its machine is off and PostgreSQL has not noticed.
const missed_locked_max = 15;
// A database that does not respond for this long is unreachable: its connection is dropped, and the next heartbeat
// opens another.
const answer_max_ms = 5000;
const leaving_max_ms = 1000;
const lock_class = 0x50415352;

const schema = "live";
const now_ms = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
const register = `insert into servers (version, schema, host, started_at, seen_at, beats, draining)
  values ($1, $2, $3, ${now_ms}, ${now_ms}, 0, $4) returning id`;
const beat = `update servers set beats = beats + 1, seen_at = ${now_ms}, draining = $2 where id = $1 returning id`;
const lookup_servers = `select id, beats, draining, exists (
    select from pg_locks where locktype = 'advisory' and classid = ${lock_class} and objid = servers.id and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
  ) as locked from servers order by id`;

interface SeenServer {
  readonly id: number;
  readonly beats: number;
  readonly draining: boolean;
  readonly locked: boolean;
}

/** A server's registration on its database. */
export interface Registry {
  /** Its id. It changes when the others considered it gone. */
  readonly id: number;
  /** Whether other servers were running at the last heartbeat that are not draining. */
  readonly has_others: boolean;
  /** Announces that it is about to shut down. Returns whether other servers keep running. */
  drain(): Promise<boolean>;
  /**
   * Called with a server that is gone, perhaps more than once and on several servers. The one that has taken over its
   * claims calls `forget`.
   */
  onGone(listener: (id: number) => Promise<void>): void;
  /** Removes a server that is gone. */
  forget(id: number): Promise<void>;
  /** Unregisters, within a second. After an unclean shutdown only the connection is closed; the others soon notice. */
  leave(in_order?: boolean): Promise<void>;
}

/** Registers this process as a server of a database, whose schema is already migrated. */
export async function openRegistry(url: string, log: Log): Promise<Registry> {
  const registry = new PostgresRegistry(url, log);
  await registry.enter();
  return registry;
}

class PostgresRegistry implements Registry {
  readonly #url: string;
  readonly #log: Log;
  #client: pg.Client | null = null;
  #id = 0;
  #draining = false;
  /** Whether this session holds the lock that shows that the server is alive. */
  #locked = false;
  /** Whether other servers that were not draining ran at the last heartbeat. */
  #others = false;
  #left = false;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #listener: ((id: number) => Promise<void>) | null = null;
  /** The heartbeats that each other server has missed, counted in heartbeats of this one. */
  readonly #missed = new Map<number, { beats: number; missed: number }>();
  readonly #ending = new Map<number, Promise<void>>();

  constructor(url: string, log: Log) {
    this.#url = url;
    this.#log = log;
  }

  get id(): number {
    return this.#id;
  }

  get has_others(): boolean {
    return this.#others;
  }

  async enter(): Promise<void> {
    await this.#beat();
    this.#schedule();
  }

  async drain(): Promise<boolean> {
    this.#draining = true;
    await this.#nextBeat();
    return this.#others;
  }

  onGone(listener: (id: number) => Promise<void>): void {
    this.#listener = listener;
  }

  async forget(id: number): Promise<void> {
    await this.#client?.query("delete from servers where id = $1", [id]);
  }

  async leave(in_order = true): Promise<void> {
    if (this.#left) return;
    this.#left = true;
    clearTimeout(this.#timer);
    const inOrder = async () => {
      await this.#beating;
      await this.forget(this.#id);
      await this.#client?.end();
    };
    // A database that does not respond is left as after a network failure.
    if (in_order) await Promise.race([inOrder().catch(() => {}), Bun.sleep(leaving_max_ms)]);
    this.#dropConnection();
  }

  /** Drops the connection at once. */
  #dropConnection(): void {
    if (this.#client !== null) (this.#client as unknown as DestroyableClient).connection.stream.destroy();
    this.#client = null;
  }

  #schedule(): void {
    if (this.#left) return;
    this.#timer = setTimeout(() => void this.#nextBeat().then(() => this.#schedule()), beat_every_ms);
  }

  /** Sends one more heartbeat after the one in progress. A failure is logged; the next one tries again. */
  #nextBeat(): Promise<void> {
    this.#beating = this.#beating
      .then(() => this.#beat())
      .catch((error) => {
        this.#dropConnection();
        this.#log.warn("the heartbeat to the other servers failed", { error: String(error) });
      });
    return this.#beating;
  }

  async #beat(): Promise<void> {
    if (this.#left) return;
    const client = this.#client ?? (await this.#connect());
    const found = this.#id === 0 ? [] : (await client.query(beat, [this.#id, this.#draining])).rows;
    if (found.length === 0) await this.#register(client);
    // PostgreSQL may not have noticed the end of the previous session, which then still holds it.
    else if (!this.#locked) this.#locked = await lockOf(client, this.#id);
    const { rows } = await client.query<SeenServer>(lookup_servers);
    this.#compare(rows);
  }

  async #connect(): Promise<pg.Client> {
    const limits = { connectionTimeoutMillis: answer_max_ms, query_timeout: answer_max_ms };
    const client = new pg.Client({ connectionString: this.#url, ...limits, keepAlive: true });
    const lose = () => {
      if (this.#client === client) this.#client = null;
    };
    client.on("error", lose);
    client.on("end", lose);
    await client.connect();
    this.#client = client;
    this.#locked = false;
    await client.query(`${sessionSettings(schema)}; set statement_timeout = '5s'`);
    return client;
  }

  async #register(client: pg.Client): Promise<void> {
    if (this.#id !== 0) {
      this.#log.warn("other servers considered this one gone and took over its claims", { id: this.#id });
      await client.query("select pg_advisory_unlock_all()");
    }
    const last = known_migrations.postgres.at(-1)?.name ?? "";
    const { rows } = await client.query<{ id: number }>(register, [version, last, hostname(), this.#draining]);
    const id = rows[0]?.id ?? 0;
    this.#locked = await lockOf(client, id);
    this.#id = id;
  }

  #compare(seen: readonly SeenServer[]): void {
    for (const id of this.#missed.keys()) if (!seen.some((one) => one.id === id)) this.#missed.delete(id);
    this.#others = seen.some(({ id, locked, draining }) => id !== this.#id && locked && !draining);
    for (const { id, beats, locked } of seen) {
      if (id === this.#id) continue;
      const known = this.#missed.get(id);
      const missed = known?.beats === beats ? known.missed + 1 : 0;
      this.#missed.set(id, { beats, missed });
      if (missed >= (locked ? missed_locked_max : missed_unlocked_max)) this.#reportGone(id);
    }
  }

  #reportGone(id: number): void {
    if (this.#listener === null || this.#ending.has(id)) return;
    const failed = (error: unknown) =>
      this.#log.warn("the claims of a server that is gone could not be taken over", {
        server: id,
        error: String(error),
      });
    this.#ending.set(
      id,
      this.#listener(id)
        .catch(failed)
        .finally(() => this.#ending.delete(id)),
    );
  }
}

/** Takes the lock that says that a server lives. Answers whether it could be had. */
async function lockOf(client: pg.Client, id: number): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>("select pg_try_advisory_lock($1, $2) as held", [
    lock_class,
    id,
  ]);
  return rows[0]?.held === true;
}
