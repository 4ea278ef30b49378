// Rolls back the upgrade of a PostgreSQL database in one transaction of psql, so that a kill leaves either state. The
// upgraded schemas are kept under other names.
import { rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Environment, environments } from "../../core/environment.ts";
import { makeTemporaryFolder } from "../../core/files.ts";
import { erasures_file, type LoggedErasure, readErasures, recordErasures } from "../../storage/erasures.ts";
import { namesOf } from "../../storage/migrations/migrate.ts";
import { migrationStateOf, refuseMarked } from "../../storage/migrations/migrate_postgres.ts";
import { erasuresIn } from "../../storage/postgres/backup_snapshot.ts";
import { runProgram, writeScript } from "../../storage/postgres/postgres_programs.ts";
import { otherHolders, takeSchemasExclusively } from "../../storage/postgres/schema_lock.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { fileSource, unpack } from "../backups/backup_source.ts";
import { writtenOnPostgres } from "./postgres_rollback_losses.ts";
import type { WrittenSince } from "./rollback_losses.ts";
import {
  already_rolled_back,
  linesAfterRollback,
  mayLose,
  type RollbackSettings,
  upgradeOf,
} from "./rollback_sqlite.ts";
import { type RecordedUpgrade, saveRecord, stamp, upgradesFolder } from "./upgrade.ts";

/**
 * Rolls back the last upgrade of a PostgreSQL database, on the machine that has its backup. Returns the exit code.
 * Refuses while servers run, without a backup, and if data was stored since, unless `lose` is set.
 */
export async function rollBackPostgres(url: string, settings: RollbackSettings): Promise<number> {
  const { data, clock, print } = settings;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin isolation level read committed");
    if (!(await takeSchemasExclusively(client, environments))) {
      const there = (await otherHolders(client, environments)).join(", ");
      throw startRefused("in_use", `Servers or commands are using the database: ${there}. Stop them first.`);
    }
    const has = { live: await hasOf(client, "live"), test: await hasOf(client, "test") };
    const found = upgradeOf(data, has, "postgres");
    if (found === "before") {
      print(already_rolled_back);
      return 0;
    }
    if (!mayLose(settings, found, await writtenSince(client, found))) {
      print("Nothing was changed.");
      return 1;
    }
    const aside = `aside_${stamp(clock.now()).toLowerCase()}`;
    const erasures = await keepErasures(url, data);
    await replaceSchemas(url, data, found, aside);
    saveRecord(data, { ...found, record: { ...found.record, rolled_back: true } });
    const kept = environments.map((mode) => `the schema ${mode}_${aside}`).join(" and ");
    for (const line of linesAfterRollback(found, kept, erasures)) print(line);
    return 0;
  } finally {
    await client.end();
  }
}

/** Stores the erasures of all servers, from the database, on this machine before the schemas are moved aside. */
async function keepErasures(url: string, data: string): Promise<readonly LoggedErasure[]> {
  const path = join(data, erasures_file);
  for (const mode of environments) recordErasures(path, await erasuresIn(url, mode));
  return readErasures(path);
}

async function hasOf(client: pg.Client, mode: Environment): Promise<string[]> {
  await refuseMarked(client, mode);
  return namesOf((await migrationStateOf(client, { schema: mode, mode })).applied);
}

async function writtenSince(
  client: pg.Client,
  { record }: RecordedUpgrade,
): Promise<Record<Environment, WrittenSince>> {
  const of = (mode: Environment) => writtenOnPostgres(client, mode, record.reached[mode]);
  return { live: await of("live"), test: await of("test") };
}

const lock_key = 0x5041434b;

/** Replaces the schemas with those of the backup. psql reads them from files, so an interruption commits nothing. */
async function replaceSchemas(url: string, data: string, { name, record }: RecordedUpgrade, aside: string) {
  const source = fileSource(join(upgradesFolder(data), name));
  const folder = makeTemporaryFolder(data, ".packhouse-rollback-");
  const advice = "The database was not changed.";
  try {
    await unpack(source, folder, "postgres");
    const scripts: string[] = [];
    for (const mode of environments) {
      const script = join(folder, `${mode}.sql`);
      await writeScript(join(folder, `${mode}.dump`), script, advice);
      scripts.push("--file", script);
    }
    const newest =
      record.after.filter((one) => !environments.every((mode) => record.before[mode].includes(one))).at(-1) ?? "";
    const first = [
      ...environments.map((mode) => `select pg_advisory_xact_lock(${lock_key}, hashtext('${mode}'));`),
      // Another rollback may have finished while this one waited.
      `do $$ begin if not exists (select from live.migrations where name = '${newest.replaceAll("'", "''")}') then
         raise exception 'the upgrade has already been rolled back'; end if; end $$;`,
      ...environments.map((mode) => `alter schema ${mode} rename to ${mode}_${aside};`),
    ].join("\n");
    const words = ["--no-psqlrc", "--quiet", "--single-transaction", "--set", "ON_ERROR_STOP=1", "--command", first];
    await runProgram("psql", [...words, ...scripts], url, advice);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
