// Brings schemas of a PostgreSQL database to the tables of this program; servers that start together take turns.
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
  namesOf,
  noData,
  refuseOtherEnvironment,
  standingAmong,
  toRun,
} from "./migrate.ts";
import { type Migration, migrations } from "./migration_sql.ts";

const version_min = 150_000;
/** Who makes or changes a schema waits, by this statement with the key and the schema's name, for whoever does so. */
export const migration_lock = "select pg_advisory_xact_lock($1, hashtext($2))";
export const migration_lock_key = 0x5041434b;

/** A schema of a PostgreSQL database, and the world that it holds. */
export interface PostgresSchema {
  readonly schema: string;
  readonly mode: Environment;
}

/** A world, and what its schema has and lacks of the migrations. */
export type SchemaMigrationState = PostgresSchema & MigrationState;

/** What is done around the migration of schemas that hold data, in the transaction that does it. */
export interface AroundPostgres {
  /** Before it, while no other server migrates. When it throws, nothing is changed. */
  before(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
  /** After it, before it is committed. */
  after(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
  /** While another server migrates, once that has taken a while. */
  waits?(): void;
}

const nothing: AroundPostgres = { before: async () => {}, after: async () => {} };
/** For so long nothing is said of a wait for another server that migrates. */
const idle_ms = 2000;

/** What is opened all the same: by the restore that is not finished yet, or by who only looks at what is moved. */
export interface OpenedAnyway {
  readonly unfinished?: boolean | undefined;
  readonly moved?: MovedDataPolicy | undefined;
  /** Refuses a database without Packhouse's schemas instead of creating them. */
  readonly must_exist?: boolean | undefined;
}

/** As `migratePostgresWorlds`, for one schema. */
export async function migratePostgres(
  url: string,
  schema: string,
  mode: Environment,
  all: readonly Migration[] = migrations.postgres,
): Promise<void> {
  await migratePostgresWorlds(url, [{ schema, mode }], nothing, all);
}

const gave_way: readonly string[] = ["55P03", "40P01"];
const attempts_max = 100;
const pause_ms = 200;

/**
 * Makes the schemas that are not there, applies what each lacks and sets the first ids of its mode, for all of them in
 * one transaction. What is additive gives way to the work of other servers, and is tried again. Answers what each had
 * and lacked before. Refuses servers older than PostgreSQL 15, schemas of other programs, of newer versions, of the
 * other world and, unless that is allowed, those of a restore that is not finished and of an installation that is
 * moved.
 */
export async function migratePostgresWorlds(
  url: string,
  worlds: readonly PostgresSchema[],
  around: AroundPostgres,
  all: readonly Migration[] = migrations.postgres,
  allowed: OpenedAnyway = {},
): Promise<SchemaMigrationState[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateOnce(url, worlds, around, all, allowed);
    } catch (error) {
      if (!gave_way.includes(databaseCode(error) ?? "") || attempt >= attempts_max) throw error;
      await Bun.sleep(pause_ms * Math.min(attempt, 10));
    }
  }
}

async function migrateOnce(
  url: string,
  worlds: readonly PostgresSchema[],
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
      for (const { schema } of worlds) await client.query(migration_lock, [migration_lock_key, schema]);
    } finally {
      clearTimeout(timer);
    }
    if (unfinished !== true) await refuseUnfinished(client);
    for (const { schema } of moved === "allowed" ? [] : worlds) await refuseMarked(client, schema);
    const standings: SchemaMigrationState[] = [];
    for (const world of worlds) standings.push({ ...world, ...(await migrationStateOf(client, world, all)) });
    if (must_exist && standings.some(({ applied }) => applied.length === 0)) throw noData("the database");
    const older = standings.filter(isOlder);
    if (older.length > 0) await around.before(client, standings);
    const patience = older.every(isAdditive) ? gives_way : waits;
    for (const standing of standings) {
      await apply(client, standing, all, patience).catch((error) => {
        throw older.length > 0 ? failed(error) : error;
      });
    }
    if (older.length > 0) await around.after(client, standings);
    await client.query("commit");
    return standings;
  } finally {
    // Ending the connection rolls back what was not committed.
    await client.end();
  }
}

/** The schema that stands beside those of a restore until it is finished. */
export const unfinished_schema = "packhouse_restoring";

/** Refuses a database into which a restore is not finished. */
export async function refuseUnfinished(client: pg.Client): Promise<void> {
  const there = "select exists (select from pg_namespace where nspname = $1)";
  if (!(await value<boolean>(client, there, [unfinished_schema]))) return;
  const advice = "Run packhouse restore again: it begins anew.";
  throw startRefused("unsuitable", `A restore into this database is not finished, or was interrupted. ${advice}`);
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Refuses a schema that is moved, or is being moved at this moment. */
export async function refuseMarked(client: pg.Client, schema: string): Promise<void> {
  if (await isLockedOut(client, schema)) {
    throw startRefused(
      "in_use",
      "This database is being moved to another place, or taken back to before an upgrade: wait until that is done.",
    );
  }
  const tells = `select exists (select from information_schema.columns
    where table_schema = $1 and table_name = 'installation' and column_name = 'moving')`;
  if (!(await value<boolean>(client, tells, [schema]))) return;
  const mark = await value<string | null>(client, `select moving from ${quoted(schema)}.installation`);
  refuseMoved(mark, `The schema ${schema} of the database`);
}

/** Why an upgrade was undone, for the operator; what is tried again stays what it is. */
function failed(error: unknown): unknown {
  const code = databaseCode(error) ?? "";
  if (isStartRefused(error) || gave_way.includes(code)) return error;
  const cause = error instanceof Error ? error.message : String(error);
  const advice =
    "The data is as it was before the upgrade: start the older Packhouse on it, or this one once the cause";
  const told = startRefused(
    /^53/.test(code) ? "storage" : "unsuitable",
    `The upgrade failed: ${cause}. ${advice} is gone.`,
  );
  return Object.assign(told, { cause: error });
}

/** Whether all that a schema lacks is additive, so that servers of the version before go on beside it. */
export const isAdditive = ({ missing }: MigrationState): boolean => missing.every(({ kind }) => kind === "additive");

// Whoever waits for a lock keeps those out who come after; requests wait for ten seconds at most.
const gives_way = "set local lock_timeout = '2s'";
const waits = "set local lock_timeout = 0";
const patient = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

/** Looks which migrations a schema has, which may not be there yet. Refuses what is not of this program. */
export async function migrationStateOf(
  client: pg.Client,
  { schema, mode }: PostgresSchema,
  all: readonly MigrationName[] = known_migrations.postgres,
): Promise<MigrationState> {
  const where = `The schema ${schema} of the database`;
  const version = await value<number>(client, "select current_setting('server_version_num')::int");
  if (version < version_min) throw startRefused("unsuitable", "Packhouse needs PostgreSQL 15 or newer.");
  await client.query(`${sessionSettings(schema)}; ${waits}; ${patient}`);
  const tables = await names(client, "select tablename as name from pg_tables where schemaname = $1", [schema]);
  const ours = tables.includes("migrations");
  if (!ours && tables.length > 0) throw startRefused("foreign", `${where} holds tables of another program.`);
  const found = ours
    ? (await client.query<Partial<AppliedMigration>>("select * from migrations order by name")).rows
    : [];
  const applied = found.map(({ name = "", kind = null }) => ({ name, kind }));
  const standing = standingAmong(all, applied, where);
  const told = tables.includes("installation")
    ? await value<Environment>(client, "select mode from installation")
    : null;
  refuseOtherEnvironment(told ?? environmentOfIds(await value<number | null>(client, lastId, [schema])), mode, where);
  return standing;
}

async function apply(
  client: pg.Client,
  world: SchemaMigrationState,
  all: readonly Migration[],
  lock_timeout: string,
): Promise<void> {
  const { schema, mode, missing, pre_release } = world;
  if (!isLacking(world)) return;
  // Who may not create schemas may still use one that was made for them.
  const has_schema = await value<boolean>(client, "select to_regnamespace($1) is not null", [quoted(schema)]);
  if (!has_schema) await client.query(`create schema ${quoted(schema)}`);
  await client.query(`${sessionSettings(schema)}; ${lock_timeout}; ${patient}`);
  await client.query("create table if not exists migrations (name text primary key, kind text)");
  if (pre_release) await client.query("delete from migrations");
  // The store's time as it was lately.
  await client.query("create table if not exists store_clock (id int primary key check (id = 1), at bigint not null)");
  // One trip for all: a simple query may hold many statements.
  await client.query(
    toRun(world, all)
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
