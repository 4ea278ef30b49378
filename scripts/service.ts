// A service of its own for benchmarks, samples and flow tests: started, asked for keys, verified, stopped or killed.
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
  readonly said: string;
  /** Makes a key on the command line, beside the running server. */
  makeKey(mode: "live" | "test", permission?: "read" | "read_write" | "full", merchant?: string): Promise<string>;
  /** Runs `packhouse verify` and answers what it printed and its exit code. */
  verify(): Promise<{ code: number; said: string }>;
  /** Ends it at once, as a crash would. The data stays. */
  kill(): Promise<void>;
  /** Ends it in order; its exit code. The data stays. */
  stop(): Promise<number>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export interface ServiceSettings {
  /** The data directory; a temporary one when absent. */
  readonly data?: string;
  readonly database_url?: string | null;
  /** Where it listens on 127.0.0.1; a free port when absent. */
  readonly port?: number;
  /** The command that runs Packhouse; `usualProgram` when absent. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The file that its log is added to; where this process' own goes when absent. */
  readonly log?: string;
}

/** The command that runs Packhouse: what the variable names, such as a compiled binary, or else from source. */
export const usualProgram: readonly string[] = process.env["PACKHOUSE_PROGRAM"]
  ? [process.env["PACKHOUSE_PROGRAM"]]
  : [process.execPath, join(import.meta.dir, "../src/main.ts")];

const ready_within_ms = 30_000;
/** The secret key of services that are given none: with PostgreSQL every server of one database has the same. */
export const usual_secret_key = "5eed".repeat(16);

/** Starts a service on a free port of 127.0.0.1 and waits until it accepts requests. */
export async function startService(settings: ServiceSettings = {}): Promise<StartedService> {
  const { database_url = null, program = usualProgram } = settings;
  const data = settings.data ?? (await mkdtemp(join(tmpdir(), "packhouse-service-")));
  const place = ["--data", data, ...(database_url === null ? [] : ["--database-url", database_url])];
  // Settings of the surroundings would lead it to another database.
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_"));
  const own = { PACKHOUSE_SECRET_KEY: usual_secret_key, PACKHOUSE_LOG_LEVEL: "warn" };
  const env = { ...Object.fromEntries(kept), ...own, ...settings.env };
  const spawn = (...words: string[]) => {
    const log = settings.log === undefined ? null : openSync(settings.log, "a");
    const child = Bun.spawn([...program, ...words], { env, stdin: "ignore", stdout: "pipe", stderr: log ?? "inherit" });
    if (log !== null) closeSync(log);
    return child;
  };
  const server = spawn("serve", "--port", String(settings.port ?? 0), ...place);
  // Whatever ends this process ends the service as well.
  const onExit = () => server.kill("SIGKILL");
  process.once("exit", onExit);
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    process.off("exit", onExit);
    server.kill(signal);
    return server.exited;
  };
  const { url, said } = await readyLine(server.stdout).catch(async (error) => {
    await end("SIGKILL");
    throw error;
  });
  const run = async (...words: string[]) => {
    const child = spawn(...words, ...place);
    const text = await new Response(child.stdout).text();
    return { code: await child.exited, said: text };
  };
  return {
    url,
    data,
    database_url,
    pid: server.pid,
    said,
    makeKey: async (mode, permission = "full", merchant) => {
      const whose = merchant === undefined ? [] : ["--merchant", merchant];
      const words = ["keys", "create", "--name", "started", "--permission", permission, "--mode", mode, ...whose];
      const made = await run(...words, "--rate-limit", "0", "--json");
      if (made.code !== 0) throw new Error(`The key could not be made: ${made.said}`);
      return JSON.parse(made.said).key;
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

/** Reads until the line that says where the service accepts requests, and on, so that it never waits for a reader. */
async function readyLine(output: ReadableStream<Uint8Array>): Promise<{ url: string; said: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; said: string }>();
  const timer = setTimeout(() => reject(new Error("The service was not ready in time.")), ready_within_ms);
  const read = async () => {
    let said = "";
    const decoder = new TextDecoder();
    for await (const chunk of output) {
      said += decoder.decode(chunk, { stream: true });
      const url = /accepts requests at (https?:\/\/\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ url, said });
    }
    reject(new Error(`The service ended before it was ready. It printed: ${said}`));
  };
  read().catch(reject);
  return promise.finally(() => clearTimeout(timer));
}
