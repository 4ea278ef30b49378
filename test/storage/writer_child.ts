// Runs test/storage/writer_process.ts as a separate process, with helpers for the crash tests.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { leases } from "../../db/schema/service.ts";
import { type Log, silentLog } from "../../src/core/log.ts";
import { openStores, type Stores } from "../../src/storage/open_stores.ts";

const writer = join(import.meta.dir, "writer_process.ts");

/** A writing process: the lines that it has printed so far, and its exit. */
export interface Writer {
  readonly lines: string[];
  readonly process: Bun.Subprocess<"ignore", "pipe", "inherit">;
  /** Waits until a line satisfies the condition; false when the process ended without one. */
  until(condition: (line: string, count: number) => boolean): Promise<boolean>;
  /** Waits for the end and returns the exit code. */
  end(): Promise<number>;
}

/** Starts 64 writers on a data directory in another process, under the command `before` if present. */
export function startWriter(folder: string, writes = 0, before: readonly string[] = []): Writer {
  const environment = { ...process.env, PACKHOUSE_DATABASE_URL: "" };
  const child = Bun.spawn([...before, process.execPath, writer, folder, String(writes)], {
    env: environment,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const reading = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      const pieces = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = pieces.pop() ?? "";
      lines.push(...pieces);
      for (const wake of waiting) wake();
    }
    over = true;
    for (const wake of waiting) wake();
  })();
  const until = async (condition: (line: string, count: number) => boolean): Promise<boolean> => {
    for (let at = 0; ; at++) {
      while (at >= lines.length) {
        if (over) return false;
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
      if (condition(lines[at] ?? "", at)) return true;
    }
  };
  const end = async () => {
    await reading;
    return await child.exited;
  };
  return { lines, process: child, until, end };
}

/** The names that were acknowledged. */
export function kept(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith("kept ")).map((line) => line.slice("kept ".length));
}

/** Opens a data directory as a server does. */
export async function openFolder(data: string, log: Log = silentLog): Promise<Stores> {
  const fatal = (error: unknown) => {
    throw error;
  };
  return await openStores({ data, database_url: null, purpose: "serve", log, fatal });
}

/** The acknowledged writes that a store lacks, fully or in part. */
export async function missingFrom(stores: Stores, names: readonly string[]): Promise<string[]> {
  const rows = await stores.live.read((db) => db.sql.select({ name: leases.name }).from(leases));
  const found = new Set(rows.map(({ name }) => name));
  const halves = [...found].filter((name) => !found.has(`${name.slice(0, -1)}${name.endsWith("a") ? "b" : "a"}`));
  return [...names.filter((name) => !found.has(`${name}_a`) || !found.has(`${name}_b`)), ...halves];
}

/** Prints why a check cannot run here and returns whether to skip it, for `test.skipIf`. */
export function skipped(id: string, reason: string | null): boolean {
  if (reason !== null) console.log(`SKIPPED ${id}: ${reason}`);
  return reason !== null;
}

/** Whether this process may mount file systems. */
export function mayMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const bits = /^CapEff:\t([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? "0";
  return (BigInt(`0x${bits}`) & (1n << 21n)) !== 0n;
}

/** Whether strace is installed and allowed to trace. */
export function mayTrace(): boolean {
  if (process.platform !== "linux" || Bun.which("strace") === null) return false;
  return Bun.spawnSync(["strace", "-o", "/dev/null", "-e", "trace=none", "true"]).exitCode === 0;
}
