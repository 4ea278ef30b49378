// Migrates the schemas of a PostgreSQL database. Servers that start together take turns.
import pg from "pg";
import type { Environment } from "../../core/environment.ts";
import { sessionSettings } from "../postgres/postgres_store.ts";
import { isLockedOut } from "../postgres/schema_lock.ts";
import { isStartRefused, type MovedDataPolicy, refuseMoved, startRefused } from "../start_refused.ts";
import { databaseCode } from "../storage_errors.ts";
import {
  type AppliedMigration,
  environmentOfIds,
  firstId,
  isLacking,
  isOlder,
  known_migrations,
  type MigrationName,
  type MigrationState,
  migrationStateFrom,
  namesOf,
  noData,
  refuseOtherEnvironment,
  toRun,
} from "./migrate.ts";
import { type Migration, migrations } from "./migration_sql.ts";

const version_min = 150_000;
/** The statement that takes the migration lock, with the key and the schema's name. Others wait for it. */
export const migration_lock = "select pg_advisory_xact_lock($1, hashtext($2))";
export const migration_lock_key = 0x5041434b;

/** A schema of a PostgreSQL database, and its environment. */
export interface PostgresSchema {
  readonly schema: string;
  readonly mode: Environment;
}

/** An environment, and the migrations of its schema. */
export type SchemaMigrationState = PostgresSchema & MigrationState;

/** Hooks around the migration of schemas that hold data, in its transaction. */
export interface AroundPostgres {
  /** Called before it, while no other server migrates. If it throws, nothing changes. */
  before(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
  /** Called after it, before the commit. */
  after(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
  /** Called when another server has been migrating for a while. */
  waits?(): void;
}

const nothing: AroundPostgres = { before: async () => {}, after: async () => {} };
/** How long to wait for another server's migration before reporting it. */
const idle_ms = 2000;

/** What is opened despite a refusal: data of an unfinished restore, or moved data. */
interface OpenedAnyway {
  readonly unfinished?: boolean | undefined;
  readonly moved?: MovedDataPolicy | undefined;
  /** Refuses a database without Packhouse's schemas instead of creating them. */
  readonly must_exist?: boolean | undefined;
}

/** As `migratePostgresSchemas`, for one schema. */
export async function migratePostgres(
  url: string,
  schema: string,
  mode: Environment,
  all: readonly Migration[] = migrations.postgres,
): Promise<void> {
  await migratePostgresSchemas(url, [{ schema, mode }], nothing, all);
}

const yielding_codes: readonly string[] = ["55P03", "40P01"];
const attempts_max = 100;
const pause_ms = 200;

/**
 * Creates missing schemas, applies missing migrations and sets the first ids of each environment, all in one
 * transaction. Additive migrations give way to other servers' work and are retried. Returns the migrations that each
 * schema had and lacked before. Refuses servers older than PostgreSQL 15, schemas of other programs, of newer versions
 * or of the other environment and, unless allowed, those of an unfinished restore or a moved installation.
 */
export async function migratePostgresSchemas(
  url: string,
  schemas: readonly PostgresSchema[],
  around: AroundPostgres,
  all: readonly Migration[] = migrations.postgres,
  allowed: OpenedAnyway = {},
): Promise<SchemaMigrationState[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateOnce(url, schemas, around, all, allowed);
    } catch (error) {
      if (!yielding_codes.includes(databaseCode(error) ?? "") || attempt >= attempts_max) throw error;
      await Bun.sleep(pause_ms * Math.min(attempt, 10));
    }
  }
}

async function migrateOnce(
  url: string,
  schemas: readonly PostgresSchema[],
  around: AroundPostgres,
  all: readonly Migration[],
  { unfinished, moved, must_exist }: OpenedAnyway,
): Promise<SchemaMigrationState[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin; set local statement_timeout = 0; set local lock_timeout = 0");
    const timer = setTimeout(() => around.waits?.(), idle_ms);
    try {
      for (const { schema } of schemas) await client.query(migration_lock, [migration_lock_key, schema]);
    } finally {
      clearTimeout(timer);
    }
    if (unfinished !== true) await refuseUnfinished(client);
    for (const { schema } of moved === "allowed" ? [] : schemas) await refuseMarked(client, schema);
    const standings: SchemaMigrationState[] = [];
    for (const schema of schemas) standings.push({ ...schema, ...(await migrationStateOf(client, schema, all)) });
    if (must_exist && standings.some(({ applied }) => applied.length === 0)) throw noData("the database");
    const older = standings.filter(isOlder);
    if (older.length > 0) await around.before(client, standings);
    const lock_setting = older.every(isAdditive) ? gives_way : waits;
    for (const standing of standings) {
      await apply(client, standing, all, lock_setting).catch((error) => {
        throw older.length > 0 ? failed(error) : error;
      });
    }
    if (older.length > 0) await around.after(client, standings);
    await client.query("commit");
    return standings;
  } finally {
    // Closing the connection rolls back what was not committed.
    await client.end();
  }
}

/** The schema that exists until a restore is finished. */
export const unfinished_schema = "packhouse_restoring";

/** Refuses a database with an unfinished restore. */
export async function refuseUnfinished(client: pg.Client): Promise<void> {
  const there = "select exists (select from pg_namespace where nspname = $1)";
  if (!(await value<boolean>(client, there, [unfinished_schema]))) return;
  const advice = "Run packhouse restore again to start over.";
  throw startRefused("unsuitable", `A restore into this database is not finished, or was interrupted. ${advice}`);
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Refuses a schema that was moved or is being moved. */
export async function refuseMarked(client: pg.Client, schema: string): Promise<void> {
  if (await isLockedOut(client, schema)) {
    throw startRefused("in_use", "This database is being moved or rolled back. Wait until that is done.");
  }
  const has_column = `select exists (select from information_schema.columns
    where table_schema = $1 and table_name = 'installation' and column_name = 'moving')`;
  if (!(await value<boolean>(client, has_column, [schema]))) return;
  const mark = await value<string | null>(client, `select moving from ${quoted(schema)}.installation`);
  refuseMoved(mark, `The schema ${schema} of the database`);
}

/** The error of a failed upgrade, for the operator. Refusals and retried errors stay unchanged. */
function failed(error: unknown): unknown {
  const code = databaseCode(error) ?? "";
  if (isStartRefused(error) || yielding_codes.includes(code)) return error;
  const cause = error instanceof Error ? error.message : String(error);
  const advice = "The data is unchanged: start the older Packhouse, or this one once the cause";
  const recorded = startRefused(
    /^53/.test(code) ? "storage" : "unsuitable",
    `The upgrade failed: ${cause}. ${advice} is fixed.`,
  );
  return Object.assign(recorded, { cause: error });
}

/** Whether all missing migrations are additive, so that servers of the previous version keep working. */
export const isAdditive = ({ missing }: MigrationState): boolean => missing.every(({ kind }) => kind === "additive");

// A waiting lock request blocks those that come after it, and requests wait for ten seconds at most.
const gives_way = "set local lock_timeout = '2s'";
const waits = "set local lock_timeout = 0";
const no_timeouts = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

/** Reads the migrations of a schema, which may not exist yet. Refuses schemas that do not belong to this program. */
export async function migrationStateOf(
  client: pg.Client,
  { schema, mode }: PostgresSchema,
  all: readonly MigrationName[] = known_migrations.postgres,
): Promise<MigrationState> {
  const where = `The schema ${schema} of the database`;
  const version = await value<number>(client, "select current_setting('server_version_num')::int");
  if (version < version_min) throw startRefused("unsuitable", "Packhouse needs PostgreSQL 15 or newer.");
  await client.query(`${sessionSettings(schema)}; ${waits}; ${no_timeouts}`);
  const tables = await names(client, "select tablename as name from pg_tables where schemaname = $1", [schema]);
  const ours = tables.includes("migrations");
  if (!ours && tables.length > 0) throw startRefused("foreign", `${where} holds tables of another program.`);
  const found = ours
    ? (await client.query<Partial<AppliedMigration>>("select * from migrations order by name")).rows
    : [];
  const applied = found.map(({ name = "", kind = null }) => ({ name, kind }));
  const standing = migrationStateFrom(all, applied, where);
  const recorded = tables.includes("installation")
    ? await value<Environment>(client, "select mode from installation")
    : null;
  refuseOtherEnvironment(
    recorded ?? environmentOfIds(await value<number | null>(client, lastId, [schema])),
    mode,
    where,
  );
  return standing;
}

async function apply(
  client: pg.Client,
  state: SchemaMigrationState,
  all: readonly Migration[],
  lock_timeout: string,
): Promise<void> {
  const { schema, mode, missing, pre_release } = state;
  if (!isLacking(state)) return;
  // A user who cannot create schemas may use one that was created for them.
  const has_schema = await value<boolean>(client, "select to_regnamespace($1) is not null", [quoted(schema)]);
  if (!has_schema) await client.query(`create schema ${quoted(schema)}`);
  await client.query(`${sessionSettings(schema)}; ${lock_timeout}; ${no_timeouts}`);
  await client.query("create table if not exists migrations (name text primary key, kind text)");
  if (pre_release) await client.query("delete from migrations");
  // The store's last saved time.
  await client.query("create table if not exists store_clock (id int primary key check (id = 1), at bigint not null)");
  // One round trip for all: a simple query may contain many statements.
  await client.query(
    toRun(state, all)
      .flatMap(({ statements }) => statements)
      .join(";\n"),
  );
  await client.query("insert into migrations (name, kind) select * from unnest($1::text[], $2::text[])", [
    namesOf(missing),
    missing.map(({ kind = "breaking" }) => kind),
  ]);
  await client.query(startIds, [schema, firstId[mode] - 1]);
  if ((await value(client, "select to_regclass('installation')")) === null) return;
  await client.query("insert into installation (id, mode) values (1, $1) on conflict do nothing", [mode]);
}

/** Advances every identity sequence to the first id of the environment, or leaves it where it is. */
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
