// `bun run bench [seconds]`: the service against its floor in the same run, with the ratio of each pair.
import { cpus } from "node:os";
import { join } from "node:path";
import { startService } from "../service.ts";
import { fdatasyncLatency } from "./disk.ts";
import { measureGrowth } from "./growth.ts";
import { driver, type Figures, load, type Shot } from "./load.ts";
import { measurePause } from "./pause.ts";
import { copySku } from "./seed.ts";

const seconds = Number(process.argv[2] ?? 3);
const rounds = 3;
const connections = 32;
const skus = Array.from({ length: 200 }, (_, n) => `BENCH-${n}`);
const stock_each = 1_000_000;
const order_count = 3000;
const sku_count = 100_000;

interface Measured {
  readonly name: string;
  /** `fresh` are orders of this server that no shot has named before. */
  readonly shot: (ids: Ids, fresh: readonly string[]) => Shot;
  /** Shorter than the others, where each shot needs an order of its own. */
  readonly seconds?: number;
  /** The least share of the floor that is good enough. */
  readonly goal: number | null;
}

/** What the requests name: the same in both databases, since one is a copy of the other. */
interface Ids {
  readonly customer: string;
  readonly address: string;
  readonly orders: readonly string[];
}

const line = (sku: string) => ({ sku, quantity: 1, unit_price: "5.00" });
// `{n}` picks other SKUs for each request: its last digits are part of them.
const some = (n: number) => skus[(n * 67) % skus.length] ?? "";
const post = (path: string, body: object, ids: readonly string[] = []): Shot => ({
  method: "POST",
  path,
  body: JSON.stringify(body),
  ids,
});

const adjustment: Shot = {
  method: "PATCH",
  path: "/v1/inventory/{id}",
  body: JSON.stringify({ adjustment: 1, reason: "found" }),
  ids: skus,
};

const reservation = post("/v1/inventory/reserve", { order_id: "R-{n}", items: [{ sku: "{id}", quantity: 1 }] }, skus);

const measured: readonly Measured[] = [
  {
    name: "order create (3 lines)",
    goal: 0.6,
    shot: ({ customer, address }) => {
      const to = { customer_id: customer, shipping_address_id: address };
      const line_items = ["BENCH-{id}", "BENCH-1{id}", "BENCH-2{id}"].map(line);
      const digits = Array.from({ length: 20 }, (_, n) => String(n));
      return post(
        "/v1/orders",
        { order_number: "N-{n}", ...to, line_items },
        digits.filter((it) => it.length === 1),
      );
    },
  },
  {
    name: "reserve (1 of 200 SKUs)",
    goal: null,
    shot: () => reservation,
  },
  {
    name: "reserve (1 hot SKU)",
    goal: null,
    shot: () => post("/v1/inventory/reserve", { order_id: "H-{n}", items: [{ sku: skus[0], quantity: 1 }] }),
  },
  { name: "adjust", goal: null, shot: () => adjustment },
  {
    name: `inventory, list of 50 of ${sku_count}`,
    goal: null,
    shot: () => ({ method: "GET", path: "/v1/inventory?limit=50" }),
  },
  { name: "order by id", goal: 0.6, shot: ({ orders }) => ({ method: "GET", path: "/v1/orders/{id}", ids: orders }) },
  { name: "orders, list of 50", goal: 0.6, shot: () => ({ method: "GET", path: "/v1/orders?limit=50" }) },
  {
    name: "label",
    seconds: 1,
    goal: null,
    shot: (_ids, fresh) => {
      const parcel = { weight: 2, weight_unit: "lbs" };
      const body = { order_id: "{id}", carrier: "sim", service: "standard", package: parcel };
      return post("/v1/shipping/labels", body, fresh);
    },
  },
];

const sender = (url: string, key: string) => async (path: string, body: object) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${url}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
};

/** The products that the requests name, each received once. */
async function stockUp(url: string, key: string): Promise<void> {
  const send = sender(url, key);
  for (const sku of skus) await send("/products", { sku, name: `Product ${sku}`, price: "5.00" });
  for (const sku of skus) await send("/inventory", { sku, quantity: stock_each });
}

/** Fills the service's database with what the requests name. */
async function seed(url: string, key: string): Promise<Ids> {
  const send = sender(url, key);
  const address = {
    address_line1: "100 Commercial St",
    city: "Portland",
    state: "ME",
    postal_code: "04101",
    country: "US",
  };
  const customer = await send("/customers", {
    email: "bench@packhouse.example",
    company: "Bench",
    shipping_addresses: [address],
  });
  const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  const orders: string[] = [];
  const place = async (n: number) => {
    const line_items = [some(n), some(n + 1), some(n + 2)].map(line);
    const placed = await send("/orders", { order_number: `S-${n}`, ...to, line_items });
    orders.push(placed.data.id);
  };
  for (let n = 0; n < order_count; n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, more) => place(n + more)));
  }
  return { customer: to.customer_id, address: to.shipping_address_id, orders };
}

/** The orders that the create round of this number made: each can be labelled once. */
async function freshOrders(url: string, key: string, { orders }: Ids, round: number): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/orders?limit=1`, { headers });
  const newest = (await answer.json()) as { data: [{ id: string | number }] };
  const number = (id: string | number) => Number(String(id).replace("ord_", ""));
  const begun = Math.max(...orders.map(number)) + 1;
  const share = Math.floor((number(newest.data[0].id) - begun) / rounds);
  return Array.from({ length: Math.max(share, 0) }, (_, n) => `ord_${begun + round * share + n}`);
}

function median(of: readonly Figures[]): Figures {
  const sorted = of.toSorted((a, b) => a.requests_per_second - b.requests_per_second);
  return sorted[Math.floor(sorted.length / 2)] as Figures;
}

function row(name: string, { requests_per_second, p50_ms, p99_ms, failed }: Figures, ratio: string): string {
  const cells = [requests_per_second.toFixed(0), p50_ms.toFixed(1), p99_ms.toFixed(1)].map((it) => it.padStart(10));
  return `${name.padEnd(34)}${cells.join("")}${ratio.padStart(10)}${failed === 0 ? "" : `  ${failed} refused`}`;
}

async function startFloor(path: string): Promise<{ url: string; stop: () => void }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "floor.ts"), path], {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, NODE_ENV: "production" },
  });
  const { value } = await child.stdout.getReader().read();
  const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? "";
  return { url, stop: () => child.kill() };
}

/** A service with the products of the requests among a hundred thousand others, and with orders. */
async function startSeeded() {
  const env = { NODE_ENV: "production" };
  const first = await startService({ env });
  const key = await first.makeKey("test");
  await stockUp(first.url, key);
  await first.stop();
  copySku(join(first.data, "test.db"), skus[0] ?? "", sku_count - skus.length);
  const service = await startService({ data: first.data, env });
  return { service, key, ids: await seed(service.url, key) };
}

/** Measures each kind of request on the service and on its floor, in turn; answers how many goals are missed. */
async function measureAll(url: string, floor_url: string, key: string, ids: Ids): Promise<number> {
  console.log(
    `${"".padEnd(34)}${["req/s", "p50 ms", "p99 ms"].map((it) => it.padStart(10)).join("")}${"ratio".padStart(10)}`,
  );
  let missed = 0;
  let first = 0;
  for (const { name, shot, goal, seconds: its_seconds = seconds } of measured) {
    const ours: Figures[] = [];
    const theirs: Figures[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const [its_url, into] of [
        [url, ours],
        [floor_url, theirs],
      ] as const) {
        first += 1_000_000;
        const fresh = await freshOrders(its_url, key, ids, round);
        into.push(await load({ url: its_url, key, shot: shot(ids, fresh), connections, seconds: its_seconds, first }));
      }
    }
    const [mine, bare] = [median(ours), median(theirs)];
    const ratio = mine.requests_per_second / bare.requests_per_second;
    const short = goal !== null && ratio < goal;
    if (short) missed += 1;
    console.log(row(name, mine, ratio.toFixed(2) + (short ? ` < ${goal}` : "")));
    console.log(row("  its floor", bare, ""));
  }
  return missed;
}

async function main(): Promise<void> {
  const { service, key, ids } = await startSeeded();
  // The floor works on a copy of the seeded database, made by SQLite itself.
  const copy = join(service.data, "floor.db");
  const { Database } = await import("bun:sqlite");
  const original = new Database(join(service.data, "test.db"), { readonly: true });
  original.run(`vacuum into '${copy}'`);
  original.close();
  const floor = await startFloor(copy);
  const disk = fdatasyncLatency();
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? "CPU"}, Bun ${Bun.version}, ${driver}, ${connections} connections`,
  );
  console.log(`fdatasync of 4 KiB: p50 ${disk.p50_ms.toFixed(2)} ms, p99 ${disk.p99_ms.toFixed(2)} ms\n`);
  let missed = await measureAll(service.url, floor.url, key, ids);
  floor.stop();
  const { url, data } = service;
  missed += await measurePause({ url, key, data, skus, order: ids.orders[0] ?? "" });
  await service.remove();
  const shots = [
    { name: "adjust", shot: adjustment },
    { name: "reserve (1 of 200 SKUs)", shot: reservation },
  ];
  missed += await measureGrowth({ shots, stockUp, connections, seconds, middle: median });
  console.log(missed === 0 ? "\nEvery goal is met." : `\n${missed} goals are missed.`);
}

await main();
