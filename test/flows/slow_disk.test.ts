// A slow disk: writes wait for it, reads and /health do not, and a shutdown keeps its deadline.
import { describe, expect, test } from "bun:test";
import { existsSync, fdatasyncSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultProgram, startService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { openApp } from "../build/service.ts";
import { mayTrace, skipped } from "../storage/writer_child.ts";
import { isLong } from "../volume.ts";

const onSqlite = engine === "sqlite";
const noStrace = skipped(
  "slow fsync",
  onSqlite && !mayTrace() ? "strace is not there or may not trace" : onSqlite ? null : "PostgreSQL has its own disk",
);

/** How long each call took, in ms: n rounds of both kinds, one after the other. */
async function timesOf(rounds: number, calls: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const call of calls) {
      const begun_at = performance.now();
      await call();
      times.push(performance.now() - begun_at);
    }
  }
  return times;
}

const middle = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

const turns = 4;

/**
 * Alternates reads during continuous writes with reads alone, so that other load on the machine affects both equally.
 * No read during writes may take as long as the disk does.
 */
async function compared(delay_ms: number, reads: readonly (() => Promise<unknown>)[], write: (n: number) => unknown) {
  await timesOf(10, reads);
  const [alone, beside, writes]: [number[], number[], number[]] = [[], [], []];
  let count = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    alone.push(...(await timesOf(20, reads)));
    let on = true;
    const writing = Array.from({ length: 8 }, async () => {
      while (on) writes.push(...(await timesOf(1, [async () => write(count++)])));
    });
    const until = performance.now() + delay_ms;
    while (performance.now() < until) {
      beside.push(...(await timesOf(10, reads)));
      await Bun.sleep(10);
    }
    on = false;
    await Promise.all(writing);
  }
  expect(middle(writes)).toBeGreaterThan(delay_ms);
  // One in twenty may be slowed by other load on the machine.
  expect(beside.toSorted((a, b) => a - b)[Math.floor(beside.length * 0.95)]).toBeLessThan(delay_ms / 2);
  expect(middle(beside)).toBeLessThan(middle(alone) * 4);
  console.log(
    `reads ${middle(alone).toFixed(1)} ms alone, ${middle(beside).toFixed(1)} ms beside ${writes.length} writes ` +
      `of ${middle(writes).toFixed(0)} ms (slowest read ${Math.max(...beside).toFixed(0)} ms)`,
  );
}

describe.skipIf(!onSqlite)("a disk that takes a second", () => {
  test("delays no read and no /health of the app", async () => {
    let delay_ms = 0;
    const sync = async (file: number) => {
      await Bun.sleep(delay_ms);
      fdatasyncSync(file);
    };
    const app = await openApp({ sync });
    const reads = [() => app.get("/products?limit=5"), () => app.call("GET", "/health", undefined, { key: null })];
    // The first health check waits until a write has shown that the store accepts writes.
    expect((await app.call("GET", "/health", undefined, { key: null })).status).toBe(200);
    delay_ms = 1000;
    await compared(delay_ms, reads, (n) => app.post("/products", { sku: `S-${n}`, name: "Slow" }));
    delay_ms = 0;
  }, 60_000);
});

/** A service whose databases are synced with a delay. */
async function startSlow(delay_ms: number, env: Record<string, string> = {}) {
  const data = mkdtempSync(join(tmpdir(), "packhouse-slow-"));
  // The files must exist, so that strace knows them.
  const first = await startService({ data });
  const key = await first.makeKey("live");
  await first.stop();
  const log = join(data, "strace");
  const files = ["live.db", "live.db-wal"].flatMap((name) => ["-P", join(data, name)]);
  const slow = `inject=fsync,fdatasync:delay_enter=${delay_ms * 1000}`;
  const program = ["strace", "-D", "-f", "-o", log, ...files, "-e", "trace=fsync,fdatasync", "-e", slow];
  const service = await startService({ data, program: [...program, ...defaultProgram], env });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const get = async (path: string) => {
    const answer = await fetch(`${service.url}${path}`, { headers });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
  };
  const add = async (n: number) => {
    const body = JSON.stringify({ sku: `S-${n}`, name: "Slow" });
    const answer = await fetch(`${service.url}/v1/products`, { method: "POST", headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  return { service, get, add, injected: () => readFileSync(log, "latin1").split("DELAYED").length - 1 };
}

/** The state of a process as the kernel reports it. The process has ended if it is Z or missing. */
function statusOf(pid: number): { readonly state: string; readonly tracer: number } {
  const path = `/proc/${pid}/status`;
  const text = existsSync(path) ? readFileSync(path, "latin1") : "";
  return { state: /^State:\t(\w)/m.exec(text)?.[1] ?? "Z", tracer: Number(/^TracerPid:\t(\d+)/m.exec(text)?.[1] ?? 0) };
}

describe.skipIf(noStrace !== null || !isLong)("a kernel with slow syncs", () => {
  test("delays no read and no /health of the service", async () => {
    const { service, get, add, injected } = await startSlow(1000);
    // The first health check waits until a write has shown that the store accepts writes, or for two seconds.
    while ((await fetch(`${service.url}/health`)).status !== 200) await Bun.sleep(50);
    await compared(1000, [() => get("/v1/products?limit=5"), () => get("/health")], add);
    expect(injected()).toBeGreaterThan(5);
    await service.remove();
  }, 120_000);

  test("does not delay a shutdown beyond its deadline, and nothing acknowledged is lost", async () => {
    const [delay_ms, stop_ms] = [3000, 2000];
    const { service, add } = await startSlow(delay_ms, { PACKHOUSE_STOP_SECONDS: `${stop_ms / 1000}` });
    const { tracer } = statusOf(service.pid);
    const writing = Array.from({ length: 4 }, (_, n) => add(n).catch(() => 0));
    await Bun.sleep(500);
    const begun_at = performance.now();
    const stopped = service.stop();
    while (statusOf(service.pid).state !== "Z") await Bun.sleep(20);
    // A running sync cannot be interrupted, and closing alone performs two.
    expect(performance.now() - begun_at).toBeLessThan(stop_ms + 1.5 * delay_ms);
    // Strace would keep a thread until the end of its delay, although the process has ended.
    process.kill(tracer, "SIGKILL");
    await stopped;
    const acknowledged = (await Promise.all(writing)).flatMap((status, n) => (status === 201 ? [n] : []));
    const again = await startService({ data: service.data });
    const { output } = await again.verify();
    expect(output).toBe("live: 0 differences\ntest: 0 differences\n");
    const key = await again.makeKey("live", "read");
    for (const n of acknowledged) {
      const answer = await fetch(`${again.url}/v1/products/S-${n}`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
    }
    await again.remove();
  }, 120_000);
});
