// Rolls back the upgrade of a data directory: moves the data aside and restores the backup from before the upgrade. If
// the process is killed, the data is unchanged, or whatever opens it next completes the rollback, as with a restore.
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, linkSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Clock, iso } from "../../core/clock.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { makeFolder, writeAtomically } from "../../core/files.ts";
import { wireId } from "../../core/ids.ts";
import { erasures_file, type LoggedErasure, readErasures } from "../../storage/erasures.ts";
import { migrationStateOnSqlite, namesOf, noData } from "../../storage/migrations/migrate.ts";
import { checkFiles, refuseMarked } from "../../storage/sqlite/data_directory.ts";
import { lock } from "../../storage/sqlite/directory_lock.ts";
import {
  clearUnfinished,
  finishRestore,
  isRestored,
  placeRestored,
  restoringFolder,
} from "../../storage/sqlite/restored_files.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { fileSource, unpack } from "../backups/backup_source.ts";
import { describeWritten, isWritten, reachedOnSqlite, type WrittenSince, writtenOnSqlite } from "./rollback_losses.ts";
import { type RecordedUpgrade, recordedUpgrades, recordPath, recordText, stamp, upgradesFolder } from "./upgrade.ts";

/** The input of a rollback on either engine. */
export interface RollbackSettings {
  readonly data: string;
  /** Whether to roll back even if data was stored since the upgrade. */
  readonly lose: boolean;
  /** Asks for confirmation before anything is lost; false cancels. */
  readonly agree: (question: string) => boolean;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

/** The migrations of each environment. */
type MigrationsByEnvironment = Readonly<Record<Environment, readonly string[]>>;

/** Finds the upgrade to roll back, or reports that it has been rolled back already. Refuses if there is none. */
export function upgradeOf(
  data: string,
  has: MigrationsByEnvironment,
  engine: "sqlite" | "postgres",
): RecordedUpgrade | "before" {
  const same = (some: readonly string[], others: readonly string[]) =>
    some.toSorted().join() === others.toSorted().join();
  const kept = recordedUpgrades(data).filter(({ record }) => record.engine === engine);
  const found = kept.find(({ record: { before, after, upgraded, rolled_back } }) => {
    const fits = environments.every((mode) => same(has[mode], after) || same(has[mode], before[mode]));
    // On PostgreSQL it is recorded before the upgrade commits: a record without it belongs to a failed upgrade.
    const is_done = engine === "sqlite" || upgraded;
    return !rolled_back && is_done && fits && environments.some((mode) => same(has[mode], after));
  });
  if (found !== undefined) return found;
  if (kept.some(({ record: { before } }) => environments.every((mode) => same(has[mode], before[mode]))))
    return "before";
  throw startRefused(
    "absent",
    "There is no backup from before the last upgrade: none was made, or it was removed. " +
      "Restore an earlier backup with packhouse restore.",
  );
}

/** Refuses if data was stored since the upgrade, unless `lose` is set. Returns whether to continue. */
export function mayLose(
  { lose, agree, print }: RollbackSettings,
  { record }: RecordedUpgrade,
  written: Readonly<Record<Environment, WrittenSince>>,
): boolean {
  if (!isWritten(Object.values(written))) return true;
  const since = `since the upgrade of ${stamp(record.at)}`;
  const lines = environments.map((mode) => `  ${mode}: ${describeWritten(written[mode])}`);
  if (!lose) {
    throw startRefused(
      "unsuitable",
      [`This was stored ${since} and would be lost:`, ...lines, "To roll back anyway, add --lose-since-upgrade."].join(
        "\n",
      ),
    );
  }
  print(`This was stored ${since} and will be lost:`);
  for (const line of lines) print(line);
  print(
    "Ids, label and tracking numbers, and event positions since the upgrade are assigned again. If others use them,",
  );
  print("restore the backup in data/upgrades instead: packhouse restore skips them and holds webhooks.");
  return agree("Roll back the upgrade?");
}

/** Returns the lines to print after a rollback. */
export function linesAfterRollback(
  { record }: RecordedUpgrade,
  aside: string,
  erasures: readonly LoggedErasure[],
): string[] {
  const version = record.from_version === null ? "the older version of Packhouse" : `Packhouse ${record.from_version}`;
  return [
    `The upgrade of ${stamp(record.at)} was rolled back. Start ${version}.`,
    `The upgraded data is kept in ${aside} until you remove it.`,
    ...erasedSince(erasures, record.at),
  ];
}

/** Lists customers who were erased since the upgrade, with the commands that erase them again. */
function erasedSince(erasures: readonly LoggedErasure[], at: number): string[] {
  const erased = erasures.filter(({ created_at, erased_at }) => created_at < at && erased_at >= at);
  if (erased.length === 0) return [];
  return [
    "These customers were erased since the upgrade and are in the data again. Erase them again:",
    ...erased.map(({ mode, customer_id, erased_at }) => {
      const customer = wireId("customer", customer_id);
      return `  packhouse customers erase ${customer} --mode ${mode}  (erased at ${iso(erased_at)})`;
    }),
  ];
}

/** The message when there is nothing left to roll back. */
export const already_rolled_back =
  "Nothing was changed: the upgrade has already been rolled back. Start the older version.";

/**
 * Rolls back the last upgrade of a data directory. Returns the exit code. Refuses while a server runs, without a
 * backup, with a damaged one, without enough space, and if data was stored since, unless `lose` is set.
 */
export async function rollBackDirectory(settings: RollbackSettings): Promise<number> {
  const { data, print } = settings;
  if (!existsSync(join(data, "live.db")) && !isRestored(data)) throw noData(data);
  const taken = lock(join(data, "instance.lock"));
  try {
    if (placeRestored(data) !== null) print("An interrupted rollback or restore was completed.");
    // Opening a database empties its log, so a damaged log is refused before.
    for (const mode of environments) {
      if (existsSync(join(data, `${mode}.db`))) checkFiles(join(data, `${mode}.db`), mode);
    }
    const has = { live: migrationsOf(join(data, "live.db")), test: migrationsOf(join(data, "test.db")) };
    const found = upgradeOf(data, has, "sqlite");
    if (found === "before") {
      print(already_rolled_back);
      return 0;
    }
    if (!mayLose(settings, found, writtenSince(data, found))) {
      print("Nothing was changed.");
      return 1;
    }
    // Each backup is rolled back to at most once, so this name is new.
    const aside = found.name.replace(/^packhouse-(.*)\.tar\.zst$/, "aside-$1");
    await replaceData(data, found, aside);
    const erasures = readErasures(join(data, erasures_file));
    for (const line of linesAfterRollback(found, join(upgradesFolder(data), aside), erasures)) print(line);
    return 0;
  } finally {
    taken.release();
  }
}

function migrationsOf(path: string): string[] {
  if (!existsSync(path)) return [];
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  refuseMarked(raw, path);
  return namesOf(migrationStateOnSqlite(raw, path).applied);
}

function writtenSince(data: string, { record }: RecordedUpgrade): Record<Environment, WrittenSince> {
  const of = (mode: Environment): WrittenSince => {
    const since = record.reached[mode];
    using raw = new Database(join(data, `${mode}.db`), { create: false, readwrite: true, strict: true });
    // The upgrade was interrupted before it was recorded as done. Rows added by migrations are not counted.
    if (!record.upgraded && reachedOnSqlite(raw).commits === since.commits) return { commits: 0, records: [] };
    return writtenOnSqlite(raw, since);
  };
  return { live: of("live"), test: of("test") };
}

/**
 * Replaces the data with a backup. The record of the rollback and the upgraded data, in the folder `aside`, are put in
 * place together with it.
 */
async function replaceData(data: string, { name, record }: RecordedUpgrade, aside: string): Promise<void> {
  clearUnfinished(data);
  const made = restoringFolder(data);
  try {
    await unpack(fileSource(join(upgradesFolder(data), name)), made, "sqlite");
    makeFolder(dirname(join(made, recordPath(name))));
    writeAtomically(join(made, recordPath(name)), recordText({ ...record, rolled_back: true }));
    for (const mode of environments) {
      const path = join(data, `${mode}.db`);
      emptyLog(join(made, `${mode}.db`));
      emptyLog(path);
      keepAside(path, join(upgradesFolder(made), aside, `${mode}.db`));
    }
    finishRestore(data, name, "replaces");
  } finally {
    clearUnfinished(data);
  }
}

/** Checkpoints the log of a database and truncates it, since only the database file is moved. */
function emptyLog(path: string): void {
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  raw.run("pragma wal_checkpoint(truncate)");
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw startRefused("in_use", `Another command is using ${path}. Nothing was changed.`);
}

/** Gives a file a second name, so that it also stays in its place until another replaces it. */
function keepAside(path: string, to: string): void {
  makeFolder(dirname(to));
  try {
    linkSync(path, to);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(path, to);
  }
}
