// Steps the clock with libfaketime while the service runs or is stopped, and checks webhooks, jobs and retries.
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../postgres.ts";
import { createDatabase, type StartedService, startService } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";

const libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
);
const orders_each = 5;
const watched_ms = 3000;
const patience_ms = 20_000;
/**
 * More rounds per second of all jobs in both environments would be a busy loop. On PostgreSQL each job polls about once
 * a second.
 */
const rounds_max = 60;
/** The first retry comes after 5 to 6 s, and up to a ninth later while a clock step is detected. */
const retry_max_ms = 8000;

/** The clock of a service before and after a step, in seconds relative to the true time. */
interface Step {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** Whether the service is stopped during the step. */
  readonly restarts: boolean;
}

const hour = 3600;
const to_1970 = hour - Math.floor(performance.timeOrigin / 1000);
const steps: readonly Step[] = [
  { name: "60 s ahead, then started at the true time", before: 60, after: 0, restarts: true },
  { name: "10 min ahead, then started at the true time", before: 600, after: 0, restarts: true },
  { name: "two minutes back while it runs", before: 0, after: -120, restarts: false },
  { name: "an hour back while it runs", before: 0, after: -hour, restarts: false },
  { name: "a day ahead while it runs", before: 0, after: 24 * hour, restarts: false },
  { name: "booted in 1970, set right later", before: to_1970, after: 0, restarts: false },
];

export const clock: FaultScript = {
  description: "steps the machine's clock, forward and back, before and while a service delivers webhooks",
  lacks: async () => (libraries.some(existsSync) ? null : "libfaketime is missing (apt-get install libfaketime)"),
  run: async () => {
    let failed = 0;
    for (const step of steps) failed += await tried(step, null);
    const postgres = await startPostgres().catch((error: unknown) => String(error));
    if (typeof postgres === "string") {
      console.log(`  SKIPPED on PostgreSQL: ${postgres}`);
      return failed;
    }
    // On PostgreSQL the database's clock counts, which is correct here, however wrong the servers' clocks are.
    for (const step of steps) failed += await tried(step, postgres.url);
    await postgres.stop();
    return failed;
  },
};

/** A receiver that refuses the first attempts, and records when each order arrived, by the monotonic clock. */
function openReceiver() {
  const arrivals = new Map<string, number[]>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { data } = (await request.json()) as { data: { id: string; order_number: string } };
      const times = arrivals.get(data.order_number) ?? [];
      arrivals.set(data.order_number, [...times, performance.now()]);
      const isRefused = times.length === 0 && data.order_number.startsWith("RETRY");
      return new Response(null, { status: isRefused ? 500 : 200 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/`, arrivals, stop: () => server.stop(true) };
}

/** A clock in a file that processes under libfaketime read. */
function openFakeTime(folder: string) {
  const file = join(folder, "offset");
  const set = (seconds: number) => {
    // Replaced atomically: the service reads it all the time.
    writeFileSync(`${file}.new`, `${seconds < 0 ? "" : "+"}${seconds}`);
    renameSync(`${file}.new`, file);
  };
  const env = {
    LD_PRELOAD: libraries.find(existsSync) ?? "",
    FAKETIME_TIMESTAMP_FILE: file,
    DONT_FAKE_MONOTONIC: "1",
    FAKETIME_NO_CACHE: "1",
  };
  return { set, env };
}

async function tried(step: Step, database_url: string | null): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-clock-"));
  const time = openFakeTime(folder);
  const receiver = openReceiver();
  const settings = {
    database_url: database_url === null ? null : await createDatabase(database_url),
    env: { ...time.env, PACKHOUSE_LOG_LEVEL: "error" },
    data: join(folder, "data"),
  };
  time.set(step.before);
  let service = await startService(settings);
  try {
    const key = await service.makeKey("test");
    let api = apiOf(service, key);
    await api("POST", "/products", { sku: "CUP", name: "Cup", price: 2 });
    await api("POST", "/inventory", { sku: "CUP", quantity: 1000 });
    await api("POST", "/webhooks", { url: receiver.url, events: ["order.created"] });
    const buyer = await makeBuyer(api);
    await order(api, buyer, "RETRY-1");
    await until(() => receiver.arrivals.has("RETRY-1"));
    if (step.restarts) {
      await service.stop();
      time.set(step.after);
      service = await startService(settings);
      api = apiOf(service, key);
    } else time.set(step.after);
    const engine = database_url === null ? "SQLite" : "PostgreSQL";
    return await watch({ step, api, buyer, engine, arrivals: receiver.arrivals });
  } finally {
    await service.kill();
    await receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Watched {
  readonly step: Step;
  readonly engine: string;
  readonly api: Api;
  readonly buyer: Buyer;
  /** The arrival times of each order, repeats included. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
}

/** Creates orders after a step and prints what became of them. Returns how many checks failed. */
async function watch({ step, engine, api, buyer, arrivals }: Watched): Promise<number> {
  for (let n = 1; n <= orders_each; n += 1) await order(api, buyer, `SO-${n}`);
  const received = () => [...arrivals.keys()].filter((name) => name.startsWith("SO-")).length;
  await until(() => received() === orders_each);
  const before = await roundsOf(api);
  const begun_at = performance.now();
  await Bun.sleep(watched_ms);
  const rounds = ((await roundsOf(api)) - before) / ((performance.now() - begun_at) / 1000);
  await until(() => (arrivals.get("RETRY-1")?.length ?? 0) > 1);
  const [first = 0, second = Number.POSITIVE_INFINITY] = arrivals.get("RETRY-1") ?? [];
  const retry_ms = second - first;
  const slack_ms = step.restarts ? patience_ms : 0;
  const passed = received() === orders_each && rounds <= rounds_max && retry_ms <= retry_max_ms + slack_ms;
  const figures = `${received()} of ${orders_each} orders received, ${rounds.toFixed(0)} job rounds per second, `;
  const retried = Number.isFinite(retry_ms) ? `retried after ${(retry_ms / 1000).toFixed(1)} s` : "not retried";
  console.log(`  ${passed ? "ok    " : "FAILED"} ${engine}, ${step.name}: ${figures}${retried}`);
  return passed ? 0 : 1;
}

type Api = (method: string, path: string, body?: object) => Promise<unknown>;

function apiOf({ url }: StartedService, key: string): Api {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path === "/metrics" ? path : `/v1${path}`}`, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return path === "/metrics" ? text : JSON.parse(text);
  };
}

/** The other fields of an order. */
interface Buyer {
  readonly customer_id: string;
  readonly shipping_address_id: string;
}

async function makeBuyer(api: Api): Promise<Buyer> {
  const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const person = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [address] };
  const made = (await api("POST", "/customers", person)) as { id: string; shipping_addresses: { id: string }[] };
  return { customer_id: made.id, shipping_address_id: made.shipping_addresses[0]?.id ?? "" };
}

function order(api: Api, buyer: Buyer, order_number: string): Promise<unknown> {
  return api("POST", "/orders", { order_number, ...buyer, line_items: [{ sku: "CUP", quantity: 1, unit_price: 2 }] });
}

/** How many rounds all jobs have run so far. */
async function roundsOf(api: Api): Promise<number> {
  const text = (await api("GET", "/metrics")) as string;
  const lines = text.split("\n").filter((line) => /^packhouse_job_(rounds|failures)_total\{/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

async function until(so: () => boolean): Promise<void> {
  const late_at = performance.now() + patience_ms;
  while (!so() && performance.now() < late_at) await Bun.sleep(20);
}
