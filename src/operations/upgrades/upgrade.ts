import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { makeFolder, syncFolder, writeAtomically } from "../../core/files.ts";
import type { MigrationName } from "../../storage/migrations/migrate.ts";

const reads = [
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
    const table = reads.map((form) => form.exec(plain)?.[1]).find((name) => name !== undefined);
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

/** The numbers that an environment had reached. Rows with higher numbers were stored later. */
export interface ReachedNumbers {
  /** The number of the last commit; null on PostgreSQL, which does not number commits. */
  readonly commits: number | null;
  /** The last id assigned in each table. */
  readonly last_ids: Readonly<Record<string, number>>;
}

/** The record of an upgrade, stored with its snapshot. */
export interface UpgradeRecord {
  readonly format: 1;
  readonly engine: "sqlite" | "postgres";
  /** When (ms) the snapshot was taken, by the machine's clock. */
  readonly at: number;
  /** The version that used the data before, if known. */
  readonly from_version: string | null;
  readonly to_version: string;
  /** The migrations of each environment before the upgrade. */
  readonly before: Readonly<Record<Environment, readonly string[]>>;
  readonly after: readonly string[];
  /** The number of each environment's last commit in the snapshot; null on PostgreSQL. */
  readonly commits: Readonly<Record<Environment, number>> | null;
  /** The files of the snapshot. */
  readonly files: readonly { readonly name: string; readonly size_bytes: number }[];
  /** The numbers that each environment had reached right after the upgrade; null until then. */
  readonly reached: Readonly<Record<Environment, ReachedNumbers>> | null;
  /** When (ms) the upgrade was rolled back, which used up the snapshot's files; null otherwise. */
  readonly gone_back_at: number | null;
}

const folder_name = "upgrades";
const record_name = "upgrade.json";

/** Returns the folder of all snapshots in a data directory. */
export const upgradesFolder = (data: string): string => join(data, folder_name);

/** Returns the folder of one snapshot. */
export const folderOf = (data: string, name: string): string => join(data, folder_name, name);

/** Formats a time (ms) as `20261124T173000Z`, which sorts by time. */
export const stamp = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");

/** A recorded upgrade: its folder's name and its record. */
export interface KeptUpgrade {
  readonly name: string;
  readonly record: UpgradeRecord;
}

/** Lists the recorded upgrades, newest first, without incomplete ones. */
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

/** Saves the record of an upgrade. */
export function saveRecord(data: string, { name, record }: KeptUpgrade): void {
  writeAtomically(join(folderOf(data, name), record_name), `${JSON.stringify(record, null, 2)}\n`);
}

/** A snapshot in progress. Its folder counts only after `keep`. */
interface UpgradeDraft {
  readonly folder: string;
  /** Completes it. Returns its name and record. */
  keep(record: UpgradeRecord): KeptUpgrade;
  /** Removes it. Does nothing after `keep`. */
  drop(): void;
}

/** Starts a snapshot. Removes incomplete ones of interrupted upgrades. */
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
 * Removes the snapshots of an engine's unfinished upgrades, before an upgrade without a snapshot: they lack what was
 * written since.
 */
export function dropUnfinished(data: string, engine: UpgradeRecord["engine"]): void {
  for (const { name, record } of keptUpgrades(data)) {
    if (record.engine !== engine || record.reached !== null || record.gone_back_at !== null) continue;
    rmSync(folderOf(data, name), { recursive: true, force: true });
  }
}

const kept_max = 2;
const kept_ms = 30 * 24 * 3600 * 1000;

/** Removes snapshots older than a month, and all but the last two. Data moved aside by rollbacks stays. */
export function forgetUpgrades(data: string, now: number): void {
  const old = keptUpgrades(data).filter(({ record }, place) => place >= kept_max || record.at < now - kept_ms);
  for (const { name } of old) rmSync(folderOf(data, name), { recursive: true, force: true });
}
