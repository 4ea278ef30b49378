import { afterAll, expect } from "bun:test";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FormatRegistry, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Memoirist } from "memoirist";
import { warehouses } from "../../db/schema/warehouses.ts";
import { verifyStore } from "../../src/cli/verify.ts";
import { type Clock, manualClock } from "../../src/core/clock.ts";
import type { Environment } from "../../src/core/environment.ts";
import { addressList } from "../../src/core/ip_addresses.ts";
import type { Log } from "../../src/core/log.ts";
import { secondEventSchema } from "../../src/events/event.schema.ts";
import type { EventType } from "../../src/events/event_types.ts";
import type { KeyLevel } from "../../src/http/auth/permissions.ts";
import type { Service } from "../../src/http/service.ts";
import { createKey } from "../../src/identity/api_keys/api_keys.ts";
import { ensureRoles } from "../../src/identity/users/users.ts";
import { ensureWarehouse } from "../../src/inventory/warehouses/warehouses.ts";
import { ensureMerchant } from "../../src/merchants/merchants.ts";
import { createApp } from "../../src/server/app.ts";
import { operationsOf } from "../../src/server/openapi/description.ts";
import { refusalsOf } from "../../src/server/openapi/operation.ts";
import { triggeredJobs } from "../../src/server/scheduler.ts";
import { ensureRateCards } from "../../src/shipping/rates/rate_cards.ts";
import { type JobName, jobNames } from "../../src/storage/commit_effects.ts";
import type { Store } from "../../src/storage/database.ts";
import { folderContents } from "../../src/storage/file_contents.ts";
import { eventDescriptions } from "../../src/webhooks/event_descriptions.schema.ts";
import { listEventsAfter } from "../events/stored_events.ts";
import { openTemporaryStore } from "../storage/temporary_database.ts";
import { Watch } from "./secret_watch.ts";

export const start = Date.parse("2026-01-02T03:04:05.000Z");

/** The timeout of carrier requests in ms: longer than any response takes, even on a busy machine. */
export const carrier_timeout_ms = 60_000;

/** A response. The body is parsed if it is JSON. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  readonly body: any;
  readonly headers: Headers;
}

interface Options {
  readonly loopback_only?: boolean;
  /** Whether the operator's test webhooks and stores may use addresses of this machine. Default: `loopback_only`. */
  readonly loopback_receivers?: boolean;
  /** Private ranges in which merchants may have receivers. */
  readonly merchant_allow_cidrs?: readonly string[];
  readonly mail?: Service["mail"];
  readonly base_url?: string;
  readonly gs1_prefix?: string | null;
  /** Called with the time that requests may take. */
  readonly waitFor?: Service["waitFor"];
  /** Running clocks, instead of ones that stand still. */
  readonly running?: Readonly<Record<Environment, Clock>>;
  /** Waits until everything written to an open file is on disk. SQLite only. */
  readonly sync?: (file: number) => Promise<void>;
  /** Wraps a store before the service uses it. */
  readonly through?: (store: Store) => Store;
  /** The contents of uploaded files; by default in a temporary folder. */
  readonly files?: Service["files"];
  /** Leaves the example address of the first warehouse in live data too. */
  readonly example_address?: boolean;
}

function serviceOn(stores: Service["stores"], log: Log, options: Options): Service {
  const { loopback_only = true, mail = null, base_url = "", gs1_prefix = null, waitFor = () => {} } = options;
  return {
    stores,
    registry: null,
    log,
    secret_key: new Uint8Array(32).fill(7),
    base_url,
    gs1_prefix,
    known_hosts: new Set(["packhouse.test"]),
    trusted_proxies: addressList([]),
    tls: false,
    authority: null,
    allow_insecure_lan: true,
    loopback_only,
    loopback_receivers: options.loopback_receivers ?? loopback_only,
    webhook_allow_cidrs: [],
    merchant_allow_cidrs: options.merchant_allow_cidrs ?? [],
    event_retention_days: 30,
    request_log_days: 7,
    erasures_path: null,
    data: "",
    database_url: null,
    backups: null,
    files: options.files ?? temporaryContents(),
    carrier_timeout_ms,
    mail,
    ownPort: () => null,
    peerOf: () => "127.0.0.1",
    waitFor,
    observers: [],
    draining: new AbortController().signal,
    ending: new AbortController().signal,
  };
}

/** Contents in a folder that is created with the first one, and removed when the process ends. */
function temporaryContents(): Service["files"] {
  const folder = join(tmpdir(), `packhouse-files-${process.pid}-${crypto.randomUUID()}`);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folderContents(folder);
}

let checker: ReturnType<typeof answerChecker> | undefined;

/** Initializes stores as on the first start. */
async function begin(...stores: readonly Store[]): Promise<void> {
  for (const store of stores) {
    await store.write(ensureWarehouse);
    await store.write(ensureRateCards);
    await store.write(ensureMerchant);
  }
  await stores[0]?.write(ensureRoles);
}

const beside = /^\/(health|metrics(?!\/)|t\/|dashboard\/)/;
const addressOf = (path: string) => `http://packhouse.test${beside.test(path) ? path : `/v1${path}`}`;

/** The app on stores that a test has opened itself. */
export const appOn = (stores: Service["stores"]) => createApp(serviceOn(stores, new Watch().log(), {}));

interface Surroundings {
  readonly clock: Clock;
  readonly watch: Watch;
  readonly log: Log;
  readonly site: () => Service;
}

/** One of the service's stores. The watch searches it when it is closed. */
async function openStore(
  mode: Environment,
  options: Options,
  { clock, watch, log, site }: Surroundings,
): Promise<Store> {
  const { through = (store) => store, running, sync } = options;
  const left = (kept: string | Uint8Array) => watch.see(`the ${mode} database`, kept);
  const settings = { clock: running?.[mode] ?? clock, mode, log, left, site, sync };
  const timed = running === undefined ? settings : { ...settings, time: "database" as const };
  return through(await openTemporaryStore(timed));
}

/** A new service on the engine of this process, with clocks that stand still and a key for each permission level. */
export async function openTestApp(options: Options = {}) {
  const clocks = { live: manualClock(start), test: manualClock(start) };
  const watch = new Watch();
  const log = watch.log();
  const open = (mode: Environment) =>
    openStore(mode, options, { clock: clocks[mode], watch, log, site: () => service });
  const [live, test] = [await open("live"), await open("test")];
  const service: Service = serviceOn({ live, test }, log, options);
  await begin(live, test);
  if (options.example_address !== true) await settle(live);
  const app = createApp(service);
  // All apps have the same routes. A schema is compiled when first used, since most tests use few of them.
  checker ??= answerChecker(app);
  const checkAnswer = checker;
  const keys = { live: await keysOf(service, "live"), test: await keysOf(service, "test") };
  keepSecrets(watch, service, keys);

  /** Sends one request through the app. `key` is a key's text, or null for none. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    { merchant, headers = {}, key = usualKey(keys, headers) }: Caller = {},
  ): Promise<Answered> {
    const sent = isSent(body) ? body : JSON.stringify(body);
    const response = await app.handle(
      new Request(addressOf(path), {
        method,
        headers: { ...usualHeaders(key, sent), ...(merchant && { "packhouse-merchant": merchant }), ...headers },
        ...(sent === undefined ? {} : { body: sent }),
      }),
    );
    const { status } = response;
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    watch.exchange({ method, path, sent: String(sent ?? ""), status, answer: text, headers: response.headers });
    checkAnswer(method, path, { status, type, text });
    const json = /json/.test(type);
    return { status, body: json ? JSON.parse(text) : text, headers: response.headers };
  }

  const takeEvents = eventTaker(service, "live");
  let is_open = true;

  return {
    app,
    service,
    clocks,
    keys,
    watch,
    call,
    get: (path: string) => call("GET", path),
    post: (path: string, body: unknown = {}) => call("POST", path, body),
    patch: (path: string, body: unknown) => call("PATCH", path, body),
    ...insistent(call),
    ...readings(call, takeEvents, live),
    /** Runs the woken jobs of both stores, like the schedule, until none is due by the still clocks. */
    runJobs: jobRunner(service),
    isOpen: () => is_open,
    /** Deletes the stores. Throws if an output contained a secret known to the watch. */
    close: async () => {
      if (!is_open) return;
      is_open = false;
      await live.close();
      await test.close();
      watch.end();
    },
  };
}
export type TestApp = Awaited<ReturnType<typeof openTestApp>>;

/** Lookups that many tests use. */
function readings(call: Call, takeEvents: ReturnType<typeof eventTaker>, live: Store) {
  return {
    /** The events stored since the last call, oldest first. */
    takeEvents,
    /** The types of the events since the last call. */
    takeTypes: async () => (await takeEvents()).map(({ type }) => type),
    /** The events since the last call, each as its type and the SKU it is about. */
    takeStockEvents: async () => (await takeEvents()).map(({ type, data }) => `${type} ${data["sku"]}`),
    stockOf: async (sku: string) => (await call("GET", `/inventory/${encodeURIComponent(sku)}`)).body.data,
    /** Expects the data to pass `packhouse verify`. */
    expectVerified: async () => expect(await live.read(verifyStore)).toEqual([]),
  };
}

interface AppSettings extends Options {
  /** False if the tests store data that no command would leave. */
  readonly verified?: boolean;
}

/**
 * A new service that closes itself, after its live data has passed `packhouse verify`: after the tests of the file, or
 * after the test if a test or `beforeEach` opens it. Do not open one in `beforeAll`: it closes as soon as that returns.
 */
export async function openApp({ verified = true, ...options }: AppSettings = {}) {
  const app = await openTestApp(options);
  afterAll(async () => {
    try {
      if (verified && app.isOpen()) await app.expectVerified();
    } finally {
      await app.close();
    }
  });
  return app;
}

/** The caller of a request: a key other than the default, or a merchant. */
export interface Caller {
  readonly key?: string | null;
  readonly merchant?: string | undefined;
  readonly headers?: Record<string, string>;
}

type Call = (method: string, path: string, body?: unknown, by?: Caller) => Promise<Answered>;

/** Calls that throw unless they succeed. */
function insistent(call: Call) {
  /** Sends a request that must succeed. Returns the response's `data`, or the whole body if it has none. */
  async function must(method: string, path: string, body?: unknown, by: Caller = {}): Promise<Answered["body"]> {
    const { status, body: received } = await call(method, path, method === "GET" ? undefined : body, by);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(received)}`);
    return received?.data ?? received;
  }
  return {
    must,
    /** A POST that must succeed. */
    create: (path: string, body: unknown = {}, by: Caller = {}) => must("POST", path, body, by),
    /** A GET that must succeed. */
    read: (path: string, by: Caller = {}) => must("GET", path, undefined, by),
    /** Creates a product named after its SKU. */
    product: (sku: string, fields: object = {}, by: Caller = {}) =>
      must("POST", "/products", { sku, name: sku, ...fields }, by) as Promise<{ id: string; sku: string }>,
    /** Adds units of a SKU to the stock. */
    stock: (sku: string, quantity: number, fields: object = {}, by: Caller = {}) =>
      must("POST", "/inventory", { sku, quantity, ...fields }, by),
    /** Creates a merchant and a full-access key for it. */
    async merchant(code: string, fields: object = {}) {
      const { id } = await must("POST", "/merchants", { code, name: code, ...fields });
      const { key } = await must("POST", "/keys", { name: code, permission: "full", merchant_id: code });
      return { id: id as string, key: key as string };
    },
  };
}

/** Replaces the example address of the first warehouse, since live labels require a real one. */
async function settle(live: Store): Promise<void> {
  await live.write(async (tx) => {
    const [first] = await tx.sql.select().from(warehouses);
    if (first === undefined) return;
    const address = { ...first.address, address_line1: "1200 Depot Street" };
    await tx.sql.update(warehouses).set({ address });
  });
}

/** A request with a session cookie needs no key. */
const usualKey = ({ live }: Record<Environment, Keys>, headers: Record<string, string>) =>
  headers["cookie"] === undefined ? live.full : null;

type SentBody = string | Uint8Array<ArrayBuffer> | undefined;

/** Whether a body is sent as it is, and not as JSON. */
const isSent = (body: unknown): body is SentBody =>
  body === undefined || typeof body === "string" || body instanceof Uint8Array;

/** The default headers of a request: its key, and JSON as content type. */
const usualHeaders = (key: string | null, sent: SentBody): Record<string, string> => ({
  ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  ...(sent === undefined ? {} : { "content-type": "application/json" }),
});

type Keys = Readonly<Record<KeyLevel, string>>;

/** Registers the initial secrets of a service with the watch. */
function keepSecrets(watch: Watch, { secret_key, mail }: Service, { live, test }: Record<Environment, Keys>): void {
  watch.keep("the secret key", secret_key);
  if (mail !== null) watch.keep("the password of the mail server", decodeURIComponent(new URL(mail.url).password));
  for (const key of Object.values(live)) watch.keep("an API key", key);
  for (const key of Object.values(test)) watch.keep("a key of the sandbox", key);
}

async function keysOf(service: Service, mode: Environment): Promise<Keys> {
  return await service.stores[mode].write(async (tx) => {
    const make = async (permission: KeyLevel) => {
      const random = crypto.getRandomValues(new Uint8Array(96));
      const { text } = await createKey(tx, { name: permission, permission, rate_limit_per_minute: 0 }, random);
      return text;
    };
    return { read: await make("read"), read_write: await make("read_write"), full: await make("full") };
  });
}

function eventTaker(service: Service, mode: Environment) {
  let taken = 0;
  return async (): Promise<{ type: string; data: Record<string, unknown> }[]> => {
    const rows = await service.stores[mode].read((db) => listEventsAfter(db, taken));
    taken = rows.at(-1)?.seq ?? taken;
    // An erasure may have dropped an event's payload.
    return rows.flatMap(({ body, previous }) => {
      if (body === "") return [];
      const event = JSON.parse(body);
      checkEvent(event, JSON.parse(previous ?? "{}"));
      return event;
    });
  };
}

const eventChecks = new Map<EventType, TypeCheck<TSchema>>();

/** Checks an event and its previous attributes against the schema that `GET /event_types` publishes for it. */
function checkEvent(event: { readonly type: EventType; readonly data: object }, previous_attributes: object): void {
  const { type, data } = event;
  const { data: Data, previous: Previous } = eventDescriptions[type];
  const check = eventChecks.get(type) ?? TypeCompiler.Compile(secondEventSchema(type, Data, Previous));
  eventChecks.set(type, check);
  const second = { ...event, api_version: "v1", sequence: 1, data: { ...data, previous_attributes } };
  if (check.Check(second)) return;
  const wrong = [...check.Errors(second)].slice(0, 5).map((error) => `${error.path}: ${error.message}`);
  throw new Error(`an event ${type} is off its schema: ${wrong.join("; ")}`);
}

function jobRunner(service: Service): () => Promise<void> {
  const stores = Object.values(service.stores).map((store) => {
    const due = new Map<JobName, number>();
    store.onWake((job, at) => due.set(job, Math.min(at, due.get(job) ?? at)));
    return { store, due };
  });
  return async () => {
    for (const { store, due } of stores) {
      const now = store.clock.now();
      for (const name of jobNames) due.set(name, now);
      for (;;) {
        const next = jobNames.find((name) => (due.get(name) ?? Number.POSITIVE_INFINITY) <= now);
        if (next === undefined) break;
        due.delete(next);
        const { job, settle } = triggeredJobs[next];
        const at = await job(store, service);
        await settle?.(store);
        if (at !== null) due.set(next, Math.min(at, due.get(next) ?? at));
      }
    }
  };
}

FormatRegistry.Set("date-time", (text) => !Number.isNaN(Date.parse(text)));

/** Checks that a route refuses only with codes that the reference lists for it. */
function refusalChecker(app: ReturnType<typeof createApp>) {
  const routes = new Memoirist<ReadonlySet<string>>();
  for (const operation of operationsOf(app.routes)) {
    routes.add(operation.method.toUpperCase(), operation.path.replace(/\{(\w+)\}/g, ":$1"), refusalsOf(operation));
  }
  return (method: string, path: string, text: string): void => {
    const codes = routes.find(method, path.split("?")[0] ?? "")?.store;
    const body = text === "" ? {} : JSON.parse(text);
    const code = body.error?.code ?? body.code;
    // An unknown route is not in the reference.
    if (codes === undefined || codes.has(code) || code === "route_not_found" || code === undefined) return;
    throw new Error(`${method} ${path} refused with ${code}, which the reference does not tell of`);
  };
}

/** Checks every successful response against the schema that its route declares. Undocumented responses fail. */
function answerChecker(app: ReturnType<typeof createApp>) {
  const checkRefusal = refusalChecker(app);
  const checks = new Map<TSchema, TypeCheck<TSchema>>();
  const routes = new Memoirist<{ answers: Record<number, TSchema | null>; documents: readonly string[] }>();
  for (const { method, path, hooks } of app.routes) {
    const { answers = {}, documents = [] } =
      (hooks.detail as { answers?: Record<number, TSchema | null>; documents?: readonly string[] } | undefined) ?? {};
    routes.add(method, path.replace(/^\/v1/, ""), { answers, documents });
  }
  return (
    method: string,
    path: string,
    { status, type, text }: { status: number; type: string; text: string },
  ): void => {
    if (status >= 400 && /json/.test(type)) checkRefusal(method, path, text);
    if (status === 304 || status >= 400 || path.startsWith("/health")) return;
    // A response with chosen fields lacks others, and one with expanded records has more than its schema.
    if (/[?&](fields|expand)=/.test(path)) return;
    const { answers = {}, documents = [] } = routes.find(method, path.split("?")[0] ?? "")?.store ?? {};
    if (!(status in answers)) throw new Error(`${method} ${path} answered ${status}, which its route does not declare`);
    if (documents.includes(type.split(";")[0] ?? "")) return;
    const schema = answers[status];
    if (!schema) return;
    const check = checks.get(schema) ?? TypeCompiler.Compile(schema);
    checks.set(schema, check);
    if (check.Check(JSON.parse(text))) return;
    const wrong = [...check.Errors(JSON.parse(text))].slice(0, 5).map((error) => `${error.path}: ${error.message}`);
    throw new Error(`${method} ${path} answered off its schema: ${wrong.join("; ")}`);
  };
}
