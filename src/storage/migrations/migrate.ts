// Migrations of SQLite databases. A database from before the first release has the schema of `0001_schema`, into which
// its migrations were squashed: its list of migrations is replaced, and nothing else changes.

import type { Database } from "bun:sqlite";
import type { Environment } from "../../core/environment.ts";
import { applicationId } from "../sqlite/sqlite_connection.ts";
import { startRefused } from "../start_refused.ts";
import { migrationNames } from "./migration_files.ts" with { type: "macro" };
import type { Migration } from "./migration_sql.ts";

const pre_release = [
  "0001_base",
  "0002_order_counts",
  "0003_product_orders",
  "0004_merchants",
  "0005_merchant_suspended",
  "0006_billing",
  "0007_dedicated_bins",
  "0008_merchant_members",
  "0009_servers",
  "0010_restorations",
  "0011_moving",
  "0012_privacy",
  "0013_backups",
  "0014_erasures",
  "0015_operator_addresses",
  "0016_calendar_dates",
  "0017_currency_decimals",
  "0018_label_sample",
  "0019_invitation_proofs",
] as const;

/** Whether a database has exactly the migrations from before the first release. */
export function isPreRelease(applied: readonly string[]): boolean {
  return applied.length === pre_release.length && pre_release.every((name) => applied.includes(name));
}

const last = pre_release.at(-1);

/** The remedy for a database with other migrations from before the first release. */
export const upgrade_before = `Upgrade it first with the Packhouse that ends with migration ${last}, then this one.`;

/** The refusal of a database from before the first release that is not at its last migration. */
function tooOld(where: string): Error {
  const what = `${where} was created by a Packhouse from before the first release. This one cannot upgrade it.`;
  return startRefused("unsuitable", `${what} ${upgrade_before}`);
}

/** A migration without its statements. */
export type MigrationName = Pick<Migration, "name" | "kind" | "why">;

/** A migration that a database has, with the mark it had when it was applied; null if it had none. */
export interface AppliedMigration {
  readonly name: string;
  readonly kind: "additive" | "breaking" | null;
}

/** The names of the migrations in this program, by engine. */
export const known_migrations: {
  readonly sqlite: readonly MigrationName[];
  readonly postgres: readonly MigrationName[];
} = {
  sqlite: migrationNames("sqlite"),
  postgres: migrationNames("postgres"),
};

/** Their statements, loaded when a database lacks some. */
const carriedSql = () => require("./migration_sql.ts") as typeof import("./migration_sql.ts");

/**
 * The first integer id of an environment. The ranges differ, so an id of one environment does not exist in the other.
 */
export const firstId: Readonly<Record<Environment, number>> = { live: 1001, test: 1_000_000_001 };

/**
 * The program's migrations that a database lacks. A database migrated by a newer program is accepted if all of its
 * additional migrations are additive. Refuses one with breaking additions, one that is neither older nor newer, and one
 * from before the first of these migrations.
 */
function missingMigrations(
  all: readonly MigrationName[],
  applied: readonly AppliedMigration[],
  where: string,
): MigrationName[] {
  if (applied.length > 0 && all[0] !== undefined && !namesOf(applied).includes(all[0].name)) throw tooOld(where);
  const unknown_migrations = unknownMigrations(all, applied);
  const breaking = unknown_migrations.find(({ kind }) => kind !== "additive");
  if (breaking !== undefined) {
    throw startRefused(
      "newer",
      `${where} was created by a newer Packhouse (it has the migration ${breaking.name}). ` +
        "Start the newer version, undo the upgrade with its packhouse rollback, or restore a backup.",
    );
  }
  const done = new Set(applied.map(({ name }) => name));
  const missing = all.filter(({ name }) => !done.has(name));
  if (unknown_migrations.length === 0 || missing.length === 0) return missing;
  throw startRefused(
    "newer",
    `${where} has the migration ${unknown_migrations[0]?.name} of another Packhouse, ` +
      `and lacks ${missing[0]?.name} of this one. ` +
      "Start the newer version, which has both.",
  );
}

/** The migrations of a database that this program does not have: a newer one has added them. */
export function unknownMigrations(
  all: readonly MigrationName[],
  applied: readonly AppliedMigration[],
): AppliedMigration[] {
  const known = new Set(all.map(({ name }) => name));
  return applied.filter(({ name }) => !known.has(name));
}

/** Refuses a database of the other environment. `found` is what it holds, or null if unknown. */
export function refuseOtherEnvironment(found: Environment | null, mode: Environment, where: string): void {
  if (found === null || found === mode) return;
  const advice = "Live and test data were swapped: move each back to its own place.";
  throw startRefused("unsuitable", `${where} holds ${found} data, not ${mode} data. ${advice}`);
}

/** The environment whose id range this last id is in; null when there are no ids yet. */
export function environmentOfIds(last: number | null): Environment | null {
  if (last === null) return null;
  return last >= firstId.test - 1 ? "test" : "live";
}

/** Refuses a SQLite database of the other environment, by its own record or else by its ids. */
export function checkEnvironmentOnSqlite(raw: Database, mode: Environment, where: string): void {
  const has_record = raw.query("select 1 from sqlite_schema where name = 'installation'").all().length > 0;
  const recorded = has_record ? raw.query<{ mode: Environment }, []>("select mode from installation").get() : null;
  const last = [...sequences(raw).values()].reduce<number | null>((most, seq) => Math.max(most ?? 0, seq), null);
  refuseOtherEnvironment(recorded?.mode ?? environmentOfIds(last), mode, where);
}

/** Which migrations a database has and lacks. */
export interface MigrationState {
  readonly applied: readonly AppliedMigration[];
  /** The missing ones, in order. */
  readonly missing: readonly MigrationName[];
  /** Whether it has the migrations from before the first release. The first missing one is then only recorded. */
  readonly pre_release: boolean;
}

/** Compares a program's migrations with those of a database. Refuses a database that it can neither use nor upgrade. */
export function migrationStateFrom(
  all: readonly MigrationName[],
  applied: readonly AppliedMigration[],
  where: string,
): MigrationState {
  const pre_release = isPreRelease(namesOf(applied));
  return { applied, missing: pre_release ? all : missingMigrations(all, applied, where), pre_release };
}

/** The migrations whose statements a database still needs. */
export function toRun(standing: MigrationState, all: readonly Migration[]): Migration[] {
  const missing = namesOf(standing.pre_release ? standing.missing.slice(1) : standing.missing);
  return all.filter(({ name }) => missing.includes(name));
}

/** The names of a database's migrations once nothing is missing. */
export const namesAfter = ({ applied, missing, pre_release }: MigrationState): string[] =>
  [...(pre_release ? [] : namesOf(applied)), ...namesOf(missing)].sort();

/** Reads the migrations of a SQLite database. Refuses databases of other programs and of newer versions. */
export function migrationStateOnSqlite(
  raw: Database,
  where: string,
  all: readonly MigrationName[] = known_migrations.sqlite,
): MigrationState {
  return migrationStateFrom(all, appliedOnSqlite(raw, where), where);
}

/** Whether a database lacks migrations; a new one lacks all. */
export const isLacking = ({ missing }: MigrationState): boolean => missing.length > 0;

/** Whether a database holds data of an older version. */
export const isOlder = (standing: MigrationState): boolean => standing.applied.length > 0 && isLacking(standing);

/** Creates the refusal of a command that needs existing data. `where` is a folder or "the database". */
export function noData(where: string): Error {
  const flag = where === "the database" ? "another one with --database-url" : "its folder with --data";
  return startRefused(
    "absent",
    `There is no Packhouse data in ${where}. Specify ${flag}, or create it with packhouse serve.`,
  );
}

/** Creates the refusal of older data for a command that does not upgrade it. */
export function refuseOlder(where: string): Error {
  return startRefused(
    "unsuitable",
    `${where} was created by an older Packhouse. Preview the upgrade with packhouse upgrade --check; ` +
      "run it with packhouse upgrade or packhouse serve.",
  );
}

/** Migrations that have run in a transaction which is still open. */
interface OpenMigration {
  commit(): void;
  /** Rolls back; does nothing after `commit`. */
  undo(): void;
}

/**
 * Applies the missing migrations to a SQLite database, sets the first ids of its environment, and leaves the
 * transaction open. Foreign keys are off during it, since rebuilding a table would otherwise delete the rows that refer
 * to it; they are checked at the end.
 */
export function beginMigrating(
  raw: Database,
  mode: Environment,
  where: string,
  all: readonly Migration[] = carriedSql().migrations.sqlite,
): OpenMigration {
  raw.run("pragma foreign_keys=off");
  const end = (how: "commit" | "rollback") => {
    try {
      if (raw.inTransaction) raw.run(how);
    } finally {
      if (!raw.inTransaction) raw.run("pragma foreign_keys=on");
    }
  };
  try {
    raw.run("begin immediate");
    const standing = migrationStateOnSqlite(raw, where, all);
    if (isLacking(standing)) applyOnSqlite(raw, mode, standing, all);
  } catch (error) {
    end("rollback");
    throw error;
  }
  return { commit: () => end("commit"), undo: () => end("rollback") };
}

/** Applies the missing migrations to a SQLite database in one transaction. */
export function migrateSqlite(raw: Database, mode: Environment, where: string, all?: readonly Migration[]): void {
  const pending = beginMigrating(raw, mode, where, all);
  try {
    pending.commit();
  } finally {
    pending.undo();
  }
}

/** The names of migrations. */
export const namesOf = (all: readonly { readonly name: string }[]): string[] => all.map(({ name }) => name);

/** The applied migrations of a SQLite database. Refuses a database of another program. */
function appliedOnSqlite(raw: Database, where: string): AppliedMigration[] {
  const tables = namesOf(raw.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all());
  const owner = number(raw, "pragma application_id");
  if (owner !== applicationId && (owner !== 0 || tables.length > 0)) {
    throw startRefused("foreign", `${where} is a database of another program. Use another data directory.`);
  }
  if (!tables.includes("migrations")) return [];
  const rows = raw
    .query<{ name: string; kind?: AppliedMigration["kind"] }, []>("select * from migrations order by name")
    .all();
  return rows.map(({ name, kind = null }) => ({ name, kind }));
}

function applyOnSqlite(raw: Database, mode: Environment, standing: MigrationState, all: readonly Migration[]): void {
  raw.run(`pragma application_id=${applicationId}`);
  raw.run("create table if not exists migrations (name text primary key, kind text) strict");
  if (standing.pre_release) raw.run("delete from migrations");
  raw.run(
    `create table if not exists commit_sequence (
       id integer primary key check (id = 1), number integer, at integer not null default 0
     ) strict`,
  );
  raw.run("insert into commit_sequence (id, number) values (1, 0) on conflict do nothing");
  const before = sequences(raw);
  for (const { statements } of toRun(standing, all)) for (const statement of statements) raw.run(statement);
  for (const { name, kind = "breaking" } of standing.missing) {
    raw.run("insert into migrations (name, kind) values (?, ?)", [name, kind]);
  }
  const broken = raw.query("pragma foreign_key_check").all();
  if (broken.length > 0) throw new Error(`a migration left ${broken.length} rows with dangling references`);
  startIds(raw, mode, before);
  if (raw.query("select 1 from sqlite_schema where name = 'installation'").all().length > 0) {
    raw.run("insert into installation (id, mode) values (1, ?) on conflict do nothing", [mode]);
  }
  raw.run(`pragma user_version=${all.length}`);
}

/** Sets the id sequences: a rebuilt table has lost its last id, and a new one has none. */
function startIds(raw: Database, mode: Environment, before: ReadonlyMap<string, number>): void {
  const tables = raw
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'")
    .all();
  const after = sequences(raw);
  for (const { name } of tables) {
    const last = Math.max(firstId[mode] - 1, before.get(name) ?? 0, after.get(name) ?? 0);
    raw.run("delete from sqlite_sequence where name = ?", [name]);
    raw.run("insert into sqlite_sequence (name, seq) values (?, ?)", [name, last]);
  }
}

function sequences(raw: Database): Map<string, number> {
  const kept = raw.query("select 1 from sqlite_schema where name = 'sqlite_sequence'").all().length > 0;
  if (!kept) return new Map();
  const rows = raw.query<{ name: string; seq: number }, []>("select name, seq from sqlite_sequence").all();
  return new Map(rows.map(({ name, seq }) => [name, seq]));
}

function number(raw: Database, query: string): number {
  return raw.query(query).values()[0]?.[0] as number;
}
