import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { makeFolder, syncFolder, writeAtomically } from "../../core/files.ts";
import type { MigrationName } from "../../storage/migrations/migrate.ts";

// How many rows the statements of migrations read or write, by the tables that they name.

const reads = [
  /^insert into [\s\S]*? from [`"](\w+)[`"]/i,
  /^update [`"](\w+)[`"]/i,
  /^delete from [`"](\w+)[`"]/i,
  /^create (?:unique )?index [`"]?\w+[`"]? on [`"](\w+)[`"]/i,
  /^alter table [`"](\w+)[`"] (?:add constraint|alter column [\s\S]*? set not null)/i,
];

/** How many rows of tables that are there the statements go through, each as often as it is named. */
export async function touchedRows(
  statements: readonly string[],
  tables: readonly string[],
  count: (table: string) => number | Promise<number>,
): Promise<number> {
  const known = new Map<string, number>();
  let rows = 0;
  for (const statement of statements) {
    const plain = statement.replace(/^(--.*\n\s*)+/, "");
    const table = reads.map((form) => form.exec(plain)?.[1]).find((name) => name !== undefined);
    if (table === undefined || !tables.includes(table)) continue;
    if (!known.has(table)) known.set(table, await count(table));
    rows += known.get(table) ?? 0;
  }
  return rows;
}

// What an upgrade would do to data, whichever engine keeps it.

/** What an upgrade would do. */
export interface UpgradePlan {
  readonly migrations: readonly MigrationName[];
  /** How long it is likely to take. */
  readonly seconds: number;
  /** What else is to be known. */
  readonly notes: readonly string[];
}

// What is kept of each upgrade, in a folder of its own beside the data: the snapshot of before, and a record of it.

/** How far a world had come at some moment: what has a higher number was stored since. */
export interface ReachedNumbers {
  /** The number of the last commit; null on PostgreSQL, which counts none. */
  readonly commits: number | null;
  /** The last id that each table had given. */
  readonly last_ids: Readonly<Record<string, number>>;
}

/** The record of an upgrade. */
export interface UpgradeRecord {
  readonly format: 1;
  readonly engine: "sqlite" | "postgres";
  /** When the snapshot was taken, in milliseconds by the machine's clock. */
  readonly at: number;
  /** The version that had used the data before, as far as it is known, and the one that upgraded it. */
  readonly from_version: string | null;
  readonly to_version: string;
  /** The names of the migrations that each world had before, and those that it has after. */
  readonly before: Readonly<Record<Environment, readonly string[]>>;
  readonly after: readonly string[];
  /** The number of the last commit of each world when the snapshot was taken; null on PostgreSQL. */
  readonly commits: Readonly<Record<Environment, number>> | null;
  /** The files of the snapshot. */
  readonly files: readonly { readonly name: string; readonly size_bytes: number }[];
  /** How far each world had come when it was upgraded and nobody had written yet; null until then. */
  readonly reached: Readonly<Record<Environment, ReachedNumbers>> | null;
  /** When the data went back to the snapshot, whose files it took; null while it did not. */
  readonly gone_back_at: number | null;
}

const folder_name = "upgrades";
const record_name = "upgrade.json";

/** The folder of all that is kept of upgrades, in a data directory. */
export const upgradesFolder = (data: string): string => join(data, folder_name);

/** The folder of one of them. */
export const folderOf = (data: string, name: string): string => join(data, folder_name, name);

/** `20261124T173000Z`, by which folders sort in time. */
export const stamp = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");

/** A kept upgrade: its folder's name and its record. */
export interface KeptUpgrade {
  readonly name: string;
  readonly record: UpgradeRecord;
}

/** The kept upgrades, the newest first. What was cut off while it was made is none. */
export function keptUpgrades(data: string): KeptUpgrade[] {
  const folder = upgradesFolder(data);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /^\d{8}T\d{6}Z(-\d+)?$/.test(name));
  return names
    .sort()
    .reverse()
    .flatMap((name) => {
      const record = readRecord(join(folder, name));
      return record === null ? [] : [{ name, record }];
    });
}

function readRecord(folder: string): UpgradeRecord | null {
  const path = join(folder, record_name);
  if (!existsSync(path)) return null;
  const record = JSON.parse(readFileSync(path, "utf8")) as UpgradeRecord;
  return record.format === 1 ? record : null;
}

/** Writes the record of a kept upgrade anew. */
export function saveRecord(data: string, { name, record }: KeptUpgrade): void {
  writeAtomically(join(folderOf(data, name), record_name), `${JSON.stringify(record, null, 2)}\n`);
}

/** What is made of an upgrade before its migrations: files in a folder that counts only once it is kept. */
interface UpgradeDraft {
  readonly folder: string;
  /** Makes it count. Answers its name. */
  keep(record: UpgradeRecord): KeptUpgrade;
  /** Removes it, unless it is kept. */
  drop(): void;
}

/** Begins to keep an upgrade. What another that was cut off left behind is removed. */
export function beginUpgrade(data: string, at: number): UpgradeDraft {
  makeFolder(upgradesFolder(data));
  for (const name of readdirSync(upgradesFolder(data))) {
    if (name.endsWith(".part")) rmSync(folderOf(data, name), { recursive: true, force: true });
  }
  const free = [stamp(at), ...Array.from({ length: 99 }, (_, more) => `${stamp(at)}-${more + 2}`)];
  const name = free.find((one) => !existsSync(folderOf(data, one))) ?? stamp(at);
  const folder = folderOf(data, `${name}.part`);
  makeFolder(folder);
  return {
    folder,
    keep: (record) => {
      writeAtomically(join(folder, record_name), `${JSON.stringify(record, null, 2)}\n`);
      renameSync(folder, folderOf(data, name));
      syncFolder(upgradesFolder(data));
      return { name, record };
    },
    drop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Removes the snapshots of upgrades of an engine that never came to their end, before one goes on without a snapshot:
 * what was written since they were taken is in none of them.
 */
export function dropUnfinished(data: string, engine: UpgradeRecord["engine"]): void {
  for (const { name, record } of keptUpgrades(data)) {
    if (record.engine !== engine || record.reached !== null || record.gone_back_at !== null) continue;
    rmSync(folderOf(data, name), { recursive: true, force: true });
  }
}

const kept_max = 2;
const kept_ms = 30 * 24 * 3600 * 1000;

/** Removes the snapshots that are older than a month, and all but the last two. What was put aside stays. */
export function forgetUpgrades(data: string, now: number): void {
  const old = keptUpgrades(data).filter(({ record }, place) => place >= kept_max || record.at < now - kept_ms);
  for (const { name } of old) rmSync(folderOf(data, name), { recursive: true, force: true });
}
