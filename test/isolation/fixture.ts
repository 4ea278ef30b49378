// A service with three merchants that have everything under the same names: the first one, the asking one, and another
// one, which was added last and also goes through a whole day.

import { bins } from "../../db/schema/warehouses.ts";
import { closeStorage } from "../../src/billing/storage_days.jobs.ts";
import type { Environment } from "../../src/core/environment.ts";
import { environments } from "../../src/core/environment.ts";
import { readId } from "../../src/core/ids.ts";
import { day_ms } from "../../src/core/time.ts";
import { operationsOf } from "../../src/server/openapi/description.ts";
import type { Db } from "../../src/storage/database.ts";
import { openTestApp, type TestApp } from "../build/service.ts";
import { type Person, signedInAs } from "../identity/people.ts";
import { openHouse, type Supplies } from "../server/openapi/fuzz/supplies.ts";
import { tellStory } from "../server/openapi/story/story.ts";
import { openMailServer } from "../webhooks/mail_server.ts";
import { type More, makeMore, takeBack } from "./extra_records.ts";
import { Names } from "./names.ts";
import { openSeam, type Seam } from "./rollback_store.ts";
import { allRows, newRows, type Rows } from "./table_rows.ts";

/** The merchants by code: the operator's first, the asking one, and the one that no other may see. */
export const codes = ["MAIN", "BETA", "ALFA"] as const;
export type Code = (typeof codes)[number];
type Level = "full" | "read_write" | "read";

/** What a merchant has. */
export interface Owned {
  readonly id: string;
  readonly names: Names;
  /** How each operation can be called with its records. */
  readonly ready: Supplies;
  /** Values that fit a place, by operation and word, where not every value does. */
  readonly mine: More["mine"];
  readonly keys: Readonly<Record<Environment, Readonly<Record<Level, string>>>>;
  /** The headers of a signed-in user of the merchant. */
  readonly person: Readonly<Record<string, string>>;
}

/** A response as received. */
export interface Told {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** The path below the version, with its query. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A key's text, or null for none. */
  readonly key: string | null;
}

export interface Fixture {
  readonly app: TestApp;
  readonly seam: Seam;
  readonly merchants: Readonly<Record<Code, Owned>>;
  /** The rows of each environment that do not belong to the asking merchant. */
  readonly foreign: Readonly<Record<Environment, Rows>>;
  /** The asking merchant's responses before there was another merchant, by request. */
  readonly before: ReadonlyMap<string, Told>;
  /** What everyone may see of the operator: the names of its warehouses, and its keys that act for merchants. */
  readonly shared: ReadonlySet<string>;
  /** The codes of all bins. Only the operator may see them. */
  readonly bins: ReadonlySet<string>;
  /** What the receivers of each merchant were sent. */
  readonly sent: Readonly<Record<Code, string[]>>;
  ask(asked: Asked): Promise<Told>;
  close(): Promise<void>;
}

const beside = /^\/(health|metrics(?!\/)|t\/)/;

/** Opens the service. `first` sends requests as the second merchant, before there is a third. */
export async function openFixture(
  first: (ask: Fixture["ask"], own: Owned, app: TestApp) => Promise<ReadonlyMap<string, Told>>,
): Promise<Fixture> {
  const seam = openSeam();
  const mails = await openMailServer();
  const mail = { url: mails.url, from: "packhouse@example.com", to: "ops@example.com" };
  const app = await openTestApp({ mail, through: seam.through, merchant_allow_cidrs: ["127.0.0.0/8", "::1/128"] });
  const sent = { MAIN: [] as string[], BETA: [] as string[], ALFA: [] as string[] };
  const near = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const [, code] = new URL(request.url).pathname.split("/");
      sent[code as Code]?.push(await request.text());
      return new Response(null, { status: request.url.endsWith("/gone") ? 410 : 204 });
    },
  });
  for (const code of codes.slice(1)) {
    const made = await app.post("/merchants", { code, name: `Merchant ${code}`, may_buy_labels: true });
    if (made.status !== 201) throw new Error(`no merchant ${code}: ${JSON.stringify(made.body)}`);
  }
  await app.runJobs();
  for (const mode of environments) await shareBins(app, mode);
  const ask = async (asked: Asked): Promise<Told> => {
    const told = await answerOf(app, asked);
    // A crash also differs from the expected response, but it is not the planted leak.
    if (seam.leak !== null && told.status >= 500)
      throw new Error(`a planted leak broke ${asked.method} ${asked.path}: ${told.status} ${told.text}`);
    return told;
  };
  const told = new Map<Code, Owned>();
  const rows = new Map<Environment, Map<string, Map<string, string>>>();
  const receiver = (code: Code) => `http://localhost:${near.port}/${code}`;
  let before: ReadonlyMap<string, Told> = new Map();
  for (const code of codes) {
    const old = await rowsOf(app);
    const owned = await settle(app, code, receiver(code));
    told.set(code, owned);
    await app.runJobs();
    if (code === "BETA") {
      await endDay(app);
      before = await first(ask, owned, app);
    }
    const now = await rowsOf(app);
    for (const mode of environments) keepForeign(rows, mode, code, newRows(old[mode], now[mode]), owned.id);
  }
  const merchants = Object.fromEntries(told) as Record<Code, Owned>;
  for (const owned of told.values()) await quote(app, owned);
  const now = await rowsOf(app);
  const foreign = { live: settled(rows, "live", now.live), test: settled(rows, "test", now.test) };
  const shared = await sharedBy(app);
  const codes_of_bins = await Promise.all(environments.map((mode) => app.service.stores[mode].read(listBinCodes)));
  const close = async () => {
    await near.stop(true);
    mails.stop();
    await app.close();
  };
  return { app, seam, merchants, foreign, before, shared, bins: new Set(codes_of_bins.flat()), sent, ask, close };
}

/** Gives a merchant quotes for a label of its own. They expire after a few minutes. */
async function quote(app: TestApp, { ready, keys, names }: Owned): Promise<void> {
  const { order_id } = { ...(ready["createLabel"]?.body as { readonly order_id?: string } | undefined) };
  const { body } = await app.call("POST", "/shipping/rates", { order_id, weight: 5 }, { key: keys.live.full });
  names.learn(body.data.rates.map(({ quote_id }: { readonly quote_id: string }) => quote_id));
}

/** Closes the day's storage, with the clocks set to the end of the day for a moment. */
async function endDay(app: TestApp): Promise<void> {
  for (const mode of environments) {
    app.clocks[mode].step(day_ms);
    await closeStorage(app.service.stores[mode], app.service);
    app.clocks[mode].step(-day_ms);
  }
}

/** Makes merchants share the bins of the first warehouse: units without a bin are put there. */
async function shareBins(app: TestApp, mode: Environment): Promise<void> {
  const key = app.keys[mode].full;
  const { body } = await app.call("GET", "/inventory/locations", undefined, { key });
  const [{ warehouse_id, location_zones }] = body.data;
  const zones = location_zones.map(({ zone_id, temperature_zone, bins }: Zone) => ({
    zone_id,
    temperature_zone,
    bins: bins.map(({ code }) => ({ code, mix_merchants: true })),
  }));
  const path = `/inventory/locations/${warehouse_id}`;
  const { status } = await app.call("PATCH", path, { location_zones: zones }, { key });
  if (status !== 200) throw new Error(`bins are not shared: ${status}`);
}

interface Zone {
  readonly zone_id: string;
  readonly temperature_zone: string;
  readonly bins: readonly { readonly code: string }[];
}

/** Gives a merchant a record of everything, and the last one a whole day. */
async function settle(app: TestApp, code: Code, receiver: string): Promise<Owned> {
  const names = new Names();
  const id = `mer_${code === "MAIN" ? 1 : 1000 + codes.indexOf(code)}`;
  const call: TestApp["call"] = async (method, path, body, options = {}) => {
    const isOfMerchants =
      !/^\/(merchants|users|invitations|audit|mail)\b/.test(path) && options.key !== null && !namesOwner(body);
    const headers = { ...(isOfMerchants && { "packhouse-merchant": code }), ...options.headers };
    const answer = await app.call(method, path, body, { ...options, headers });
    if (answer.status < 300 && isOfMerchants && owns.test(path)) names.learn([body, answer.body]);
    return answer;
  };
  const own = { ...app, call, post: (path: string, body: unknown = {}) => call("POST", path, body) };
  const keys = { live: await keysOf(own, "live"), test: await keysOf(own, "test") };
  const { headers } = await makePeople(app, code, id, keys.live.full, names);
  const house = await openHouse(own, receiver, code);
  const supplies = await house.supply();
  const { ready, mine } = await makeMore(own, code, receiver, supplies, names);
  const acted = await takeBack(own, { key: keys.live.full, headers }, supplies);
  if (code === "ALFA") await tellStory(own);
  return { id, names, ready: { ...supplies, ...ready }, mine: { ...mine, ...acted }, keys, person: headers };
}

/** Whether a body itself names the owner of its data. */
const namesOwner = (body: unknown) =>
  typeof body === "object" && body !== null && ("merchant_id" in body || "from_merchant_id" in body);

/** A user of a merchant, and a user whom it has invited. */
async function makePeople(app: TestApp, code: Code, id: string, key: string, names: Names): Promise<Person> {
  const person = await signedInAs(app.service, "office", `Office ${code}`, readId("merchant", id));
  const email = `asked@${code.toLowerCase()}.example`;
  const { status, body } = await app.call("POST", "/invitations", { email, role: "office" }, { key });
  if (status !== 201) throw new Error(`nobody is asked: ${JSON.stringify(body)}`);
  names.learn([body, (await app.call("GET", "/users", undefined, { key })).body]);
  const sessions = await app.call("GET", "/users/me/sessions", undefined, { key: null, headers: person.headers });
  names.learn(sessions.body);
  return person;
}

/** The paths of a merchant's data. The rest is the operator's: warehouses, bins, carriers and counts. */
const nouns =
  "orders|products|customers|files|returns|shipments|tracking|platforms|webhooks|notices|events|keys|imports";
const owns = new RegExp(`^/(${nouns}|inventory(?!/(locations|bins|counts))|shipping/labels)`);

async function keysOf(app: Pick<TestApp, "call" | "keys" | "watch">, mode: Environment) {
  const make = async (permission: Level) => {
    const key = app.keys[mode].full;
    const { body } = await app.call(
      "POST",
      "/keys",
      { name: `own ${permission}`, permission, rate_limit_per_minute: 0 },
      { key },
    );
    return body.data.key as string;
  };
  return { full: await make("full"), read_write: await make("read_write"), read: await make("read") };
}

async function answerOf(app: TestApp, { method, path, body, headers = {}, key }: Asked): Promise<Told> {
  const url = `http://packhouse.test${beside.test(path) ? path : `/v1${path}`}`;
  const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const response = await app.app.handle(
    new Request(url, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(sent === undefined ? {} : { "content-type": typeof body === "string" ? "text/csv" : "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    }),
  );
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const listBinCodes = async ({ sql }: Db): Promise<string[]> =>
  (await sql.select({ code: bins.code }).from(bins)).map(({ code }) => code);

async function sharedBy(app: TestApp): Promise<ReadonlySet<string>> {
  const buildings = (await app.get("/inventory/locations")).body.data as Building[];
  const keys = (await app.get("/keys?limit=100")).body.data as { id: string; merchant_id: string | null }[];
  const ofHouse = keys.filter(({ merchant_id }) => merchant_id === null);
  return new Set([
    ...buildings.flatMap(({ name, address }) => [name, address.address_line1]),
    ...ofHouse.map(({ id }) => id),
  ]);
}

interface Building {
  readonly name: string;
  readonly address: { readonly address_line1: string };
}

async function rowsOf({ service }: TestApp): Promise<Record<Environment, Rows>> {
  return { live: await service.stores.live.read(allRows), test: await service.stores.test.read(allRows) };
}

/** Collects the rows that are not the asking merchant's: those that name their owner, and those that came with them. */
function keepForeign(
  all: Map<Environment, Map<string, Map<string, string>>>,
  mode: Environment,
  code: Code,
  rows: Rows,
  id: string,
): void {
  const kept = all.get(mode) ?? new Map<string, Map<string, string>>();
  all.set(mode, kept);
  for (const [table, found] of rows) {
    const foreign = kept.get(table) ?? new Map<string, string>();
    kept.set(table, foreign);
    for (const [key, text] of found) {
      const { merchant_id } = JSON.parse(text) as { merchant_id?: number | null };
      const isOwn = merchant_id == null ? code === "BETA" : code === "BETA" && `mer_${merchant_id}` === id;
      if (!isOwn) foreign.set(key, text);
    }
  }
}

function settled(all: Map<Environment, Map<string, Map<string, string>>>, mode: Environment, now: Rows): Rows {
  const kept = all.get(mode) ?? new Map<string, Map<string, string>>();
  return new Map(
    [...now].map(([table, rows]) => [table, new Map([...rows].filter(([key]) => kept.get(table)?.has(key)))]),
  );
}

/** The operations of the service by id, with the permission they need. */
export const needsOf = (app: TestApp) => new Map(operationsOf(app.app.routes).map((one) => [one.id, one]));
