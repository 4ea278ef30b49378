// The snapshot of both worlds before a PostgreSQL database is upgraded: a dump, taken while nobody works on it.
import { statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../config.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import { syncFolder } from "../../kit/whole_file.ts";
import { namesAfter, namesOf } from "../migrate.ts";
import type { WorldStanding } from "../migrate_postgres.ts";
import { runProgram } from "./postgres_programs.ts";
import { beginUpgrade, type KeptUpgrade } from "./record.ts";

/** The file of a dump. */
export const dump_name = "worlds.dump";

/** Dumps both worlds and keeps the dump. Refuses where pg_dump is not there or fails: nothing was changed then. */
export async function takeDump(
  url: string,
  data: string,
  standings: readonly WorldStanding[],
  now: number,
): Promise<KeptUpgrade> {
  const draft = beginUpgrade(data, now);
  try {
    const file = join(draft.folder, dump_name);
    const schemas = modes.flatMap((mode) => ["--schema", mode]);
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
    const advice = "The database is as it was. Make a backup, and go on without a way back by --no-snapshot.";
    await runProgram("pg_dump", words, url, advice);
    syncFolder(draft.folder);
    const before = Object.fromEntries(standings.map(({ mode, applied }) => [mode, namesOf(applied)]));
    const [first] = standings;
    return draft.keep({
      ...{ format: 1, engine: "postgres", at: now, from_version: null, to_version: version },
      before: before as Record<Mode, string[]>,
      after: first === undefined ? [] : namesAfter(first),
      files: [{ name: dump_name, size_bytes: statSync(file).size }],
      ...{ commits: null, reached: null, gone_back_at: null },
    });
  } finally {
    draft.drop();
  }
}
