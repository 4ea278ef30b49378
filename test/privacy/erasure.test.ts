// An erasure removes all data that identifies the person and nothing else. The request log, which it does not edit,
// expires by the date that the erasure states.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { sql } from "drizzle-orm";
import { orders } from "../../db/schema/orders.ts";
import { verifyStore } from "../../src/cli/verify.ts";
import { engine } from "../../src/core/config.ts";
import { forgetOldRequests } from "../../src/http/request_log/request_log.jobs.ts";
import { openApp } from "../build/service.ts";
import { storeBlock } from "../http/request_log/logged_requests.ts";
import { openReceiver } from "../webhooks/receiver.ts";
import { canaries, live } from "./life.ts";
import { placesOf, standing } from "./tables.ts";

setDefaultTimeout(60_000);

// It echoes the request body.
const receiver = openReceiver(({ body }) => new Response(body));
const app = await openApp();
afterAll(async () => {
  await receiver.stop();
});

const ask = (method: string, path: string, body?: unknown) => app.call(method, path, body, { key: app.keys.test.full });
const store = () => app.service.stores.test;
// The neighbour's address is the person's, prefixed with these two letters.
const longer = "jo";
const placesIn = (words: readonly string[]) => store().read((db) => placesOf(db, words, longer));

/** The files of the test environment's database that this process has open. */
function databaseFiles(): string[] {
  const open = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  return [...new Set(open.filter((path) => /packhouse-[^/]*\/test\.db(-wal)?$/.test(path)))];
}

/** Adds requests with these parameters to the request log, as a server does. */
async function logRequests(queries: readonly string[]): Promise<void> {
  const requests = [...queries, "limit=5"].map((query) => ({
    ...{ at: 1000, method: "GET", route: "/customers", path: "/customers", query, status: 200, code: null },
    ...{ actor_id: "key_1", ip: "127.0.0.1", request_id: "req_1", took_ms: 1, bytes_in: null, bytes_out: 10 },
  }));
  await store().write((tx) => storeBlock(tx, requests));
}

/** Creates an order of a customer whose address contains that of another. */
async function liveNearby(email: string, sku: string): Promise<string> {
  const home = { name: "Jo Ann", address_line1: "3 Oak Rd", city: "Salem", state: "OR", postal_code: "97301" };
  const sent = { email: `${longer}${email}`, shipping_addresses: [{ ...home, country: "US" }] };
  const { id, shipping_addresses } = (await ask("POST", "/customers", sent)).body;
  const order = await ask("POST", "/orders", {
    ...{ order_number: `J-${sku}`, customer_id: id, shipping_address_id: shipping_addresses[0].id },
    line_items: [{ sku, quantity: 1, unit_price: "3.20" }],
    order_notes: `write to ${longer}${email}`,
  });
  expect([order.status, order.body.error]).toEqual([201, undefined]);
  await app.runJobs();
  return `${longer}${email}`;
}

/** The access export of a customer as lower-case text. */
async function toldOf(customer_id: string): Promise<string> {
  const told = await ask("POST", `/customers/${customer_id}/disclosure`);
  expect(told.status).toBe(200);
  return JSON.stringify(told.body).toLowerCase();
}

const countOf = ({ erased }: { erased: { records: string; count: number }[] }, kind: string) =>
  erased.find(({ records }) => records === kind)?.count;

const ledger = () =>
  store().read(async (db) => ({
    movements: await db.sql.select({ all: sql`count(*)`, sum: sql`sum(quantity)` }).from(sql`movements`),
    money: await db.sql
      .select({ all: sql`sum(subtotal_cents)`, left: sql`sum(shipping_amount_cents)` })
      .from(sql`orders`),
    billed: await db.sql.select({ all: sql`count(*)`, sum: sql`sum(quantity)` }).from(sql`billable_events`),
  }));

/** Expects that whole payloads are dropped and that a repeated request does nothing. */
async function expectDropped(
  done: Parameters<typeof countOf>[0],
  { order, first_order, sku }: Pick<Awaited<ReturnType<typeof live>>, "order" | "first_order" | "sku">,
): Promise<void> {
  const told_events = (await ask("GET", "/events?limit=100")).body.data as { data: { id: string } | null }[];
  expect(told_events.filter(({ data }) => data === null).length).toBe(countOf(done, "events") ?? 0);
  expect(told_events.filter(({ data }) => data?.id === order.id)).toEqual([]);
  const orders_before = await store().read((db) => db.sql.$count(orders));
  const again = await app.call("POST", "/orders", first_order, {
    ...{ key: app.keys.test.full, headers: { "idempotency-key": `order-${sku}` } },
  });
  expect([again.status, again.body.error.code]).toEqual([409, "payload_expired"]);
  expect(await store().read((db) => db.sql.$count(orders))).toBe(orders_before);
}

test("nothing identifies an erased person, in rows or in the bytes of the files, except as listed", async () => {
  const { made, word } = canaries();
  const { customer, order, email, label, sku, first_order } = await live(app, word, receiver);
  const other = canaries();
  const neighbour = await live(app, other.word, receiver);
  const name = `${customer.first_name} ${customer.last_name}`;
  await logRequests([`email=${encodeURIComponent(email)}`, `q=${name.toUpperCase().replace(" ", "+")}`]);
  const nearby = await liveNearby(email, sku);
  const before = await placesIn(made);
  // Each word was stored somewhere, so that its absence means something.
  expect(made.filter((text) => !before.some((place) => place.endsWith(text)))).toEqual([]);
  const counted = await ledger();
  const others = await placesIn([...other.made, nearby]);
  expect(others.filter((place) => place.endsWith(nearby)).length).toBeGreaterThan(3);
  // The export contains everything that is erased, except the bytes of label documents, which it only lists.
  const told = await toldOf(customer.id);
  expect(made.filter((text) => !told.includes(text.toLowerCase()))).toEqual([expect.stringMatching(/paper$/)]);
  expect(other.made.filter((text) => told.includes(text.toLowerCase()))).toEqual([]);
  expect(told).not.toContain(nearby.toLowerCase());

  const begun = await ask("POST", `/customers/${customer.id}/erasure`, {});
  expect([begun.status, begun.body.error]).toEqual([202, undefined]);
  await app.runJobs();
  const done = (await ask("GET", `/erasures/${begun.body.data.id}`)).body.data;
  expect(done).toMatchObject({ status: "done", customers: [customer.id], receivers: [expect.any(String)] });
  expect(done.erased.map(({ records }: { records: string }) => records)).toEqual([
    ...["customers", "addresses", "search_words", "orders", "tags", "staff_notes", "order_words", "holds", "history"],
    ...["shipments", "labels", "label_documents", "tracking", "scans", "waiting_scans", "returns", "return_items"],
    ...["inspections", "refunds", "reports_to_platforms", "imports", "events", "delivery_log", "stored_responses"],
  ]);

  // Searches for the person are in the request log until the date that the erasure states.
  const logged = await placesIn(made);
  expect(logged.filter((place) => !place.startsWith("request_blocks."))).toEqual([]);
  expect(logged.length).toBeGreaterThan(0);
  expect(await placesIn([...other.made, nearby])).toEqual(others);
  expect(await store().read(verifyStore)).toEqual([]);
  expect(await ledger()).toEqual(counted);
  await expectDropped(done, { order, first_order, sku });

  app.clocks.test.advance(Date.parse(done.fully_erased_by) - app.clocks.test.now());
  await forgetOldRequests(store(), app.service);
  expect(await placesIn(made)).toEqual([]);
  await store().shred();
  if (engine !== "postgres") {
    const files = databaseFiles();
    expect(files.length).toBeGreaterThan(1);
    const left = files.flatMap((file) => {
      const bytes = readFileSync(file).toString("latin1");
      return made.filter((text) => standing(text, longer).test(bytes));
    });
    expect(left).toEqual([]);
    expect(files.some((file) => readFileSync(file).includes(neighbour.customer.last_name))).toBe(true);
  }

  // The remaining records are intact and still readable.
  const shown = (await ask("GET", `/customers/${customer.id}`)).body;
  expect(shown).toMatchObject({ first_name: null, shipping_addresses: [], erased_at: expect.any(String) });
  expect((await ask("GET", `/orders/${order.id}`)).body.data).toMatchObject({
    ...{ order_number: order.order_number, subtotal: order.subtotal, order_notes: null, metadata: {} },
    shipping_address: { name: "Erased", address_line1: "Erased", city: "Erased", country: "US", phone: null },
  });
  for (const format of ["pdf", "png", "zpl"]) {
    const document = await ask("GET", `/shipping/labels/${label.label_id}/document?format=${format}`);
    expect(document.status).toBe(200);
  }
  expect((await ask("GET", `/search?q=${encodeURIComponent(email)}`)).body.data.results ?? []).toEqual([]);
  expect((await ask("GET", `/tracking/${label.tracking_number}`)).status).toBe(200);
  expect((await ask("GET", `/inventory/${sku}`)).body.data.total).toBeGreaterThan(0);
});
