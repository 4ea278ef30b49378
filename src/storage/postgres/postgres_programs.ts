// Statements to a PostgreSQL database that belong to no world: which schemas there are, databases that are made.

import { closeSync, openSync, writeSync } from "node:fs";
import pg from "pg";
import { environmentWith, readAddress } from "../../core/config.ts";
import { startRefused } from "../start_refused.ts";

/** A connection for such statements. */
export interface Administration {
  ask(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Works over a connection of its own, which is closed afterwards. */
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

// How PostgreSQL's own programs are told of a database.

/** The words by which one of them connects. Others can read these, so the password is in the environment alone. */
export function connectionOf(url: string): { words: string[]; secrets: Record<string, string> } {
  const address = readAddress(url);
  if (address === null) return { words: [`--dbname=${url}`], secrets: {} };
  const password = decodeURIComponent(address.password) || (address.searchParams.get("password") ?? "");
  address.password = "";
  address.searchParams.delete("password");
  // `readAddress` names a host where there is only a socket.
  const plain = URL.canParse(url) ? address.href : address.href.replace("@localhost/", "@/");
  return { words: [`--dbname=${plain}`], secrets: password === "" ? {} : { PGPASSWORD: password } };
}

// The SQL that `pg_restore` makes of a dump, for servers that are older than the program.

/** The settings stand at the front of a script. */
const front_bytes = 4096;
/** A server before PostgreSQL 17 refuses it, and needs none: what loads a dump sets no such limit. */
const unknown = /^SET transaction_timeout = 0;\r?\n/m;

/** Leaves out of a script what an older server does not know. */
export function forOlderServers(): TransformStream<Uint8Array, Uint8Array> {
  let front: Buffer | null = Buffer.alloc(0);
  const cut = (text: Buffer) => Buffer.from(text.toString("latin1").replace(unknown, ""), "latin1");
  return new TransformStream({
    transform(piece, out) {
      if (front === null) return out.enqueue(piece);
      front = Buffer.concat([front, piece]);
      if (front.length < front_bytes) return;
      out.enqueue(cut(front));
      front = null;
    },
    flush(out) {
      if (front !== null) out.enqueue(cut(front));
    },
  });
}

// PostgreSQL's own programs, which dump a database and put a dump back.

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
