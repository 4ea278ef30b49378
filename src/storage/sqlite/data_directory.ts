// A data directory with its two SQLite databases, looked over before anything relies on it.
import { constants, Database } from "bun:sqlite";
import { accessSync, chmodSync, existsSync, constants as fileConstants, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock } from "../../core/clock.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { makeFolder, syncFolder, writeAtomically } from "../../core/files.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Site } from "../../core/operator_settings.ts";
import type { Store } from "../database.ts";
import {
  type AppliedMigration,
  checkEnvironmentOnSqlite,
  isLacking,
  isOlder,
  known_migrations,
  migrationStateOnSqlite,
  namesOf,
  noData,
  refuseOlder,
  unknownMigrations,
} from "../migrations/migrate.ts";
import { type MigratedDatabase, migrateDirectory, type UpgradeHooks } from "../migrations/migrate_directory.ts";
import { isStartRefused, type MovedDataPolicy, refuseMoved, startRefused } from "../start_refused.ts";
import { databaseCode, storageErrorOf } from "../storage_errors.ts";
import type { LogFollower } from "./commit_log.ts";
import { type CommitFile, openCommitFile, readCommitFile } from "./commit_number.ts";
import { type InstanceLock, lock, tryLock } from "./directory_lock.ts";
import { forgetRun, noteEnd, noteStart, reasonToCheck } from "./last_run.ts";
import { walState } from "./log_frames.ts";
import {
  clearUnfinished,
  holdsData,
  isRestored,
  placeRestored,
  refuseHalfPlaced,
  refuseUnfinished,
} from "./restored_files.ts";
import { openSqlite } from "./sqlite_store.ts";

export interface DirectorySettings {
  /** The data directory; made when it is not there. */
  readonly data: string;
  /** A server has the data directory for itself and checks it; a command works beside a running server. */
  readonly purpose: "serve" | "command";
  /** Look through both databases as a whole, also when nothing is known that speaks for it. */
  readonly check?: boolean | undefined;
  /** What is done around the migration of data of an older version; `refused` where such data is left alone. */
  readonly older?: UpgradeHooks | "refused" | undefined;
  /** Refuse a directory without databases instead of making them. */
  readonly must_exist?: boolean;
  /** Opens what a restore has not finished yet: only the restore itself does. */
  readonly unfinished?: boolean;
  /** Whether an installation that is moved elsewhere may be opened, to be looked at; refused when absent. */
  readonly moved?: MovedDataPolicy;
  readonly log: Log;
  /** Called once when the storage failed for good: the process must end within a second, with exit code 74. */
  readonly fatal: (error: unknown) => void;
  /** How the service is reached, once it is known; nothing leads to it when absent. */
  readonly site?: (() => Site) | undefined;
  /** Who keeps the frames of each world's log elsewhere; only where a server has the directory for itself. */
  readonly followers?: Readonly<Record<Environment, LogFollower>> | undefined;
}

// Another command has the lock for no longer than that; a server keeps it, and its commands should not be slow.
const command_wait_ms = 100;

/** Opens both databases of a data directory. Only who has the directory for himself checks and migrates them. */
export async function openDataDirectory(settings: DirectorySettings, clocks: Readonly<Record<Environment, Clock>>) {
  // The databases hold names and addresses: nobody else may read them, and SQLite's side files are made as needed.
  process.umask(0o077);
  const opened: { close(): unknown }[] = [];
  if (settings.must_exist && !existsSync(join(settings.data, "live.db")) && !isRestored(settings.data)) {
    throw noData(settings.data);
  }
  try {
    makeFolder(settings.data);
    repairModes(settings.data, settings.log);
    const path = join(settings.data, "instance.lock");
    const taken = settings.purpose === "serve" ? lock(path) : tryLock(path, command_wait_ms);
    if (taken !== null) opened.push({ close: () => taken.release() });
    const alone = taken !== null;
    if (!alone) refuseHalfPlaced(settings.data);
    else if (placeRestored(settings.data) !== null) {
      settings.log.info("a restore was completed", { data: settings.data });
    }
    refuseUnfinished(settings.data);
    // An interrupted rollback leaves its prepared files next to the data.
    if (alone && holdsData(settings.data)) clearUnfinished(settings.data);
    const found = alone ? reasonToCheck(settings.data) : null;
    const reason = settings.check ? "it was asked for" : found;
    let is_damaged = false;
    const damaged = () => {
      is_damaged = true;
      forgetRun(settings.data);
    };
    await checkFilesAtStart(settings, { alone, reason, untouched: found === null });
    const open = (mode: Environment) => openOne({ ...settings, damaged }, mode, clocks[mode], opened);
    const [live, test] = [open("live"), open("test")];
    // What is acknowledged from now on is worth nothing in files that a power cut takes away.
    syncFolder(settings.data);
    if (alone) noteStart(settings.data);
    // A command needs the directory to itself only while it looks the databases over.
    if (settings.purpose === "command") taken?.release();
    return { live, test, close: () => closeInOrder(settings, opened, taken, () => is_damaged) };
  } catch (error) {
    for (const thing of opened.reverse()) void thing.close();
    throw readable(error, settings.data);
  }
}

/**
 * Whether nobody else uses the directory, why its databases are looked through as a whole, if they are, and whether
 * they are as the last server left them.
 */
interface DirectoryState {
  readonly alone: boolean;
  readonly reason: string | null;
  readonly untouched: boolean;
}

function openOne(
  settings: DirectorySettings & { readonly damaged: () => void },
  mode: Environment,
  clock: Clock,
  opened: { close(): unknown }[],
): Store {
  const path = join(settings.data, `${mode}.db`);
  const follower = followerOf(settings, mode);
  const commits = openCommitFile(`${path}.commit`);
  opened.push(commits);
  const committed = (number: number) => keepNumber(commits, number, settings.log);
  // A command may work beside a server, whose reads must not see what is not durable, and it answers nobody else.
  const waits = settings.purpose === "serve" ? "nobody" : "commits";
  const { log, site, damaged } = settings;
  const failed = (error: unknown) => {
    forgetRun(settings.data);
    settings.fatal(error);
  };
  const store = openSqlite({ path, mode, clock, log, fatal: failed, damaged, committed, waits, site, follower });
  opened.push(store);
  return store;
}

/** The number is a help in finding losses; a commit does not fail for it. */
function keepNumber(commits: CommitFile, number: number, log: Log): void {
  try {
    commits.write(number);
  } catch (error) {
    log.warn("the number of a commit was not kept", { reason: String(error) });
  }
}

/** Looks both databases over and migrates them. Beside a running server, which has done so, only at their versions. */
async function checkFilesAtStart(settings: DirectorySettings, looks: DirectoryState): Promise<void> {
  const { data, older, moved, log } = settings;
  const found = environments.map((mode) => {
    return checkDatabase(
      { path: join(data, `${mode}.db`), mode, log, moved, follower: followerOf(settings, mode) },
      looks,
    );
  });
  if (!looks.alone) return;
  const is_older = found.some(isOlder);
  if (is_older && older === "refused") throw refuseOlder(`The data in ${data}`);
  if (is_older && older !== "refused") await older?.before(found);
  migrateDirectory(found);
  for (const one of found) if (isLacking(one)) finish(one.path);
  if (older !== "refused") older?.after(found);
  for (const { path, applied } of found) reportNewer(path, applied, log);
}

interface CheckedDatabase {
  readonly path: string;
  readonly mode: Environment;
  readonly log: Log;
  readonly moved: MovedDataPolicy | undefined;
  readonly follower: LogFollower | undefined;
}

const followerOf = ({ purpose, followers }: DirectorySettings, mode: Environment) =>
  purpose === "serve" ? followers?.[mode] : undefined;

/** Looks a database over: its log is empty then. Beside a running server only its version is looked at. */
function checkDatabase(
  { path, mode, log, moved, follower }: CheckedDatabase,
  { alone, reason, untouched }: DirectoryState,
): MigratedDatabase {
  if (alone) {
    checkWorldOfFile(path, mode);
    checkLog(path, log);
    placeEmptyDatabase(path, mode);
  }
  const raw = new Database(path, { create: true, readwrite: true, strict: true });
  try {
    raw.run("pragma busy_timeout=5000");
    const standing = migrationStateOnSqlite(raw, path);
    checkEnvironmentOnSqlite(raw, mode, path);
    if (moved !== "allowed") refuseMarked(raw, path);
    if (reason !== null) checkWhole(raw, path, reason, log);
    if (alone) {
      checkNumber(raw, path);
      // What the log holds is looked at before anything can change it.
      follower?.found({ path, ...lastCommit(raw), migrates: isLacking(standing), untouched });
      if (standing.applied.length > 0) settle(raw, path);
    } else if (isLacking(standing)) {
      throw startRefused("in_use", `${path} is of an older Packhouse that is running. Stop it first.`);
    }
    return { ...standing, mode, path };
  } finally {
    raw.close();
  }
}

/** Refuses a database that is moved elsewhere, or into which a move is not finished. */
export function refuseMarked(raw: Database, path: string): void {
  const tells = raw.query("select 1 from pragma_table_info('installation') where name = 'moving'").all().length > 0;
  if (tells) refuseMoved(raw.query("select moving from installation").values()[0]?.[0] as string | null, path);
}

/** Refuses a database whose files are damaged, cut off or another world's, without changing any of them. */
export function checkFiles(path: string, mode: Environment): void {
  checkWorldOfFile(path, mode);
  checkLog(path, silentLog);
  const raw = new Database(path, { readwrite: true, strict: true });
  try {
    raw.run("pragma busy_timeout=5000");
    checkEnvironmentOnSqlite(raw, mode, path);
    checkNumber(raw, path);
  } finally {
    raw.close();
  }
}

/** Empties the log of a database that was migrated. */
function finish(path: string): void {
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  settle(raw, path);
}

function settle(raw: Database, path: string): void {
  raw.run("pragma journal_mode=wal");
  raw.run("pragma synchronous=full");
  // The log begins anew with each server: what a torn commit left behind its end must not be taken for damage later.
  raw.run("pragma wal_checkpoint(truncate)");
  checkSize(raw, path);
}

function reportNewer(path: string, applied: readonly AppliedMigration[], log: Log): void {
  const added = namesOf(unknownMigrations(known_migrations.sqlite, applied)).join();
  if (added.length > 0)
    log.info("a newer Packhouse has added to this database, which this one works with", { path, added });
}

/** The empty databases that the program carries, loaded where one is missing. */
const carried = () => require("./empty_database.ts") as typeof import("./empty_database.ts");

/** Puts the empty database of this version where there is none, as its migrations would make it. */
function placeEmptyDatabase(path: string, mode: Environment): void {
  const empty = existsSync(path) ? null : carried().emptyDatabase(mode);
  if (empty !== null) writeAtomically(path, empty);
}

/** Refuses a database whose log is damaged, and changes nothing. Nothing may write to it meanwhile. */
export function checkLog(path: string, log: Log): void {
  const state = walState(`${path}-wal`);
  const there = existsSync(path) && statSync(path).size > 0;
  if (state === "bad_header" || state === "damaged") {
    throw startRefused("damaged", `${path}-wal is damaged: what was written last would be lost. ${advice}`);
  }
  if (!there && (state !== "absent" || (readCommitFile(`${path}.commit`) ?? 0) > 0)) {
    throw startRefused("damaged", `${path} is missing, but its side files are there. ${advice}`);
  }
  if (state === "torn") log.warn("the last commit was cut off; it had not been acknowledged", { path });
}

/** Looks at a database without its log: that of the other world would make it look like the one it is taken for. */
function checkWorldOfFile(path: string, mode: Environment): void {
  if (!existsSync(path)) return;
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
  const raw = new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  try {
    checkEnvironmentOnSqlite(raw, mode, path);
  } catch (error) {
    // Without its log it may be half of a database, or none yet. What is wrong with it is found below.
    if (isStartRefused(error)) throw error;
  } finally {
    raw.close();
  }
}

const advice = "Restore a backup, or move all files of this name away to begin anew.";

function checkWhole(raw: Database, path: string, reason: string, log: Log): void {
  const begun_at = performance.now();
  const found = raw.query("pragma quick_check(1)").values()[0]?.[0];
  if (found !== "ok") throw startRefused("damaged", `${path} is damaged (${found}). ${advice}`);
  const ms = Math.round(performance.now() - begun_at);
  // Who waited for it is told why.
  if (ms >= 1000) log.info("a database was checked as a whole", { path, reason, ms });
}

function checkSize(raw: Database, path: string): void {
  const number = (name: string) => Number(raw.query(`pragma ${name}`).values()[0]?.[0]);
  if (statSync(path).size >= number("page_count") * number("page_size")) return;
  throw startRefused("damaged", `${path} has been cut off. ${advice}`);
}

/** The last commit of a database, and the count of the changes of its schema. */
function lastCommit(raw: Database): { number: number; at: number; schema_version: number } {
  const tables = raw.query("select 1 from sqlite_schema where name = 'commit_sequence'").values();
  const row = tables.length > 0 ? raw.query("select number, at from commit_sequence").values()[0] : undefined;
  const version = raw.query("pragma schema_version").values()[0]?.[0];
  return { number: Number(row?.[0] ?? 0), at: Number(row?.[1] ?? 0), schema_version: Number(version) };
}

function checkNumber(raw: Database, path: string): void {
  const { number } = lastCommit(raw);
  const kept = readCommitFile(`${path}.commit`);
  if (kept === null || number >= kept) return;
  throw startRefused("damaged", `${path} has lost ${kept - number} of its last commits. ${advice}`);
}

/** Takes away what others may do with the directory and the databases, and says so. */
function repairModes(folder: string, log: Log): void {
  const paths = readdirSync(folder).filter((name) => /^(live|test)\.db|^(instance\.lock|secret\.key)$/.test(name));
  for (const path of [folder, ...paths.map((name) => join(folder, name))]) {
    const { mode } = statSync(path);
    if ((mode & 0o077) === 0) continue;
    chmodSync(path, mode & 0o700);
    log.warn("others could read this; they no longer can", { path });
  }
}

/** Closes the databases, and notes that this was done in order if nobody else uses them any more. */
async function closeInOrder(
  { data, purpose, log }: DirectorySettings,
  opened: { close(): unknown }[],
  taken: InstanceLock | null,
  isDamaged: () => boolean,
): Promise<void> {
  await closeAll(taken === null ? opened : opened.splice(1));
  const again = purpose === "command" && taken !== null ? tryLock(join(data, "instance.lock"), 0) : null;
  try {
    if (taken !== null && (purpose === "serve" || again !== null) && !isDamaged()) noteEnd(data);
  } catch (error) {
    // All is closed and on the disk; the next start may look once more than it had to.
    log.warn("how the databases were left was not noted", { reason: String(error) });
  }
  again?.release();
  await closeAll(opened);
}

async function closeAll(opened: { close(): unknown }[]): Promise<void> {
  for (const thing of opened.splice(0).reverse()) await thing.close();
}

/** Whether a folder is there and this process may not write to it. */
function isReadOnly(folder: string): boolean {
  if (!existsSync(folder)) return false;
  try {
    accessSync(folder, fileConstants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** An error on opening as the operator should read it. */
function readable(error: unknown, folder: string): unknown {
  if (isStartRefused(error)) return error;
  const code = databaseCode(error) ?? "";
  const said = (reason: Parameters<typeof startRefused>[0], text: string) =>
    Object.assign(startRefused(reason, text), { cause: error });
  if (code === "SQLITE_NOTADB") return said("foreign", `A file in ${folder} is not a database of Packhouse.`);
  if (code.startsWith("SQLITE_CORRUPT")) return said("damaged", `A database in ${folder} is damaged. ${advice}`);
  if (storageErrorOf(error) === "full" || code === "ENOSPC" || code === "EDQUOT") {
    return said("storage", `There is no room left in ${folder}.`);
  }
  if (isReadOnly(folder)) {
    const advice = "Mount it so that it can be written, or give it to the user that runs Packhouse.";
    return said("storage", `The data folder ${folder} is read-only. ${advice}`);
  }
  if (storageErrorOf(error) !== null || /^E(ACCES|PERM|ROFS|IO|NOTDIR|EXIST|NOENT)$/.test(code)) {
    return said("storage", `The data in ${folder} cannot be used (${code}).`);
  }
  return error;
}
