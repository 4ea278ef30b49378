// Concurrent picks, packs and shipments are batched, with the same result as one by one.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { engine } from "../../../src/core/config.ts";
import { parcel } from "../../build/shop.ts";
import { type House, twoHouses } from "../../build/twin_services.ts";
import { tries } from "../../volume.ts";

const { alone, crowd } = await twoHouses();

const order = fc.record({
  units: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 3 })),
  state: fc.constantFrom("placed", "placed", "label", "label", "pick", "pack", "hold", "cancel", "ship"),
});
const acting = fc.record({
  // Some orders do not exist.
  order: fc.integer({ min: 0, max: 6 }),
  by_number: fc.boolean(),
  act: fc.constantFrom("pick", "pick", "pack", "ship", "ship"),
  how: fc.constantFrom({}, {}, {}, {}, { partial: true }, { tracking_number: "T1" }, { items: true }),
});
const situation = fc.record({
  orders: fc.array(order, { minLength: 2, maxLength: 6 }),
  // The first SKU, in two lots, may be short.
  lots: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 8 })),
  recalled: fc.constantFrom(false, false, true),
  // Some at a time, so that later ones find what earlier ones left.
  rounds: fc.array(fc.array(acting, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
});
type Situation = typeof situation extends fc.Arbitrary<infer S> ? S : never;

let run = 0;
const own = (name: string) => `${name}-${run}`;

/** Adds units of two SKUs, the first in two lots. Returns the first lot's id. */
async function laid({ app }: House, [first, second]: Situation["lots"]): Promise<string> {
  for (const sku of ["A", "B"]) await app.product(own(sku), { name: sku, price: "5.00" });
  for (const [lot_number, quantity, expiration_date] of [
    ["L-1", first, "2031-03-01"],
    ["L-2", second, "2031-04-01"],
  ] as const) {
    if (quantity > 0) await app.stock(own("A"), quantity, { lot_number, expiration_date });
  }
  await app.stock(own("B"), 50);
  return (await app.get(`/inventory/${own("A")}`)).body.data.lots[0].id;
}

/** Brings an order to a status and returns its id. */
async function placed({ app, to }: House, { units, state }: Situation["orders"][number], at: number): Promise<string> {
  const line_items = ["A", "B"].flatMap((sku, n) => {
    const quantity = units[n] ?? 0;
    return quantity === 0 ? [] : [{ sku: own(sku), quantity, unit_price: "5.00" }];
  });
  const { id } = (await app.post("/orders", { ...to, order_number: own(`O${at}`), line_items })).body.data;
  const bodies: Record<string, object> = { hold: { reason: "payment" }, cancel: { reason: "customer" } };
  if (state === "label") await app.post("/shipping/labels", { order_id: id, carrier: "local", ...parcel });
  else if (state !== "placed") await app.post(`/orders/${id}/${state}`, bodies[state] ?? { partial: true });
  return id;
}

/** Runs a situation and returns the outcome. */
async function played(house: House, { orders, lots, recalled, rounds }: Situation, at_once: boolean) {
  const { app } = house;
  const lot = await laid(house, lots);
  const ids: string[] = [];
  for (const [at, one] of orders.entries()) ids.push(await placed(house, one, at));
  if (recalled) await app.post(`/inventory/lots/${lot}/status`, { status: "recalled", reason: "It leaks." });
  await app.takeEvents();
  const act = async ({ order: at, by_number, act, how }: Situation["rounds"][number][number]) => {
    const id = by_number ? own(`O${at}`) : (ids[at] ?? "ord_77777777");
    const items = [{ sku: own("A"), quantity: 1 }];
    const { tracking_number, partial } = { tracking_number: undefined, partial: undefined, ...how };
    const body = {
      ...(partial === undefined ? {} : { partial }),
      ...(act === "ship" && tracking_number !== undefined ? { tracking_number } : {}),
      ...("items" in how && act === "pick" ? { items } : {}),
      ...("items" in how && act === "pack" ? { packages: [{ items }] } : {}),
    };
    const { status, body: answer, headers } = await app.post(`/orders/${id}/${act}`, body);
    return [status, answer.error ?? answer.data, headers.has("etag")];
  };
  const results: unknown[] = [];
  for (const some of rounds) {
    if (at_once) results.push(...(await Promise.all(some.map(act))));
    else for (const one of some) results.push(await act(one));
  }
  const told = await app.takeEvents();
  const after: unknown[] = [];
  for (const [at, id] of ids.entries()) {
    const news = told.filter(({ data }) => data["order_number"] === own(`O${at}`));
    after.push({
      order: (await app.get(`/orders/${id}`)).body.data,
      history: (await app.get(`/orders/${id}/history`)).body.data,
      events: news.map(({ type, data }) => [type, data]),
    });
  }
  const levels = await Promise.all(["A", "B"].map(async (sku) => (await app.get(`/inventory/${own(sku)}`)).body.data));
  return told_alike({ results, after, levels });
}

/** The events, without ids of requests and rows and tracking numbers, which differ. */
const told_alike = (value: unknown): unknown => {
  const named = /^(?:request_id|actor|id|line_id)$/;
  // The API does not promise an order for the lots of a line.
  const inOrder = (lots: readonly { readonly lot_number: string }[]) =>
    [...lots].sort((a, b) => (a.lot_number < b.lot_number ? -1 : 1));
  const text = JSON.stringify(value, (name, inner) =>
    named.test(name) ? null : name === "lots" && Array.isArray(inner) ? inOrder(inner) : inner,
  );
  return JSON.parse(text.replace(/\b(?:shp|ord|lin|lot)_\d+/g, "id").replace(/\bWH\w+/g, "number"));
};

test.skipIf(engine === "postgres")(
  "concurrent picks, packs and shipments have the same result as one by one, even if some are refused",
  async () => {
    await fc.assert(
      fc.asyncProperty(situation.map(alike), async (it) => {
        run += 1;
        expect(await played(crowd, it, true)).toEqual(await played(alone, it, false));
      }),
      tries(40),
    );
  },
  240_000,
);

/**
 * Rounds of one act each, all with or all without named units: the order of two concurrent calls is undefined,
 * and calls with named units come after those without.
 */
const alike = ({ rounds, ...it }: Situation): Situation => ({
  ...it,
  rounds: rounds.map((some) => {
    const { act, how: first } = some[0] ?? { act: "pick", how: {} };
    const named = "items" in first;
    return some.map((one) => ({ ...one, act, how: named ? first : "items" in one.how ? {} : one.how }));
  }),
});

const metric = async ({ app }: House, name: string, act: string) => {
  const text = String((await app.call("GET", "/metrics")).body);
  const found = new RegExp(`^packhouse_${name}\\{.*act="${act}".*mode="live".* (\\d+)$`, "m").exec(text);
  return Number(found?.[1] ?? 0);
};

test("orders picked, packed or shipped concurrently share transactions and get their own responses", async () => {
  run += 1;
  await laid(crowd, [30, 30]);
  const ids: string[] = [];
  for (let at = 0; at < 20; at += 1) ids.push(await placed(crowd, { units: [1, 1], state: "placed" }, at));
  const { app } = crowd;
  await app.takeEvents();
  for (const act of ["pick", "pack", "ship"]) {
    const name = `${act}Order`;
    const counts = async () => ({
      calls: await metric(crowd, "calls_together_sum", name),
      transactions: await metric(crowd, "calls_together_count", name),
      parted: await metric(crowd, "calls_parted_total", name),
    });
    const before = await counts();
    const send = () =>
      Promise.all(
        [...ids, "ord_77777777"].map(async (id) => {
          const headers = { "idempotency-key": `${act}-${id}` };
          const answer = await app.call("POST", `/orders/${id}/${act}`, {}, { headers });
          const replayed = answer.headers.get("idempotency-replayed") === "true";
          return { status: answer.status, text: JSON.stringify(answer.body), replayed };
        }),
      );
    const first = await send();
    expect(first.map(({ status }) => status)).toEqual([...ids.map(() => 200), 404]);
    const after = await counts();
    expect(after.calls - before.calls).toBeGreaterThanOrEqual(20);
    // On PostgreSQL, how many calls have arrived when a transaction starts depends on how busy the machine is.
    expect(after.transactions - before.transactions).toBeLessThan(engine === "sqlite" ? 8 : 20);
    expect(after.parted).toBe(before.parted);
    const second = await send();
    expect(second.map(({ replayed }) => replayed)).toEqual([...ids.map(() => true), false]);
    for (const [at, { text }] of second.entries()) if (at < 20) expect(text).toBe(first[at]?.text ?? "");
  }
  const told = await app.takeEvents();
  for (const type of ["order.fulfilled", "order.shipped"]) {
    expect(told.filter((event) => event.type === type)).toHaveLength(20);
  }
  expect((await app.get(`/inventory/${own("A")}`)).body.data).toMatchObject({ on_hand: 40, reserved: 0 });
});
