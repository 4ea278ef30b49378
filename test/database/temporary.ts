// Stores for tests: of the engine of the process, with the schema of the program, gone when closed.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { databaseUrl, engine } from "../../src/config.ts";
import { migrations as carried, type Migration, migrateSqlite } from "../../src/database/migrate.ts";
import { migratePostgres } from "../../src/database/migrate_postgres.ts";
import { openPostgres } from "../../src/database/postgres.ts";
import { openSqlite } from "../../src/database/sqlite.ts";
import type { Store } from "../../src/database/store.ts";
import { type Clock, systemClock } from "../../src/kit/clock.ts";
import { silentLog } from "../../src/kit/log.ts";
import type { Mode } from "../../src/kit/mode.ts";

export interface TemporarySettings {
  readonly mode?: Mode;
  /** A clock given here is the store's time on PostgreSQL too. */
  readonly clock?: Clock;
  /** Other tables than the program's. */
  readonly migrations?: readonly Migration[];
}

/** Opens an empty, migrated store that is deleted when it is closed. */
export async function openTemporaryStore(settings: TemporarySettings = {}): Promise<Store> {
  return engine === "postgres" ? await onPostgres(settings) : onSqlite(settings);
}

const templates = new Map<string, Uint8Array>();

/** The bytes of a migrated file, made once for each process and written for each store. */
function template(mode: Mode, migrations: readonly Migration[]): Uint8Array {
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

function onSqlite({ mode = "test", clock = systemClock(), migrations = carried.sqlite }: TemporarySettings): Store {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-"));
  const path = join(folder, `${mode}.db`);
  writeFileSync(path, template(mode, migrations));
  const store = openSqlite({ path, mode, clock, log: silentLog, fatal: rethrow });
  return closing(store, () => rmSync(folder, { recursive: true, force: true }));
}

let schemas = 0;

async function onPostgres({ mode = "test", clock, migrations = carried.postgres }: TemporarySettings): Promise<Store> {
  const url = databaseUrl ?? "";
  const schema = `temporary_${process.pid}_${++schemas}_${Bun.randomUUIDv7("hex").slice(-8)}`;
  await migratePostgres(url, schema, mode, migrations);
  const time = clock === undefined ? "database" : "clock";
  const store = openPostgres({ url, schema, mode, clock: clock ?? systemClock(), log: silentLog, time });
  return closing(store, async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  });
}

function closing(store: Store, after: () => Promise<void> | void): Store {
  return {
    mode: store.mode,
    clock: store.clock,
    read: (work) => store.read(work),
    write: (work) => store.write(work),
    onWake: (listener) => store.onWake(listener),
    close: async () => {
      await store.close();
      await after();
    },
  };
}

function rethrow(error: unknown): never {
  throw error;
}
