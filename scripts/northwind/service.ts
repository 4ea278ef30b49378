import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A service that this run started, with a key for all of its test mode. */
export interface StartedService {
  readonly url: string;
  readonly key: string;
  /** Whether `packhouse verify` derives every balance from the ledger as it is kept. */
  verify(): Promise<boolean>;
  stop(): Promise<void>;
}

const root = join(import.meta.dir, "..", "..");
const ready_within_ms = 30_000;

/**
 * Starts the service on a free port, and makes a test key for it. Its database is a fresh one in a temporary folder, or
 * the PostgreSQL database at `database_url`.
 */
export async function startService(database_url: string | null = null): Promise<StartedService> {
  const data = await mkdtemp(join(tmpdir(), "packhouse-northwind-"));
  const place = ["--data", data, ...(database_url === null ? [] : ["--database-url", database_url])];
  const server = packhouse("serve", "--port", "0", ...place);
  // Whatever ends this process ends the service as well.
  const onExit = () => server.kill("SIGKILL");
  process.once("exit", onExit);
  const stop = async () => {
    process.off("exit", onExit);
    server.kill("SIGTERM");
    await server.exited;
    await rm(data, { recursive: true, force: true });
  };
  try {
    const url = await addressOf(server.stdout);
    const words = ["--name", "northwind", "--permission", "full", "--mode", "test", "--rate-limit", "0"];
    const making = packhouse("keys", "create", ...words, ...place, "--json");
    const printed = await new Response(making.stdout).text();
    if ((await making.exited) !== 0) throw new Error("The key could not be made.");
    const verify = async () => (await packhouse("verify", ...place).exited) === 0;
    return { url, key: JSON.parse(printed).key, verify, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function packhouse(...words: string[]) {
  // Settings of the surroundings would lead the service to another database.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_")));
  const command = [process.execPath, "src/main.ts", ...words];
  return Bun.spawn(command, { cwd: root, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
}

/** The address in what the service prints when it accepts requests. */
async function addressOf(output: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error("The service was not ready in time.")), ready_within_ms);
  const read = async () => {
    let printed = "";
    const decoder = new TextDecoder();
    // Reads on after the address is found, so that the service never waits for someone to read.
    for await (const chunk of output) {
      printed += decoder.decode(chunk, { stream: true });
      const address = /https?:\/\/[^\s/]+(?=[\s/])/.exec(printed)?.[0];
      if (address !== undefined) resolve(address);
    }
    reject(new Error(`The service ended before it was ready. It printed: ${printed}`));
  };
  read().catch(reject);
  return promise.finally(() => clearTimeout(timer));
}
