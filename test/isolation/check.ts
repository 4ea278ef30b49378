// The isolation check: one merchant calls each operation with ids that only others own. The response must be the one
// for unknown ids and contain no data of others, and no row of others may change.

import type { Environment } from "../../src/core/environment.ts";
import { mayMerchant } from "../../src/http/auth/merchant_permissions.ts";
import examples from "../../src/server/openapi/examples.json";
import type { Example } from "../../src/server/openapi/operation.ts";
import type { TestApp } from "../build/service.ts";
import { type Document, operationsIn, type ShownOperation } from "../server/openapi/fuzz/check_response.ts";
import type { Ready } from "../server/openapi/fuzz/supplies.ts";
import { type Asked, type Fixture, needsOf, type Owned, type Told } from "./fixture.ts";
import { type Place, placesOf, put } from "./identifier_fields.ts";
import { differenceOf, plain, strangers, unknownOf, wholeOf } from "./response_words.ts";
import { allRows, changesOf, contentsOf, writtenTables } from "./table_rows.ts";

/** An operation to check. */
export interface Checked extends ShownOperation {
  readonly mode: Environment;
  /** Whether merchants may use it. */
  readonly open: boolean;
  readonly need: string;
  readonly places: readonly Place[];
}

/** The operations in the OpenAPI document. */
export async function checkedOf(app: TestApp): Promise<Checked[]> {
  const answer = await app.app.handle(new Request("http://packhouse.test/openapi.json"));
  const document = (await answer.json()) as Document;
  const needs = needsOf(app);
  return operationsIn(document).map((operation) => {
    const need = needs.get(operation.operationId)?.need ?? "none";
    const open = mayMerchant({ id: operation.operationId, need }, { may_buy_labels: true });
    // Receivers in the test environment may be local.
    const mode = /^\/(?:webhooks(?!\/\w+\/orders)|notices)/.test(operation.path) ? "test" : "live";
    return { ...operation, need, open, mode, places: open ? placesOf(operation, document) : [] };
  });
}

/** A request before its places are filled. */
interface Base {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How a merchant calls an operation with its own records. */
export function baseOf(operation: Checked, owned: Owned): Base {
  const { ready, names } = owned;
  const given: Ready = ready[operation.operationId] ?? {};
  const example: Example = (examples as Readonly<Record<string, Example>>)[operation.operationId] ?? ({} as Example);
  const path: Record<string, string> = {};
  for (const { in: where, steps, word } of operation.places) {
    const [name = ""] = steps;
    const mine = owned.mine[`${operation.operationId} ${word}`];
    if (where === "path") path[name] = given.path?.[name] ?? mine ?? names.of(word).at(-1) ?? "none";
  }
  const query = given.query ?? usual_queries[operation.operationId] ?? daysOf(operation);
  const hasBody = operation.requestBody !== undefined;
  const body = hasBody ? (given.body ?? transposed(example.body ?? {}, names)) : undefined;
  return { path: { ...example.path, ...given.path, ...path }, query, body };
}

/** Required query parameters. */
const usual_queries: Readonly<Record<string, Base["query"]>> = {
  searchAll: { q: "EQUAL" },
  explainZone: { from: "97201", to: "10001" },
  mapZones: { from: "97201", service: "standard" },
};

/** The period of a report. */
function daysOf({ path, parameters }: Checked): Base["query"] {
  const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  const isOfDays = path.startsWith("/reports") && names.includes("from") && names.includes("to");
  return isOfDays ? { from: "2025-12-20", to: "2026-01-03" } : {};
}

/** An example with its ids replaced by a merchant's. */
function transposed(value: unknown, names: Owned["names"], field = ""): unknown {
  if (typeof value === "string") {
    const prefix = /^([a-z]{3})_\d+$/.exec(value)?.[1] ?? (field === "sku" ? "sku" : "");
    return names.of(prefix).at(-1) ?? value;
  }
  if (Array.isArray(value)) return value.map((item) => transposed(item, names, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, transposed(inner, names, name)]));
}

/** The request of an operation, with another value in one place. */
export function requestOf(operation: Checked, base: Base, key: string, place?: Place, value = ""): Asked {
  const path = place?.in === "path" ? { ...base.path, [place.steps[0] ?? ""]: value } : base.path;
  const query = place?.in === "query" ? { ...base.query, [place.steps[0] ?? ""]: value } : base.query;
  const body = place?.in === "body" ? put(base.body, place.steps, value) : base.body;
  const below = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? "none"));
  const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
  return { method: operation.method.toUpperCase(), path: below + search, body, key };
}

/** Every read by a merchant: each GET operation, with its own records. */
export function looksOf(operations: readonly Checked[], own: Owned): Asked[] {
  return operations
    .filter(({ method, open, need }) => method === "get" && open && need !== "none" && need !== "user")
    .flatMap((operation) => {
      const base = baseOf(operation, own);
      const expanded = expansionsOf(operation).map((expand) => ({ ...base, query: { ...base.query, expand } }));
      const bases = [base, ...expanded];
      return bases.map((one) => requestOf(operation, one, own.keys[operation.mode].full));
    });
}

/**
 * The records that a response can include: all at once, except merchants, which only the operator may read, and
 * warehouses, which may have changed.
 */
function expansionsOf({ parameters }: Checked): string[] {
  const { schema } = parameters.find(({ name }) => name === "expand") ?? {};
  const names = schema?.items?.enum ?? [];
  const others = names.filter((name) => name !== "merchant" && name !== "warehouse");
  return [others.join(), ...names.filter((name) => name === "warehouse")].filter((expand) => expand !== "");
}

/** Responses that may have changed: the operator has added warehouses and carriers, and a day has passed. */
const changing =
  /^\/(inventory\/locations|overview|shipping\/(carriers|zones|holidays)|billing\/storage|reports\/stock)/;

/** Operations that show examples to everyone. */
export const published = /^\/(event_types|errors)/;

/** The differences in what a merchant sees since another one was added. */
export async function compareLooks(fixture: Fixture, looks: readonly Asked[]): Promise<string[]> {
  const { before, ask, merchants } = fixture;
  const scan = strangers(fixture);
  const found: string[] = [];
  for (const look of looks) {
    const told = await ask(look);
    const others = published.test(look.path) ? [] : scan(wholeOf(told), look);
    if (others.length > 0) found.push(`${look.path} tells ${others.join()}`);
    if (changing.test(look.path) || look.path.includes("expand=warehouse")) continue;
    const [then, now] = [before.get(look.path), told].map((one) => one && plain(one, merchants.BETA.id));
    if (then === undefined || then !== now) found.push(`${look.path}: ${differenceOf(now ?? "", then ?? "")}`);
  }
  return found;
}

/** The result of a check. */
export interface Findings {
  cases: number;
  readonly leaks: string[];
  /** Places whose value has no effect, so their cases prove nothing. */
  readonly silent: string[];
}

/** Checks operations with the keys of the asking merchant. */
export async function check(fixture: Fixture, operations: readonly Checked[]): Promise<Findings> {
  const findings: Findings = { cases: 0, leaks: [], silent: [] };
  const { seam, foreign } = fixture;
  const { live, test } = fixture.app.service.stores;
  const before = { live: await live.read(contentsOf), test: await test.read(contentsOf) };
  const scan = strangers(fixture);
  let current = "";
  seam.judge = async (store, tx) => {
    const written = await writtenTables(tx, before[store.mode]);
    for (const change of changesOf(foreign[store.mode], await allRows(tx, written)))
      findings.leaks.push(`${current}: ${change}`);
  };
  const ask = async (what: string, asked: Asked): Promise<Told> => {
    current = what;
    findings.cases += 1;
    const told = await fixture.ask(asked);
    // An operation of several transactions cannot find the result of its first one, which was rolled back.
    if (told.status >= 500 && !/ own /.test(what))
      findings.leaks.push(`${what}: ${told.status} ${told.text.slice(0, 300)}`);
    for (const name of scan(wholeOf(told), asked)) findings.leaks.push(`${what} tells ${name}`);
    return told;
  };
  try {
    for (const operation of operations) {
      if (operation.open) await checkOpen(fixture, operation, ask, findings);
      else await checkClosed(fixture, operation, ask, findings);
    }
  } finally {
    seam.judge = null;
  }
  return findings;
}

type Ask = (what: string, asked: Asked) => Promise<Told>;

/** An operation closed to merchants is refused in the same way, whatever the request names. */
async function checkClosed(fixture: Fixture, operation: Checked, ask: Ask, findings: Findings): Promise<void> {
  const { BETA, ALFA } = fixture.merchants;
  const key = BETA.keys[operation.mode].full;
  for (const owned of [BETA, ALFA]) {
    const what = `${operation.operationId} with what ${owned.id} has`;
    const { text, status } = await ask(what, requestOf(operation, baseOf(operation, owned), key));
    // Keys cannot sign in.
    const isRefused = operation.need === "user" || text.includes("not_for_merchants");
    if (status !== 403 || !isRefused) findings.leaks.push(`${what}: ${status} ${text.slice(0, 200)}`);
  }
}

async function checkOpen(fixture: Fixture, operation: Checked, ask: Ask, findings: Findings): Promise<void> {
  const own = fixture.merchants.BETA;
  const base = baseOf(operation, own);
  const { operationId, mode, method, places, need } = operation;
  const by_people = need === "user";
  // Once as usual, since not every operation has a place for an id.
  const usual = requestOf(operation, base, own.keys[mode].full);
  if (need !== "none" && !by_people && !published.test(usual.path)) await ask(`${operationId} own records`, usual);
  const levels = by_people ? of_people : method === "get" ? readers : writers;
  for (const place of [...places, ...(need === "none" ? [] : [header])]) {
    const what = `${operationId} ${place.in} ${place.steps.join(".")}`;
    const send = (name: string, value: string, key: string) => {
      const asked = requestOf(operation, base, key, place, value);
      const headers = { ...(by_people && own.person), ...(place === header && { "packhouse-merchant": value }) };
      return ask(`${what} ${name} ${value}`, { ...asked, headers, ...(by_people && { key: null }) });
    };
    const foreign = await foreignOf(fixture, operation, place);
    for (const level of levels) {
      const key = own.keys[mode][level];
      let unknown = null as { sent: string; told: Told } | null;
      for (const value of foreign) {
        const sent = unknownOf(place.word, value);
        if (unknown?.sent !== sent) unknown = { sent, told: await send("unknown", sent, key) };
        const told = await send("foreign", value, key);
        const [got, expected] = [plain(told, value), plain(unknown.told, sent)];
        if (got !== expected) findings.leaks.push(`${what} ${value} as ${level}: ${differenceOf(got, expected)}`);
      }
      if (level !== "full" || place === header) continue;
      const said = unknown === null ? null : plain(unknown.told, unknown.sent);
      let isHeard = place.word === "cursor" || same_for_all.has(what);
      for (const mine of isHeard ? [] : ownOf(operation, own, place)) {
        isHeard ||= said !== null && plain(await send("own", mine, key), mine) !== said;
        if (isHeard) break;
      }
      if (!isHeard) findings.silent.push(`${what} (${place.word}): ${said?.slice(0, 300)}`);
    }
  }
}

const readers = ["full", "read"] as const;
const writers = ["full", "read_write"] as const;
/** Operations for users only are called without a key. */
const of_people = ["full"] as const;

/** Places whose text refers to no record: it is always accepted, or always refused. */
const same_for_all = new Set([
  "updateOrder body order_number",
  "updateProduct body sku",
  "updatePlatform body store_id",
  "updatePlatformStock body locations.[].external_id",
  "bigcommerceOrder body store_id",
  "createReceipt body items.[].lot_number",
  "createReceipt body tracking_number",
  "updateReceipt body tracking_number",
  "createReturn body customer_email",
  "createWebhook body merchants.[]",
  "updateWebhook body merchants.[]",
  "updateReturn body customer_email",
  // These calls are about bundles, which have no packs.
  "createProduct body packs.[].barcode",
  "updateProduct body packs.[].barcode",
  // Merchants cannot list documents, so they know of none.
  "followDocumentLink path id",
]);

const header: Place = { in: "query", steps: ["Packhouse-Merchant"], word: "merchant" };

/** Values that fit a place and belong only to others. */
async function foreignOf(fixture: Fixture, operation: Checked, place: Place): Promise<string[]> {
  const { ALFA, MAIN, BETA } = fixture.merchants;
  if (place.word === "merchant") return ["ALFA", ALFA.id, "MAIN", MAIN.id];
  if (place.word === "cursor") return cursorsOf(fixture, operation);
  if (place.word === "producer") return ["stores/k3v9x2"];
  const mine = new Set(BETA.names.of(place.word));
  if (place.word === "search") return searched.flatMap((word) => unlike(ALFA.names.of(word), BETA).slice(0, 2));
  const of = (owned: Owned) => {
    // Carriers' tracking numbers are recognized by their form.
    const isOfCarrier = (name: string) => place.word === "tracking_number" && /^(1Z|94)/.test(name);
    const all = owned.names.of(place.word).filter((name) => !mine.has(name) && !isOfCarrier(name));
    const given = place.in === "path" ? owned.ready[operation.operationId]?.path?.[place.steps[0] ?? ""] : undefined;
    return [...(given !== undefined && all.includes(given) ? [given] : []), ...all.slice(0, 1), ...all.slice(-1)];
  };
  // The merchant sees any user or key of the operator as the operator.
  const of_house = place.steps[0] === "actor" ? [...fixture.shared].filter((name) => name.startsWith("key_")) : [];
  const found = [...of(ALFA), ...of(MAIN).slice(0, 1), ...of_house];
  const [first] = found;
  const digits = /^[a-z]{3}_(\d+)$/.exec(first ?? "")?.[1];
  // The number in an id of another merchant may be that of an own record of another type, but never of the same type.
  return [...new Set([...found, ...(digits === undefined ? [] : [digits])])];
}

/** The names that a search covers. */
const searched = [
  ...["ord", "order_number", "sku", "name", "value", "email", "last_name", "company", "tracking_number", "lot_number"],
  ...["lot", "lbl", "ret", "cus", "prd", "shp", "rcv", "trf", "supplier"],
];

/** The names that a merchant does not have. */
function unlike(names: readonly string[], { names: own }: Owned): string[] {
  const mine = own.all();
  return names.filter((name) => !mine.has(name));
}

async function cursorsOf(fixture: Fixture, operation: Checked): Promise<string[]> {
  const { ALFA } = fixture.merchants;
  const place: Place = { in: "query", steps: ["limit"], word: "" };
  const asked = requestOf(operation, baseOf(operation, ALFA), ALFA.keys[operation.mode].full, place, "1");
  const { text } = await fixture.ask(asked);
  const { next_cursor } = JSON.parse(text).meta?.pagination ?? {};
  return next_cursor ? [next_cursor] : [];
}

/** Values that fit a place and belong to the merchant: of many, some of the first and the last. */
function ownOf({ operationId }: Checked, own: Owned, place: Place): string[] {
  if (place.word === "merchant") return ["BETA", own.id];
  if (place.word === "search")
    return searched.flatMap((word) => [...own.names.of(word).slice(0, 2), ...own.names.of(word).slice(-1)]);
  const given = place.in === "path" ? own.ready[operationId]?.path?.[place.steps[0] ?? ""] : undefined;
  const all = own.names.of(place.word);
  const mine = [own.mine[`${operationId} ${place.word}`], given].filter((one) => one !== undefined);
  return [...mine, ...all.slice(-5), ...all.slice(0, 5)];
}
