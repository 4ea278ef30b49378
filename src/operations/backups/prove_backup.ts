// Proves a backup: restores it to a scratch location, verifies all data and deletes the copy.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../../core/clock.ts";
import { readAddress } from "../../core/config.ts";
import type { Environment } from "../../core/environment.ts";
import { makeFolder, makeTemporaryFolder, removeMadeFolders } from "../../core/files.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { storedFiles } from "../../files/files.sql.ts";
import type { Db } from "../../storage/database.ts";
import { type FileContents, files_folder, folderContents } from "../../storage/file_contents.ts";
import type { Stores } from "../../storage/open_stores.ts";
import { type Administration, administered } from "../../storage/postgres/postgres_programs.ts";
import { startRefused } from "../../storage/start_refused.ts";
import type { VerifierDifference } from "../../storage/verifier.ts";
import type { BackupManifest } from "./archive.ts";
import type { BackupSource } from "./backup_source.ts";
import { unpack } from "./backup_source.ts";
import { loadDumps } from "./restore_postgres.ts";
import { openRestored } from "./restored_stores.ts";

interface ProofSettings {
  readonly source: BackupSource;
  /** A folder with enough space for the unpacked data. */
  readonly folder: string;
  /** URL of a PostgreSQL server to create the scratch database on; null for SQLite. */
  readonly database_url: string | null;
  readonly log: Log;
  /** Aborted, with the reason, to cancel the proof. */
  readonly ending: AbortSignal;
  /** Verifies all data of one environment. */
  readonly verify: (db: Db) => Promise<VerifierDifference[]>;
}

/** The result: a good backup has no differences. */
interface BackupProof {
  readonly manifest: BackupManifest;
  readonly differences: Readonly<Record<Environment, readonly VerifierDifference[]>>;
}

/**
 * Restores an archive to a scratch folder or PostgreSQL database, verifies it, and always deletes the copy. Refuses
 * with a `StartRefused` an archive that cannot be restored.
 */
export async function proveBackup(settings: ProofSettings): Promise<BackupProof> {
  const { source, folder, database_url, log, ending, verify } = settings;
  const created = makeFolder(folder);
  const made = makeTemporaryFolder(folder, ".packhouse-verify-");
  try {
    const manifest = await unlessEnded(ending, unpack(source, made, database_url === null ? "sqlite" : "postgres"));
    const prove = async (url: string | null): Promise<BackupProof> => {
      if (url !== null) await loadDumps(url, made);
      const stores = await openRestored(source.place, { data: made, database_url: url, log });
      const contents = manifest.files?.included === true ? folderContents(join(made, files_folder)) : null;
      return { manifest, differences: await verified(stores, contents, verify) };
    };
    if (database_url === null) return await unlessEnded(ending, prove(null));
    return await inScratch(database_url, systemClock(), (url) => unlessEnded(ending, prove(url)));
  } finally {
    rmSync(made, { recursive: true, force: true });
    removeMadeFolders(folder, created);
  }
}

/** Awaits `work`. Throws the reason once `ending` is aborted; the abandoned work ends with the process. */
async function unlessEnded<T>(ending: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(ending.reason);
  if (ending.aborted) end();
  ending.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    work.catch(() => {});
    ending.removeEventListener("abort", end);
  }
}

/** Verifies both environments, and that the backup has the content of every uploaded file; null if it has none. */
async function verified(
  stores: Stores,
  contents: FileContents | null,
  verify: ProofSettings["verify"],
): Promise<BackupProof["differences"]> {
  const differencesOf = async (mode: Environment) => {
    const differences = await stores[mode].read(verify);
    return contents === null ? differences : [...differences, ...(await missingContents(stores, contents, mode))];
  };
  try {
    return { live: await differencesOf("live"), test: await differencesOf("test") };
  } finally {
    await stores.close();
  }
}

async function missingContents(stores: Stores, contents: FileContents, mode: Environment) {
  const keys = new Set(await contents.list(mode));
  const missing = (await stores[mode].read(storedFiles)).filter(({ key }) => !keys.has(key));
  const rule = "the backup has the content of every uploaded file";
  return missing.map(({ id }) => ({ rule, subject: wireId("file", id), expected: 1, actual: 0, rows: [] }));
}

/** Runs `work` on a scratch database and drops it afterwards. Also drops those that earlier proofs left. */
async function inScratch<T>(url: string, clock: Clock, work: (scratch_url: string) => Promise<T>): Promise<T> {
  return administered(url, async (admin) => {
    const second = Math.floor(clock.now() / 1000);
    const name = `packhouse_verify_${second}_${process.pid}`;
    try {
      await sweepScratch(admin, second);
      await admin.ask(`create database ${name} template template0`);
    } catch (error) {
      if ((error as { code?: string }).code !== "42501") throw error;
      const advice = "Allow it (alter role … createdb), or name another server with --database-url.";
      throw startRefused("unsuitable", `The database user may not create a scratch database. ${advice}`);
    }
    try {
      return await work(otherDatabase(url, name));
    } finally {
      await admin.ask(`drop database if exists ${name} with (force)`);
    }
  });
}

function otherDatabase(url: string, name: string): string {
  const address = readAddress(url);
  if (address === null) throw startRefused("unsuitable", "--database-url is not a valid URL.");
  address.pathname = `/${name}`;
  return address.href;
}

const forgotten_after_s = 3600;

/** Drops unused scratch databases that are more than an hour old. */
async function sweepScratch(admin: Administration, now_s: number): Promise<void> {
  const rows = await admin.ask(
    `select datname as name from pg_database where datname ~ '^packhouse_verify_[0-9]+_[0-9]+$'
       and split_part(datname, '_', 3)::bigint < $1
       and not exists (select from pg_stat_activity where pg_stat_activity.datname = pg_database.datname)`,
    [now_s - forgotten_after_s],
  );
  for (const row of rows) await admin.ask(`drop database if exists ${String(row["name"])}`);
}
