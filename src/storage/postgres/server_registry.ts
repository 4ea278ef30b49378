// How a server makes itself known to the others on the same PostgreSQL database, and learns that one of them is gone.
// It has a connection of its own for that: however many requests wait for theirs, it is not taken for dead.
import { hostname } from "node:os";
import pg from "pg";
import { version } from "../../core/config.ts";
import type { Log } from "../../core/log.ts";
import { known_migrations } from "../migrations/migrate.ts";
import { type DestroyableClient, sessionSettings } from "./postgres_store.ts";

const beat_every_ms = 1000;
// PostgreSQL lets go of a session's lock when its process ends. One that has missed some beats as well is gone.
const missed_unlocked_max = 3;
// One that still has its lock may only be slow, or its machine is off and PostgreSQL has not noticed.
const missed_locked_max = 15;
// A database that does not answer for so long is away: its connection is given up, and the next beat makes another.
const answer_max_ms = 5000;
const leaving_max_ms = 1000;
const lock_class = 0x50415352;

const schema = "live";
const now_ms = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
const enrol = `insert into servers (version, schema, host, started_at, seen_at, beats, draining)
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

/** A server's place among those of its database. */
export interface Registry {
  /** By what the others know it. It changes when they took it for gone. */
  readonly id: number;
  /** Whether others were seen last that go on. */
  readonly has_others: boolean;
  /** Tells the others that it is about to stop. Answers whether there are some that go on. */
  drain(): Promise<boolean>;
  /**
   * Called, perhaps more than once and on several servers, with a server that is gone; whoever has gone on with what it
   * left calls `forget`.
   */
  onGone(listener: (id: number) => Promise<void>): void;
  /** Strikes a server off that is gone. */
  forget(id: number): Promise<void>;
  /**
   * Leaves, within a second. Who did not end in order only lets go of its connection: the others soon find it gone.
   */
  leave(in_order?: boolean): Promise<void>;
}

/** Enrols this process among the servers of a database, whose schema has been migrated. */
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
  /** Whether this session holds the lock that says that the server lives. */
  #locked = false;
  /** Whether others ran at the last look that were not about to stop. */
  #others = false;
  #left = false;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #listener: ((id: number) => Promise<void>) | null = null;
  /** How many beats each other server has missed, as counted by beats of this one. */
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
    this.#arm();
  }

  async drain(): Promise<boolean> {
    this.#draining = true;
    await this.#again();
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
    // A database that does not answer is left as one from which the network was cut.
    if (in_order) await Promise.race([inOrder().catch(() => {}), Bun.sleep(leaving_max_ms)]);
    this.#giveUp();
  }

  /** Lets go of the connection at once. */
  #giveUp(): void {
    if (this.#client !== null) (this.#client as unknown as DestroyableClient).connection.stream.destroy();
    this.#client = null;
  }

  #arm(): void {
    if (this.#left) return;
    this.#timer = setTimeout(() => void this.#again().then(() => this.#arm()), beat_every_ms);
  }

  /** One more beat after the one that is under way. A failure is logged: the next one tries again. */
  #again(): Promise<void> {
    this.#beating = this.#beating
      .then(() => this.#beat())
      .catch((error) => {
        this.#giveUp();
        this.#log.warn("the other servers could not be told of this one", { error: String(error) });
      });
    return this.#beating;
  }

  async #beat(): Promise<void> {
    if (this.#left) return;
    const client = this.#client ?? (await this.#connect());
    const found = this.#id === 0 ? [] : (await client.query(beat, [this.#id, this.#draining])).rows;
    if (found.length === 0) await this.#enrol(client);
    // PostgreSQL may not have noticed the end of the session before this one, which holds it then.
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

  async #enrol(client: pg.Client): Promise<void> {
    if (this.#id !== 0) {
      this.#log.warn("the other servers took this one for gone, and go on with what it had claimed", { id: this.#id });
      await client.query("select pg_advisory_unlock_all()");
    }
    const last = known_migrations.postgres.at(-1)?.name ?? "";
    const { rows } = await client.query<{ id: number }>(enrol, [version, last, hostname(), this.#draining]);
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
      if (missed >= (locked ? missed_locked_max : missed_unlocked_max)) this.#tellGone(id);
    }
  }

  #tellGone(id: number): void {
    if (this.#listener === null || this.#ending.has(id)) return;
    const failed = (error: unknown) =>
      this.#log.warn("what a server left that is gone could not be taken over", { server: id, error: String(error) });
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
