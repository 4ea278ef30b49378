// Restores an archive of a PostgreSQL database into one that holds nothing of Packhouse yet.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { environmentWith } from "../../core/config.ts";
import { environments } from "../../core/environment.ts";
import { makeFolder, makeTemporaryFolder, removeMadeFolders, writeAtomically } from "../../core/files.ts";
import { erasures_file, mergedErasures, recordErasures } from "../../storage/erasures.ts";
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
  /** The database that it goes to. */
  readonly into: string;
  /** The data directory of this machine, which holds no records. */
  readonly data: string;
};

/**
 * Restores an archive into a PostgreSQL database without the schemas of Packhouse. They are made beside a schema that
 * says that they are not finished: no server starts on them, and the next call removes them and begins anew. Refuses
 * with a `StartRefused`: the schemas are there already, the archive is damaged or of another engine, there is no room,
 * or the programs of PostgreSQL are missing.
 */
export async function restorePostgres(settings: PostgresRestoreSettings): Promise<RestoreResult> {
  const { into, data, say } = settings;
  const made = makeFolder(data);
  return administered(into, async (admin) => {
    await takeLock(admin);
    if (await dropUnfinished(admin)) {
      say("What an interrupted restore had left in the database was removed; nothing of it was in use.");
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
  const manifest = await unpack(source, folder, "postgres", settings.lookAt);
  const moments = momentsOf(manifest);
  const erasures = mergedErasures([settings.erasures, await source.erasures()]);
  refuseConflicts(data, folder);
  keepSecretFiles(folder, data);
  await loadDumps(into, folder);
  const stores = await openRestored(source.place, { data, database_url: into, log });
  const worlds = await markAndClose(stores, { settings, at: data, manifest, moments, erasures });
  // The next restore reads them here, whatever becomes of the place of this backup.
  recordErasures(join(data, erasures_file), erasures);
  await admin.ask(`drop schema ${unfinished_schema}`);
  return { state: "restored", manifest, worlds };
}

/** Puts what is secret in an archive into the data directory of this machine, where nothing is in its place. */
function keepSecretFiles(folder: string, data: string): void {
  for (const name of ["secret.key", "tls/authority.pem"]) {
    const [from, to] = [join(folder, name), join(data, name)];
    if (!existsSync(from) || existsSync(to)) continue;
    makeFolder(dirname(to));
    writeAtomically(to, readFileSync(from));
  }
}

// One restore at a time, until the connection ends.
const lock_key = 0x5041434c;

async function takeLock(admin: Administration): Promise<void> {
  const [row] = await admin.ask("select pg_try_advisory_lock($1) as taken", [lock_key]);
  if (row?.["taken"] !== true) throw startRefused("in_use", "Another restore into this database is under way.");
}

async function schemas(admin: Administration): Promise<string[]> {
  const known = [...environments, unfinished_schema];
  const rows = await admin.ask("select nspname as name from pg_namespace where nspname = any($1)", [known]);
  return rows.map((row) => String(row["name"]));
}

/**
 * Makes the schema that says that a restore is not finished, where there is no other. A server that starts meanwhile
 * makes its schemas before, and is found, or after, and refuses.
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
  const said = `The database has the schema ${there.join(" and the schema ")} already, and a restore never overwrites`;
  const advice = "Name an empty database by --database-url: createdb makes one.";
  throw startRefused("unsuitable", `${said} any data. ${advice}`);
}

/** What the connections that load dumps are called. */
const loader = "packhouse restore";

/** Removes what a restore has made that was not finished; its mark goes last. Answers whether there was a mark. */
async function dropUnfinished(admin: Administration): Promise<boolean> {
  // Without the mark, the schemas are those of a server.
  if (!(await schemas(admin)).includes(unfinished_schema)) return false;
  // What was loading it may have outlived its restore.
  const mine = "datname = current_database() and application_name = $1";
  await admin.ask(`select pg_terminate_backend(pid) from pg_stat_activity where ${mine}`, [loader]);
  for (const name of [...environments, unfinished_schema]) await admin.ask(`drop schema if exists ${name} cascade`);
  return true;
}

/** Loads the dumps of both worlds that were unpacked into a folder. */
export async function loadDumps(url: string, folder: string): Promise<void> {
  for (const mode of environments) await load(url, join(folder, `${mode}.dump`));
}

/** Lets `psql` load a dump, as `pg_restore` tells it in SQL. */
async function load(url: string, dump: string): Promise<void> {
  if (!existsSync(dump)) throw startRefused("damaged", "The backup has no dump of one of the worlds.");
  const [reader, loading] = [Bun.which("pg_restore"), Bun.which("psql")];
  if (reader === null || loading === null) {
    throw startRefused("unsuitable", "There is no pg_restore here: install the client programs of PostgreSQL.");
  }
  const { words: to, secrets } = connectionOf(url);
  const env = environmentWith({ ...secrets, PGAPPNAME: loader });
  const words = [reader, "--no-owner", "--no-privileges", "--file", "-", dump];
  const from = Bun.spawn(words, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const into = Bun.spawn([loading, "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", "-", ...to], {
    ...{ env, stdout: "ignore", stderr: "pipe" },
    stdin: from.stdout.pipeThrough(forOlderServers()),
  });
  const onExit = () => {
    from.kill("SIGKILL");
    into.kill("SIGKILL");
  };
  process.once("exit", onExit);
  const loaded = into.exited.finally(() => from.kill());
  const said = await Promise.all([into.stderr.text(), from.stderr.text()]);
  const codes = [await loaded, await from.exited];
  process.off("exit", onExit);
  if (codes.every((code) => code === 0)) return;
  const reason = said.join("\n").trim().split("\n").slice(0, 3).join(" ");
  throw startRefused("unsuitable", `The backup could not be loaded: ${reason}`);
}
