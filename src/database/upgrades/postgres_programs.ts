// PostgreSQL's own programs, which dump a database and put a dump back.
import { environmentWith } from "../../config.ts";
import { connectionOf } from "../connection_words.ts";
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
  const path = Bun.which(name);
  if (path === null) {
    throw startRefused("absent", `${name} is not on this machine (Debian: apt install postgresql-client). ${advice}`);
  }
  const { words: to, secrets } = url === null ? { words: [], secrets: {} } : connectionOf(url);
  const env = environmentWith(secrets);
  const child = Bun.spawn([path, ...words, ...to], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw startRefused("storage", `${name} failed: ${said.trim()} ${advice}`);
}
