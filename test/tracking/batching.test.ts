// Concurrent scans are recorded in batches, with the same result as one by one.
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { engine } from "../../src/core/config.ts";
import { trackingEventStatuses } from "../../src/shipping/carriers/tracking.transitions.ts";
import { start as now, type TestApp } from "../build/service.ts";
import { parcel } from "../build/shop.ts";
import { type House, stock, twoHouses } from "../build/twin_services.ts";
import { tries } from "../volume.ts";

const { alone, crowd } = await twoHouses();
beforeAll(async () => {
  for (const house of [alone, crowd]) for (const sku of ["A", "B"]) await stock(house, sku, 5000);
});

const order = fc.record({
  units: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 })),
  // A separate parcel for the first unit, so that the order has two.
  split: fc.constantFrom(false, false, true),
  state: fc.constantFrom("placed", "picked", "packed", "packed", "packed", "held", "cancelled", "shipped"),
});
const scan = fc.record({
  // Parcels of orders that do not exist are unknown numbers.
  order: fc.integer({ min: 0, max: 7 }),
  second: fc.boolean(),
  status: fc.constantFrom(...trackingEventStatuses, "in_transit", "in_transit", "delivered"),
  minutes_ago: fc.option(fc.integer({ min: -1, max: 3 })),
  message: fc.constantFrom(undefined, "Scanned"),
});
const situation = fc.record({
  orders: fc.array(order, { minLength: 2, maxLength: 6 }),
  // Some at a time, so that later ones find what earlier ones left.
  rounds: fc.array(fc.array(scan, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
});
type Situation = typeof situation extends fc.Arbitrary<infer S> ? S : never;

let run = 0;

/** Brings an order to a status. Returns its id and the numbers of its parcels. */
async function placed({ app, to }: House, { units, split, state }: Situation["orders"][number], at: number) {
  const line_items = ["A", "B"].flatMap((sku, n) => {
    const quantity = units[n] ?? 0;
    return quantity === 0 ? [] : [{ sku, quantity, unit_price: "5.00" }];
  });
  const { data } = (await app.post("/orders", { ...to, order_number: `T${run}-${at}`, line_items })).body;
  const id: string = data.id;
  if (state === "picked" || state === "packed") await app.post(`/orders/${id}/pick`);
  if (state === "packed") await app.post(`/orders/${id}/pack`);
  const label = async (fields: object) => {
    const body = { order_id: id, carrier: "local", ...parcel, ...fields };
    return (await app.post("/shipping/labels", body)).body.data?.tracking_number ?? "NONE";
  };
  const numbers: string[] = [];
  if (split) numbers.push(await label({ items: [{ sku: "A", quantity: 1 }] }));
  numbers.push(await label({}));
  if (state === "held") await app.post(`/orders/${id}/hold`, { reason: "payment" });
  if (state === "cancelled") await app.post(`/orders/${id}/cancel`, { reason: "customer" });
  if (state === "shipped") await app.post(`/orders/${id}/ship`);
  return { id, numbers };
}

/** Runs a situation and returns the outcome. */
async function played(house: House, { orders, rounds }: Situation, at_once: boolean) {
  const { app } = house;
  const known: { readonly id: string; readonly numbers: readonly string[] }[] = [];
  for (const [at, one] of orders.entries()) known.push(await placed(house, one, at));
  await app.takeEvents();
  const record = async ({ order: at, second, status, minutes_ago, message }: Situation["rounds"][number][number]) => {
    const numbers = known[at]?.numbers ?? ["UNKNOWN"];
    const number = numbers[second ? numbers.length - 1 : 0];
    const timestamp = minutes_ago === null ? undefined : new Date(now - minutes_ago * 60_000).toISOString();
    const answer = await app.post(`/tracking/${number}/events`, { status, timestamp, message });
    return [answer.status, answer.body.error ?? answer.body.data, answer.headers.get("etag")];
  };
  const results: unknown[] = [];
  for (const scans of rounds) {
    if (at_once) results.push(...(await Promise.all(scans.map(record))));
    else for (const one of scans) results.push(await record(one));
  }
  const told = await app.takeEvents();
  const after: unknown[] = [];
  for (const [at, { id }] of known.entries()) {
    const own = told.filter(({ data }) => data["order_number"] === `T${run}-${at}`);
    after.push({
      order: (await app.get(`/orders/${id}`)).body.data,
      history: (await app.get(`/orders/${id}/history`)).body.data,
      events: own.map(({ type, data }) => [type, data["status"], data["tracking"]]),
    });
  }
  const levels = await Promise.all(["A", "B"].map(async (sku) => (await app.get(`/inventory/${sku}`)).body.data));
  return { results: told_alike(results), after: told_alike(after), levels: told_alike(levels) };
}

/** The events without the ids of requests and rows, which differ. */
const told_alike = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner) => (["id", "request_id", "actor", "updated_at"].includes(name) ? null : inner)),
  );

// On PostgreSQL two bulk requests run in parallel, so concurrent scans of one order have no defined order.
const distinct = ({ orders, rounds }: Situation): Situation => {
  if (engine === "sqlite") return { orders, rounds };
  const firsts = rounds.map((scans) =>
    scans.filter((one, at) => scans.findIndex(({ order }) => order === one.order) === at),
  );
  return { orders, rounds: firsts };
};

test("concurrent scans have the same result as one by one, for known and unknown parcels", async () => {
  await fc.assert(
    fc.asyncProperty(situation.map(distinct), async (it) => {
      run += 1;
      expect(await played(crowd, it, true)).toEqual(await played(alone, it, false));
    }),
    tries(engine === "sqlite" ? 40 : 15),
  );
}, 240_000);

const lists = async (app: TestApp) => {
  const text = String((await app.call("GET", "/metrics")).body);
  const count = (what: string) => {
    const pattern = new RegExp(`^packhouse_calls_together_${what}.*act="recordScan".*mode="live".* (\\d+)$`, "m");
    return Number(pattern.exec(text)?.[1] ?? 0);
  };
  return { transactions: count("count"), calls: count("sum") };
};

test("first scans of many parcels share transactions, emit each SKU once, and keep their own keys", async () => {
  run += 1;
  const units: [number, number] = [1, 1];
  const all: Awaited<ReturnType<typeof placed>>[] = [];
  for (let at = 0; at < 20; at += 1) all.push(await placed(crowd, { units, split: false, state: "packed" }, at));
  const { app } = crowd;
  await app.takeEvents();
  const before = await lists(app);
  const send = () =>
    Promise.all(
      [...all.flatMap(({ numbers }) => numbers), "UNKNOWN"].map(async (number, at) => {
        const headers = { "idempotency-key": `scan-${at}` };
        const path = `/tracking/${number}/events`;
        const { status, body, headers: told } = await app.call("POST", path, { status: "in_transit" }, { headers });
        return { status, text: JSON.stringify(body), replayed: told.get("idempotency-replayed") === "true" };
      }),
    );
  const first = await send();
  expect(first.map(({ status }) => status)).toEqual([...all.map(() => 201), 404]);
  const after = await lists(app);
  // A batch that fails is not counted, and its calls run individually.
  expect(after.calls - before.calls).toBeGreaterThanOrEqual(20);
  // On PostgreSQL, how many calls have arrived when a transaction starts depends on how busy the machine is.
  expect(after.transactions - before.transactions).toBeLessThan(engine === "sqlite" ? 8 : 20);
  const events = await app.takeEvents();
  expect(events.filter(({ type }) => type === "order.shipped")).toHaveLength(20);
  expect(events.filter(({ type }) => type === "shipment.in_transit")).toHaveLength(20);
  expect(events.filter(({ type }) => type === "inventory.updated").length).toBeLessThan(16);
  const second = await send();
  expect(second.map(({ replayed }) => replayed)).toEqual([...all.map(() => true), false]);
  for (const [at, { text }] of second.entries()) if (at < 20) expect(text).toBe(first[at]?.text ?? "");
  expect((await app.takeEvents()).length).toBe(0);
});
