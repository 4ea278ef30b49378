import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { writeAtomically } from "../../core/files.ts";
import type { MigrationName } from "../../storage/migrations/migrate.ts";

const table_patterns = [
  /^insert into [\s\S]*? from [`"](\w+)[`"]/i,
  /^update [`"](\w+)[`"]/i,
  /^delete from [`"](\w+)[`"]/i,
  /^create (?:unique )?index [`"]?\w+[`"]? on [`"](\w+)[`"]/i,
  /^alter table [`"](\w+)[`"] (?:add constraint|alter column [\s\S]*? set not null)/i,
];

/** Estimates the rows that migration statements process: the sizes of the existing tables that they name. */
export async function touchedRows(
  statements: readonly string[],
  tables: readonly string[],
  count: (table: string) => number | Promise<number>,
): Promise<number> {
  const known = new Map<string, number>();
  let rows = 0;
  for (const statement of statements) {
    const plain = statement.replace(/^(--.*\n\s*)+/, "");
    const table = table_patterns.map((form) => form.exec(plain)?.[1]).find((name) => name !== undefined);
    if (table === undefined || !tables.includes(table)) continue;
    if (!known.has(table)) known.set(table, await count(table));
    rows += known.get(table) ?? 0;
  }
  return rows;
}

/** The plan of an upgrade on either engine. */
export interface UpgradePlan {
  readonly migrations: readonly MigrationName[];
  /** The estimated duration. */
  readonly seconds: number;
  /** Further notes for the operator. */
  readonly notes: readonly string[];
}

// The backups made before upgrades, in a folder of the data directory, each with a record of its upgrade.

/** The numbers that an environment had reached. Rows with higher numbers were stored later. */
export interface ReachedNumbers {
  /** The number of the last commit; null on PostgreSQL, which does not number commits. */
  readonly commits: number | null;
  /** The last id assigned in each table. */
  readonly last_ids: Readonly<Record<string, number>>;
}

/** The record of an upgrade, stored with its backup. */
export interface UpgradeRecord {
  readonly format: 2;
  readonly engine: "sqlite" | "postgres";
  /** When (ms) the backup was started, by the machine's clock. */
  readonly at: number;
  /** The version that used the data before, if known. */
  readonly from_version: string | null;
  /** The migrations of each environment before the upgrade, and those of both after it. */
  readonly before: Readonly<Record<Environment, readonly string[]>>;
  readonly after: readonly string[];
  /** The numbers that each environment had reached in the backup or, once `upgraded`, right after the upgrade. */
  readonly reached: Readonly<Record<Environment, ReachedNumbers>>;
  /** Whether the migrations have run. On PostgreSQL this is recorded before they commit. */
  readonly upgraded: boolean;
  /** Whether the upgrade was rolled back. */
  readonly rolled_back: boolean;
}

/** An upgrade: the file name of its backup, and its record. */
export interface RecordedUpgrade {
  readonly name: string;
  readonly record: UpgradeRecord;
}

const folder_name = "upgrades";

/** Returns the folder of these backups in a data directory. */
export const upgradesFolder = (data: string): string => join(data, folder_name);

/** Formats a time (ms) as `20261124T173000Z`, which sorts by time. */
export const stamp = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");

/** Returns the path of an upgrade's record within the data directory. */
export const recordPath = (name: string): string => join(folder_name, name.replace(".tar.zst", ".json"));

/** Formats a record for its file. */
export const recordText = (record: UpgradeRecord): string => `${JSON.stringify(record, null, 2)}\n`;

/** Saves the record of an upgrade. */
export function saveRecord(data: string, { name, record }: RecordedUpgrade): void {
  writeAtomically(join(data, recordPath(name)), recordText(record));
}

/** Lists the names of the backups, newest first. */
function backupNames(data: string): string[] {
  const names = existsSync(upgradesFolder(data)) ? readdirSync(upgradesFolder(data)) : [];
  return names
    .filter((name) => /^packhouse-.*\.tar\.zst$/.test(name))
    .sort()
    .reverse();
}

/** Lists the recorded upgrades, newest first. */
export function recordedUpgrades(data: string): RecordedUpgrade[] {
  return backupNames(data).flatMap((name) => {
    const path = join(data, recordPath(name));
    if (!existsSync(path)) return [];
    const record = JSON.parse(readFileSync(path, "utf8")) as UpgradeRecord;
    return record.format === 2 ? [{ name, record }] : [];
  });
}

/**
 * Removes the backups of an engine's unfinished upgrades, before an upgrade that makes no backup or a new one: they
 * lack what was written since.
 */
export function dropUnfinished(data: string, engine: UpgradeRecord["engine"]): void {
  for (const { name, record } of recordedUpgrades(data)) {
    if (record.engine === engine && !record.upgraded && !record.rolled_back) remove(data, name);
  }
}

function remove(data: string, name: string): void {
  rmSync(join(data, recordPath(name)), { force: true });
  rmSync(join(upgradesFolder(data), name), { force: true });
}

const kept_max = 2;
const kept_ms = 30 * 24 * 3600 * 1000;

/** Removes backups older than 30 days, and all but the last two. Data moved aside by rollbacks stays. */
export function forgetUpgrades(data: string, now: number): void {
  const oldest = stamp(now - kept_ms);
  const old = backupNames(data).filter((name, place) => place >= kept_max || name < `packhouse-${oldest}`);
  for (const name of old) remove(data, name);
  if (!existsSync(upgradesFolder(data))) return;
  // Versions before the first release kept copies in folders.
  const folders = readdirSync(upgradesFolder(data)).filter((name) => /^\d{8}T/.test(name) && name < oldest);
  for (const name of folders) rmSync(join(upgradesFolder(data), name), { recursive: true, force: true });
}
