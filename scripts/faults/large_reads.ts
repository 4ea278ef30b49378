// Lists of orders with hundreds of lines each: what they cost in memory, and whether other requests suffer.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { type StartedService, startService } from "../service.ts";
import { type CrowdWish, type Outcome, read } from "./crowd.ts";
import type { FaultScript } from "./fault_script.ts";

const orders = 100;
const lines = 500;
const lines_of_others = 20;
const requests = 200;
const memory_max_mb = 1024;
const health_max_ms = 250;
const deadline_ms = 300_000;
/** The folder where Linux limits the memory of a process (cgroup v1). Without it, memory is only measured. */
const groups = "/sys/fs/cgroup/memory";

export const largeReads: FaultScript = {
  description: `reads pages of ${orders} orders of ${lines} lines, ${requests} at once, and reads half the responses`,
  lacks: async () => (process.platform === "linux" ? null : "memory is read from /proc, which only Linux has"),
  run: async (count = requests) => {
    const service = await startService({ env: { PACKHOUSE_LOG_LEVEL: "error" } });
    const leaveGroup = limitMemory(service.pid);
    try {
      const house = await service.makeKey("live");
      const keys = await fill(service, house);
      let failed = 0;
      for (const way of ["page=1", "cursor"]) failed += await attack(service, keys, way, count);
      return failed;
    } finally {
      await service.remove();
      leaveGroup();
    }
  },
};

interface Keys {
  /** The merchant with the long orders, another one, and the operator. */
  readonly heavy: string;
  readonly other: string;
  readonly house: string;
}

/** Puts a process under the limit, where the machine can; returns how to clean up. */
function limitMemory(pid: number): () => void {
  const group = `${groups}/packhouse-large-reads-${pid}`;
  try {
    mkdirSync(group);
    writeFileSync(`${group}/memory.limit_in_bytes`, `${memory_max_mb << 20}`);
    writeFileSync(`${group}/cgroup.procs`, `${pid}`);
    console.log(`limited to ${memory_max_mb} MB by a control group`);
  } catch {
    console.log("memory is measured, and not limited: this needs root and cgroup v1");
    return () => {};
  }
  return () => rmdirSync(group);
}

async function send({ url }: StartedService, key: string, method: string, path: string, body: unknown, more = {}) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${url}/v1${path}`, { method, headers, body: sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

async function fill(service: StartedService, house: string): Promise<Keys> {
  const makeOne = async (code: string, count: number) => {
    await send(service, house, "POST", "/merchants", { code, name: code });
    const key = await service.makeKey("live", "full", code);
    const skus = Array.from({ length: count }, (_, at) => `${code}-${String(at).padStart(4, "0")}`);
    const file = ["sku,name", ...skus.map((sku) => `${sku},Stoneware cup that is glazed twice ${sku}`)].join("\n");
    await send(service, key, "POST", "/products/import", file, { "content-type": "text/csv" });
    const address = {
      name: "Ada Lovelace",
      address_line1: "1 Analytical Way",
      city: "Portland",
      state: "OR",
      postal_code: "97201",
      country: "US",
    };
    const customer = await send(service, key, "POST", "/customers", {
      first_name: "Ada",
      last_name: "Lovelace",
      email: `ada@${code.toLowerCase()}.example`,
      shipping_addresses: [address],
    });
    const line_items = skus.map((sku) => ({ sku, quantity: 1, unit_price: 12.5 }));
    for (let at = 0; at < orders; at += 1) {
      const goes_to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
      await send(service, key, "POST", "/orders", { ...goes_to, order_number: `${code}-${at}`, line_items });
    }
    return key;
  };
  return { heavy: await makeOne("HEAVY", lines), other: await makeOne("OTHER", lines_of_others), house };
}

/** The results of the requests of one key. */
class Tally {
  readonly statuses = new Map<string, number>();
  readonly times: number[] = [];

  add({ status, ms }: Outcome): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.times.push(ms);
  }

  get refused(): number {
    return this.times.length - (this.statuses.get("200") ?? 0);
  }

  toString(): string {
    const sorted = [...this.times].sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
    const statuses = [...this.statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
    return `${statuses}; median ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
  }
}

const statusOf = (pid: number, name: string) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

async function attack(service: StartedService, keys: Keys, way: string, count: number): Promise<number> {
  const path =
    way === "cursor"
      ? `/v1/orders?limit=100&cursor=${await firstCursor(service, keys.heavy)}`
      : `/v1/orders?limit=100&${way}`;
  const { url } = service;
  const before = statusOf(service.pid, "VmRSS");
  let over = false;
  let peak = before;
  const tallies = {
    health: new Tally(),
    readers: new Tally(),
    other: new Tally(),
    small: new Tally(),
    house: new Tally(),
  };
  const asking = (tally: Tally, key: string, asked: string, rest_ms: number) =>
    repeat(
      () => over,
      rest_ms,
      async () => tally.add(await read({ url, key, path: asked })),
    );
  const watch = [
    repeat(
      () => over,
      20,
      async () => {
        peak = Math.max(peak, statusOf(service.pid, "VmRSS"));
      },
    ),
    asking(tallies.health, keys.house, "/health/live", 50),
    asking(tallies.other, keys.other, "/v1/orders?limit=100", 200),
    asking(tallies.small, keys.other, "/v1/products?limit=5", 50),
    asking(tallies.house, keys.house, "/v1/orders?limit=100&sort=created_at&customer_id=cus_2", 500),
  ];
  const began = performance.now();
  const unread = Math.floor(count / 2);
  for (const outcome of await crowd({ url, key: keys.heavy, path, unread, readers: count - unread })) {
    tallies.readers.add(outcome);
  }
  const took = performance.now() - began;
  over = true;
  await Promise.all(watch);
  const memory = `${before.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB`;
  console.log(`\n${way}: ${count} requests in ${(took / 1000).toFixed(1)} s; ${memory}`);
  for (const [name, tally] of Object.entries(tallies)) console.log(`  ${name.padEnd(8)} ${tally}`);
  const problems = [
    peak > memory_max_mb ? `${peak.toFixed(0)} MB are more than ${memory_max_mb} MB` : null,
    Math.max(...tallies.health.times) > health_max_ms ? `/health/live took more than ${health_max_ms} ms` : null,
    ...(["health", "other", "small", "house"] as const).map((name) =>
      tallies[name].refused > 0 ? `${tallies[name].refused} requests of ${name} were refused` : null,
    ),
  ].filter((problem) => problem !== null);
  for (const problem of problems) console.log(`FAILED: ${problem}`);
  return problems.length;
}

/** Runs a crowd in a thread of its own. Returns the results of the clients that read. */
async function crowd(wish: CrowdWish): Promise<readonly Outcome[]> {
  const thread = new Worker(new URL("./crowd.ts", import.meta.url));
  const { promise, resolve } = Promise.withResolvers<readonly Outcome[]>();
  thread.onmessage = ({ data }) => resolve(data);
  thread.postMessage(wish);
  const late = Array.from({ length: wish.readers }, () => ({ status: "no answer", ms: deadline_ms, bytes: 0 }));
  return Promise.race([promise, Bun.sleep(deadline_ms).then(() => late)]).finally(() => thread.terminate());
}

async function firstCursor({ url }: StartedService, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const page = await (await fetch(`${url}/v1/orders?limit=1`, { headers })).json();
  return (page as { meta: { pagination: { next_cursor: string } } }).meta.pagination.next_cursor;
}

async function repeat(over: () => boolean, rest_ms: number, act: () => Promise<void>): Promise<void> {
  while (!over()) {
    await act();
    await Bun.sleep(rest_ms);
  }
}
