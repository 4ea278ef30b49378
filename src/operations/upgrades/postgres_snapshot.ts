// The snapshot before a PostgreSQL upgrade: a dump of both environments while nothing else uses the database.
import { statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../core/config.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { syncFolder } from "../../core/files.ts";
import { namesAfter, namesOf } from "../../storage/migrations/migrate.ts";
import type { SchemaMigrationState } from "../../storage/migrations/migrate_postgres.ts";
import { runProgram } from "../../storage/postgres/postgres_programs.ts";
import { beginUpgrade, type KeptUpgrade } from "./upgrade.ts";

/** The file name of the dump. */
export const dump_name = "worlds.dump";

/** Takes the snapshot. Refuses, with nothing changed, if pg_dump is missing or fails. */
export async function takeDump(
  url: string,
  data: string,
  standings: readonly SchemaMigrationState[],
  now: number,
): Promise<KeptUpgrade> {
  const draft = beginUpgrade(data, now);
  try {
    const file = join(draft.folder, dump_name);
    const schemas = environments.flatMap((mode) => ["--schema", mode]);
    const words = [
      "--format",
      "custom",
      "--compress",
      "1",
      "--no-owner",
      "--no-privileges",
      ...schemas,
      "--file",
      file,
    ];
    const advice = "The database was not changed. Make a backup, then upgrade with --no-snapshot.";
    await runProgram("pg_dump", words, url, advice);
    syncFolder(draft.folder);
    const before = Object.fromEntries(standings.map(({ mode, applied }) => [mode, namesOf(applied)]));
    const [first] = standings;
    return draft.keep({
      ...{ format: 1, engine: "postgres", at: now, from_version: null, to_version: version },
      before: before as Record<Environment, string[]>,
      after: first === undefined ? [] : namesAfter(first),
      files: [{ name: dump_name, size_bytes: statSync(file).size }],
      ...{ commits: null, reached: null, gone_back_at: null },
    });
  } finally {
    draft.drop();
  }
}
