// A business with varied data, so that each filter of each list separates some records from others.

import { environments } from "../../src/core/environment.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { minute_ms } from "../../src/core/time.ts";
import type { AuditedAct } from "../../src/identity/audit_log/audit_entry.ts";
import { recordAct } from "../../src/identity/audit_log/audit_log.sql.ts";
import { type Answered, openTestApp, type TestApp } from "../build/service.ts";
import { makeWork } from "./work_records.ts";

/** A record as its GET returns it, with what the test noted when creating it. */
export type Found = Answered["body"];

export interface Records {
  readonly app: TestApp;
  readonly warehouses: readonly string[];
  readonly products: Found[];
  readonly levels: Found[];
  readonly customers: Found[];
  readonly orders: Found[];
  readonly reservations: Found[];
  readonly movements: Found[];
  readonly returns: Found[];
  readonly labels: Found[];
  readonly parcels: Found[];
  readonly tracked: Found[];
  readonly manifests: Found[];
  readonly audit: Found[];
  readonly receipts: Found[];
  readonly transfers: Found[];
  readonly counts: Found[];
  readonly lots: Found[];
  readonly keys: Found[];
  readonly billed: Found[];
}

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
const firstNames = ["Ana María", "Jean-Luc", "ÖDÖN", "anna", "B", "O'Neil", null];
const lastNames = ["van der Berg", "Berg-Olsen", "Schmidt", "de la Cruz", "BERG"];
const companies = ["Harbour Kitchen & Co", "kitchen.works", null];
const phones = ["+1 (503) 555-0123", "503.555.0199", "0151 2345678", null];
const words = ["Milk", "milk tea", "50% cream", "under_score", "a*b", "[x]?", "back\\slash", "Straße", "Tea", "TEAPOT"];

/** Creates the records from a seed and reads each back with its own GET. */
export async function makeRecords(seed: number): Promise<Records> {
  const app = await openTestApp();
  const random = seededRandom(seed);
  const pass = () => app.clocks.live.advance(random.pick([0, 0, 1, minute_ms]));
  const main = "whs_1001";
  const zones = [{ zone_id: "FLOOR", temperature_zone: "ambient", bins: [{ code: "W-1" }] }];
  const second = await sent(app, "/inventory/locations", {
    name: "West",
    address: { ...address, name: "West" },
    location_zones: zones,
    timezone: "Asia/Tokyo",
    working_days: ["mon", "tue", "sun"],
    cutoff_time: "09:30",
  });
  const warehouses = [main, second.warehouse_id as string];
  const skus = await makeProducts(app, random, pass);
  await makeStock(app, random, skus, warehouses, pass);
  const customers = await makeCustomers(app, random, pass);
  const bookings = await makeBookings(app, random, skus, pass);
  const orders = await makeOrders(app, random, skus, customers, warehouses, pass);
  const returns = await makeReturns(app, random, orders, pass);
  await makeLabels(app, random, orders, returns, pass);
  await makeAudit(app, random, pass);
  await makeWork(app, random, skus, pass);
  return { app, warehouses, ...(await readAll(app, skus, customers, orders, returns, bookings)) };
}

/** The result of a POST, which must succeed unless `mayFail`. */
async function sent(app: TestApp, path: string, body: unknown, mayFail = false): Promise<Found> {
  const answer = await app.post(path, body);
  if (answer.status < 400) return answer.body.data ?? answer.body;
  if (mayFail) return null;
  throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

async function makeProducts(app: TestApp, random: Random, pass: () => void): Promise<string[]> {
  const skus: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    const word = random.pick(words);
    const sku = `${random.pick(["A", "a", "B"])}-${word}-${n}`;
    const barcodes = random.chance(0.3) ? [{ value: `CODE-${n}`, type: "other" }] : [];
    const status = random.pick(["active", "active", "inactive"]);
    await sent(app, "/products", {
      sku,
      name: random.pick(words),
      barcodes,
      reorder_point: random.integer(0, 8),
      status,
    });
    skus.push(sku);
    pass();
  }
  return skus;
}

async function makeStock(
  app: TestApp,
  random: Random,
  skus: readonly string[],
  warehouses: readonly string[],
  pass: () => void,
): Promise<void> {
  for (let n = 0; n < 70; n += 1) {
    const location = random.pick(warehouses);
    const batch = random.chance(0.3) ? { lot_number: `L-${random.integer(1, 5)}` } : {};
    const bin = random.chance(0.5) ? { bin: `BIN-${random.integer(1, 3)}` } : {};
    const how = { reason: random.pick(["received", "found", "correction"]), reference: `PO-${random.integer(1, 4)}` };
    await sent(app, "/inventory", {
      sku: random.pick(skus),
      quantity: random.integer(1, 9),
      location,
      ...batch,
      ...bin,
      ...how,
    });
    pass();
  }
}

async function makeCustomers(app: TestApp, random: Random, pass: () => void): Promise<Found[]> {
  const made: Found[] = [];
  for (let n = 0; n < 25; n += 1) {
    const fields = {
      email: `Buyer${n}@Example.com`,
      shipping_addresses: [address],
      first_name: random.pick(firstNames),
      last_name: random.pick(lastNames),
      company: random.pick(companies),
      phone: random.pick(phones),
    };
    made.push({ ...(await sent(app, "/customers", fields)), names: [] });
    pass();
  }
  // Some are renamed later. Both names can be searched for.
  for (const customer of made.slice(0, 5)) {
    const { first_name, last_name, company } = customer;
    customer.names.push(first_name, last_name, company);
    await app.patch(`/customers/${customer.id}`, { last_name: "Renamed-Once" });
  }
  return made;
}

async function makeBookings(app: TestApp, random: Random, skus: readonly string[], pass: () => void) {
  const asked = new Map<string, string[]>();
  for (let n = 0; n < 40; n += 1) {
    const items = Array.from({ length: random.integer(1, 2) }, () => ({ sku: random.pick(skus), quantity: 1 }));
    const expires_at = new Date(app.clocks.live.now() + random.integer(1, 30) * minute_ms).toISOString();
    const made = await sent(
      app,
      "/inventory/reserve",
      { order_id: `B-${random.integer(1, 6)}`, items, expires_at },
      true,
    );
    if (made === null) continue;
    asked.set(
      made.reservation_id,
      items.map(({ sku }) => sku),
    );
    if (random.chance(0.2)) await sent(app, "/inventory/release", { reservation_id: made.reservation_id });
    pass();
  }
  return asked;
}

async function makeOrders(
  app: TestApp,
  random: Random,
  skus: readonly string[],
  customers: readonly Found[],
  warehouses: readonly string[],
  pass: () => void,
): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 90; n += 1) {
    const customer = random.pick(customers);
    const lines = Array.from({ length: random.integer(1, 3) }, () => {
      return { sku: random.pick(skus), quantity: random.integer(1, 2), unit_price: "5.00" };
    });
    const who = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
    const order_number = random.pick([`N-${n}`, `WEB-2026-${1000 + n}`, `r${n}`, `${n} Straße`]);
    const asked = n % 9 === 4 ? { warehouse_id: warehouses[n % 2] } : {};
    const body = { order_number, ...who, line_items: lines, priority: random.integer(0, 2), ...asked };
    if (n % 20 === 9) app.clocks.live.advance(9 * 60 * minute_ms);
    const made = await sent(app, "/orders", body, true);
    if (made === null) continue;
    ids.push(made.id);
    pass();
    const step = random.pick(["process", "ship", "ship", "ship", "ship", "hold", "cancel", "none"]);
    if (step === "cancel") await app.call("DELETE", `/orders/${made.id}`);
    else if (step === "ship") await app.post(`/orders/${made.id}/ship`, { partial: true, tracking_number: tracked(n) });
    else if (step !== "none") await app.post(`/orders/${made.id}/${step}`);
  }
  return ids;
}

/** Tracking numbers as people write them: in groups, with dashes, or plain. */
const tracked = (n: number) => [`1Z 999 AA1 ${n}`, `94-${n}-US`, `SIM${n}K`][n % 3];

async function makeReturns(app: TestApp, random: Random, orders: readonly string[], pass: () => void) {
  const ids: string[] = [];
  for (const order_id of orders) {
    const made = await sent(app, "/returns", { order_id, reason: "customer_remorse" }, true);
    if (made === null) continue;
    ids.push(made.id);
    pass();
    const step = random.pick(["receive", "cancel", "none"]);
    if (step !== "none") await sent(app, `/returns/${made.id}/${step}`, {});
  }
  return ids;
}

/** Labels of orders and returns, some voided, some scanned, some on a manifest, and followed tracking numbers. */
async function makeLabels(
  app: TestApp,
  random: Random,
  orders: readonly string[],
  returns: readonly string[],
  pass: () => void,
): Promise<void> {
  const parcel = () => ({ carrier: "local", package: { weight: 2 }, service: random.pick(["standard", "express"]) });
  for (const order_id of [...orders, ...orders]) {
    const made = await sent(app, "/shipping/labels", { order_id, ...parcel(), additional: true }, true);
    if (made === null) continue;
    pass();
    const step = random.pick(["void", "scan", "manifest", "manifest", "manifest", "print"]);
    if (step === "print") await sent(app, "/documents", { label_ids: [made.label_id], include: ["label"] });
    const scan = { status: random.pick(["in_transit", "delivered", "exception"]) };
    if (step === "void") await sent(app, `/shipping/labels/${made.label_id}/void`, {});
    if (step === "scan") await sent(app, `/tracking/${made.tracking_number}/events`, scan);
    if (step === "manifest") await sent(app, "/shipping/manifests", { carrier: "local" }, true);
  }
  for (const id of returns) await sent(app, `/returns/${id}/label`, parcel(), true);
  for (let n = 0; n < 12; n += 1) {
    const order_id = random.pick([null, random.pick(orders)]);
    await sent(app, "/tracking", { tracking_number: `FAR${n}`, carrier: random.pick(["ups", "usps"]), order_id });
    pass();
  }
}

const actors = [
  { type: "user", id: "usr_1", name: "Ana Berg" },
  { type: "user", id: "usr_2", name: "under_score 50%" },
  { type: "api_key", id: "key_7", name: "shop" },
  { type: "system", id: "command_line", name: "Command line" },
] as const;

async function makeAudit(app: TestApp, random: Random, pass: () => void): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    const targets = ["ord_1001", "ord_1002", 'SKU "one"', "back\\slash"].filter(() => random.chance(0.4));
    const act: AuditedAct = {
      actor: { ...random.pick(actors), request_id: random.pick([null, `req-${n}`]) },
      mode: random.pick(environments),
      action: random.pick(["createOrder", "holdOrder", "signIn"]),
      targets,
      ip: random.pick([null, "192.0.2.7"]),
      status: random.pick([null, 200, 201]),
      facts: { n },
    };
    await app.service.stores.live.write((tx) => recordAct(tx, act));
    pass();
  }
}

async function readAll(
  app: TestApp,
  skus: readonly string[],
  customers: readonly Found[],
  orders: readonly string[],
  returns: readonly string[],
  bookings: ReadonlyMap<string, readonly string[]>,
) {
  const each = async (path: string, ids: readonly string[]): Promise<Found[]> => {
    const found: Found[] = [];
    for (const id of ids) found.push((await app.get(`${path}/${encodeURIComponent(id)}`)).body.data);
    return found;
  };
  const orderRecords = await each("/orders", orders);
  const wanted = new Map(orderRecords.map((order) => [order.id, order.line_items.map((line: Found) => line.sku)]));
  const reservations = (await walked(app, "/inventory/reservations")).map((one) => ({
    ...one,
    asked: bookings.get(one.reservation_id) ?? wanted.get(one.order_id) ?? [],
  }));
  const products = (await walked(app, "/products")).map(({ id }) => id as string);
  const names = new Map((await walked(app, "/products")).map(({ sku, name }) => [sku, name]));
  return {
    products: await each("/products", products),
    levels: (await each("/inventory", skus)).map((level, made) => ({ ...level, made })),
    customers: await Promise.all(
      customers.map(async ({ id, names }) => ({ ...(await app.get(`/customers/${id}`)).body, names })),
    ),
    orders: orderRecords,
    reservations,
    movements: await walked(app, "/inventory/movements"),
    returns: await each("/returns", returns),
    ...(await readShipping(app)),
    audit: await walked(app, "/audit"),
    receipts: await walked(app, "/inventory/receipts"),
    transfers: await walked(app, "/inventory/transfers"),
    counts: await walked(app, "/inventory/counts"),
    lots: (await walked(app, "/inventory/lots")).map((lot) => ({ ...lot, name: names.get(lot.sku) })),
    keys: await walked(app, "/keys"),
    billed: await walked(app, "/billing/events"),
  };
}

async function readShipping(app: TestApp) {
  const manifests = await walked(app, "/shipping/manifests");
  const manifest_of = new Map<string, string>();
  for (const { manifest_id } of manifests) {
    const { parcels } = (await app.get(`/shipping/manifests/${manifest_id}`)).body.data;
    for (const { label_id } of parcels) manifest_of.set(label_id, manifest_id);
  }
  const labels = (await walked(app, "/shipping/labels")).map((one) => ({
    ...one,
    manifest_id: manifest_of.get(one.label_id) ?? null,
  }));
  const tracked = (await walked(app, "/tracking")).map((one, at) => ({ ...one, at }));
  return { labels, parcels: await walked(app, "/shipments"), tracked, manifests };
}

/** A whole list without filters, for records without a GET of their own. */
async function walked(app: TestApp, path: string): Promise<Found[]> {
  const rows: Found[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { data, meta }: Found = (await app.get(`${path}?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`)).body;
    rows.push(...data);
    cursor = meta.pagination.next_cursor;
  }
  return rows;
}
