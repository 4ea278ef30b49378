// Concurrent purchases of built-in labels are batched, with the same result as one by one.
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { engine } from "../../../src/core/config.ts";
import { findStoredResponse } from "../../../src/http/stored_responses.sql.ts";
import type { TestApp } from "../../build/service.ts";
import { codeOf, parcel } from "../../build/shop.ts";
import { type House, stock, twoHouses } from "../../build/twin_services.ts";
import { tries } from "../../volume.ts";

const unprintable = {
  street1: "1 Main St",
  city: "Boise",
  state: "ID",
  zip: "83702",
  country: "US",
  name: "\u{12000}",
};

// Parcels have SSCCs.
const { alone, crowd } = await twoHouses({ gs1_prefix: "0614141" });
beforeAll(async () => {
  for (const house of [alone, crowd]) for (const sku of ["A", "B"]) await stock(house, sku, 5000);
});

const order = fc.record({
  units: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 })),
  state: fc.constantFrom("placed", "placed", "packed", "held", "cancelled", "shipped"),
});
const purchase = fc.record({
  // Some orders do not exist.
  order: fc.integer({ min: 0, max: 6 }),
  by_number: fc.boolean(),
  how: fc.constantFrom(
    {},
    {},
    {},
    { items: [{ sku: "A", quantity: 1 }] },
    { items: [{ sku: "A", quantity: 3 }] },
    { service: "express" },
    { service: "none" },
    { additional: true },
    { to_address: unprintable },
    { package: { weight: 5000, weight_unit: "lbs" } },
    { package: { weight: 2, weight_unit: "lbs", value: "12.50", insurance: true } },
  ),
});
const situation = fc.record({
  orders: fc.array(order, { minLength: 2, maxLength: 6 }),
  // Some at a time, so that later ones find what earlier ones left.
  rounds: fc.array(fc.array(purchase, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
});
type Situation = typeof situation extends fc.Arbitrary<infer S> ? S : never;

let run = 0;

/** Brings an order to a status and returns its id. */
async function placed({ app, to }: House, { units, state }: Situation["orders"][number], at: number): Promise<string> {
  const line_items = ["A", "B"].flatMap((sku, n) => {
    const quantity = units[n] ?? 0;
    return quantity === 0 ? [] : [{ sku, quantity, unit_price: "5.00" }];
  });
  const { id } = (await app.post("/orders", { ...to, order_number: `L${run}-${at}`, line_items })).body.data;
  if (state === "packed") await app.post(`/orders/${id}/pack`);
  if (state === "held") await app.post(`/orders/${id}/hold`, { reason: "payment" });
  if (state === "cancelled") await app.post(`/orders/${id}/cancel`, { reason: "customer" });
  if (state === "shipped") await app.post(`/orders/${id}/ship`);
  return id;
}

/** Runs a situation and returns the outcome. */
async function played(house: House, { orders, rounds }: Situation, at_once: boolean) {
  const { app } = house;
  const ids: string[] = [];
  for (const [at, one] of orders.entries()) ids.push(await placed(house, one, at));
  await app.takeEvents();
  const buy = async ({ order: at, by_number, how }: Situation["rounds"][number][number]) => {
    const order_id = by_number ? `L${run}-${at}` : (ids[at] ?? "ord_77777777");
    const { status, body } = await app.post("/shipping/labels", { order_id, carrier: "local", ...parcel, ...how });
    return [status, body.error ?? body.data];
  };
  const results: unknown[] = [];
  for (const purchases of rounds) {
    if (at_once) results.push(...(await Promise.all(purchases.map(buy))));
    else for (const one of purchases) results.push(await buy(one));
  }
  const told = await app.takeEvents();
  const after: unknown[] = [];
  for (const [at, id] of ids.entries()) {
    const own = told.filter(({ data }) => data["order_number"] === `L${run}-${at}`);
    after.push({
      order: (await app.get(`/orders/${id}`)).body.data,
      history: (await app.get(`/orders/${id}/history`)).body.data,
      events: own.map(({ type, data }) => [type, data]),
    });
  }
  return told_alike({ results, after });
}

/** The events, without ids of requests and rows and numbers derived from them. */
const told_alike = (value: unknown): unknown => {
  const named = /^(?:request_id|actor|updated_at|url|label_url|label_id|shipment_id)$/;
  const text = JSON.stringify(value, (name, inner) => (named.test(name) ? null : inner));
  const unnumbered = text
    .replace(/\b0{0,3}614141\d{9,11}\b/g, "number")
    .replace(/\/t\/[0-9a-z]+-[0-9a-f]{32}\b/g, "/t/link")
    .replace(/\b(?:shp|lbl|ord|hst)_\d+/g, "id");
  return JSON.parse(unnumbered);
};

// On PostgreSQL two bulk requests run in parallel, so concurrent labels of one order have no defined order.
const distinct = ({ orders, rounds }: Situation): Situation => {
  if (engine === "sqlite") return { orders, rounds };
  const firsts = rounds.map((some) =>
    some.filter((one, at) => some.findIndex(({ order }) => order === one.order) === at),
  );
  return { orders, rounds: firsts };
};

test("concurrent purchases have the same result as one by one, even if some are refused", async () => {
  await fc.assert(
    fc.asyncProperty(situation.map(distinct), async (it) => {
      run += 1;
      expect(await played(crowd, it, true)).toEqual(await played(alone, it, false));
    }),
    tries(engine === "sqlite" ? 40 : 15),
  );
}, 240_000);

const metric = async (app: TestApp, name: string) => {
  const text = String((await app.call("GET", "/metrics")).body);
  return Number(
    new RegExp(`^packhouse_${name}\\{.*act="createLabel".*mode="live".* (\\d+)$`, "m").exec(text)?.[1] ?? 0,
  );
};
const lists = async ({ app }: House) => ({
  transactions: await metric(app, "calls_together_count"),
  calls: await metric(app, "calls_together_sum"),
  parted: await metric(app, "calls_parted_total"),
});

test("labels of many orders share transactions, and have their own numbers and encrypted responses", async () => {
  run += 1;
  const ids: string[] = [];
  for (let at = 0; at < 20; at += 1) ids.push(await placed(crowd, { units: [1, 1], state: "packed" }, at));
  const { app } = crowd;
  await app.takeEvents();
  const before = await lists(crowd);
  const send = () =>
    Promise.all(
      [...ids, "ord_77777777"].map(async (order_id, at) => {
        const headers = { "idempotency-key": `label-${at}` };
        const body = { order_id, carrier: "local", ...parcel };
        const answer = await app.call("POST", "/shipping/labels", body, { headers });
        const replayed = answer.headers.get("idempotency-replayed") === "true";
        return { status: answer.status, text: JSON.stringify(answer.body), replayed, label: answer.body.data };
      }),
    );
  const first = await send();
  expect(first.map(({ status }) => status)).toEqual([...ids.map(() => 201), 404]);
  const after = await lists(crowd);
  expect(after.calls - before.calls).toBeGreaterThanOrEqual(20);
  // On PostgreSQL, how many calls have arrived when a transaction starts depends on how busy the machine is.
  expect(after.transactions - before.transactions).toBeLessThan(engine === "sqlite" ? 8 : 20);
  expect(after.parted).toBe(before.parted);
  const labels = first.slice(0, 20).map(({ label }) => label);
  for (const name of ["label_id", "shipment_id", "tracking_number"]) {
    expect(new Set(labels.map((label) => label[name])).size).toBe(20);
  }
  expect((await app.takeEvents()).map(({ type }) => type)).toEqual(ids.map(() => "shipment.created"));
  for (const { tracking_number, order_id } of labels) {
    expect((await app.get(`/tracking/${tracking_number}`)).body.data).toMatchObject({ status: "pending", order_id });
  }
  // The links in a response work without a key.
  const kept = await app.service.stores.live.read((db) => findStoredResponse(db, "label-3"));
  expect(kept?.answer.body).not.toContain("label_url");
  const second = await send();
  expect(second.map(({ replayed }) => replayed)).toEqual([...ids.map(() => true), false]);
  for (const [at, { text }] of second.entries()) if (at < 20) expect(text).toBe(first[at]?.text ?? "");
  expect(await app.takeEvents()).toEqual([]);
});

/** Creates orders of one unit and returns their ids. */
async function placedOrders(count: number): Promise<string[]> {
  run += 1;
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await placed(crowd, { units: [1, 0], state: "placed" }, at));
  return ids;
}

/** A purchase with a new quote. */
async function quoted({ app }: House) {
  const from = (await app.get("/inventory/locations")).body.data[0].address.postal_code;
  const asked = { from_zip: from, to_zip: "89501", weight: 2.5, weight_unit: "lbs" };
  const { quote_id } = (await app.post("/shipping/rates", asked)).body.data.rates[0];
  return { quote_id, package: parcel.package };
}

const unquoted = { carrier: "local", ...parcel };

test("a quote is used by one of two concurrent purchases, and the others get their labels", async () => {
  const ids = await placedOrders(6);
  const { app } = crowd;
  const twice = await quoted(crowd);
  const before = await lists(crowd);
  const answers = await Promise.all(
    ids.map((order_id, at) => app.post("/shipping/labels", { order_id, ...(at === 2 || at === 3 ? twice : unquoted) })),
  );
  const codes = answers.map(codeOf);
  expect(codes.splice(2, 2).toSorted()).toEqual([201, "quote_used"]);
  expect(codes).toEqual([201, 201, 201, 201]);
  // On PostgreSQL two bulk requests run in parallel, each with one of the two.
  if (engine === "sqlite") expect((await lists(crowd)).parted).toBe(before.parted);
});

test("a used quote fails only its own label in a batch", async () => {
  const ids = await placedOrders(7);
  const { app } = crowd;
  const used = await quoted(crowd);
  const buy = async (order_id = "", how: object = unquoted) =>
    codeOf(await app.post("/shipping/labels", { order_id, ...how }));
  expect(await buy(ids[6], used)).toBe(201);
  const before = await lists(crowd);
  const codes = await Promise.all(ids.slice(0, 6).map((id, at) => buy(id, at === 3 ? used : unquoted)));
  expect(codes).toEqual([201, 201, 201, "quote_used", 201, 201]);
  const after = await lists(crowd);
  expect(after.parted).toBe(before.parted);
  if (engine === "sqlite") expect(after.transactions - before.transactions).toBeLessThan(5);
});
