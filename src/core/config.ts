// The only reader of flags and environment. Everything else is handed its settings.
import { parseArgs } from "node:util";
import manifest from "../../package.json" with { type: "json" };

/** The version of this build, from package.json. */
export const version: string = manifest.version;

/** What the command line holds after the program's name. */
export const commandLine: readonly string[] = process.argv.slice(2);

/** The words that start this program again, whether it is compiled or runs from its source. */
export const programWords: readonly string[] = /\.ts$/.test(Bun.main)
  ? [process.execPath, Bun.main]
  : [process.execPath];

/** A setting of the environment, or null where it is absent or empty. */
export function variable(name: `PACKHOUSE_${string}`): string | null {
  return process.env[name] || null;
}

/** The names of all settings of the environment that are this program's, known or not. */
export const variableNames = (): string[] => Object.keys(process.env).filter((name) => name.startsWith("PACKHOUSE_"));

/** Address of the PostgreSQL database (`--database-url`, `PACKHOUSE_DATABASE_URL`), or null for embedded SQLite. */
export const databaseUrl: string | null = flag("--database-url") ?? variable("PACKHOUSE_DATABASE_URL");

/** The engine of this process, chosen once: the tables in `db/` are built for it. */
export const engine: "sqlite" | "postgres" = /^postgres(ql)?:/.test(databaseUrl ?? "") ? "postgres" : "sqlite";

/** What is wrong with an address of PostgreSQL, without a word of what it holds; null when it can be read. */
export function databaseUrlProblem(address: string): string | null {
  if (!/^postgres(ql)?:/.test(address)) {
    return "--database-url must begin with postgres://. Without it, the data lies in --data.";
  }
  const url = readAddress(address);
  if (url !== null && !url.pathname.includes("@") && url.hash === "") return null;
  const form = "it must look like postgres://user:password@host:5432/database";
  return `--database-url cannot be read: ${form}, with @ in the password as %40, / as %2F, # as %23 and % as %25.`;
}

/** An address whose user and password can be decoded; null when it is none. */
export function readAddress(address: string): URL | null {
  // Where PostgreSQL is reached by a socket of the machine, `?host=` names it, and there is no host.
  const url = URL.parse(address) ?? URL.parse(address.replace("@/", "@localhost/"));
  try {
    if (url !== null) decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return null;
  }
}

/** What starts this program once more: the binary, or the runtime with the file that it was given. */
export const ownProgram: readonly string[] = /[/\\](?:\$bunfs|~BUN)[/\\]/.test(Bun.main)
  ? [process.execPath]
  : [process.execPath, Bun.main];

/** The environment of a child of this program that works on other data: the address of a database, or null. */
export function childEnvironment(database_url: string | null): Record<string, string | undefined> {
  return { ...process.env, PACKHOUSE_DATABASE_URL: database_url ?? undefined };
}

/** Flags for the runtime itself, which has obeyed them before this program begins; null when there are none. */
export const runtimeOptions: string | null = process.env["BUN_OPTIONS"] || null;

/** What a service manager wants to be told: by which socket, and how often that the service lives. */
export interface Supervision {
  /** A path, or `@` and an abstract name. */
  readonly socket: string;
  /** After so long without a sign of life it starts the service anew; null when it does not wait for one. */
  readonly watchdog_ms: number | null;
}

/** The service manager that started this process and asks to be told how it is (sd_notify(3)); null without one. */
export function supervision(): Supervision | null {
  const { NOTIFY_SOCKET: socket = "", WATCHDOG_USEC: us = "", WATCHDOG_PID: pid } = process.env;
  if (socket === "") return null;
  // The sign of life may be wanted of another process, such as the one that started this.
  const is_meant = pid === undefined || Number(pid) === process.pid;
  return { socket, watchdog_ms: is_meant && /^[1-9]\d{0,12}$/.test(us) ? Number(us) / 1000 : null };
}

function flag(name: string): string | null {
  const at = commandLine.findIndex((word) => word === name || word.startsWith(`${name}=`));
  if (at < 0) return null;
  return commandLine[at]?.includes("=")
    ? (commandLine[at]?.slice(name.length + 1) ?? null)
    : (commandLine[at + 1] ?? null);
}

/** One flag of a command: how it is written in `--help`, and its default as text. */
interface Flag {
  /** A `word` stands by itself behind the command, as the name of a file does. */
  readonly type: "string" | "boolean" | "word";
  readonly value?: string;
  readonly help: string;
  readonly default?: string;
}

export type Flags = Readonly<Record<string, Flag>>;
export type FlagValues<F extends Flags> = {
  [K in keyof F]: F[K]["type"] extends "boolean" ? boolean : string | undefined;
};

/** A wrong command line: the process prints the message and ends with exit code 2. */
export class UsageError extends Error {}

/**
 * Reads the flags of one command from its words: a flag, else the variable `PACKHOUSE_<NAME>`, else the default.
 * Refuses unknown flags, flags without a value and stray words with `WrongUse`.
 */
export function readFlags<F extends Flags>(words: readonly string[], flags: F): FlagValues<F> {
  const places = Object.keys(flags).filter((name) => flags[name]?.type === "word");
  const options = Object.fromEntries(
    Object.entries(flags).flatMap(([name, { type }]) => (type === "word" ? [] : [[name, { type }]])),
  );
  let given: Record<string, unknown>;
  let alone: readonly string[];
  try {
    const parsed = parseArgs({ args: [...words], options, strict: true, allowPositionals: places.length > 0 });
    [given, alone] = [parsed.values, parsed.positionals];
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (alone.length > places.length) throw new UsageError(`Unexpected argument '${alone[places.length]}'.`);
  const read = ([name, { type, default: fallback }]: [string, Flag]) => {
    if (type === "word") return [name, alone[places.indexOf(name)]];
    const setting = given[name] ?? variable(`PACKHOUSE_${name.toUpperCase().replaceAll("-", "_")}`);
    if (type === "boolean") return [name, setting === true || setting === "1" || setting === "true"];
    return [name, setting ?? fallback];
  };
  return Object.fromEntries(Object.entries(flags).map(read)) as FlagValues<F>;
}

/** Removes the proxy settings of the environment: requests to receivers and carriers must not use a proxy. */
export function forgetProxies(): void {
  for (const name of ["http_proxy", "https_proxy", "all_proxy"]) {
    delete process.env[name];
    delete process.env[name.toUpperCase()];
  }
}

/** The environment of another program that this one starts, with these settings more, and nothing of our own. */
export function environmentWith(settings: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(all.filter(([name]) => !name.startsWith("PACKHOUSE_"))), ...settings };
}
