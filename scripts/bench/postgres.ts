// Requests on PostgreSQL, on one server and on two, compared with hand-written transactions on a copy of the same
// database.
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { startPostgres } from "../postgres.ts";
import { type StartedService, startService } from "../service.ts";
import { type Ids, placeOrders, sender, skus, env as usual } from "./business.ts";
import { load, median, type Shot } from "./load.ts";
import { adjust, createOrder, listOrders, orderById, reserveSome } from "./shots.ts";
import { type Asked, countingAddress } from "./trips.ts";

// On a busy machine any request may be slow.
const env = { ...usual, PACKHOUSE_LOG_LEVEL: "error" };
const rounds = 3;
const order_count = 1000;
const parcel_count = 400;
const at_once = 32;
const tick_ms = 10;

interface Side {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
}

/** CPU time of requests: the whole machine, each of our own processes, and PostgreSQL's. */
interface Took {
  readonly requests_per_second: number;
  readonly p50_ms: number;
  readonly own_ms: number;
  readonly database_ms: number;
  readonly failed: number;
}

const measured: readonly { readonly name: string; readonly shot: (ids: Ids) => Shot; readonly goal: number }[] = [
  { name: "order create (3 lines)", shot: createOrder, goal: 0.8 },
  { name: "reserve (1 of 200 SKUs)", shot: () => reserveSome, goal: 0.5 },
  { name: "order by id", shot: orderById, goal: 0.5 },
  { name: "orders, list of 50", shot: () => listOrders, goal: 0.5 },
];

/** Measures each kind of request on PostgreSQL. Returns how many goals are missed. */
export async function measurePostgres(seconds: number): Promise<number> {
  const database = await startPostgres(undefined, true);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const counted = await countingAddress(addressOf(database.url, "packhouse"));
  await admin.query("create database packhouse");
  const seeding = await startService({ database_url: counted.url, env });
  const key = await seeding.makeKey("test");
  const ids = await seed(seeding.url, key);
  console.log("\nPostgreSQL: the cost of each act (commits wait for the disk, as in production)");
  await printActs(seeding.url, key, ids, counted.take);
  await printLocks({ url: seeding.url, key, seconds }, counted.take, [
    { name: "order create (3 lines)", shot: createOrder(ids) },
    { name: "reserve (1 of 200 SKUs)", shot: reserveSome },
    { name: "adjust (1 of 200 SKUs)", shot: adjust },
  ]);
  const parcels = await buyLabels(seeding.url, key, ids);
  await seeding.stop();
  counted.close();
  await admin.query("create database baseline template packhouse");

  const started: StartedService[] = [];
  const servers: Side[] = [];
  const baselines: Side[] = [];
  for (let n = 0; n < 2; n += 1) {
    const service = await startService({ database_url: addressOf(database.url, "packhouse"), env });
    const baseline = await startBaseline(addressOf(database.url, "baseline"));
    started.push(service);
    servers.push({ urls: [service.url], pids: [service.pid] });
    baselines.push(baseline);
  }
  const postmaster = parentOf((await admin.query("select pg_backend_pid() as pid")).rows[0].pid);
  let missed = 0;
  for (const count of [1, 2]) {
    console.log(`\n${count === 1 ? "one server" : "two servers"} on one PostgreSQL, whose commits wait for the disk`);
    console.log(`${"".padEnd(30)}${heads.map((it) => it.padStart(12)).join("")}`);
    const own = together(servers.slice(0, count));
    const bare = together(baselines.slice(0, count));
    for (const { name, shot, goal } of measured) {
      const fire = (side: Side) => fired(side, { key, shot: shot(ids), seconds }, postmaster);
      missed += await compare(
        name,
        goal,
        () => fire(own),
        () => fire(bare),
      );
    }
    // Each parcel has one first scan, so each round has its own parcels.
    const share = parcels.slice(count === 1 ? 0 : parcels.length / 2, count === 1 ? parcels.length / 2 : undefined);
    const turns = { own: 0, bare: 0 };
    const scans = (side: Side, whose: "own" | "bare") => {
      const size = Math.floor(share.length / rounds);
      const at = size * turns[whose]++;
      return scanned(side, key, share.slice(at, at + size), postmaster);
    };
    missed += await compare(
      "first scan of a parcel",
      0.5,
      () => scans(own, "own"),
      () => scans(bare, "bare"),
    );
  }
  await printDeadlocks(admin);
  for (const service of started) await service.remove();
  // They stop before their database does.
  for (const { pids } of baselines) for (const pid of pids) process.kill(pid);
  await admin.end();
  await database.stop();
  return missed;
}

const heads = ["req/s", "p50 ms", "own CPU ms", "its CPU ms", "ratio"];

/** Measures both in alternation and prints them. Returns 1 if the goal is missed. */
async function compare(name: string, goal: number, own: () => Promise<Took>, bare: () => Promise<Took>) {
  const pairs: { readonly own: Took; readonly bare: Took; readonly ratio: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [here, there] = [await own(), await bare()];
    pairs.push({ own: here, bare: there, ratio: here.requests_per_second / there.requests_per_second });
  }
  const { ratio, ...both } = median(pairs, (pair) => pair.ratio);
  const short = ratio < goal;
  console.log(row(name, both.own, ratio.toFixed(2) + (short ? ` < ${goal}` : "")));
  console.log(row("  its baseline", both.bare, ""));
  return short ? 1 : 0;
}

function row(name: string, took: Took, ratio: string): string {
  const { requests_per_second, p50_ms, own_ms, database_ms, failed } = took;
  const cells = [requests_per_second.toFixed(0), p50_ms.toFixed(1), own_ms.toFixed(2), database_ms.toFixed(2), ratio];
  const refused = failed === 0 ? "" : `  ${failed} refused`;
  return `${name.padEnd(30)}${cells.map((cell) => cell.padStart(12)).join("")}${refused}`;
}

/** Creates products with stock, a customer and orders. */
export async function seed(url: string, key: string): Promise<Ids> {
  const send = sender(url, key);
  for (const sku of skus) {
    await send("/products", { sku, name: `Product ${sku}`, price: "5.00" });
    await send("/inventory", { sku, quantity: 1_000_000 });
  }
  return placeOrders(url, key, order_count);
}

const parcel = { weight: 2, weight_unit: "lbs" };
const labelOf = (order_id: string) => ({ order_id, carrier: "sim", service: "standard", package: parcel });

/** Buys labels for orders of their own. Returns the tracking numbers. */
async function buyLabels(url: string, key: string, { customer_id, shipping_address_id }: Ids): Promise<string[]> {
  const send = sender(url, key);
  return inTurns(Array.from({ length: parcel_count }), async (_, n) => {
    const some = [0, 67, 134].map((more) => ({ sku: skus[(n + more) % skus.length], quantity: 1, unit_price: "5.00" }));
    const to = { customer_id, shipping_address_id };
    const { data: order } = await send("/orders", { order_number: `P-${n}`, ...to, line_items: some });
    // The carrier scans a packed parcel.
    await send(`/orders/${order.id}/pick`, {});
    await send(`/orders/${order.id}/pack`, {});
    return (await send("/shipping/labels", labelOf(order.id))).data.tracking_number as string;
  });
}

/** Runs `work` on each item, several at a time, and returns the results. */
async function inTurns<One, Done>(all: readonly One[], work: (one: One, at: number) => Promise<Done>): Promise<Done[]> {
  const done: Done[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < all.length; at = next++) done[at] = await work(all[at] as One, at);
  };
  await Promise.all(Array.from({ length: at_once }, worker));
  return done;
}

/**
 * Prints the statements of each act of an order: the minimum of several runs, since background work is counted as well.
 */
async function printActs(url: string, key: string, ids: Ids, take: () => Asked) {
  const send = sender(url, key);
  const { customer_id, shipping_address_id } = ids;
  const least = new Map<string, Asked>();
  const count = async (name: string, path: string, body: object) => {
    await Bun.sleep(50);
    take();
    const { data } = await send(path, body);
    const counted = take();
    const before = least.get(name);
    if (before === undefined || counted.statements + counted.control < before.statements + before.control) {
      least.set(name, counted);
    }
    return data;
  };
  const line_items = skus.slice(0, 3).map((sku) => ({ sku, quantity: 1, unit_price: "5.00" }));
  for (let n = 0; n < 6; n += 1) {
    const place = (more: string) =>
      count("order create", "/orders", { order_number: `A-${n}${more}`, customer_id, shipping_address_id, line_items });
    const order = await place("a");
    await count("pick", `/orders/${order.id}/pick`, {});
    await count("pack", `/orders/${order.id}/pack`, {});
    await count("ship", `/orders/${order.id}/ship`, {});
    const other = await place("b");
    for (const act of ["pick", "pack"]) await send(`/orders/${other.id}/${act}`, {});
    const { tracking_number } = await count("label", "/shipping/labels", labelOf(other.id));
    await count("first scan", `/tracking/${tracking_number}/events`, { status: "in_transit" });
    await count("reserve", "/inventory/reserve", { order_id: `A-${n}`, items: [{ sku: skus[0], quantity: 1 }] });
  }
  console.log(`${"".padEnd(30)}${["statements", "control", "trips"].map((it) => it.padStart(12)).join("")}`);
  for (const [name, { statements, control, trips }] of least) {
    console.log(`${name.padEnd(30)}${[statements, control, trips].map((it) => String(it).padStart(12)).join("")}`);
  }
}

/** Prints how long transactions wait for locks and hold them while many requests do the same. */
async function printLocks(
  to: { url: string; key: string; seconds: number },
  take: () => Asked,
  kinds: readonly { name: string; shot: Shot }[],
) {
  const heads = ["transactions", "wait p50", "p99 ms", "hold p50", "p99 ms"];
  console.log(`\n${"locks, with 32 calls at once".padEnd(30)}${heads.map((it) => it.padStart(13)).join("")}`);
  for (const { name, shot } of kinds) {
    take();
    first += 1_000_000;
    await load({ ...to, shot, first });
    const { waited_ms, held_ms } = take();
    const cells = [waited_ms, held_ms].flatMap((times) => [0.5, 0.99].map((part) => quantile(times, part).toFixed(1)));
    console.log(`${name.padEnd(30)}${[String(held_ms.length), ...cells].map((it) => it.padStart(13)).join("")}`);
  }
}

async function printDeadlocks(admin: pg.Client) {
  const { rows } = await admin.query("select deadlocks from pg_stat_database where datname = 'packhouse'");
  console.log(`\n${rows[0].deadlocks} deadlocks, each caused one write to run again`);
}

const quantile = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;

const together = (sides: readonly Side[]): Side => ({
  urls: sides.flatMap(({ urls }) => urls),
  pids: sides.flatMap(({ pids }) => pids),
});

let first = 1_000_000;

/** Sends one kind of request to all servers of a side. */
export async function fired(
  { urls, pids }: Side,
  shot: { key: string; shot: Shot; seconds: number },
  postmaster: number,
) {
  const own = ticksOf(pids);
  const its = databaseTicks(postmaster);
  const all = await Promise.all(
    urls.map((url) => {
      first += 1_000_000;
      return load({ url, first, ...shot });
    }),
  );
  const requests_per_second = all.reduce((sum, it) => sum + it.requests_per_second, 0);
  const count = requests_per_second * shot.seconds;
  return {
    requests_per_second,
    p50_ms: median(all, ({ p50_ms }) => p50_ms).p50_ms,
    own_ms: ((ticksOf(pids) - own) * tick_ms) / count,
    database_ms: ((databaseTicks(postmaster) - its) * tick_ms) / count,
    failed: all.reduce((sum, it) => sum + it.failed, 0),
  };
}

/** Scans each of some parcels once. */
async function scanned({ urls, pids }: Side, key: string, numbers: readonly string[], postmaster: number) {
  const own = ticksOf(pids);
  const its = databaseTicks(postmaster);
  const sends = urls.map((url) => sender(url, key));
  const begun_at = performance.now();
  const times = await inTurns(numbers, async (number, at) => {
    const asked_at = performance.now();
    await sends[at % sends.length]?.(`/tracking/${number}/events`, { status: "in_transit" });
    return performance.now() - asked_at;
  });
  const count = numbers.length;
  return {
    requests_per_second: (count * 1000) / (performance.now() - begun_at),
    p50_ms: median(times, (it) => it),
    own_ms: ((ticksOf(pids) - own) * tick_ms) / count,
    database_ms: ((databaseTicks(postmaster) - its) * tick_ms) / count,
    failed: 0,
  };
}

async function startBaseline(url: string): Promise<Side> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/baseline_postgres.ts`, url], {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, ...env },
  });
  process.once("exit", () => child.kill());
  const { value } = await child.stdout.getReader().read();
  return { urls: [/http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? ""], pids: [child.pid] };
}

export function addressOf(url: string, database: string): string {
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.href;
}

/** The fields of a process's state, from the third on; empty if there is no such process, or no /proc. */
function statOf(pid: number | string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
  } catch {
    return [];
  }
}

export const parentOf = (pid: number) => Number(statOf(pid)[1] ?? 0);

/** The CPU time of processes and of children that they have waited for, in ticks. */
const ticksOf = (pids: readonly (number | string)[]) =>
  pids.reduce(
    (sum: number, pid) =>
      statOf(pid)
        .slice(11, 15)
        .reduce((of, ticks) => of + Number(ticks), sum),
    0,
  );

function databaseTicks(postmaster: number): number {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ticksOf([postmaster, ...all.filter((pid) => statOf(pid)[1] === String(postmaster))]);
}
