// The only reader of the command line and of environment variables. Other code is passed its settings.
import manifest from "../../package.json" with { type: "json" };

/** The version of this build, from package.json. */
export const version: string = manifest.version;

/** The command-line arguments after the program's name. */
export const commandLine: readonly string[] = process.argv.slice(2);

/** An environment variable, or null when it is unset or empty. */
export function variable(name: `PACKHOUSE_${string}`): string | null {
  return process.env[name] || null;
}

/** The names of all `PACKHOUSE_…` environment variables that are set, including unknown ones. */
export const variableNames = (): string[] => Object.keys(process.env).filter((name) => name.startsWith("PACKHOUSE_"));

/** URL of the PostgreSQL database (`--database-url`, `PACKHOUSE_DATABASE_URL`), or null for embedded SQLite. */
export const databaseUrl: string | null = flag("--database-url") ?? variable("PACKHOUSE_DATABASE_URL");

/** The storage engine of this process. The tables in `db/` are built for it. */
export const engine: "sqlite" | "postgres" = /^postgres(ql)?:/.test(databaseUrl ?? "") ? "postgres" : "sqlite";

/**
 * Returns what is wrong with a PostgreSQL URL, or null when it is valid. Quotes nothing from the URL, which holds a
 * password.
 */
export function databaseUrlProblem(address: string): string | null {
  if (!/^postgres(ql)?:/.test(address)) {
    return "--database-url must begin with postgres://. Without it, data is stored in SQLite under --data.";
  }
  const url = readAddress(address);
  if (url !== null && !url.pathname.includes("@") && url.hash === "") return null;
  const form = "use postgres://user:password@host:5432/database";
  return `--database-url is not a valid URL: ${form}, with @ in the password as %40, / as %2F, # as %23, % as %25.`;
}

/** Parses a URL whose user and password can be decoded; null when it is invalid. */
export function readAddress(address: string): URL | null {
  // A PostgreSQL URL for a Unix socket has no host and names the socket in `?host=`.
  const url = URL.parse(address) ?? URL.parse(address.replace("@/", "@localhost/"));
  try {
    if (url !== null) decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return null;
  }
}

/** The command that starts this program again: the binary, or the runtime and its main file. */
export const ownProgram: readonly string[] = /[/\\](?:\$bunfs|~BUN)[/\\]/.test(Bun.main)
  ? [process.execPath]
  : [process.execPath, Bun.main];

/** The environment for a child process that uses another database; null for none. */
export function childEnvironment(database_url: string | null): Record<string, string | undefined> {
  return { ...process.env, PACKHOUSE_DATABASE_URL: database_url ?? undefined };
}

/** Options for the Bun runtime, which applied them before this program began; null when there are none. */
export const runtimeOptions: string | null = process.env["BUN_OPTIONS"] || null;

/** What the service manager expects: notifications on a socket, and keep-alives at an interval. */
export interface Supervision {
  /** A path, or `@` and an abstract name. */
  readonly socket: string;
  /** It restarts the service after this long without a keep-alive; null when it expects none. */
  readonly watchdog_ms: number | null;
}

/** The service manager that expects notifications from this process (sd_notify(3)); null without one. */
export function supervision(): Supervision | null {
  const { NOTIFY_SOCKET: socket = "", WATCHDOG_USEC: us = "", WATCHDOG_PID: pid } = process.env;
  if (socket === "") return null;
  // The keep-alive may be expected from another process, such as the parent of this one.
  const is_for_us = pid === undefined || Number(pid) === process.pid;
  return { socket, watchdog_ms: is_for_us && /^[1-9]\d{0,12}$/.test(us) ? Number(us) / 1000 : null };
}

function flag(name: string): string | null {
  const at = commandLine.findIndex((word) => word === name || word.startsWith(`${name}=`));
  if (at < 0) return null;
  return commandLine[at]?.includes("=")
    ? (commandLine[at]?.slice(name.length + 1) ?? null)
    : (commandLine[at + 1] ?? null);
}

/** An invalid command line: the process prints the message and exits with code 2. */
export class UsageError extends Error {}

/** Removes proxy variables from the environment: requests to receivers and carriers must not use a proxy. */
export function forgetProxies(): void {
  for (const name of ["http_proxy", "https_proxy", "all_proxy"]) {
    delete process.env[name];
    delete process.env[name.toUpperCase()];
  }
}

/** The environment for another program: ours without `PACKHOUSE_…` variables, plus these settings. */
export function environmentWith(settings: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(all.filter(([name]) => !name.startsWith("PACKHOUSE_"))), ...settings };
}
