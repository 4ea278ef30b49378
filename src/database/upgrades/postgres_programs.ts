// PostgreSQL's own programs, which dump a database and put a dump back.
import { closeSync, openSync, writeSync } from "node:fs";
import { environmentWith } from "../../config.ts";
import { connectionOf } from "../connection_words.ts";
import { forOlderServers } from "../dump_script.ts";
import { startRefused } from "../exit.ts";

/**
 * Runs one of PostgreSQL's programs to its end, on the database of an address, or on files alone where that is null.
 * Refuses where it is not there, and tells why it failed.
 */
export async function runProgram(
  name: string,
  words: readonly string[],
  url: string | null,
  advice: string,
): Promise<void> {
  const { words: to, secrets } = url === null ? { words: [], secrets: {} } : connectionOf(url);
  const env = environmentWith(secrets);
  const path = pathOf(name, advice);
  await ended(Bun.spawn([path, ...words, ...to], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" }), {
    name,
    advice,
  });
}

/** Writes a dump as SQL into a file, such as servers take that are older than `pg_restore`. Refuses as `runProgram`. */
export async function writeScript(dump: string, file: string, advice: string): Promise<void> {
  const name = "pg_restore";
  const words = [pathOf(name, advice), "--no-owner", "--no-privileges", "--file", "-", dump];
  const child = Bun.spawn(words, { env: environmentWith({}), stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const script = openSync(file, "w", 0o600);
  try {
    for await (const piece of child.stdout.pipeThrough(forOlderServers())) {
      for (let at = 0; at < piece.length; ) at += writeSync(script, piece, at);
    }
  } finally {
    closeSync(script);
    child.kill();
  }
  await ended(child, { name, advice });
}

function pathOf(name: string, advice: string): string {
  const path = Bun.which(name);
  if (path !== null) return path;
  throw startRefused("absent", `${name} is not on this machine (Debian: apt install postgresql-client). ${advice}`);
}

async function ended(
  child: Pick<Bun.ReadableSubprocess, "stderr" | "exited">,
  { name, advice }: { readonly name: string; readonly advice: string },
): Promise<void> {
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw startRefused("storage", `${name} failed: ${said.trim()} ${advice}`);
}
