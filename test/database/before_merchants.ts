// The rows of a live world as the version before merchants left them, put into a database of that version's schema.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { databaseUrl } from "../../src/config.ts";
import { migrateSqlite } from "../../src/database/migrate.ts";
import { migratePostgres } from "../../src/database/migrate_postgres.ts";
import { migrations } from "../../src/database/migration_sql.ts";
import { openPostgres } from "../../src/database/postgres.ts";
import { openSqlite } from "../../src/database/sqlite.ts";
import type { Store } from "../../src/database/store.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { silentLog } from "../../src/kit/log.ts";

type Value = string | number | null | { readonly base64: string };
type Rows = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>;

const file = Bun.file(join(import.meta.dir, "before_merchants.json.gz"));

/** The full key of that world, and its rows by table. They are the story of the reference, as told to that version. */
export const before: { readonly key: string; readonly rows: Rows } = JSON.parse(
  new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await file.arrayBuffer()))),
);

const first = <Each extends { readonly name: string }>(all: readonly Each[]) =>
  all.slice(
    0,
    all.findIndex(({ name }) => name === "0004_merchants"),
  );

// Triggers have counted the orders while they were put in.
const tables = Object.keys(before.rows).sort((a, b) => Number(a === "order_counts") - Number(b === "order_counts"));

/** A store on those rows, migrated to the schema of this version. */
export async function openUpgraded(
  clock: Clock,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  return databaseUrl === null ? onSqlite(clock) : onPostgres(clock, databaseUrl);
}

function onSqlite(clock: Clock) {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-"));
  const path = join(folder, "live.db");
  const raw = new Database(path, { create: true, strict: true });
  migrateSqlite(raw, "live", path, first(migrations.sqlite));
  raw.run("pragma foreign_keys=off");
  for (const table of tables) {
    raw.run(`delete from ${table}`);
    for (const row of before.rows[table] ?? []) {
      const places = Object.keys(row).map(() => "?");
      const values = Object.values(row).map(bytesOf);
      raw.query(`insert into ${table} (${Object.keys(row).join()}) values (${places})`).run(...(values as never[]));
    }
  }
  migrateSqlite(raw, "live", path);
  raw.close();
  const store = openSqlite({ path, mode: "live", clock, log: silentLog, fatal: (error) => console.error(error) });
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { store, close };
}

async function onPostgres(clock: Clock, url: string) {
  const schema = `temporary_${process.pid}_upgrade`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await putBefore(url, client, schema);
  await migratePostgres(url, schema, "live");
  const store = openPostgres({ url, schema, mode: "live", clock, log: silentLog, time: "clock" });
  const close = async () => {
    await store.close();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  };
  return { store, close };
}

/** Makes a schema of that version in a PostgreSQL database, with those rows. The client looks into it from then on. */
export async function putBefore(url: string, client: pg.Client, schema: string): Promise<void> {
  await migratePostgres(url, schema, "live", first(migrations.postgres));
  await client.query(`set search_path to ${schema}; set session_replication_role = replica`);
  for (const table of tables) {
    const types = new Map(
      (
        await client.query<{ name: string; type: string }>(
          `select column_name as name, data_type as type from information_schema.columns
           where table_schema = '${schema}' and table_name = '${table}'`,
        )
      ).rows.map(({ name, type }) => [name, type]),
    );
    await client.query(`delete from ${table}`);
    for (const row of before.rows[table] ?? []) {
      const names = Object.keys(row);
      const values = names.map((name) => {
        const value = bytesOf(row[name] ?? null);
        return types.get(name) === "boolean" && value !== null ? value === 1 : value;
      });
      const places = names.map((_, at) => `$${at + 1}`);
      await client.query(`insert into ${table} (${names.map((name) => `"${name}"`)}) values (${places})`, values);
    }
    const counted = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = '${schema}' and table_name = '${table}' and is_identity = 'YES'`,
    );
    for (const { name } of counted.rows) {
      await client.query(
        `select setval(pg_get_serial_sequence('${table}', '${name}'), max(${name})) from ${table} having count(*) > 0`,
      );
    }
  }
  await client.query("set session_replication_role = default");
}

/** Makes an empty schema of that version for the test world of a PostgreSQL database. */
export const emptyBefore = (url: string): Promise<void> =>
  migratePostgres(url, "test", "test", first(migrations.postgres));

const bytesOf = (value: Value) =>
  typeof value === "object" && value !== null ? Buffer.from(value.base64, "base64") : value;
