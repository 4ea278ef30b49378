// Puts the snapshot of before an upgrade in the place of the data, which is put aside. Each step can be taken again, so
// that a process that died in between is followed by one that finishes; until then no server opens the data.
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

/** What is going on: which upgrade is taken back, and where the data of since is put. */
interface RollbackState {
  readonly upgrade: string;
  readonly aside: string;
}

/** The way back that was begun and not finished; null when there is none. */
function readRollbackState(data: string): RollbackState | null {
  const path = rollbackFile(data);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as RollbackState) : null;
}

/** Notes on the disk that the data goes back to the snapshot of an upgrade. From then on it does. */
function beginRollback(data: string, upgrade: string, now: number): RollbackState {
  const going = { upgrade, aside: `aside-${stamp(now)}` };
  writeAtomically(rollbackFile(data), `${JSON.stringify(going)}\n`);
  return going;
}

/**
 * Goes back, or on with it: alone with the data. Answers the folder that holds the data of since, which is kept until
 * somebody removes it.
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
      // It says of a commit that the data of before has not seen.
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

/** Copies a database's log into it and removes it: it would be taken for that of the one that comes in its place. */
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

/** Keeps a file under a second name; its place is never empty where another comes into it. */
function putAside(path: string, to: string, another_comes: boolean): void {
  if (!another_comes) {
    renameSync(path, to);
    return;
  }
  if (existsSync(to)) rmSync(to);
  try {
    linkSync(path, to);
  } catch {
    // Some file systems know no second names.
    copyFileSync(path, to);
  }
}

// Whether an upgrade can be taken back, and what would be lost by it.

export interface RollbackSettings {
  readonly data: string;
  /** Whether it goes back although something was stored since the upgrade. */
  readonly lose: boolean;
  /** Asked before anything is lost; false leaves all as it is. */
  readonly agree: (question: string) => boolean;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
}

/** The migrations that each world has. */
type MigrationsByEnvironment = Readonly<Record<Environment, readonly string[]>>;

/** The upgrade that can be taken back, or the word that there is nothing to take back. Refuses when it cannot be. */
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
    // On PostgreSQL it is noted before the upgrade is committed: one without it came to nothing.
    const is_done = engine === "sqlite" || reached !== null;
    return gone_back_at === null && is_done && fits && environments.some((mode) => same(has[mode], after));
  });
  if (found !== undefined) return found;
  if (kept.some(({ record: { before } }) => environments.every((mode) => same(has[mode], before[mode]))))
    return "before";
  throw startRefused(
    "absent",
    "There is no snapshot of before the last upgrade of this data: none was taken, or it was removed. " +
      "A backup of before it can be restored by packhouse restore.",
  );
}

/** Refuses to go back when something was stored since, unless it is to be lost. Answers whether to go on. */
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
      [`This was stored ${since}, and would be lost:`, ...lines, "To go back all the same: --lose-since-upgrade."].join(
        "\n",
      ),
    );
  }
  tell(`This was stored ${since}, and is lost:`);
  for (const line of lines) tell(line);
  tell(
    "Numbers that were given since are given again: of orders, labels, parcels and events. Where others know of them,",
  );
  tell("restore a backup of before the upgrade instead: packhouse restore passes them over, and lets webhooks wait.");
  return agree("Go back to before the upgrade?");
}

/** What is said once the data has gone back. */
export function confirmedRollback(
  { record }: KeptUpgrade,
  aside: string,
  erasures: readonly LoggedErasure[],
): string[] {
  const version = record.from_version === null ? "the older Packhouse" : `Packhouse ${record.from_version}`;
  return [
    `The data is as it was before the upgrade of ${stamp(record.at)}. Start ${version} on it.`,
    `The data of since is kept in ${aside}, until you remove it.`,
    ...erasedSince(erasures, record.at),
  ];
}

/** Who is in the data again although they were erased, and how they are erased anew. */
function erasedSince(erasures: readonly LoggedErasure[], at: number): string[] {
  const erased = erasures.filter(({ created_at, erased_at }) => created_at < at && erased_at >= at);
  if (erased.length === 0) return [];
  return [
    "These customers were erased since, and are in the data again. Erase them anew:",
    ...erased.map(({ mode, customer_id, erased_at }) => {
      const customer = wireId("customer", customer_id);
      return `  packhouse customers erase ${customer} --mode ${mode}  (erased at ${iso(erased_at)})`;
    }),
  ];
}

/**
 * Takes the last upgrade of a data directory back. Answers the exit code. Refuses while a server runs, without a
 * snapshot, with one that is damaged, and when something was stored since, unless it is to be lost.
 */
export function rollBackDirectory(settings: RollbackSettings): number {
  const { data, clock, tell } = settings;
  if (!existsSync(join(data, "live.db"))) throw noData(data);
  const taken = lock(join(data, "instance.lock"));
  try {
    let going = readRollbackState(data);
    if (going === null) {
      // Who opens a database empties its log: one that is damaged is refused before, as it is.
      for (const mode of environments) {
        if (existsSync(join(data, `${mode}.db`))) checkFiles(join(data, `${mode}.db`), mode);
      }
      const has = { live: migrationsOf(join(data, "live.db")), test: migrationsOf(join(data, "test.db")) };
      const found = upgradeOf(data, has, "sqlite");
      if (found === "before") {
        tell("Nothing was changed: the data is as it was before the upgrade already. Start the older Packhouse on it.");
        return 0;
      }
      checkSnapshot(data, found);
      if (!mayLose(settings, found, writtenSince(data, found))) {
        tell("Nothing was changed.");
        return 1;
      }
      going = beginRollback(data, found.name, clock.now());
    } else tell("The data was on its way back already; it goes on.");
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
    // It was cut off before that was noted. What was written since, if anything, is what the snapshot has not.
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

/** Refuses a snapshot whose files are not what was kept. */
function checkSnapshot(data: string, { name, record }: KeptUpgrade): void {
  for (const file of record.files) {
    const path = join(folderOf(data, name), file.name);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? null;
    if (size !== file.size_bytes || checked(path) !== "ok") {
      throw startRefused("damaged", `The snapshot ${path} is missing or damaged. The data is as it was.`);
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
