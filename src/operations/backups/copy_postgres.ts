// Copies the two schemas of a PostgreSQL database into an archive with `pg_dump`.

import { closeSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { iso } from "../../core/clock.ts";
import { environmentWith } from "../../core/config.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { makeTemporaryFolder } from "../../core/files.ts";
import { noData } from "../../storage/migrations/migrate.ts";
import { erasuresIn, holdSnapshot, type SchemaAccess, type Snapshot } from "../../storage/postgres/backup_snapshot.ts";
import { connectionOf } from "../../storage/postgres/postgres_programs.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { type BackupCopies, fileChunks } from "./write_archive.ts";

const install_advice = "Install the client programs of the server's version (Debian and Ubuntu: postgresql-client).";

/** Refuses if `pg_dump` is missing or older than the server, since it could miss data. */
async function checkDump({ version }: Pick<Snapshot, "version">): Promise<void> {
  const found = await run(["pg_dump", "--version"], {});
  const [, major] = /(\d+)(?:\.\d+|beta|rc|devel)/.exec(found.output) ?? [];
  if (found.code !== 0 || major === undefined)
    throw startRefused("absent", `pg_dump is not installed. ${install_advice}`);
  const needed = Math.floor(version / 10_000);
  if (Number(major) >= needed) return;
  throw startRefused("unsuitable", `pg_dump has version ${major}, but the server has ${needed}. ${install_advice}`);
}

/** Writes a schema, as of a snapshot, into a file in PostgreSQL's custom format, for `pg_restore`. */
async function dumpSchema(
  url: string,
  schema: string,
  { name }: Snapshot,
  file: string,
  ending: AbortSignal,
): Promise<void> {
  const { words, secrets } = connectionOf(url);
  const options = ["--format=custom", "--compress=1", "--no-owner", "--no-privileges", `--schema=${schema}`];
  const { code, output } = await run(
    ["pg_dump", ...options, `--snapshot=${name}`, `--file=${file}`, ...words],
    secrets,
    ending,
  );
  ending.throwIfAborted();
  if (code !== 0) throw startRefused("storage", `pg_dump failed (${code}): ${output.trim().slice(-500)}`);
}

async function run(words: readonly string[], secrets: Readonly<Record<string, string>>, signal?: AbortSignal) {
  try {
    signal?.throwIfAborted();
    const child = Bun.spawn([...words], {
      env: environmentWith(secrets),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      ...(signal !== undefined && { signal }),
    });
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, output: out + errors };
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return { code: 127, output: "" };
    throw error;
  }
}

interface DumpedSchema {
  readonly file: string;
  readonly at: number;
  readonly migrations: readonly string[];
}

/**
 * Dumps both schemas into temporary files, because an archive states the size of a file before its content. The files
 * are in the data directory if there is one, because `/tmp` is often small and in memory. Refuses a database without
 * Packhouse data, and a machine without a suitable `pg_dump`.
 */
export async function copyPostgres(
  url: string,
  data: string,
  ending: AbortSignal,
  access?: SchemaAccess,
): Promise<BackupCopies> {
  const folder = makeTemporaryFolder(existsSync(data) ? data : tmpdir(), ".packhouse-dump-");
  const close = async () => rmSync(folder, { recursive: true, force: true });
  try {
    const dump = async (mode: Environment) =>
      dumpOf(await holdSnapshot(url, mode, access), { url, mode, folder, ending });
    const dumps: Record<Environment, DumpedSchema> = { live: await dump("live"), test: await dump("test") };
    const sizes = { live: statSync(dumps.live.file).size, test: statSync(dumps.test.file).size };
    return {
      engine: "postgres",
      migrations: { live: dumps.live.migrations, test: dumps.test.migrations },
      modes: { live: { at: iso(dumps.live.at), commit: null }, test: { at: iso(dumps.test.at), commit: null } },
      size_bytes: sizes.live + sizes.test,
      addTo: async (archive, onChunk) => {
        for (const mode of environments) {
          const file = openSync(dumps[mode].file, "r");
          try {
            await archive.add(`${mode}.dump`, sizes[mode], counted(fileChunks(file, sizes[mode]), onChunk));
          } finally {
            closeSync(file);
          }
        }
      },
      erased: async () => (await Promise.all(environments.map((mode) => erasuresIn(url, mode)))).flat(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface DumpTarget {
  readonly url: string;
  readonly mode: Environment;
  readonly folder: string;
  readonly ending: AbortSignal;
}

async function dumpOf(snapshot: Snapshot, { url, mode, folder, ending }: DumpTarget): Promise<DumpedSchema> {
  try {
    if (snapshot.migrations.length === 0) throw noData("the database");
    await checkDump(snapshot);
    const file = join(folder, `${mode}.dump`);
    await dumpSchema(url, mode, snapshot, file, ending);
    return { file, at: snapshot.at, migrations: snapshot.migrations };
  } finally {
    await snapshot.close();
  }
}

async function* counted(chunks: AsyncIterable<Uint8Array>, onChunk: (bytes: number) => void) {
  for await (const chunk of chunks) {
    onChunk(chunk.length);
    yield chunk;
  }
}
