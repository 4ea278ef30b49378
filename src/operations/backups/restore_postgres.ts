// Restores an archive of a PostgreSQL database into a database without Packhouse data.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { environmentWith } from "../../core/config.ts";
import { environments } from "../../core/environment.ts";
import { makeFolder, makeTemporaryFolder, removeMadeFolders, writeAtomically } from "../../core/files.ts";
import { erasures_file, mergedErasures, recordErasures } from "../../storage/erasures.ts";
import { files_folder } from "../../storage/file_contents.ts";
import { migration_lock, migration_lock_key, unfinished_schema } from "../../storage/migrations/migrate_postgres.ts";
import {
  type Administration,
  administered,
  connectionOf,
  forOlderServers,
} from "../../storage/postgres/postgres_programs.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { unpack } from "./backup_source.ts";
import { type RestoreResult, type RestoreSettings, refuseConflicts } from "./restore_sqlite.ts";
import { markAndClose, momentsOf, openRestored } from "./restored_stores.ts";

type PostgresRestoreSettings = Omit<RestoreSettings, "into" | "forward"> & {
  /** URL of the target database. */
  readonly into: string;
  /** The data directory of this machine, which contains no records. */
  readonly data: string;
};

/**
 * Restores an archive into a PostgreSQL database without Packhouse schemas. A marker schema shows that the restore is
 * unfinished: no server starts on it, and the next call removes the schemas and starts over. Refuses with a
 * `StartRefused` a database that has the schemas, an archive that is damaged or of another engine, insufficient space,
 * and missing PostgreSQL programs.
 */
export async function restorePostgres(settings: PostgresRestoreSettings): Promise<RestoreResult> {
  const { into, data, report } = settings;
  const made = makeFolder(data);
  return administered(into, async (admin) => {
    await takeLock(admin);
    if (await dropUnfinished(admin)) {
      report("Removed the schemas of an interrupted restore; they were not in use.");
    }
    await begin(admin);
    const folder = makeTemporaryFolder(data, ".packhouse-restore-");
    try {
      return await restore(settings, folder, admin);
    } catch (error) {
      await dropUnfinished(admin);
      throw error;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }).catch((error) => {
    removeMadeFolders(data, made);
    throw error;
  });
}

async function restore(
  settings: PostgresRestoreSettings,
  folder: string,
  admin: Administration,
): Promise<RestoreResult> {
  const { into, source, data, log } = settings;
  const manifest = await unpack(source, folder, "postgres", settings.checkManifest);
  const moments = momentsOf(manifest);
  const erasures = mergedErasures([settings.erasures, await source.erasures()]);
  refuseConflicts(data, folder);
  keepSecretFiles(folder, data);
  await loadDumps(into, folder);
  const stores = await openRestored(source.place, { data, database_url: into, log });
  const contents = { unpacked: join(folder, files_folder), home: join(data, files_folder) };
  const modes = await markAndClose(stores, { settings, at: data, contents, manifest, moments, erasures });
  // The next restore reads them here, even if this backup is gone by then.
  recordErasures(join(data, erasures_file), erasures);
  await admin.ask(`drop schema ${unfinished_schema}`);
  return { state: "restored", manifest, modes };
}

/** Copies the secret files of an archive into this machine's data directory, unless they exist there. */
function keepSecretFiles(folder: string, data: string): void {
  for (const name of ["secret.key", "tls/authority.pem"]) {
    const [from, to] = [join(folder, name), join(data, name)];
    if (!existsSync(from) || existsSync(to)) continue;
    makeFolder(dirname(to));
    writeAtomically(to, readFileSync(from));
  }
}

// Held until the connection ends, so that only one restore runs at a time.
const lock_key = 0x5041434c;

async function takeLock(admin: Administration): Promise<void> {
  const [row] = await admin.ask("select pg_try_advisory_lock($1) as taken", [lock_key]);
  if (row?.["taken"] !== true) throw startRefused("in_use", "Another restore into this database is in progress.");
}

async function schemas(admin: Administration): Promise<string[]> {
  const known = [...environments, unfinished_schema];
  const rows = await admin.ask("select nspname as name from pg_namespace where nspname = any($1)", [known]);
  return rows.map((row) => String(row["name"]));
}

/**
 * Creates the marker schema if the database has no Packhouse schemas. A server that starts at the same time either
 * creates its schemas first, which is detected, or starts afterwards and refuses.
 */
async function begin(admin: Administration): Promise<void> {
  await admin.ask("begin");
  for (const mode of environments) await admin.ask(migration_lock, [migration_lock_key, mode]);
  await refuseExisting(admin);
  await admin.ask(`create schema ${unfinished_schema}`);
  await admin.ask("commit");
}

async function refuseExisting(admin: Administration): Promise<void> {
  const there = await schemas(admin);
  if (there.length === 0) return;
  const names = there.join(" and the schema ");
  const advice = "Name an empty database with --database-url; createdb creates one.";
  const problem = `The database already has the schema ${names}. A restore never overwrites data.`;
  throw startRefused("unsuitable", `${problem} ${advice}`);
}

/** Application name of the connections that load dumps. */
const loader = "packhouse restore";

/** Removes the schemas of an unfinished restore, the marker last. Returns whether there was a marker. */
async function dropUnfinished(admin: Administration): Promise<boolean> {
  // Without the marker, the schemas belong to a server.
  if (!(await schemas(admin)).includes(unfinished_schema)) return false;
  // Its loader processes may still be running.
  const mine = "datname = current_database() and application_name = $1";
  await admin.ask(`select pg_terminate_backend(pid) from pg_stat_activity where ${mine}`, [loader]);
  for (const name of [...environments, unfinished_schema]) await admin.ask(`drop schema if exists ${name} cascade`);
  return true;
}

/** Loads the unpacked dumps of both environments. */
export async function loadDumps(url: string, folder: string): Promise<void> {
  for (const mode of environments) await load(url, join(folder, `${mode}.dump`));
}

/** Converts a dump to SQL with `pg_restore`, and loads it with `psql`. */
async function load(url: string, dump: string): Promise<void> {
  if (!existsSync(dump)) throw startRefused("damaged", "The backup lacks the dump of one environment.");
  const [reader, loading] = [Bun.which("pg_restore"), Bun.which("psql")];
  if (reader === null || loading === null) {
    throw startRefused("unsuitable", "pg_restore is not installed. Install the client programs of PostgreSQL.");
  }
  const { words: to, secrets } = connectionOf(url);
  const env = environmentWith({ ...secrets, PGAPPNAME: loader });
  const words = [reader, "--no-owner", "--no-privileges", "--file", "-", dump];
  const from = Bun.spawn(words, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const into = Bun.spawn([loading, "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", "-", ...to], {
    env,
    stdout: "ignore",
    stderr: "pipe",
    stdin: from.stdout.pipeThrough(forOlderServers()),
  });
  const onExit = () => {
    from.kill("SIGKILL");
    into.kill("SIGKILL");
  };
  process.once("exit", onExit);
  const loaded = into.exited.finally(() => from.kill());
  const output = await Promise.all([into.stderr.text(), from.stderr.text()]);
  const codes = [await loaded, await from.exited];
  process.off("exit", onExit);
  if (codes.every((code) => code === 0)) return;
  const reason = output.join("\n").trim().split("\n").slice(0, 3).join(" ");
  throw startRefused("unsuitable", `The backup could not be loaded: ${reason}`);
}
