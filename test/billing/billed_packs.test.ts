// Packs are billed by warehouse and parcel, with described or calculated weights.
import { expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import { billable_events } from "../../db/schema/billing.ts";
import { verifyBilling } from "../../src/billing/billing_audit.sql.ts";
import { openShop } from "../build/shop.ts";
import { openWest } from "../build/west.ts";

setDefaultTimeout(60_000);

const main = "whs_1001";
const shop = await openShop();
const west = await openWest(shop.app, { timezone: "Asia/Tokyo" });

/** A product with units in both warehouses. */
async function goods(sku: string, units: readonly [main: number, west: number], fields: object = {}) {
  const made = await shop.app.create("/products", { sku, name: sku, price: "10.00", ...fields });
  for (const [at, location] of [main, west].entries()) {
    const quantity = units[at] ?? 0;
    if (quantity > 0) await shop.app.create("/inventory", { sku, quantity, location, bin: `${sku}-${at}` });
  }
  return made as { id: string; sku: string };
}

interface Told {
  readonly act: string;
  readonly warehouse_id: string;
  readonly business_date: string;
  readonly quantity: number;
  readonly source: { readonly id: string; readonly revision: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The pack events of an order, in the order in which they were recorded. */
async function packsOf(id: string): Promise<Told[]> {
  const { data } = (await shop.app.get("/billing/events?limit=100&kind=pack")).body;
  return (data as Told[])
    .filter(({ source }) => source.id === id)
    .sort((a, b) => a.source.revision - b.source.revision);
}

const placed = (facts: readonly Told[]) =>
  facts.map(({ warehouse_id, quantity, attributes }) => [warehouse_id, quantity, attributes["parcels"]]);

test("an order from two warehouses is packed in each, with the units from it and on its own day", async () => {
  const tea = await goods("TEA", [3, 4]);
  const { id } = await shop.order([[tea, 6]]);
  await shop.app.create(`/orders/${id}/pack`);
  const facts = await packsOf(id);
  expect(placed(facts).sort()).toEqual([
    [main, 3, 1],
    [west, 3, 1],
  ]);
  // It is still the evening before in New York.
  expect(facts.map(({ warehouse_id, business_date }) => [warehouse_id, business_date]).sort()).toEqual([
    [main, "2026-01-01"],
    [west, "2026-01-02"],
  ]);
  expect(await shop.app.service.stores.live.read(verifyBilling)).toEqual([]);
});

test("units picked earlier are packed in their warehouse, first in, first out", async () => {
  const [jam, pot] = [await goods("JAM", [3, 3]), await goods("POT", [0, 2])];
  const { id } = await shop.order([
    [jam, 6],
    [pot, 2],
  ]);
  const pick = (quantity: number, bin: string, sku = "JAM") =>
    shop.app.create(`/orders/${id}/pick`, { items: [{ sku, quantity, bin }] });
  await pick(2, "JAM-1");
  await pick(3, "JAM-0");
  const pack = (sku: string, quantity: number) => ({ items: [{ sku, quantity }] });
  // Two from the west and one from the main warehouse; then the rest, with implicit picks.
  const dimensions = { length: 30, width: 20, height: 10, unit: "cm" };
  const box = { ...pack("JAM", 3), name: "Box M", weight: 2, weight_unit: "kg", dimensions };
  await shop.app.create(`/orders/${id}/pack`, { packages: [box], partial: true });
  const divided = await packsOf(id);
  expect(placed(divided).sort()).toEqual([
    [main, 1, 1],
    [west, 2, 1],
  ]);
  // Neither has the stated weight or box.
  const unknown = { name: null, dimensions: null, weight: null, weight_unit: null, weight_is: null };
  expect(divided.map(({ attributes }) => attributes["packages"])).toEqual([[unknown], [unknown]]);
  await shop.app.create(`/orders/${id}/pack`, { packages: [pack("JAM", 2), pack("JAM", 1), pack("POT", 2)] });
  expect(placed((await packsOf(id)).slice(2)).sort()).toEqual([
    [main, 2, 1],
    [west, 3, 2],
  ]);
  await shop.app.create(`/orders/${id}/ship`);
  expect(await shop.app.service.stores.live.read(verifyBilling)).toEqual([]);
});

test("parcels are billed as described, with the measured weight or that of their units", async () => {
  const box = await goods("BOX", [20, 0], { weight: 0.25, weight_unit: "kg" });
  const bag = await goods("BAG", [20, 0], { weight: 1, weight_unit: "lb" });
  const odd = await goods("ODD", [20, 0]);
  const { id } = await shop.order([
    [box, 4],
    [bag, 2],
    [odd, 1],
  ]);
  const dimensions = { length: 30, width: 20, height: 10, unit: "cm" };
  await shop.app.create(`/orders/${id}/pack`, {
    packages: [
      { items: [{ sku: "BOX", quantity: 2 }], name: "Box M", weight: 0.75, weight_unit: "kgs", dimensions },
      {
        items: [
          { sku: "BOX", quantity: 2 },
          { sku: "BAG", quantity: 2 },
        ],
        name: "Box S",
      },
      { items: [{ sku: "ODD", quantity: 1 }] },
    ],
  });
  const [fact] = await packsOf(id);
  expect([{ quantity: fact?.quantity, ...fact?.attributes } as object]).toEqual([
    {
      quantity: 7,
      order_id: id,
      parcels: 3,
      skus: 3,
      packages: [
        { name: "Box M", dimensions, weight: "0.75", weight_unit: "kg", weight_is: "measured" },
        { name: "Box S", dimensions: null, weight: "1407.18474", weight_unit: "g", weight_is: "calculated" },
        { name: null, dimensions: null, weight: null, weight_unit: null, weight_is: null },
      ],
    },
  ]);
  const light = await shop.order([[box, 2]], { warehouse_id: main });
  const weighed = (weight: number) => ({ packages: [{ items: [{ sku: "BOX", quantity: 1 }], weight }], partial: true });
  expect((await shop.app.post(`/orders/${light.id}/pack`, weighed(1e-7))).status).toBe(422);
  await shop.app.create(`/orders/${light.id}/pack`, weighed(1e-6));
  expect((await packsOf(light.id))[0]?.attributes["packages"]).toMatchObject([{ weight: "0.000001" }]);
  const plain = await shop.order([[box, 2]], { warehouse_id: main });
  await shop.app.create(`/orders/${plain.id}/pick`);
  await shop.app.create(`/orders/${plain.id}/pack`);
  // Earlier picks are not looked up again.
  expect((await packsOf(plain.id))[0]?.attributes["packages"]).toEqual([
    { name: null, dimensions: null, weight: null, weight_unit: null, weight_is: null },
  ]);
});

test("verify finds packs billed in a warehouse with fewer picks", async () => {
  const nut = await goods("NUT", [2, 2]);
  const { id } = await shop.order([[nut, 4]]);
  await shop.app.create(`/orders/${id}/ship`);
  const store = shop.app.service.stores.live;
  expect(await store.read(verifyBilling)).toEqual([]);
  const rows = await store.read((db) =>
    db.sql
      .select()
      .from(billable_events)
      .where(sql`${billable_events.act} = 'order.pack' and ${billable_events.source_id} = ${Number(id.slice(4))}`),
  );
  const [first] = rows;
  // Another act of this order in a warehouse where two units were picked and two are billed.
  const more = { ...first, id: 999_999, source_revision: 77, quantity: 1 };
  await store
    .write(async (tx) => {
      await tx.sql.insert(billable_events).values(more as never);
      const found = (await verifyBilling(tx)).map(({ rule, subject, expected, actual }) => [
        rule.slice(0, 19),
        subject,
        expected,
        actual,
      ]);
      expect(found.sort()).toEqual([
        ["I17 each pack of an", `order ${Number(id.slice(4))}`, 1, 2],
        ["I17 units billed as", `order ${Number(id.slice(4))}`, 2, 3],
      ]);
      throw new Error("undone");
    })
    .catch((error: Error) => expect(error.message).toBe("undone"));
});
