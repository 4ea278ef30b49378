// What each convention costs a read by id: the same read through a ladder of handlers, each with one convention more
// than the previous one. It runs in this process and without a network, so that differences of microseconds are
// visible.

import { openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import { systemActor as system } from "../../src/core/actor.ts";
import { addressList } from "../../src/core/ip_addresses.ts";
import { LineWriter, openLog, silentLog } from "../../src/core/log.ts";
import { bodyOf } from "../../src/core/schema.ts";
import { grantOf } from "../../src/http/auth/permissions.ts";
import type { Call } from "../../src/http/call.ts";
import { bare } from "../../src/http/envelope.ts";
import { conventions, openRequestPipeline, withConventions } from "../../src/http/request_pipeline.ts";
import { answerRead } from "../../src/http/response.ts";
import { type Route, routesOf } from "../../src/http/route.ts";
import { RouteTable } from "../../src/http/routes.ts";
import type { Service } from "../../src/http/service.ts";
import { traceOf } from "../../src/http/trace.ts";
import { createKey } from "../../src/identity/api_keys/api_keys.ts";
import { ensureWarehouse } from "../../src/inventory/warehouses/warehouses.ts";
import { CreateOrder } from "../../src/orders/order.schema.ts";
import { orderAnswer, orderView } from "../../src/orders/order.ts";
import { getOrder } from "../../src/orders/orders.sql.ts";
import { createApp } from "../../src/server/app.ts";
import { guard } from "../../src/server/guard.ts";
import type { Db, Store } from "../../src/storage/database.ts";
import { folderContents } from "../../src/storage/file_contents.ts";
import { openStores } from "../../src/storage/open_stores.ts";

type App = ReturnType<typeof createApp>;
type Handle = (request: Request) => Response | Promise<Response>;

/** A handler with one convention more than the previous one. */
interface Rung {
  readonly name: string;
  readonly handle: Handle;
  readonly key: string;
}

const at_once = 32;
const rounds = 23;
const together = 3000;

/** Measures the ladder, and what checking a body costs. It has no goal. */
export async function measureConventions(seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "packhouse-bench-"));
  const fatal = (error: unknown) => {
    throw error;
  };
  const stores = await openStores({ data: folder, database_url: null, purpose: "serve", log: silentLog, fatal });
  await stores.test.write(ensureWarehouse);
  const service = serviceOf(stores);
  const free = await keyOf(stores.test, 0);
  const limited = await keyOf(stores.test, 10_000_000);
  const app = createApp(service);
  const id = await placeOrder(app.handle, free);
  const rungs = ladder(service, app, id, { free, limited });
  const get = (key: string) => () =>
    new Request(`http://127.0.0.1/v1/orders/${id}`, { headers: { authorization: `Bearer ${key}` } });
  console.log("\na read of an order by its id, without a network: µs of work a request, and what each convention adds");
  const times = await inTurn(
    rungs.map(({ handle, key }) => ({ handle, make: get(key) })),
    seconds,
  );
  for (const [at, { name }] of rungs.entries()) console.log(row(name, times[at] ?? 0, times[at - 1] ?? null));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  console.log(
    `all conventions together take ${(last / first).toFixed(1)} times as long as the read and its JSON alone`,
  );

  const [without, checked] = await inTurn(validation(service, app), seconds);
  console.log("\nreceiving an order of three lines");
  console.log(row("parsed as JSON", without ?? 0, null));
  console.log(row("  and validated against its schema", checked ?? 0, without ?? 0));
  await stores.close();
  await rm(folder, { recursive: true });
  return 0;
}

function serviceOf(stores: { live: Store; test: Store }): Service {
  return {
    stores: { live: stores.live, test: stores.test },
    registry: null,
    log: silentLog,
    secret_key: new Uint8Array(32).fill(7),
    base_url: "",
    gs1_prefix: null,
    known_hosts: new Set<string>(),
    trusted_proxies: addressList([]),
    tls: false,
    authority: null,
    allow_insecure_lan: false,
    loopback_only: true,
    loopback_receivers: true,
    webhook_allow_cidrs: [],
    merchant_allow_cidrs: [],
    event_retention_days: 30,
    erasures_path: null,
    request_log_days: 7,
    data: "",
    database_url: null,
    backups: null,
    files: folderContents(""),
    carrier_timeout_ms: 0,
    mail: null,
    ownPort: () => null,
    peerOf: () => "127.0.0.1",
    waitFor: () => {},
    observers: [],
    draining: new AbortController().signal,
    ending: new AbortController().signal,
  };
}

async function keyOf(store: Store, rate_limit_per_minute: number): Promise<string> {
  const random = crypto.getRandomValues(new Uint8Array(96));
  const input = { name: "bench", permission: "full", rate_limit_per_minute } as const;
  return (await store.write((tx) => createKey(tx, input, random))).text;
}

async function placeOrder(handle: Handle, key: string): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await handle(new Request(`http://127.0.0.1/v1${path}`, sent));
    if (answer.status !== 201) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string; data: { id: string }; shipping_addresses: { id: string }[] };
  };
  const skus = ["A", "B", "C"];
  for (const sku of skus) await post("/products", { sku, name: `Product ${sku}`, price: "5.00" });
  for (const sku of skus) await post("/inventory", { sku, quantity: 100 });
  const address = { address_line1: "1 Pier", city: "Portland", state: "ME", postal_code: "04101", country: "US" };
  const customer = await post("/customers", { email: "bench@packhouse.example", shipping_addresses: [address] });
  const line_items = skus.map((sku) => ({ sku, quantity: 1, unit_price: "5.00" }));
  const shipping_address_id = customer.shipping_addresses[0]?.id;
  const order = { order_number: "BENCH", customer_id: customer.id, shipping_address_id, line_items };
  return (await post("/orders", order)).data.id;
}

const strict = { normalize: false, strictPath: true, handler: { standardHostname: false } } as const;

function tableOf(app: App): RouteTable {
  const table = new RouteTable();
  table.fill(routesOf(app.routes));
  return table;
}

function routeOf(table: RouteTable, method: string, path: string): Route {
  const route = table.find(method, path);
  if (route === null) throw new Error(`there is no ${method} ${path}`);
  return route;
}

const unasked = {
  ...{ merchant_id: null, scopeOf: null, renew: null, confirm: async () => {} },
  ...{ recording: null, raw_body: "", base_url: "", expansions: new Map() },
};

/** The handlers, from the bare read to what `serve` runs. */
function ladder(service: Service, app: App, id: string, keys: { free: string; limited: string }): Rung[] {
  const { test: store } = service.stores;
  const { handle } = app;
  const table = tableOf(app);
  const route = routeOf(table, "GET", "/orders/:id");
  const read = async (db: Db) => orderAnswer(await getOrder(db, id), db.now);
  const unversioned = async (db: Db) => {
    const { revision: _revision, ...view } = orderView(await getOrder(db, id), db.now);
    return view;
  };
  const callOf = (request: Request, request_id: string): Call => ({
    ...{ request, request_id, path: `/orders/${id}`, route, writes: false, actor: system("bench") },
    ...{ store, live: store },
    ...{
      cursor_secret: service.secret_key,
      known_hosts: service.known_hosts,
      headers: {},
      granted: grantOf("full", "test"),
      ...unasked,
    },
  });
  const one = (answer: (request: Request) => Promise<Response>) => {
    const single = new Elysia(strict).get("/v1/orders/:id", ({ request }) => answer(request));
    return single.handle as Handle;
  };
  const admitted = new Elysia(strict)
    .use(withConventions(service, async (request, request_id) => callOf(request, request_id)))
    .get("/v1/orders/:id", ({ call }) => answerRead(call, read)).handle as Handle;
  const guarded = new Elysia(strict)
    .use(withConventions(service, guard(service, table)))
    .get("/v1/orders/:id", ({ call }) => answerRead(call, read)).handle as Handle;
  const now = () => store.clock.now();
  const counted = openRequestPipeline({ log: silentLog, slow_ms: 60_000, now }, async (request) => handle(request));
  const lines = new LineWriter(openSync("/dev/null", "w"));
  const log = openLog({ level: "info", format: "json", write: (line, urgent) => lines.write(line, urgent) });
  const logged = openRequestPipeline({ log, slow_ms: 60_000, now }, async (request) => handle(request));
  const { free, limited } = keys;
  return [
    {
      name: "the read, written as JSON",
      handle: one(async () => {
        const view = await store.read(unversioned);
        return new Response(JSON.stringify(view), { headers: { "content-type": "application/json" } });
      }),
      key: free,
    },
    {
      name: "  request id",
      handle: one((it) => answerRead(callOf(it, traceOf(it).request_id), unversioned, bare)),
      key: free,
    },
    {
      name: "  envelope with meta",
      handle: one((it) => answerRead(callOf(it, traceOf(it).request_id), unversioned)),
      key: free,
    },
    { name: "  ETag", handle: one((it) => answerRead(callOf(it, traceOf(it).request_id), read)), key: free },
    { name: "  strict input, one error format", handle: admitted, key: free },
    { name: "  guard: route, key, permission", handle: guarded, key: free },
    { name: "  rate limit", handle: guarded, key: limited },
    { name: "  all other routes", handle, key: limited },
    { name: "  metrics", handle: counted.answer, key: limited },
    { name: "  a log line", handle: logged.answer, key: limited },
  ];
}

function validation(service: Service, app: App) {
  const make = () => {
    const line_items = ["A", "B", "C"].map((sku) => ({ sku, quantity: 1, unit_price: "5.00" }));
    const body = JSON.stringify({ order_number: "N-1", customer_id: 1, shipping_address_id: 1, line_items });
    const headers = { "content-type": "application/json" };
    return new Request("http://127.0.0.1/v1/orders", { method: "POST", headers, body });
  };
  const { test: store } = service.stores;
  const route = routeOf(tableOf(app), "POST", "/orders");
  const admit = async (request: Request, request_id: string): Promise<Call> => ({
    ...{ request, request_id, path: "/orders", route, writes: false, actor: system("bench") },
    ...{ store, live: store },
    ...{
      cursor_secret: service.secret_key,
      known_hosts: service.known_hosts,
      headers: {},
      granted: grantOf("full", "test"),
      ...unasked,
    },
  });
  const done = ({ body }: { body: unknown }) => new Response(null, { status: body ? 204 : 500 });
  const plain = new Elysia(strict).use(withConventions(service, admit)).use(conventions).post("/v1/orders", done);
  const checked = new Elysia(strict)
    .use(withConventions(service, admit))
    .use(conventions)
    .post("/v1/orders", done, { body: bodyOf(CreateOrder) });
  return [plain, checked].map((app) => ({ handle: app.handle as Handle, make }));
}

/**
 * The microseconds per request of each handler, measured in rotation so that other load on the machine affects all
 * alike. Of all rounds it takes the slowest of the fastest quarter, since nothing makes a processor faster than it is.
 */
async function inTurn(some: readonly { handle: Handle; make: () => Request }[], seconds: number): Promise<number[]> {
  const took = some.map((): number[] => []);
  const ends_at = performance.now() + seconds * 1000 * some.length;
  for (let round = 0; round < rounds || performance.now() < ends_at; round += 1) {
    for (const [at, { handle, make }] of some.entries()) {
      const micros = await batch(handle, make);
      // The first rounds warm up the code.
      if (round > 2) took[at]?.push(micros);
    }
  }
  return took.map((all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 4)] ?? 0);
}

/** CPU microseconds for each of some requests. Time that other processes use does not count. */
async function batch(handle: Handle, make: () => Request): Promise<number> {
  let left = together;
  const before = process.cpuUsage();
  const work = async () => {
    while (left-- > 0) {
      const answer = await handle(make());
      if (answer.status >= 300) throw new Error(`returned ${answer.status}: ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: at_once }, work));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / together;
}

function row(name: string, micros: number, before: number | null): string {
  const added = before === null ? "" : `${micros >= before ? "+" : "-"}${Math.abs(micros - before).toFixed(1)}`;
  return `${name.padEnd(40)}${micros.toFixed(1).padStart(8)}${added.padStart(9)}`;
}
