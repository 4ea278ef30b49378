// Makes a backup of both environments before an upgrade, with exclusive access to the data.
import { Database } from "bun:sqlite";
import { statfsSync, statSync } from "node:fs";
import { basename } from "node:path";
import type pg from "pg";
import type { Clock } from "../../core/clock.ts";
import { version } from "../../core/config.ts";
import type { Environment } from "../../core/environment.ts";
import { isOlder, namesAfter, namesOf } from "../../storage/migrations/migrate.ts";
import type { MigratedDatabase } from "../../storage/migrations/migrate_directory.ts";
import type { SchemaMigrationState } from "../../storage/migrations/migrate_postgres.ts";
import { lastVersion } from "../../storage/sqlite/last_run.ts";
import { isStartRefused, startRefused } from "../../storage/start_refused.ts";
import { copyPostgres } from "../backups/copy_postgres.ts";
import { copySqlite } from "../backups/copy_sqlite.ts";
import { folderDestination } from "../backups/folder_destination.ts";
import { makeBackup } from "../backups/make_backup.ts";
import type { BackupCopies } from "../backups/write_archive.ts";
import { reachedOnPostgres } from "./postgres_rollback_losses.ts";
import { reachedOnSqlite } from "./rollback_losses.ts";
import { type RecordedUpgrade, recordedUpgrades, saveRecord, type UpgradeRecord, upgradesFolder } from "./upgrade.ts";

interface UpgradeBackupSettings {
  readonly data: string;
  /** The key that encrypts the secrets in the data; null if it is not available. */
  readonly secret_key: Uint8Array | null;
  readonly clock: Clock;
}

/** Bytes that stay free on the disk in addition to a backup. */
const spare_bytes = 64 * 1024 * 1024;

const advice = "The data was not changed. To upgrade without a backup, use --no-backup.";

/** Returns the most that a backup of these databases takes, in bytes. It is smaller, but a rollback unpacks it. */
export const backupBytes = (found: readonly MigratedDatabase[]): number =>
  found.reduce((sum, { path }) => sum + statSync(path).size, 0);

/** Returns the free space for a folder in bytes. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Formats bytes as `1,234 MB`. */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;

/**
 * Backs up a data directory with empty logs. Reuses the backup of an interrupted upgrade if nothing was written since.
 * Returns null if one environment is already upgraded. Refuses if there is not enough space.
 */
export async function backUpDirectory(
  settings: UpgradeBackupSettings,
  found: readonly MigratedDatabase[],
): Promise<RecordedUpgrade | null> {
  const { data } = settings;
  const unfinished = unfinishedUpgrade(data, found);
  if (unfinished !== null) return unfinished;
  // An upgrade without a backup was interrupted between its two commits: the old state no longer exists.
  if (!found.every(isOlder)) return null;
  const [needed, free] = [backupBytes(found) + spare_bytes, roomIn(data)];
  if (free < needed) {
    const what = `The backup before the upgrade needs ${megabytes(needed)}, and ${megabytes(free)} are free.`;
    throw startRefused("storage", `${what} ${advice}`);
  }
  const reached = byEnvironment(found, ({ path }) => reachedOf(path));
  const facts = { engine: "sqlite", from_version: lastVersion(data), reached } as const;
  return backUp(settings, found, facts, () => copySqlite(data));
}

/** Backs up a PostgreSQL database whose schema locks the client's transaction holds exclusively. */
export async function backUpDatabase(
  settings: UpgradeBackupSettings & { readonly url: string },
  client: pg.ClientBase,
  found: readonly SchemaMigrationState[],
): Promise<RecordedUpgrade> {
  const { url, data } = settings;
  const facts = { engine: "postgres", from_version: null, reached: await reachedOnPostgres(client) } as const;
  const copy = () => copyPostgres(url, data, new AbortController().signal, "exclusive");
  return backUp(settings, found, facts, copy);
}

const byEnvironment = <One extends { readonly mode: Environment }, T>(found: readonly One[], get: (one: One) => T) =>
  Object.fromEntries(found.map((one) => [one.mode, get(one)])) as Record<Environment, T>;

async function backUp(
  { data, secret_key, clock }: UpgradeBackupSettings,
  found: readonly (MigratedDatabase | SchemaMigrationState)[],
  facts: Pick<UpgradeRecord, "engine" | "from_version" | "reached">,
  copy: () => BackupCopies | Promise<BackupCopies>,
): Promise<RecordedUpgrade> {
  const at = clock.now();
  const to = folderDestination(upgradesFolder(data));
  const settings = { data, to, packhouse: version, secret_key, with_key: false, clock, copy };
  const made = await makeBackup(settings).catch((error: unknown) => {
    if (!isStartRefused(error)) throw error;
    throw Object.assign(new Error(`${error.message} ${advice}`), { exit_code: error.exit_code, cause: error });
  });
  const [first] = found;
  const before = byEnvironment<(typeof found)[number], string[]>(found, ({ applied }) => namesOf(applied));
  const after = first === undefined ? [] : namesAfter(first);
  const record = { format: 2, at, ...facts, before, after, upgraded: false, rolled_back: false } as const;
  const kept = { name: basename(made.place), record };
  saveRecord(data, kept);
  return kept;
}

const reachedOf = (path: string) => {
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  return reachedOnSqlite(raw);
};

/** Finds the interrupted or failed upgrade to continue, if nothing was written since its backup. */
export function unfinishedUpgrade(data: string, found: readonly MigratedDatabase[]): RecordedUpgrade | null {
  const [last] = recordedUpgrades(data);
  if (last === undefined || last.record.upgraded || last.record.rolled_back) return null;
  const { engine, after, reached } = last.record;
  const [first] = found;
  if (engine !== "sqlite" || first === undefined || namesAfter(first).join() !== after.join()) return null;
  const is_unchanged = ({ mode, path, applied }: MigratedDatabase) =>
    applied.length > 0 && reachedOf(path).commits === reached[mode].commits;
  return found.every(is_unchanged) ? last : null;
}
