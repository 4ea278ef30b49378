// Imports of orders that have to be fetched from a failing store. In test mode, where the store may be
// on this machine.

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { LogFields } from "../../../src/core/log.ts";
import { hour_ms, minute_ms } from "../../../src/core/time.ts";
import { claimImports, failImport, lockClaimed } from "../../../src/platforms/imports/import_queue.ts";
import { processOrderImport } from "../../../src/platforms/imports/process_import.ts";
import { openApp } from "../../build/service.ts";
import { openBigCommerce, type StoreOrder, storeOrder } from "../mocks/bigcommerce.ts";

setDefaultTimeout(30_000);

let connection = "";
const logged: [message: string, fields: LogFields][] = [];

const call = (method: string, path: string, body?: unknown) =>
  app.call(method, path, body, { key: app.keys.test.full });
const get = async (path: string) => (await call("GET", path)).body.data;

const app = await openApp();
const keep = (message: string, fields: LogFields = {}) => void logged.push([message, fields]);
Object.assign(app.service, { log: { ...app.service.log, warn: keep, error: keep } });
const store = await openBigCommerce();
const body = { platform: "bigcommerce", store_id: store.hash, api_token: store.token, api_url: store.url };
connection = (await call("POST", "/platforms", body)).body.data.id;
afterAll(async () => {
  store.stop();
});

let ids = 300;
let told = 0;
// Each notification has its own second: those of one second are repeats.
const begun = Date.now();

/** Adds an order to the store. */
const placed = (changes = {}): StoreOrder => store.add(storeOrder(++ids, Date.now(), changes));

/** Sends the notification of the store's newest order. */
async function tell(order_id = ids): Promise<string> {
  const { body } = store.notification(order_id, { scope: "store/order/updated", at: begun - ++told * 1000 });
  const answer = await call("POST", "/webhooks/bigcommerce/orders", body);
  expect(answer.status).toBe(200);
  return answer.body.order_id;
}

const importOf = async (external_id = ids) =>
  (await get(`/platforms/${connection}/imports?external_id=${external_id}`))[0];

/** Advances the clock and runs the due jobs. */
async function after(ms: number) {
  app.clocks.test.advance(ms);
  await app.runJobs();
  return importOf();
}

describe("works", () => {
  test("an order is fetched from the store and imported without its digital lines", async () => {
    placed();
    const id = await tell();
    await app.runJobs();
    expect(await get(`/orders/${id}`)).toMatchObject({
      id,
      order_number: String(ids),
      customer: { email: "ada@marsh.example", name: "Ada Marsh" },
      shipping_address: { address_line1: "9 Dock Road", address_line2: "Unit 4", city: "Austin", country: "US" },
      line_items: [{ sku: "MUG-1", quantity: 2, unit_price: 12.5 }],
      shipping_amount: 6.5,
      order_notes: "Ring twice.",
      source: { platform: "bigcommerce" },
    });
    expect(await importOf()).toMatchObject({ status: "imported", order_id: id, attempts: 1 });
  });

  test("while the store is down, it is retried after 5 seconds, doubled each time", async () => {
    placed();
    store.fail({ status: 503, body: "down" }, { having: `/orders/${ids}`, times: 3 });
    const id = await tell();
    expect(await after(0)).toMatchObject({ status: "queued", attempts: 1, reason: { code: "platform_error" } });
    expect(await after(4999)).toMatchObject({ attempts: 1 });
    expect(await after(1)).toMatchObject({ attempts: 2 });
    expect(await after(9999)).toMatchObject({ attempts: 2 });
    expect(await after(1)).toMatchObject({ attempts: 3 });
    expect((await call("GET", `/orders/${id}`)).status).toBe(404);
    expect(await after(20_000)).toMatchObject({ status: "imported", reason: null, next_attempt_at: null });
    expect((await call("GET", `/orders/${id}`)).status).toBe(200);
  });

  test("a store that asks for a delay gets it, and one that disconnects is retried", async () => {
    placed();
    store.fail({ status: 429, headers: { "x-rate-limit-time-reset-ms": "90000" } }, { having: `/orders/${ids}` });
    store.fail("half", { having: `/orders/${ids}` });
    await tell();
    expect(await after(0)).toMatchObject({ status: "queued", attempts: 1 });
    expect(await after(89_000)).toMatchObject({ attempts: 1 });
    expect(await after(1000)).toMatchObject({ status: "queued", attempts: 2 });
    expect(await after(10_000)).toMatchObject({ status: "imported" });
  });

  test("an invalid token fails permanently; with a new one the failed orders are imported", async () => {
    placed();
    await call("PATCH", `/platforms/${connection}`, { api_token: "an-expired-token" });
    const id = await tell();
    const failed = await after(0);
    expect(failed).toMatchObject({ status: "failed", attempts: 1, next_attempt_at: null });
    expect(logged.at(-1)).toMatchObject(["an order could not be imported", { connection, order: id, attempts: 1 }]);
    await call("PATCH", `/platforms/${connection}`, { name: "The same token" });
    expect(await after(0)).toMatchObject({ status: "failed" });
    await call("PATCH", `/platforms/${connection}`, { api_token: store.token });
    expect(await after(0)).toMatchObject({ status: "imported", order_id: id });
  });

  test("it is given up after two days, and retried on request or by a new notification", async () => {
    placed();
    store.fail({ status: 500 }, { having: `/orders/${ids}`, times: 1000 });
    const id = await tell();
    await app.runJobs();
    let one = await importOf();
    let tries = 0;
    while (one.status === "queued" && tries < 100) {
      tries += 1;
      one = await after(Date.parse(one.next_attempt_at) - app.clocks.test.now());
    }
    expect(one).toMatchObject({ status: "failed", reason: { code: "platform_error" } });
    // 5 s, 10 s and so on to 2560 s, and then 46 times each hour.
    expect([tries, app.clocks.test.now() - Date.parse(one.created_at) < 48 * hour_ms]).toEqual([56, true]);
    expect(
      (await get(`/platforms/${connection}/imports?status=failed`)).map(({ id: of }: { id: string }) => of),
    ).toEqual([one.id]);
    const retry = `/platforms/${connection}/imports/${one.id}/retry`;
    expect((await call("POST", retry)).body.data).toMatchObject({ status: "queued", attempts: 0, reason: null });
    expect(await after(0)).toMatchObject({ status: "queued", attempts: 1 });
    expect(await importOf()).toMatchObject({ order_id: id });
  });

  test("an order that the store does not have yet is retried, and finally given up", async () => {
    ids += 1;
    const id = await tell();
    expect(await after(0)).toMatchObject({ status: "queued", attempts: 1 });
    store.add(storeOrder(ids, Date.now()));
    expect(await after(5000)).toMatchObject({ status: "imported", order_id: id });
    store.orders.delete(ids);
    await tell();
    await app.runJobs();
    expect((await get(`/orders/${id}/history`)).at(-1).note).toBe("The platform no longer has the order.");
    ids += 1;
    await tell();
    await app.runJobs();
    for (const seconds of [5, 10, 20, 40]) expect(await after(seconds * 1000)).toMatchObject({ status: "queued" });
    expect(await after(80_000)).toMatchObject({ status: "ignored", reason: { code: "gone" } });
  });

  test("a notification during the fetch is not lost", async () => {
    const order = placed();
    const id = await tell();
    const { claims } = await app.service.stores.test.write((tx) => claimImports(tx, new Set()));
    const [claim] = claims;
    store.change(order, {
      customer_message: "Twice, please.",
      date_modified: new Date(Date.now() + 2000).toUTCString(),
    });
    await tell();
    expect(await importOf()).toMatchObject({ status: "queued", attempts: 0 });
    if (claim === undefined) throw new Error("nothing was claimed");
    const told = { ...toldOrder(String(ids)), notes: "Once." };
    const settled = await app.service.stores.test.write((tx) => processOrderImport(tx, claim, told));
    expect(settled).toMatchObject({ status: "queued", leased_until: null });
    expect(await get(`/orders/${id}`)).toMatchObject({ order_notes: "Once." });
    await app.runJobs();
    expect(await get(`/orders/${id}`)).toMatchObject({ order_notes: "Twice, please." });
    expect(await importOf()).toMatchObject({ status: "imported" });
  });
});

/** An order as read by a connector. */
const toldOrder = (external_id: string) => ({
  external_id,
  number: external_id,
  state: "open" as const,
  email: "ada@marsh.example",
  customer_name: "Ada Marsh",
  phone: null,
  address: null,
  shipping_method: null,
  shipping_amount_cents: 0,
  currency: "USD",
  notes: null,
  created_at: 1000,
  updated_at: 1000,
  lines: [{ external_id: "1", sku: "MUG-1", variant_id: "1", name: "Mug", quantity: 2, unit_price_cents: 1250 }],
});

describe("refuses", () => {
  test("to retry an imported or unknown order", async () => {
    const imported = (await get(`/platforms/${connection}/imports?status=imported`))[0];
    const again = await call("POST", `/platforms/${connection}/imports/${imported.id}/retry`);
    expect([again.status, again.body.error.code]).toEqual([409, "invalid_state_transition"]);
    expect((await call("POST", `/platforms/${connection}/imports/imp_1/retry`)).status).toBe(404);
    expect((await call("GET", "/platforms/plt_1/imports")).status).toBe(404);
    expect((await call("GET", `/platforms/${connection}/imports?status=lost`)).status).toBe(422);
  });
});

describe("guards", () => {
  test("another server continues the import of a dead one; its return changes nothing", async () => {
    const { test: db } = app.service.stores;
    placed();
    const id = await tell();
    const [lost] = (await db.write((tx) => claimImports(tx, new Set()))).claims;
    if (lost === undefined) throw new Error("nothing was claimed");
    await app.runJobs();
    expect(await importOf()).toMatchObject({ status: "queued", attempts: 1 });
    expect(await after(3 * minute_ms - 1)).toMatchObject({ status: "queued", attempts: 1 });
    expect(await after(1)).toMatchObject({ status: "imported", attempts: 2, order_id: id });
    const order = await get(`/orders/${id}`);
    expect(
      await db.write((tx) => processOrderImport(tx, lost, { ...toldOrder(String(ids)), notes: "late" })),
    ).toBeNull();
    const reason = { code: "platform_error" as const, message: "late", permanent: true, retry_after_seconds: null };
    expect(await db.write((tx) => failImport(tx, lost, reason))).toBeNull();
    expect(await get(`/orders/${id}`)).toEqual(order);
    expect(await importOf()).toMatchObject({ status: "imported", reason: null });
  });

  test("a server that was overtaken neither imports nor fails the order", async () => {
    const { test: db } = app.service.stores;
    placed();
    await tell();
    const claim = async () => (await db.write((tx) => claimImports(tx, new Set()))).claims[0];
    const slow = await claim();
    app.clocks.test.advance(3 * minute_ms);
    const quick = await claim();
    if (slow === undefined || quick === undefined) throw new Error("nothing was claimed");
    expect(quick.import.id).toBe(slow.import.id);
    const order = toldOrder(String(ids));
    const reason = { code: "platform_error" as const, message: "late", permanent: true, retry_after_seconds: null };
    expect(await db.write((tx) => processOrderImport(tx, slow, order))).toBeNull();
    expect(await db.write((tx) => failImport(tx, slow, reason))).toBeNull();
    expect(await importOf()).toMatchObject({ status: "queued", attempts: 2, reason: null });
    expect(await db.write((tx) => processOrderImport(tx, quick, order))).toMatchObject({ status: "imported" });
  });

  test("an exception rolls back the whole order, and it is retried", async () => {
    const { test: db } = app.service.stores;
    placed();
    const id = await tell();
    const [claim] = (await db.write((tx) => claimImports(tx, new Set()))).claims;
    if (claim === undefined) throw new Error("nothing was claimed");
    const broken = db.write(async (tx) => {
      await processOrderImport(tx, claim, toldOrder(String(ids)));
      throw new Error("the power fails");
    });
    expect(broken).rejects.toThrow("the power fails");
    await broken.catch(() => {});
    expect((await call("GET", `/orders/${id}`)).status).toBe(404);
    expect(await db.write((tx) => lockClaimed(tx, claim))).toMatchObject({ status: "queued", imported_at: null });
    expect(await after(3 * minute_ms)).toMatchObject({ status: "imported" });
    expect((await call("GET", `/orders/${id}`)).status).toBe(200);
  });

  test("one server at a time has an import, and a connection one import", async () => {
    const { test: db } = app.service.stores;
    placed();
    await tell();
    placed();
    await tell();
    const first = await db.write((tx) => claimImports(tx, new Set()));
    const second = await db.write((tx) => claimImports(tx, new Set()));
    const third = await db.write((tx) => claimImports(tx, new Set()));
    expect([first, second, third].map(({ claims }) => claims.length)).toEqual([1, 1, 0]);
    expect(first.claims[0]?.import.id).not.toBe(second.claims[0]?.import.id as number);
    const busy = new Set([first.claims[0]?.connection.id ?? 0]);
    expect(await db.write((tx) => claimImports(tx, busy))).toEqual({ claims: [], next_at: null });
    await after(3 * minute_ms);
    for (const id of [ids, ids - 1]) expect(await importOf(id)).toMatchObject({ status: "imported", attempts: 2 });
  });

  test("no log line and no response contains a secret", async () => {
    const text = JSON.stringify([logged, await get(`/platforms/${connection}/imports?limit=100`)]);
    expect(logged.length).toBeGreaterThan(5);
    for (const plain of [store.token, "an-expired-token"]) expect(text).not.toContain(plain);
  });
});

describe("an order that its notification has named, but that does not exist yet", () => {
  /** The refusal of an order, and its `Retry-After`. */
  async function refused(id: string) {
    const { status, headers, body } = await call("GET", `/orders/${id}`);
    const { code, message, reason, import_id, connection_id } = body.error ?? {};
    expect([status, connection_id, import_id]).toEqual([404, connection, (await importOf()).id]);
    return { code, message, reason, wait: headers.get("retry-after") };
  }

  test("is pending while it is queued, fetched and retried", async () => {
    placed();
    const id = await tell();
    const message = "The platform's order is being imported and does not exist here yet. Ask again in 1 second.";
    const first = { code: "import_pending", reason: null, wait: "1", message };
    expect(await refused(id)).toEqual(first);
    expect(await refused(id.slice(4))).toEqual(first);
    store.fail({ status: 503, body: "down" }, { having: `/orders/${ids}` });
    const { reason } = await after(0);
    const again = await refused(id);
    expect([again.code, again.reason, again.wait]).toEqual(["import_pending", reason, "5"]);
    expect(again.message).toContain(`Ask again in 5 seconds. The last attempt failed: ${reason.message}`);
    app.clocks.test.advance(5000);
    const { claims } = await app.service.stores.test.write((tx) => claimImports(tx, new Set()));
    expect(claims.map(({ import: { external_id } }) => external_id)).toEqual([String(ids)]);
    expect(await refused(id)).toMatchObject({ code: "import_pending", wait: "1" });
    expect(await after(3 * minute_ms)).toMatchObject({ status: "imported" });
    expect((await call("GET", `/orders/${id}`)).status).toBe(200);
  });

  test("is pending while its connection is paused", async () => {
    await call("PATCH", `/platforms/${connection}`, { status: "paused" });
    placed();
    const id = await tell();
    await app.runJobs();
    const paused = await refused(id);
    expect([paused.code, paused.wait]).toEqual(["import_pending", "60"]);
    expect(paused.message).toContain(`Its connection ${connection} is paused`);
    await call("PATCH", `/platforms/${connection}`, { status: "active" });
    await app.runJobs();
    expect((await call("GET", `/orders/${id}`)).status).toBe(200);
  });

  test("was not imported because it is unpaid, and is once it is paid", async () => {
    const order = placed({ status_id: 1, payment_status: "" });
    const id = await tell();
    expect(await after(0)).toMatchObject({ status: "waiting" });
    const unpaid = await refused(id);
    expect(unpaid).toMatchObject({ code: "order_not_imported", reason: { code: "unpaid" }, wait: null });
    expect(unpaid.message).toContain("reports the order as unpaid. It is imported once it is paid.");
    store.change(order, { status_id: 11, date_modified: new Date(Date.now() + 2000).toUTCString() });
    await tell();
    await app.runJobs();
    expect((await call("GET", `/orders/${id}`)).status).toBe(200);
  });

  test("was not imported because the import failed, and is after a retry", async () => {
    placed();
    await call("PATCH", `/platforms/${connection}`, { api_token: "an-expired-token" });
    const id = await tell();
    const { reason } = await after(0);
    const failed = await refused(id);
    expect([failed.code, failed.reason, failed.wait]).toEqual(["order_not_imported", reason, null]);
    expect(failed.message).toContain(reason.message);
    await call("PATCH", `/platforms/${connection}`, { api_token: store.token });
    const [, path = ""] = /POST \/v1(\/\S+)\./.exec(failed.message) ?? [];
    expect(path).toBe(`/platforms/${connection}/imports/${(await importOf()).id}/retry`);
    await app.runJobs();
    expect((await call("GET", `/orders/${id}`)).status).toBe(200);
  });

  test("was not imported because the store was disconnected", async () => {
    const { id: other } = (await call("POST", "/platforms", { ...body, store_id: "other", status: "paused" })).body
      .data;
    const { body: notice } = store.notification(7001, { at: begun });
    const sent = notice.replaceAll(`stores/${store.hash}`, "stores/other");
    const { order_id } = (await call("POST", "/webhooks/bigcommerce/orders", sent)).body;
    await call("DELETE", `/platforms/${other}`);
    const { status, body: answer } = await call("GET", `/orders/${order_id}`);
    expect([status, answer.error.code, answer.error.connection_id]).toEqual([404, "order_not_imported", other]);
    expect(answer.error.message).toContain("The store was disconnected");
  });

  test("is unknown to other merchants, as an id that was never named is to all", async () => {
    placed();
    const id = await tell();
    await app.post("/merchants", { code: "ACME", name: "Acme" });
    const input = { name: "Acme", permission: "full", merchant_id: "ACME" };
    const { key } = (await call("POST", "/keys", input)).body.data;
    for (const [path, by] of [
      [`/orders/${id}`, key],
      ["/orders/ord_77", app.keys.test.full],
    ]) {
      const { status, body } = await app.call("GET", path as string, undefined, { key: by });
      expect([status, body.error.code]).toEqual([404, "resource_missing"]);
    }
    await app.runJobs();
  });
});
