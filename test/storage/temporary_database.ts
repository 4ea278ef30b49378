// Stores for tests: on the engine of the process, with the program's schema, deleted when closed.
import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { databaseUrl, engine } from "../../src/core/config.ts";
import type { Environment } from "../../src/core/environment.ts";
import { type Log, silentLog } from "../../src/core/log.ts";
import type { Site } from "../../src/core/operator_settings.ts";
import type { Store } from "../../src/storage/database.ts";
import { firstId, migrateSqlite } from "../../src/storage/migrations/migrate.ts";
import { migratePostgres } from "../../src/storage/migrations/migrate_postgres.ts";
import { migrations as carried, type Migration } from "../../src/storage/migrations/migration_sql.ts";
import { openPostgres } from "../../src/storage/postgres/postgres_store.ts";
import { scopedStore } from "../../src/storage/scoped_store.ts";
import { openSqlite } from "../../src/storage/sqlite/sqlite_store.ts";

export interface TemporarySettings {
  readonly mode?: Environment;
  /** The store's time, on PostgreSQL too unless `time` selects the database's. */
  readonly clock?: Clock;
  readonly time?: "database" | "clock";
  /** Tables to use in place of the program's. */
  readonly migrations?: readonly Migration[];
  readonly log?: Log;
  readonly site?: (() => Site) | undefined;
  /** Waits until writes to an open file are on the disk; SQLite only. */
  readonly sync?: ((file: number) => Promise<void>) | undefined;
  /** Receives the contents of the store when it is closed: the bytes of its files, or the text of its rows. */
  readonly left?: (kept: string | Uint8Array) => void;
}

/** Opens an empty, migrated store that is deleted when it is closed. */
export async function openTemporaryStore(settings: TemporarySettings = {}): Promise<Store> {
  return engine === "postgres" ? await onPostgres(settings) : onSqlite(settings);
}

const templates = new Map<string, Uint8Array>();

/** The bytes of a migrated file, created once per process and written for each store. */
function template(mode: Environment, migrations: readonly Migration[]): Uint8Array {
  const key = mode + migrations.map(({ name }) => name).join();
  let bytes = templates.get(key);
  if (bytes === undefined) {
    const raw = new Database(":memory:", { strict: true });
    migrateSqlite(raw, mode, "The template", migrations);
    bytes = raw.serialize();
    raw.close();
    templates.set(key, bytes);
  }
  return bytes;
}

function onSqlite(settings: TemporarySettings): Store {
  const { mode = "test", clock = systemClock(), migrations = carried.sqlite, log = silentLog, left, sync } = settings;
  const folder = mkdtempSync(join(tmpdir(), "packhouse-"));
  const path = join(folder, `${mode}.db`);
  writeFileSync(path, template(mode, migrations));
  const store = openSqlite({ path, mode, clock, log, fatal: rethrow, site: settings.site, sync });
  // Closing checkpoints the write-ahead log, so older versions of its pages must be read first.
  const show = (file: string) => {
    if (left !== undefined && existsSync(file)) left(readFileSync(file));
  };
  const remove = () => {
    show(path);
    rmSync(folder, { recursive: true, force: true });
  };
  return closing(store, remove, () => show(`${path}-wal`));
}

// Creating a schema takes 200 ms; emptying a used one takes a tenth of that.
const emptied = new Map<string, string[]>();
let schemas = 0;
let swept: Promise<void> | null = null;

async function onPostgres(settings: TemporarySettings): Promise<Store> {
  const { mode = "test", clock, migrations = carried.postgres, log = silentLog, left } = settings;
  const url = databaseUrl ?? "";
  swept ??= sweep(url);
  await swept;
  const key = mode + migrations.map(({ name }) => name).join();
  const schema = emptied.get(key)?.pop() ?? (await newSchema(url, mode, migrations));
  const time = settings.time ?? (clock === undefined ? "database" : "clock");
  const store = openPostgres({ url, schema, mode, clock: clock ?? systemClock(), log, time, site: settings.site });
  return closing(store, async () => {
    await asAdmin(url, empty(schema, firstId[mode]));
    const [told] = await asAdmin<{ gone: string }>(url, `select current_setting('gone.${schema}') as gone`);
    left?.(told?.gone ?? "");
    emptied.set(key, [...(emptied.get(key) ?? []), schema]);
  });
}

async function newSchema(url: string, mode: Environment, migrations: readonly Migration[]): Promise<string> {
  const schema = `temporary_${process.pid}_${++schemas}_${Bun.randomUUIDv7("hex").slice(-8)}`;
  await migratePostgres(url, schema, mode, migrations);
  return schema;
}

/**
 * Deletes all rows of a schema but the merchant from the migrations, stores their text as a setting, and resets the
 * sequences. Foreign keys are not enforced.
 */
function empty(schema: string, first_id: number): string {
  return `
    set session_replication_role = replica;
    do $$ declare thing name; rows text; gone text := ''; begin
      for thing in select tablename from pg_tables where schemaname = '${schema}' and tablename <> 'migrations' loop
        execute format('with gone as (delete from %I.%I returning *) select string_agg(gone::text, '' '') from gone',
          '${schema}', thing) into rows;
        gone := concat(gone, ' ', rows);
      end loop;
      if to_regclass('${schema}.merchants') is not null then
        insert into ${schema}.merchants (id, code, name, status, currency, timezone, created_at, updated_at)
          values (1, 'MAIN', 'Main', 'active', 'USD', 'America/New_York', 0, 0);
      end if;
      perform set_config('gone.${schema}', gone, false);
    end $$;
    select setval(oid, ${first_id - 1}) from pg_class
      where relkind = 'S' and relnamespace = '${schema}'::regnamespace`;
}

/** Missing from the types of `pg`. */
type Client = pg.Client & { ref(): void; unref(): void };

let admin: Promise<Client> | null = null;

/** Queries on a cached connection: a new one must load every table again, which takes longer than most tests. */
async function asAdmin<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
  admin ??= connected(url);
  const client = await admin;
  // An idle connection does not keep the process alive.
  client.ref();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    client.unref();
  }
}

async function connected(url: string): Promise<Client> {
  const client = new pg.Client({ connectionString: url }) as Client;
  await client.connect();
  return client;
}

/** Drops the schemas of test processes that have ended: there is no hook for the end of a whole run. */
async function sweep(url: string): Promise<void> {
  for (const { name } of await asAdmin<{ name: string }>(url, "select nspname as name from pg_namespace")) {
    const pid = /^temporary_(\d+)_/.exec(name)?.[1];
    if (pid !== undefined && !runs(Number(pid))) await asAdmin(url, `drop schema if exists ${name} cascade`);
  }
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function closing(store: Store, after: () => Promise<void> | void, before = (): void => {}): Store {
  let closed: Promise<void> | null = null;
  const closeOnce = async () => {
    before();
    await store.close();
    await after();
  };
  const closable: Store = {
    mode: store.mode,
    clock: store.clock,
    scope: store.scope,
    get base() {
      return closable;
    },
    scoped: (scope) => scopedStore(closable, scope),
    read: (work) => store.read(work),
    readLatest: (work) => store.readLatest(work),
    write: (work) => store.write(work),
    onWake: (listener) => store.onWake(listener),
    onChange: (listener) => store.onChange(listener),
    onStep: (listener) => store.onStep(listener),
    facts: () => store.facts(),
    findDamage: (depth, ending) => store.findDamage(depth, ending),
    shred: () => store.shred(),
    // Cleans up only once: after that another test may use the schema.
    close: () => {
      closed ??= closeOnce();
      return closed;
    },
  };
  return closable;
}

function rethrow(error: unknown): never {
  throw error;
}
