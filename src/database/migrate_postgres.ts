// Brings a schema of a PostgreSQL database to the tables of this program; servers that start together take turns.
import pg from "pg";
import type { Mode } from "../kit/mode.ts";
import { startRefused } from "./exit.ts";
import { firstId, missingMigrations, refuseOtherWorld, worldOfIds } from "./migrate.ts";
import { type Migration, migrations, takeover } from "./migration_sql.ts";
import { sessionSettings } from "./postgres.ts";
import { base, isFormer } from "./takeover.ts";

const version_min = 150_000;
const lock_key = 0x5041434b;

/**
 * Makes the schema when it is not there, applies what it lacks and sets the first ids of its mode, all in one
 * transaction. Refuses servers older than PostgreSQL 15, schemas of other programs, of newer versions and of the other
 * world.
 */
export async function migratePostgres(
  url: string,
  schema: string,
  mode: Mode,
  all: readonly Migration[] = migrations.postgres,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(`${sessionSettings(schema)}; set statement_timeout = 0; set lock_timeout = 0; begin`);
    await client.query("select pg_advisory_xact_lock($1, hashtext($2))", [lock_key, schema]);
    await apply(client, schema, mode, all);
    await client.query("commit");
  } finally {
    // Ending the connection rolls back what was not committed.
    await client.end();
  }
}

async function apply(client: pg.Client, schema: string, mode: Mode, all: readonly Migration[]): Promise<void> {
  const where = `The schema ${schema} of the database`;
  const version = await value<number>(client, "select current_setting('server_version_num')::int");
  if (version < version_min) throw startRefused("unsuitable", "Packhouse needs PostgreSQL 15 or newer.");
  const there = await value<boolean>(client, "select exists (select from pg_namespace where nspname = $1)", [schema]);
  if (!there) await client.query(`create schema "${schema.replaceAll('"', '""')}"`);
  const tables = await names(client, "select tablename as name from pg_tables where schemaname = $1", [schema]);
  const ours = tables.includes("migrations");
  if (!ours && tables.length > 0) throw startRefused("foreign", `${where} holds tables of another program.`);
  if (!ours) await client.query("create table migrations (name text primary key)");
  const applied = await names(client, "select name from migrations");
  const former = isFormer(applied, where);
  const missing = missingMigrations(all, former ? [base] : applied, where);
  const told = tables.includes("installation") ? await value<Mode>(client, "select mode from installation") : null;
  refuseOtherWorld(told ?? worldOfIds(await value<number | null>(client, lastId, [schema])), mode, where);
  if (former) await takeOver(client);
  if (missing.length === 0) return;
  // The store's time as it was lately.
  await client.query("create table if not exists store_clock (id int primary key check (id = 1), at bigint not null)");
  // One trip for all: a simple query may hold many statements.
  await client.query(missing.flatMap(({ statements }) => statements).join(";\n"));
  await client.query("insert into migrations select unnest($1::text[])", [missing.map(({ name }) => name)]);
  await client.query(startIds, [schema, firstId[mode] - 1]);
  if ((await value(client, "select to_regclass('installation')")) === null) return;
  await client.query("insert into installation (id, mode) values (1, $1) on conflict do nothing", [mode]);
}

async function takeOver(client: pg.Client): Promise<void> {
  await client.query(takeover.postgres.join(";\n"));
  await client.query("delete from migrations");
  await client.query("insert into migrations values ($1)", [base]);
}

/** Every identity column goes on from the first id of the mode, or from where it has come. */
const startIds = `
  select setval(sequence.oid, greatest($2::bigint, coalesce(pg_sequence_last_value(sequence.oid), 0)))
  from pg_class sequence join pg_namespace on pg_namespace.oid = sequence.relnamespace
  where sequence.relkind = 'S' and nspname = $1`;

const lastId = `
  select max(pg_sequence_last_value(sequence.oid))
  from pg_class sequence join pg_namespace on pg_namespace.oid = sequence.relnamespace
  where sequence.relkind = 'S' and nspname = $1`;

async function names(client: pg.Client, query: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(query, values);
  return rows.map(({ name }) => name);
}

async function value<T>(client: pg.Client, query: string, values: unknown[] = []): Promise<T> {
  const { rows } = await client.query({ text: query, values, rowMode: "array" });
  return rows[0]?.[0] as T;
}
