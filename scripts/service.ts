// A service for benchmarks, samples and flow tests: started, given keys, verified, stopped or killed.
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface StartedService {
  readonly url: string;
  readonly data: string;
  readonly database_url: string | null;
  readonly pid: number;
  /** The first lines it printed. */
  readonly output: string;
  /** The full keys that it printed, which only the first start does; otherwise empty texts. */
  readonly first_keys: { readonly live: string; readonly test: string };
  /** Creates a key on the command line, while the server runs. */
  makeKey(mode: "live" | "test", permission?: "read" | "read_write" | "full", merchant?: string): Promise<string>;
  /** Runs `packhouse verify`. Returns its output and its exit code. */
  verify(): Promise<{ code: number; output: string }>;
  /** Kills it, as a crash would. The data stays. */
  kill(): Promise<void>;
  /** Stops it gracefully and returns its exit code. The data stays. */
  stop(): Promise<number>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export interface ServiceSettings {
  /** The data directory; a temporary one if absent. */
  readonly data?: string;
  readonly database_url?: string | null;
  /** The port on 127.0.0.1; a free one if absent. */
  readonly port?: number;
  /** The command that runs Packhouse; `defaultProgram` if absent. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The file that its log is appended to; stderr of this process if absent. */
  readonly log?: string;
}

/** The command that runs Packhouse: what the variable names, such as a compiled binary, or else the source. */
export const defaultProgram: readonly string[] = process.env["PACKHOUSE_PROGRAM"]
  ? [process.env["PACKHOUSE_PROGRAM"]]
  : [process.execPath, join(import.meta.dir, "../src/main.ts")];

const ready_within_ms = 30_000;
/** The secret key of services that do not set one. With PostgreSQL every server of one database has the same. */
export const default_secret_key = "5eed".repeat(16);

/** The environment of commands and servers. Settings of this process would point them at another database. */
const surroundings = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_"))),
  PACKHOUSE_SECRET_KEY: default_secret_key,
};

/** The flags that select a place: a data directory, and the database if it is not the embedded one. */
export const flagsOf = ({ data, database_url = null }: Pick<ServiceSettings, "data" | "database_url">): string[] => [
  ...(data === undefined ? [] : ["--data", data]),
  ...(database_url === null ? [] : ["--database-url", database_url]),
];

interface CommandSettings {
  readonly program?: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts a command of Packhouse, to be awaited or killed. */
export function startCommand(words: readonly string[], { program = defaultProgram, env, cwd }: CommandSettings = {}) {
  return Bun.spawn([...program, ...words], {
    env: { ...surroundings, ...env },
    ...(cwd !== undefined && { cwd }),
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
}

/** Runs a command of Packhouse to its end. */
export async function runCommand(words: readonly string[], settings: CommandSettings = {}) {
  const child = startCommand(words, settings);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, err, code };
}

/** Starts a service on a free port of 127.0.0.1 and waits until it accepts requests. */
export async function startService(settings: ServiceSettings = {}): Promise<StartedService> {
  const { database_url = null, program = defaultProgram } = settings;
  const data = settings.data ?? (await mkdtemp(join(tmpdir(), "packhouse-service-")));
  const place = flagsOf({ data, database_url });
  const env = { ...surroundings, PACKHOUSE_LOG_LEVEL: "warn", ...settings.env };
  const spawn = (...words: string[]) => {
    const log = settings.log === undefined ? null : openSync(settings.log, "a");
    const child = Bun.spawn([...program, ...words], { env, stdin: "ignore", stdout: "pipe", stderr: log ?? "inherit" });
    if (log !== null) closeSync(log);
    return child;
  };
  const server = spawn("serve", "--port", String(settings.port ?? 0), ...place);
  // The service ends with this process, however that ends.
  const onExit = () => server.kill("SIGKILL");
  process.once("exit", onExit);
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    process.off("exit", onExit);
    server.kill(signal);
    return server.exited;
  };
  const { url, output: said } = await readyLine(server.stdout).catch(async (error) => {
    await end("SIGKILL");
    throw error;
  });
  const firstKey = (mode: string) => new RegExp(`ph_${mode}_\\w+`).exec(said)?.[0] ?? "";
  const run = async (...words: string[]) => {
    const child = spawn(...words, ...place);
    const text = await new Response(child.stdout).text();
    return { code: await child.exited, output: text };
  };
  return {
    url,
    data,
    database_url,
    pid: server.pid,
    output: said,
    first_keys: { live: firstKey("live"), test: firstKey("test") },
    makeKey: async (mode, permission = "full", merchant) => {
      const whose = merchant === undefined ? [] : ["--merchant", merchant];
      const words = ["keys", "create", "--name", "started", "--permission", permission, "--mode", mode, ...whose];
      const made = await run(...words, "--rate-limit", "0", "--json");
      if (made.code !== 0) throw new Error(`The key could not be created: ${made.output}`);
      return JSON.parse(made.output).key;
    },
    verify: () => run("verify"),
    kill: async () => {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
    remove: async () => {
      await end("SIGTERM");
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Reads up to the line that says where the service accepts requests, and continues to read so that it never blocks. */
async function readyLine(output: ReadableStream<Uint8Array>): Promise<{ url: string; output: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; output: string }>();
  const timer = setTimeout(() => reject(new Error("The service was not ready in time.")), ready_within_ms);
  const read = async () => {
    let said = "";
    const decoder = new TextDecoder();
    for await (const chunk of output) {
      said += decoder.decode(chunk, { stream: true });
      const url = /accepts requests at (https?:\/\/\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ url, output: said });
    }
    reject(new Error(`The service ended before it was ready. It printed: ${said}`));
  };
  read().catch(reject);
  return promise.finally(() => clearTimeout(timer));
}

/** Reads a process's output until the pattern matches. Returns all of it if the process ends first. */
export async function readUntil(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (pattern.test(text)) break;
  }
  return text;
}

/** Creates an empty database on the PostgreSQL server of another one. Returns its address. */
export async function createDatabase(server_url: string): Promise<string> {
  const name = `made_${Bun.randomUUIDv7("hex").replaceAll("-", "").slice(-12)}`;
  await using sql = new Bun.SQL(server_url);
  await sql.unsafe(`create database ${name}`);
  const own = new URL(server_url);
  own.pathname = `/${name}`;
  return own.href;
}
