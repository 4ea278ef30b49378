// The snapshot of both worlds before a data directory is upgraded: page-exact copies, taken alone with the data.
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

/** What a disk keeps free beside a snapshot, in bytes. */
const spare_bytes = 64 * 1024 * 1024;

const commitOf = (path: string): number => {
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  return Number(raw.query("select number from commit_sequence").values()[0]?.[0] ?? 0);
};

const commitsOf = (found: readonly MigratedDatabase[]) =>
  Object.fromEntries(
    found.map(({ mode, path, applied }) => [mode, applied.length === 0 ? 0 : commitOf(path)]),
  ) as Record<Environment, number>;

/** How many bytes a snapshot of these databases takes. */
export const snapshotBytes = (found: readonly MigratedDatabase[]): number =>
  found.filter(({ applied }) => applied.length > 0).reduce((sum, { path }) => sum + statSync(path).size, 0);

/** How much room there is in a folder, in bytes. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** `1,234 MB`, of bytes. */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;

/**
 * Copies the databases of a data directory whose logs are empty, and keeps them as the snapshot before an upgrade. The
 * snapshot of an upgrade that was cut off is used again while nothing was written since. Refuses when there is no room.
 */
export function takeSnapshot(data: string, found: readonly MigratedDatabase[], now: number): KeptUpgrade | null {
  const of = <T>(get: (one: MigratedDatabase) => T) =>
    Object.fromEntries(found.map((one) => [one.mode, get(one)])) as Record<Environment, T>;
  const commits = commitsOf(found);
  const after = namesAfter(found[0] as MigratedDatabase);
  const unfinished = unfinishedUpgrade(data, found);
  if (unfinished !== null) return unfinished;
  // Cut off between its two commits, and begun without a snapshot: there is no state of before any more.
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

/** The upgrade that was cut off or failed and is gone on with, when nothing was written since its snapshot. */
export function unfinishedUpgrade(data: string, found: readonly MigratedDatabase[]): KeptUpgrade | null {
  const [last] = keptUpgrades(data);
  if (last === undefined) return null;
  return isUnfinished(last.record, namesAfter(found[0] as MigratedDatabase), commitsOf(found)) ? last : null;
}

/** Whether a snapshot was taken for this very upgrade, and nothing was written since. */
function isUnfinished(record: UpgradeRecord, after: readonly string[], commits: Record<Environment, number>): boolean {
  const { reached, gone_back_at, commits: then } = record;
  if (reached !== null || gone_back_at !== null || then === null) return false;
  return record.after.join() === after.join() && then.live === commits.live && then.test === commits.test;
}

/** Copies a file that nobody has open; on file systems that can, without a second copy of its bytes. */
function copyPages(from: string, to: string, needed_bytes: number): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    const free = roomIn(to.slice(0, -basename(to).length));
    if (free < needed_bytes + spare_bytes) {
      throw startRefused(
        "storage",
        `The snapshot before the upgrade needs ${megabytes(needed_bytes + spare_bytes)}, and ${megabytes(free)} are ` +
          "free. The data is as it was. Make room, or go on without a way back by --no-snapshot.",
      );
    }
    copyFileSync(from, to);
  }
  chmodSync(to, 0o600);
  const file = openSync(to, "r+");
  fsyncSync(file);
  closeSync(file);
}
