// PostgreSQL's own program that writes a schema into a file.
import { environmentWith } from "../../config.ts";
import { connectionOf } from "../../database/connection_words.ts";
import { startRefused } from "../../database/exit.ts";
import type { Snapshot } from "../../database/postgres_snapshot.ts";

const how = "Install the client programs of the server's version (on Debian and Ubuntu: postgresql-client).";

/** Refuses a machine that has no `pg_dump`, or one older than the server: it would not know all of its data. */
export async function checkDump({ version }: Pick<Snapshot, "version">): Promise<void> {
  const found = await run(["pg_dump", "--version"], {});
  const [, major] = /(\d+)(?:\.\d+|beta|rc|devel)/.exec(found.said) ?? [];
  if (found.code !== 0 || major === undefined) throw startRefused("absent", `pg_dump is not on this machine. ${how}`);
  const needed = Math.floor(version / 10_000);
  if (Number(major) >= needed) return;
  throw startRefused("unsuitable", `pg_dump is of version ${major}, and the server of ${needed}. ${how}`);
}

/** Writes a schema, as a snapshot shows it, into a file in PostgreSQL's custom format (`pg_restore` reads it). */
export async function dumpSchema(
  url: string,
  schema: string,
  { name }: Snapshot,
  file: string,
  ending: AbortSignal,
): Promise<void> {
  const { words, secrets } = connectionOf(url);
  const wanted = ["--format=custom", "--compress=1", "--no-owner", "--no-privileges", `--schema=${schema}`];
  const { code, said } = await run(
    ["pg_dump", ...wanted, `--snapshot=${name}`, `--file=${file}`, ...words],
    secrets,
    ending,
  );
  ending.throwIfAborted();
  if (code !== 0) throw startRefused("storage", `pg_dump failed (${code}): ${said.trim().slice(-500)}`);
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
    return { code: await child.exited, said: out + errors };
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return { code: 127, said: "" };
    throw error;
  }
}
