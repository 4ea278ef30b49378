// Brings a database to the schema of this program: what is missing is applied in one transaction, or nothing is.
import type { Database } from "bun:sqlite";
import type { Mode } from "../kit/mode.ts";
import { startRefused } from "./exit.ts";
import { migrationNames } from "./migration_files.ts" with { type: "macro" };
import type { Migration } from "./migration_sql.ts";
import { applicationId } from "./sqlite_connection.ts";
import { base, isFormer } from "./takeover.ts";

type Named = Pick<Migration, "name">;

/** The names of the migrations carried in this program, by engine. */
export const known_migrations: { readonly sqlite: readonly Named[]; readonly postgres: readonly Named[] } = {
  sqlite: migrationNames("sqlite"),
  postgres: migrationNames("postgres"),
};

/** Their statements, loaded when a database lacks some. */
const carriedSql = () => require("./migration_sql.ts") as typeof import("./migration_sql.ts");

/** The first integer id of a mode, so that an id of one mode names nothing in the other. */
export const firstId: Readonly<Record<Mode, number>> = { live: 1001, test: 1_000_000_001 };

/** What of the program's migrations a database still lacks. Refuses a database that a newer program has migrated. */
export function missingMigrations<Each extends Named>(
  all: readonly Each[],
  applied: readonly string[],
  where: string,
): Each[] {
  const known = new Set(all.map(({ name }) => name));
  const strange = applied.find((name) => !known.has(name));
  if (strange !== undefined) {
    throw startRefused(
      "newer",
      `${where} was made by a newer Packhouse (it has the migration ${strange}). Start that one, or restore a backup.`,
    );
  }
  const done = new Set(applied);
  return all.filter(({ name }) => !done.has(name));
}

/** Refuses a database that holds the other world: `found` is the one that it holds, null while nothing tells. */
export function refuseOtherWorld(found: Mode | null, mode: Mode, where: string): void {
  if (found === null || found === mode) return;
  const advice = "Live and test data have been exchanged: put each back in its own place.";
  throw startRefused("unsuitable", `${where} holds ${found} data, not ${mode} data. ${advice}`);
}

/** The world whose ids go on from this one; null when there is none yet. */
export function worldOfIds(last: number | null): Mode | null {
  if (last === null) return null;
  return last >= firstId.test - 1 ? "test" : "live";
}

/** Refuses a SQLite database that holds the other world, by what it says of itself or else by its ids. */
export function checkWorldOnSqlite(raw: Database, mode: Mode, where: string): void {
  const tells = raw.query("select 1 from sqlite_schema where name = 'installation'").all().length > 0;
  const told = tells ? raw.query<{ mode: Mode }, []>("select mode from installation").get() : null;
  const last = [...sequences(raw).values()].reduce<number | null>((most, seq) => Math.max(most ?? 0, seq), null);
  refuseOtherWorld(told?.mode ?? worldOfIds(last), mode, where);
}

/** Whether a SQLite database lacks migrations. Refuses databases of other programs and of newer versions. */
export function lacksMigrations(
  raw: Database,
  where: string,
  all: readonly Named[] = known_migrations.sqlite,
): boolean {
  const applied = appliedOnSqlite(raw, where);
  return isFormer(applied, where) || missingMigrations(all, applied, where).length > 0;
}

/**
 * Applies to a SQLite database what it lacks and sets the first ids of its mode. Foreign keys are off meanwhile, since
 * rebuilding a table would otherwise delete the rows that refer to it; they are checked before the commit.
 */
export function migrateSqlite(
  raw: Database,
  mode: Mode,
  where: string,
  all: readonly Migration[] = carriedSql().migrations.sqlite,
): void {
  raw.run("pragma foreign_keys=off");
  raw.run("begin immediate");
  try {
    if (isFormer(appliedOnSqlite(raw, where), where)) takeOverOnSqlite(raw);
    const missing = missingMigrations(all, appliedOnSqlite(raw, where), where);
    if (missing.length > 0) applyOnSqlite(raw, mode, missing, all.length);
    raw.run("commit");
  } catch (error) {
    if (raw.inTransaction) raw.run("rollback");
    throw error;
  } finally {
    raw.run("pragma foreign_keys=on");
  }
}

function appliedOnSqlite(raw: Database, where: string): string[] {
  const names = (query: string) => raw.query<{ name: string }, []>(query).all();
  const tables = names("select name from sqlite_schema where type = 'table'").map(({ name }) => name);
  const owner = number(raw, "pragma application_id");
  if (owner !== applicationId && (owner !== 0 || tables.length > 0)) {
    throw startRefused("foreign", `${where} is a database of another program. Name another data directory.`);
  }
  return tables.includes("migrations") ? names("select name from migrations").map(({ name }) => name) : [];
}

function takeOverOnSqlite(raw: Database): void {
  for (const statement of carriedSql().takeover.sqlite) raw.run(statement);
  raw.run("delete from migrations");
  raw.run("insert into migrations values (?)", [base]);
  raw.run("pragma user_version=1");
}

function applyOnSqlite(raw: Database, mode: Mode, missing: readonly Migration[], count: number): void {
  raw.run(`pragma application_id=${applicationId}`);
  raw.run("create table if not exists migrations (name text primary key) strict");
  raw.run(
    `create table if not exists commit_sequence (
       id integer primary key check (id = 1), number integer, at integer not null default 0
     ) strict`,
  );
  raw.run("insert into commit_sequence (id, number) values (1, 0) on conflict do nothing");
  const before = sequences(raw);
  for (const { name, statements } of missing) {
    for (const statement of statements) raw.run(statement);
    raw.run("insert into migrations values (?)", [name]);
  }
  const broken = raw.query("pragma foreign_key_check").all();
  if (broken.length > 0) throw new Error(`a migration left ${broken.length} rows that refer to nothing`);
  startIds(raw, mode, before);
  if (raw.query("select 1 from sqlite_schema where name = 'installation'").all().length > 0) {
    raw.run("insert into installation (id, mode) values (1, ?) on conflict do nothing", [mode]);
  }
  raw.run(`pragma user_version=${count}`);
}

/** A rebuilt table forgets how far its ids had come; a new one has not begun. */
function startIds(raw: Database, mode: Mode, before: ReadonlyMap<string, number>): void {
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
