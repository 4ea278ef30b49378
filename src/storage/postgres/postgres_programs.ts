// PostgreSQL administration: statements outside of the schemas, and PostgreSQL's own dump and restore programs.

import { closeSync, openSync, writeSync } from "node:fs";
import pg from "pg";
import { environmentWith, readAddress } from "../../core/config.ts";
import { startRefused } from "../start_refused.ts";

/** A connection for statements that belong to no schema. */
export interface Administration {
  ask(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Runs work on its own connection, which is closed afterwards. */
export async function administered<T>(url: string, work: (admin: Administration) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work({ ask: async (text, values = []) => (await client.query(text, [...values])).rows });
  } finally {
    await client.end();
  }
}

/**
 * The arguments by which a program connects. Other users can read these, so the password is passed in the environment.
 */
export function connectionOf(url: string): { words: string[]; secrets: Record<string, string> } {
  const address = readAddress(url);
  if (address === null) return { words: [`--dbname=${url}`], secrets: {} };
  const password = decodeURIComponent(address.password) || (address.searchParams.get("password") ?? "");
  address.password = "";
  address.searchParams.delete("password");
  // `readAddress` adds a host where there is only a socket.
  const plain = URL.canParse(url) ? address.href : address.href.replace("@localhost/", "@/");
  return { words: [`--dbname=${plain}`], secrets: password === "" ? {} : { PGPASSWORD: password } };
}

// The SQL that `pg_restore` generates from a dump, for servers that are older than the program.

/** The settings are at the start of a script. */
const head_bytes = 4096;
/** A server before PostgreSQL 17 rejects it and does not need it: no limit is set when a dump is loaded. */
const unsupported = /^SET transaction_timeout = 0;\r?\n/m;

/** Removes statements that older servers do not know from a script. */
export function forOlderServers(): TransformStream<Uint8Array, Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0);
  const cut = (text: Buffer) => Buffer.from(text.toString("latin1").replace(unsupported, ""), "latin1");
  return new TransformStream({
    transform(chunk, out) {
      if (head === null) return out.enqueue(chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length < head_bytes) return;
      out.enqueue(cut(head));
      head = null;
    },
    flush(out) {
      if (head !== null) out.enqueue(cut(head));
    },
  });
}

// Runs PostgreSQL's own programs, which dump and restore a database.

/**
 * Runs one of PostgreSQL's programs to its end, on the database of a URL, or on files only if that is null. Refuses if
 * the program is missing, and reports why it failed.
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
  await succeeded(Bun.spawn([path, ...words, ...to], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" }), {
    name,
    advice,
  });
}

/** Writes a dump as SQL to a file, for servers that are older than `pg_restore`. Refuses as `runProgram` does. */
export async function writeScript(dump: string, file: string, advice: string): Promise<void> {
  const name = "pg_restore";
  const words = [pathOf(name, advice), "--no-owner", "--no-privileges", "--file", "-", dump];
  const child = Bun.spawn(words, { env: environmentWith({}), stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const script = openSync(file, "w", 0o600);
  try {
    for await (const chunk of child.stdout.pipeThrough(forOlderServers())) {
      for (let at = 0; at < chunk.length; ) at += writeSync(script, chunk, at);
    }
  } finally {
    closeSync(script);
    child.kill();
  }
  await succeeded(child, { name, advice });
}

function pathOf(name: string, advice: string): string {
  const path = Bun.which(name);
  if (path !== null) return path;
  throw startRefused("absent", `${name} is not installed (Debian: apt install postgresql-client). ${advice}`);
}

async function succeeded(
  child: Pick<Bun.ReadableSubprocess, "stderr" | "exited">,
  { name, advice }: { readonly name: string; readonly advice: string },
): Promise<void> {
  const output = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw startRefused("storage", `${name} failed: ${output.trim()} ${advice}`);
}
