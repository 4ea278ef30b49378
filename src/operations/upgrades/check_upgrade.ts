// Checks and rehearses the upgrade of a data directory: migrations, duration and disk space.
import { Database } from "bun:sqlite";
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { environments } from "../../core/environment.ts";
import { makeFolder } from "../../core/files.ts";
import { silentLog } from "../../core/log.ts";
import {
  isLacking,
  type MigrationName,
  migrationStateOnSqlite,
  namesOf,
  noData,
  toRun,
} from "../../storage/migrations/migrate.ts";
import { type MigratedDatabase, migrateDirectory } from "../../storage/migrations/migrate_directory.ts";
import { migrations } from "../../storage/migrations/migration_sql.ts";
import { checkLog } from "../../storage/sqlite/data_directory.ts";
import { tryLock } from "../../storage/sqlite/directory_lock.ts";
import { type HeldView, holdView } from "../../storage/sqlite/held_view.ts";
import { refuseHalfPlaced } from "../../storage/sqlite/restored_files.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { backupBytes, megabytes, roomIn } from "./back_up_before_upgrade.ts";
import type { UpgradePlan } from "./upgrade.ts";
import { touchedRows, upgradesFolder } from "./upgrade.ts";

/** Returns the upgrade plan. Changes nothing; a server may run. Refuses if there is no data. */
export async function checkUpgrade(data: string, database_url: string | null): Promise<UpgradePlan> {
  if (database_url !== null) {
    const { checkPostgres } = await import("./check_postgres_upgrade.ts");
    return checkPostgres(database_url);
  }
  const found = migrationStates(data);
  const lacking = found.filter(isLacking);
  const names = new Set(lacking.flatMap(({ missing }) => namesOf(missing)));
  const missing = migrations.sqlite.filter(({ name }) => names.has(name));
  if (missing.length === 0) return { migrations: [], seconds: 0, notes: [] };
  const statements = (one: MigratedDatabase) => toRun(one, missing).flatMap((each) => each.statements);
  let rows = 0;
  for (const one of lacking) {
    using raw = new Database(one.path, { readonly: true, strict: true });
    const count = (table: string) => Number(raw.query(`select count(*) from "${table}"`).values()[0]?.[0]);
    const tables = namesOf(
      raw.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all(),
    );
    rows += await touchedRows(statements(one), tables, count);
  }
  return { migrations: missing, seconds: rows * seconds_a_row, notes: notesOf(data, found, missing) };
}

// Measured with migrations of a million orders, lines and events: they took 45 s; this estimates 54.
const seconds_a_row = 3e-6;

function notesOf(data: string, found: readonly MigratedDatabase[], missing: readonly MigrationName[]): string[] {
  const [needed, free] = [backupBytes(found), roomIn(data)];
  const room = `A backup is made first. It needs up to ${megabytes(needed)}, and so does the upgrade while it runs`;
  const short = free < 2 * needed ? " That may not be enough: free some space first." : "";
  const back = missing.every(({ kind }) => kind === "additive")
    ? "All migrations are additive: the previous version can still start on the upgraded data."
    : "The previous version cannot start on the upgraded data; packhouse rollback restores the backup.";
  return [`${room}; ${megabytes(free)} are free.${short}`, back];
}

function migrationStates(data: string): MigratedDatabase[] {
  refuseHalfPlaced(data);
  if (!existsSync(join(data, "live.db"))) throw noData(data);
  const there = environments
    .map((mode) => ({ mode, path: join(data, `${mode}.db`) }))
    .filter(({ path }) => existsSync(path));
  // While a server runs, its logs change. Otherwise they are checked before anything reads them.
  const taken = tryLock(join(data, "instance.lock"), lock_wait_ms);
  try {
    if (taken !== null) for (const { path } of there) checkLog(path, silentLog);
    return there.map((one) => {
      using raw = new Database(one.path, { readonly: true, strict: true });
      raw.run("pragma busy_timeout=5000");
      return { ...one, ...migrationStateOnSqlite(raw, one.path) };
    });
  } finally {
    taken?.release();
  }
}

const lock_wait_ms = 100;

/** Runs the upgrade on a copy of the data, even while a server runs. Returns its duration in seconds. */
export async function rehearseUpgrade(data: string, database_url: string | null): Promise<number> {
  if (database_url !== null) {
    const { rehearsePostgres } = await import("./check_postgres_upgrade.ts");
    return rehearsePostgres(database_url);
  }
  const found = migrationStates(data);
  const needed = 2 * found.reduce((sum, { path }) => sum + sizeOf(path) + sizeOf(`${path}-wal`), 0);
  const free = roomIn(data);
  if (free < needed) {
    const advice = "Nothing was changed.";
    throw startRefused(
      "storage",
      `The rehearsal needs ${megabytes(needed)}, and ${megabytes(free)} are free. ${advice}`,
    );
  }
  makeFolder(upgradesFolder(data));
  const folder = mkdtempSync(join(upgradesFolder(data), "rehearsal-"));
  try {
    for (const { path, mode } of found) copyHeld(holdView(path), join(folder, `${mode}.db`));
    const copies = found.map((one) => ({ ...one, path: join(folder, `${one.mode}.db`) }));
    const begun_at = performance.now();
    migrateDirectory(copies);
    return (performance.now() - begun_at) / 1000;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function copyHeld(view: HeldView, to: string): void {
  try {
    const { file, file_bytes, log, log_bytes } = view;
    copyBytes(file, file_bytes, to);
    if (log !== null && log_bytes > 0) copyBytes(log, log_bytes, `${to}-wal`);
  } finally {
    view.close();
  }
}

const chunk_bytes = 1024 * 1024;

/** Copies the first `size_bytes` of an open file, padded with zeros if the file is shorter. */
function copyBytes(file: number, size_bytes: number, to: string): void {
  const copy = openSync(to, "w", 0o600);
  try {
    for (let at = 0; at < size_bytes; ) {
      const chunk = Buffer.alloc(Math.min(chunk_bytes, size_bytes - at));
      readSync(file, chunk, 0, chunk.length, at);
      for (let done = 0; done < chunk.length; ) done += writeSync(copy, chunk, done);
      at += chunk.length;
    }
  } finally {
    closeSync(copy);
  }
}
