// The snapshot before the upgrade of a data directory: exact copies of both databases, taken with exclusive access.
import { Database } from "bun:sqlite";
import { chmodSync, closeSync, constants, copyFileSync, fsyncSync, openSync, statfsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { version } from "../../core/config.ts";
import type { Environment } from "../../core/environment.ts";
import { syncFolder } from "../../core/files.ts";
import { isLacking, namesAfter, namesOf } from "../../storage/migrations/migrate.ts";
import type { MigratedDatabase } from "../../storage/migrations/migrate_directory.ts";
import { lastVersion } from "../../storage/sqlite/last_run.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { beginUpgrade, type KeptUpgrade, keptUpgrades, type UpgradeRecord } from "./upgrade.ts";

/** Bytes that stay free on the disk in addition to a snapshot. */
const spare_bytes = 64 * 1024 * 1024;

const commitOf = (path: string): number => {
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  return Number(raw.query("select number from commit_sequence").values()[0]?.[0] ?? 0);
};

const commitsOf = (found: readonly MigratedDatabase[]) =>
  Object.fromEntries(
    found.map(({ mode, path, applied }) => [mode, applied.length === 0 ? 0 : commitOf(path)]),
  ) as Record<Environment, number>;

/** Returns the size of a snapshot of these databases in bytes. */
export const snapshotBytes = (found: readonly MigratedDatabase[]): number =>
  found.filter(({ applied }) => applied.length > 0).reduce((sum, { path }) => sum + statSync(path).size, 0);

/** Returns the free space for a folder in bytes. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Formats bytes as `1,234 MB`. */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;

/**
 * Takes the snapshot of a data directory with empty logs. Reuses the snapshot of an interrupted upgrade if nothing was
 * written since. Refuses if there is not enough space.
 */
export function takeSnapshot(data: string, found: readonly MigratedDatabase[], now: number): KeptUpgrade | null {
  const of = <T>(get: (one: MigratedDatabase) => T) =>
    Object.fromEntries(found.map((one) => [one.mode, get(one)])) as Record<Environment, T>;
  const commits = commitsOf(found);
  const after = namesAfter(found[0] as MigratedDatabase);
  const unfinished = unfinishedUpgrade(data, found);
  if (unfinished !== null) return unfinished;
  // An upgrade without a snapshot was interrupted between its two commits: the old state no longer exists.
  if (found.some(isLacking) && found.some((one) => one.applied.length > 0 && !isLacking(one))) return null;
  const there = found.filter(({ applied }) => applied.length > 0);
  const draft = beginUpgrade(data, now);
  try {
    const files = there.map(({ path }) => {
      copyPages(path, join(draft.folder, basename(path)), snapshotBytes(found));
      return { name: basename(path), size_bytes: statSync(path).size };
    });
    syncFolder(draft.folder);
    const before = of(({ applied }) => namesOf(applied));
    const versions = { from_version: lastVersion(data), to_version: version };
    const rest = { before, after, commits, files, reached: null, gone_back_at: null };
    return draft.keep({ format: 1, engine: "sqlite", at: now, ...versions, ...rest });
  } finally {
    draft.drop();
  }
}

/** Finds the interrupted or failed upgrade to continue, if nothing was written since its snapshot. */
export function unfinishedUpgrade(data: string, found: readonly MigratedDatabase[]): KeptUpgrade | null {
  const [last] = keptUpgrades(data);
  if (last === undefined) return null;
  return isUnfinished(last.record, namesAfter(found[0] as MigratedDatabase), commitsOf(found)) ? last : null;
}

/** Whether a snapshot belongs to this upgrade, and nothing was written since. */
function isUnfinished(record: UpgradeRecord, after: readonly string[], commits: Record<Environment, number>): boolean {
  const { reached, gone_back_at, commits: then } = record;
  if (reached !== null || gone_back_at !== null || then === null) return false;
  return record.after.join() === after.join() && then.live === commits.live && then.test === commits.test;
}

/** Copies a closed file, as a copy-on-write clone if the file system supports it. */
function copyPages(from: string, to: string, needed_bytes: number): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    const free = roomIn(to.slice(0, -basename(to).length));
    if (free < needed_bytes + spare_bytes) {
      throw startRefused(
        "storage",
        `The snapshot before the upgrade needs ${megabytes(needed_bytes + spare_bytes)}, and ${megabytes(free)} are ` +
          "free. The data was not changed. Free some space, or upgrade with --no-snapshot.",
      );
    }
    copyFileSync(from, to);
  }
  chmodSync(to, 0o600);
  const file = openSync(to, "r+");
  fsyncSync(file);
  closeSync(file);
}
