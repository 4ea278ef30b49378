// Rolls back the upgrade of a data directory: moves the data aside and puts the snapshot in its place. Each step can be
// repeated, so that a later run finishes an interrupted one; until then no server opens the data.
import { constants, Database } from "bun:sqlite";
import { copyFileSync, existsSync, linkSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Clock, iso } from "../../core/clock.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { makeFolder, syncFolder, writeAtomically } from "../../core/files.ts";
import { wireId } from "../../core/ids.ts";
import { erasures_file, type LoggedErasure, readErasures } from "../../storage/erasures.ts";
import { migrationStateOnSqlite, namesOf, noData } from "../../storage/migrations/migrate.ts";
import { commitText } from "../../storage/sqlite/commit_number.ts";
import { checkFiles, refuseMarked } from "../../storage/sqlite/data_directory.ts";
import { lock } from "../../storage/sqlite/directory_lock.ts";
import { rollbackFile, startRefused } from "../../storage/start_refused.ts";
import { isWritten, reachedOnSqlite, toldOf, type WrittenSince, writtenOnSqlite } from "./rollback_losses.ts";
import {
  folderOf,
  type KeptUpgrade,
  keptUpgrades,
  type ReachedNumbers,
  saveRecord,
  stamp,
  upgradesFolder,
} from "./upgrade.ts";

/** A rollback in progress: the upgrade's name, and the folder for the upgraded data. */
interface RollbackState {
  readonly upgrade: string;
  readonly aside: string;
}

/** Reads the unfinished rollback; null if there is none. */
function readRollbackState(data: string): RollbackState | null {
  const path = rollbackFile(data);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as RollbackState) : null;
}

/** Records durably that the rollback of an upgrade has started. From then on it must be finished. */
function beginRollback(data: string, upgrade: string, now: number): RollbackState {
  const state = { upgrade, aside: `aside-${stamp(now)}` };
  writeAtomically(rollbackFile(data), `${JSON.stringify(state)}\n`);
  return state;
}

/**
 * Runs or continues a rollback, with exclusive access to the data. Returns the folder with the upgraded data, which
 * stays until the operator removes it.
 */
function finishRollback(data: string, { upgrade, aside }: RollbackState, now: number): string {
  const kept = keptUpgrades(data).find(({ name }) => name === upgrade);
  if (kept === undefined) throw new Error(`${folderOf(data, upgrade)} is gone`);
  const away = folderOf(data, aside);
  makeFolder(away);
  for (const mode of environments) {
    const name = `${mode}.db`;
    const path = join(data, name);
    const former = join(folderOf(data, upgrade), name);
    const had_one = kept.record.files.some((file) => file.name === name);
    if (existsSync(former) || (!had_one && existsSync(path))) {
      emptyLog(path);
      putAside(path, join(away, name), had_one);
      // It names a commit that the snapshot does not contain.
      if (existsSync(`${path}.commit`)) renameSync(`${path}.commit`, join(away, `${name}.commit`));
      syncFolder(away);
      if (had_one) renameSync(former, path);
      syncFolder(data);
    }
    const number = kept.record.commits?.[mode];
    if (had_one && number !== undefined) writeAtomically(`${path}.commit`, commitText(number));
  }
  saveRecord(data, { ...kept, record: { ...kept.record, gone_back_at: now } });
  rmSync(rollbackFile(data), { force: true });
  syncFolder(upgradesFolder(data));
  return away;
}

/** Checkpoints a database and removes its log, which would be taken for the log of the snapshot. */
function emptyLog(path: string): void {
  if (existsSync(`${path}-wal`)) {
    using raw = new Database(path, { create: false, readwrite: true, strict: true });
    raw.run("pragma wal_checkpoint(truncate)");
  }
  for (const end of ["-wal", "-shm"]) {
    if (end === "-wal" && existsSync(path + end) && statSync(path + end).size > 0) {
      throw new Error(`${path}${end} is in use`);
    }
    rmSync(path + end, { force: true });
  }
}

/** Keeps a file under a second name. If another replaces it, its place is never empty. */
function putAside(path: string, to: string, another_comes: boolean): void {
  if (!another_comes) {
    renameSync(path, to);
    return;
  }
  if (existsSync(to)) rmSync(to);
  try {
    linkSync(path, to);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(path, to);
  }
}

/** The input of a rollback on either engine. */
export interface RollbackSettings {
  readonly data: string;
  /** Whether to roll back even if data was stored since the upgrade. */
  readonly lose: boolean;
  /** Asks for confirmation before anything is lost; false cancels. */
  readonly agree: (question: string) => boolean;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
}

/** The migrations of each environment. */
type MigrationsByEnvironment = Readonly<Record<Environment, readonly string[]>>;

/** Finds the upgrade to roll back, or reports that it has been rolled back already. Refuses if there is none. */
export function upgradeOf(
  data: string,
  has: MigrationsByEnvironment,
  engine: "sqlite" | "postgres",
): KeptUpgrade | "before" {
  const same = (some: readonly string[], others: readonly string[]) =>
    some.toSorted().join() === others.toSorted().join();
  const kept = keptUpgrades(data).filter(({ record }) => record.engine === engine);
  const found = kept.find(({ record: { before, after, reached, gone_back_at } }) => {
    const fits = environments.every((mode) => same(has[mode], after) || same(has[mode], before[mode]));
    // On PostgreSQL it is recorded before the upgrade commits: a record without it belongs to a failed upgrade.
    const is_done = engine === "sqlite" || reached !== null;
    return gone_back_at === null && is_done && fits && environments.some((mode) => same(has[mode], after));
  });
  if (found !== undefined) return found;
  if (kept.some(({ record: { before } }) => environments.every((mode) => same(has[mode], before[mode]))))
    return "before";
  throw startRefused(
    "absent",
    "There is no snapshot from before the last upgrade: none was taken, or it was removed. " +
      "Restore a backup from before the upgrade with packhouse restore.",
  );
}

/** Refuses if data was stored since the upgrade, unless `lose` is set. Returns whether to continue. */
export function mayLose(
  { lose, agree, tell }: RollbackSettings,
  { record }: KeptUpgrade,
  written: Readonly<Record<Environment, WrittenSince>>,
): boolean {
  if (!isWritten(Object.values(written))) return true;
  const since = `since the upgrade of ${stamp(record.at)}`;
  const lines = environments.map((mode) => `  ${mode}: ${toldOf(written[mode])}`);
  if (!lose) {
    throw startRefused(
      "unsuitable",
      [`This was stored ${since} and would be lost:`, ...lines, "To roll back anyway, add --lose-since-upgrade."].join(
        "\n",
      ),
    );
  }
  tell(`This was stored ${since} and will be lost:`);
  for (const line of lines) tell(line);
  tell("Numbers of orders, labels, parcels and events from since the upgrade are assigned again. If others know them,");
  tell("restore a backup from before the upgrade instead: packhouse restore skips them and holds webhooks.");
  return agree("Roll back the upgrade?");
}

/** Returns the lines to print after a rollback. */
export function confirmedRollback(
  { record }: KeptUpgrade,
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

/**
 * Rolls back the last upgrade of a data directory. Returns the exit code. Refuses while a server runs, without a
 * snapshot, with a damaged one, and if data was stored since, unless `lose` is set.
 */
export function rollBackDirectory(settings: RollbackSettings): number {
  const { data, clock, tell } = settings;
  if (!existsSync(join(data, "live.db"))) throw noData(data);
  const taken = lock(join(data, "instance.lock"));
  try {
    let going = readRollbackState(data);
    if (going === null) {
      // Opening a database empties its log, so a damaged log is refused before.
      for (const mode of environments) {
        if (existsSync(join(data, `${mode}.db`))) checkFiles(join(data, `${mode}.db`), mode);
      }
      const has = { live: migrationsOf(join(data, "live.db")), test: migrationsOf(join(data, "test.db")) };
      const found = upgradeOf(data, has, "sqlite");
      if (found === "before") {
        tell("Nothing was changed: the upgrade has already been rolled back. Start the older version.");
        return 0;
      }
      checkSnapshot(data, found);
      if (!mayLose(settings, found, writtenSince(data, found))) {
        tell("Nothing was changed.");
        return 1;
      }
      going = beginRollback(data, found.name, clock.now());
    } else tell("Continuing an interrupted rollback.");
    const { upgrade } = going;
    const aside = finishRollback(data, going, clock.now());
    const kept = keptUpgrades(data).find(({ name }) => name === upgrade);
    const erasures = readErasures(join(data, erasures_file));
    if (kept !== undefined) for (const line of confirmedRollback(kept, aside, erasures)) tell(line);
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

function writtenSince(data: string, kept: KeptUpgrade): Record<Environment, WrittenSince> {
  const of = (mode: Environment): WrittenSince => {
    const { reached, commits } = kept.record;
    using raw = new Database(join(data, `${mode}.db`), { create: false, readwrite: true, strict: true });
    if (reached !== null) return writtenOnSqlite(raw, reached[mode]);
    // The upgrade was interrupted before that was recorded. Everything beyond the snapshot counts as written since.
    if (reachedOnSqlite(raw).commits === commits?.[mode]) return { commits: 0, records: [] };
    return writtenOnSqlite(raw, reachedInSnapshot(data, kept, mode));
  };
  return { live: of("live"), test: of("test") };
}

function reachedInSnapshot(data: string, { name, record }: KeptUpgrade, mode: Environment): ReachedNumbers {
  if (!record.files.some((file) => file.name === `${mode}.db`)) return { commits: 0, last_ids: {} };
  using raw = openUnchanged(join(folderOf(data, name), `${mode}.db`));
  return reachedOnSqlite(raw);
}

/** Refuses a snapshot with missing or changed files. */
function checkSnapshot(data: string, { name, record }: KeptUpgrade): void {
  for (const file of record.files) {
    const path = join(folderOf(data, name), file.name);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? null;
    if (size !== file.size_bytes || checked(path) !== "ok") {
      throw startRefused("damaged", `The snapshot ${path} is missing or damaged. The data was not changed.`);
    }
  }
}

function openUnchanged(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
  return new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

function checked(path: string): unknown {
  try {
    using raw = openUnchanged(path);
    return raw.query("pragma quick_check(1)").values()[0]?.[0];
  } catch (error) {
    return String(error);
  }
}
