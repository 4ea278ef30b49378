// Opens a data directory with its two SQLite databases, after checking and migrating them.
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
  /** The data directory, which is created if missing. */
  readonly data: string;
  /** A server has exclusive use of the directory and checks it. A command can run alongside a server. */
  readonly purpose: "serve" | "command";
  /** Check both databases completely, even without a reason. */
  readonly check?: boolean | undefined;
  /** Hooks around the migration of older data; `refused` to refuse it. */
  readonly older?: UpgradeHooks | "refused" | undefined;
  /** Refuse a directory without databases instead of creating them. */
  readonly must_exist?: boolean;
  /** Open data of an unfinished restore; only the restore itself does. */
  readonly unfinished?: boolean;
  /** Whether an installation that is being moved may be opened; refused by default. */
  readonly moved?: MovedDataPolicy;
  readonly log: Log;
  /** Called once when the storage has failed. The process must end within a second, with exit code 74. */
  readonly fatal: (error: unknown) => void;
  /** The service's public URL, once known; without it, nothing links to the service. */
  readonly site?: (() => Site) | undefined;
  /** Archives the frames of each environment's log; only for a server. */
  readonly followers?: Readonly<Record<Environment, LogFollower>> | undefined;
}

// Commands hold the lock only briefly. A server keeps it, and commands should not wait for it.
const command_wait_ms = 100;

/** Opens both databases of a data directory. Checks and migrates them only with exclusive use of the directory. */
export async function openDataDirectory(settings: DirectorySettings, clocks: Readonly<Record<Environment, Clock>>) {
  // The databases contain personal data, so no other user may read them or SQLite's side files.
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
    const reason = settings.check ? "requested" : found;
    let is_damaged = false;
    const damaged = () => {
      is_damaged = true;
      forgetRun(settings.data);
    };
    await checkFilesAtStart(settings, { alone, reason, untouched: found === null });
    const open = (mode: Environment) => openOne({ ...settings, damaged }, mode, clocks[mode], opened);
    const [live, test] = [open("live"), open("test")];
    // A power cut must not remove the files themselves.
    syncFolder(settings.data);
    if (alone) noteStart(settings.data);
    // A command needs exclusive use only while it checks the databases.
    if (settings.purpose === "command") taken?.release();
    return { live, test, close: () => closeInOrder(settings, opened, taken, () => is_damaged) };
  } catch (error) {
    for (const thing of opened.reverse()) void thing.close();
    throw readable(error, settings.data);
  }
}

/** The state of a data directory at the start. */
interface DirectoryState {
  /** Whether no other process uses it. */
  readonly alone: boolean;
  /** Why the databases must be checked completely, or null. */
  readonly reason: string | null;
  /** Whether the files are as the last server left them. */
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
  // A command may run alongside a server, whose reads must not see commits that are not durable.
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

/** Stores the number of a commit, which helps to detect losses. A failure is only logged. */
function keepNumber(commits: CommitFile, number: number, log: Log): void {
  try {
    commits.write(number);
  } catch (error) {
    log.warn("the commit number could not be stored", { reason: String(error) });
  }
}

/** Checks and migrates both databases. Alongside a running server, checks only their versions. */
async function checkFilesAtStart(settings: DirectorySettings, state: DirectoryState): Promise<void> {
  const { data, older, moved, log } = settings;
  const found = environments.map((mode) => {
    return checkDatabase(
      { path: join(data, `${mode}.db`), mode, log, moved, follower: followerOf(settings, mode) },
      state,
    );
  });
  if (!state.alone) return;
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

/** Checks a database and empties its log. Alongside a running server, checks only its version. */
function checkDatabase(
  { path, mode, log, moved, follower }: CheckedDatabase,
  { alone, reason, untouched }: DirectoryState,
): MigratedDatabase {
  if (alone) {
    checkEnvironmentOfFile(path, mode);
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
      // The log is read before anything can change it.
      follower?.found({ path, ...lastCommit(raw), migrates: isLacking(standing), untouched });
      if (standing.applied.length > 0) settle(raw, path);
    } else if (isLacking(standing)) {
      throw startRefused("in_use", `${path} is used by an older Packhouse that is running. Stop it first.`);
    }
    return { ...standing, mode, path };
  } finally {
    raw.close();
  }
}

/** Refuses a database that is being moved or was moved. */
export function refuseMarked(raw: Database, path: string): void {
  const has_mark = raw.query("select 1 from pragma_table_info('installation') where name = 'moving'").all().length > 0;
  if (has_mark) refuseMoved(raw.query("select moving from installation").values()[0]?.[0] as string | null, path);
}

/** Refuses a database whose files are damaged, truncated or of the other environment. Changes nothing. */
export function checkFiles(path: string, mode: Environment): void {
  checkEnvironmentOfFile(path, mode);
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
  // Each server starts with an empty log, so that remains of an incomplete commit are not mistaken for damage later.
  raw.run("pragma wal_checkpoint(truncate)");
  checkSize(raw, path);
}

function reportNewer(path: string, applied: readonly AppliedMigration[], log: Log): void {
  const added = namesOf(unknownMigrations(known_migrations.sqlite, applied)).join();
  if (added.length > 0)
    log.info("a newer Packhouse has extended this database; this version can use it", { path, added });
}

/** The built-in empty databases, loaded if one is missing. */
const builtIn = () => require("./empty_database.ts") as typeof import("./empty_database.ts");

/** Writes the built-in empty database if the file is missing. */
function placeEmptyDatabase(path: string, mode: Environment): void {
  const empty = existsSync(path) ? null : builtIn().emptyDatabase(mode);
  if (empty !== null) writeAtomically(path, empty);
}

/** Refuses a database whose log is damaged. Changes nothing. Nothing may write to it meanwhile. */
export function checkLog(path: string, log: Log): void {
  const state = walState(`${path}-wal`);
  const there = existsSync(path) && statSync(path).size > 0;
  if (state === "bad_header" || state === "damaged") {
    throw startRefused("damaged", `${path}-wal is damaged: the last changes would be lost. ${advice}`);
  }
  if (!there && (state !== "absent" || (readCommitFile(`${path}.commit`) ?? 0) > 0)) {
    throw startRefused("damaged", `${path} is missing, but its side files are there. ${advice}`);
  }
  if (state === "torn") log.warn("the last commit was incomplete; it had not been acknowledged", { path });
}

/** Checks the environment without the log, since a swapped log would hide that the database is of the other one. */
function checkEnvironmentOfFile(path: string, mode: Environment): void {
  if (!existsSync(path)) return;
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
  const raw = new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  try {
    checkEnvironmentOnSqlite(raw, mode, path);
  } catch (error) {
    // Without its log, the database may be incomplete. Damage is found below.
    if (isStartRefused(error)) throw error;
  } finally {
    raw.close();
  }
}

const advice = "Restore a backup, or move all files of this name away to start with no data.";

function checkWhole(raw: Database, path: string, reason: string, log: Log): void {
  const begun_at = performance.now();
  const found = raw.query("pragma quick_check(1)").values()[0]?.[0];
  if (found !== "ok") throw startRefused("damaged", `${path} is damaged (${found}). ${advice}`);
  const ms = Math.round(performance.now() - begun_at);
  // Explain the delay.
  if (ms >= 1000) log.info("a database was checked completely", { path, reason, ms });
}

function checkSize(raw: Database, path: string): void {
  const number = (name: string) => Number(raw.query(`pragma ${name}`).values()[0]?.[0]);
  if (statSync(path).size >= number("page_count") * number("page_size")) return;
  throw startRefused("damaged", `${path} is truncated. ${advice}`);
}

/** The last commit of a database, and its count of schema changes. */
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

/** Removes other users' access to the directory and the databases, and logs it. */
function repairModes(folder: string, log: Log): void {
  const paths = readdirSync(folder).filter((name) => /^(live|test)\.db|^(instance\.lock|secret\.key)$/.test(name));
  for (const path of [folder, ...paths.map((name) => join(folder, name))]) {
    const { mode } = statSync(path);
    if ((mode & 0o077) === 0) continue;
    chmodSync(path, mode & 0o700);
    log.warn("other users could read this; access was removed", { path });
  }
}

/** Closes the databases and records a clean end if no other process uses them. */
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
    // Everything is on disk. The next start only runs an unnecessary check.
    log.warn("the clean end of the databases could not be recorded", { reason: String(error) });
  }
  again?.release();
  await closeAll(opened);
}

async function closeAll(opened: { close(): unknown }[]): Promise<void> {
  for (const thing of opened.splice(0).reverse()) await thing.close();
}

/** Whether a folder exists and this process may not write to it. */
function isReadOnly(folder: string): boolean {
  if (!existsSync(folder)) return false;
  try {
    accessSync(folder, fileConstants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Converts an error on opening to a message for the operator. */
function readable(error: unknown, folder: string): unknown {
  if (isStartRefused(error)) return error;
  const code = databaseCode(error) ?? "";
  const refusal = (reason: Parameters<typeof startRefused>[0], text: string) =>
    Object.assign(startRefused(reason, text), { cause: error });
  if (code === "SQLITE_NOTADB") return refusal("foreign", `A file in ${folder} is not a Packhouse database.`);
  if (code.startsWith("SQLITE_CORRUPT")) return refusal("damaged", `A database in ${folder} is damaged. ${advice}`);
  if (storageErrorOf(error) === "full" || code === "ENOSPC" || code === "EDQUOT") {
    return refusal("storage", `There is no space left in ${folder}.`);
  }
  if (isReadOnly(folder)) {
    const advice = "Mount it as writable, or change its owner to the user that runs Packhouse.";
    return refusal("storage", `The data folder ${folder} is read-only. ${advice}`);
  }
  if (storageErrorOf(error) !== null || /^E(ACCES|PERM|ROFS|IO|NOTDIR|EXIST|NOENT)$/.test(code)) {
    return refusal("storage", `The data in ${folder} cannot be used (${code}).`);
  }
  return error;
}
