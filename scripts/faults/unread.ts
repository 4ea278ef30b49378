// Responses that nobody reads: what they cost in memory, and what happens to their clients.
import { readFileSync } from "node:fs";
import net from "node:net";
import { type StartedService, startService } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";

const rows = 20_000;
const held_ms = 3000;
// A client that reads nothing for about 30 s is disconnected. Opening that many files takes a while, too.
const patience_ms = 150_000;
const growth_max_mb = 160;

interface Asking {
  readonly name: string;
  readonly path: string;
  readonly clients: number;
}

const askings: readonly Asking[] = [
  { name: "the reference's program, uncompressed", path: "/docs/scalar.js", clients: 400 },
  { name: "the same, more of them", path: "/docs/scalar.js", clients: 1500 },
  { name: "an export of all products", path: "/v1/products/export.csv", clients: 300 },
  { name: "lists of products", path: "/v1/products?limit=100", clients: 300 },
];

export const unread: FaultScript = {
  description: "requests large responses on many connections and reads nothing of them",
  lacks: async () => (process.platform === "linux" ? null : "memory is read from /proc, which only Linux has"),
  run: async () => {
    const service = await startService({ env: { PACKHOUSE_LOG_LEVEL: "error" } });
    try {
      const key = await service.makeKey("test");
      await fill(service, key);
      let failed = 0;
      for (const asking of askings) failed += await hold(service, key, asking);
      return failed;
    } finally {
      await service.remove();
    }
  },
};

const megabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

async function fill({ url }: StartedService, key: string): Promise<void> {
  const about = "Stoneware that is glazed twice and comes in a box. ".repeat(7);
  const lines = Array.from({ length: rows }, (_, at) => `SKU-${at},Cup ${at},${about}`);
  const answer = await fetch(`${url}/v1/products/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
    body: ["sku,name,description", ...lines].join("\n"),
  });
  const said = await answer.text();
  if (!said.includes(`"created":${rows}`)) throw new Error(`The products could not be imported: ${said.slice(0, 500)}`);
}

/** Holds that many responses unread. Returns how many checks failed. */
async function hold(service: StartedService, key: string, { name, path, clients }: Asking): Promise<number> {
  const { pid, url } = service;
  const before = megabytes(pid);
  const port = Number(new URL(url).port);
  const sockets = Array.from({ length: clients }, () => {
    const socket = net.connect(port, "127.0.0.1").pause();
    socket.on("error", () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    return socket;
  });
  const began = performance.now();
  let most = before;
  const slowest = { ms: 0 };
  while (performance.now() - began < held_ms) {
    const asked = performance.now();
    await (await fetch(`${url}/health`)).text();
    slowest.ms = Math.max(slowest.ms, performance.now() - asked);
    most = Math.max(most, megabytes(pid));
    await Bun.sleep(100);
  }
  const left = await waitUntilLeft(service, key, began);
  const after = megabytes(pid);
  for (const socket of sockets) socket.destroy();
  const told = `${clients} × ${name}`.padEnd(48);
  const memory = `${before.toFixed(0)} MB, at most ${most.toFixed(0)} MB, then ${after.toFixed(0)} MB`;
  console.log(`${told} ${memory}; health at most ${slowest.ms.toFixed(0)} ms; ${left}`);
  if (most - before <= growth_max_mb) return 0;
  console.log(`FAILED: ${(most - before).toFixed(0)} MB are more than ${growth_max_mb} MB`);
  return 1;
}

/** Waits until no large response is pending, and reports when that was. */
async function waitUntilLeft({ url }: StartedService, key: string, began: number): Promise<string> {
  while (performance.now() - began < patience_ms) {
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
    const bytes = /^packhouse_http_answer_bytes_waiting (\d+)/m.exec(await metrics.text())?.[1];
    if (Number(bytes) === 0) return `none pending after ${((performance.now() - began) / 1000).toFixed(0)} s`;
    await Bun.sleep(1000);
  }
  return "some still pending";
}
