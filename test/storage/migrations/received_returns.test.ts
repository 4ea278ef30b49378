// The upgrade adds units of returns that were received and not inspected to the returns bin, as their receipt would.
import { describe, expect, test } from "bun:test";
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { movements, stock_items } from "../../../db/schema/inventory.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { engine } from "../../../src/core/config.ts";
import type { Db, Tx } from "../../../src/storage/database.ts";
import { migrations } from "../../../src/storage/migrations/migration_sql.ts";
import { type Lines, openShop, portland, type Shop, shopOn } from "../../build/shop.ts";
import { openWest } from "../../build/west.ts";

const main = "whs_1001";
const migration = migrations[engine].find(({ name }) => name.endsWith("_received_returns"));

/** Drizzle functions that features may not use. */
interface Running {
  run(query: SQL): unknown;
  execute(query: SQL): Promise<unknown>;
}

async function migrate(tx: Tx): Promise<void> {
  const raw = tx.sql as unknown as Running;
  expect(migration?.statements.length).toBeGreaterThan(5);
  for (const statement of migration?.statements ?? []) {
    await (engine === "postgres" ? raw.execute(sql.raw(statement)) : raw.run(sql.raw(statement)));
  }
}

const receivedWith = (returns: readonly string[]) =>
  and(eq(movements.reason, "return_received"), inArray(movements.reference_id, [...returns]));

/** What is in each bin, and what was received with the returns. Receipts of parts are summed. */
async function booked(db: Db, returns: readonly string[]) {
  const held = await db.sql
    .select({
      merchant: stock_items.merchant_id,
      product: stock_items.product_id,
      warehouse: stock_items.warehouse_id,
      bin: bins.code,
      kind: bins.kind,
      lot: stock_items.lot_id,
      on_hand: stock_items.on_hand,
      reserved: stock_items.reserved,
    })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(sql`${stock_items.on_hand} > 0`);
  const received = await db.sql
    .select({
      merchant: movements.merchant_id,
      product: movements.product_id,
      type: movements.type,
      lot: movements.lot_id,
      reference: movements.reference_id,
      item: movements.to_item_id,
      units: sql<number>`sum(${movements.quantity})`.mapWith(Number),
    })
    .from(movements)
    .where(receivedWith(returns))
    .groupBy(
      movements.merchant_id,
      movements.product_id,
      movements.type,
      movements.lot_id,
      movements.reference_id,
      movements.to_item_id,
    )
    .orderBy(asc(movements.reference_id), asc(movements.product_id));
  return {
    held: held.map((row) => JSON.stringify(row)).toSorted(),
    received: received.map(({ item: _, ...row }) => row),
  };
}

/** Undoes what receipts have added, as if the version before had received the units, which knew no stock of them. */
async function forget(tx: Tx, returns: readonly string[]): Promise<void> {
  for (const { to_item_id, quantity } of await tx.sql.select().from(movements).where(receivedWith(returns))) {
    const on_hand = sql`${stock_items.on_hand} - ${quantity}`;
    await tx.sql
      .update(stock_items)
      .set({ on_hand })
      .where(eq(stock_items.id, to_item_id ?? 0));
  }
  await tx.sql.delete(movements).where(receivedWith(returns));
  const known = sql`select from_item_id from movements where from_item_id is not null
    union select to_item_id from movements where to_item_id is not null`;
  await tx.sql.delete(stock_items).where(sql`${stock_items.id} not in (${known})`);
}

async function sold(shop: Shop, lines: Lines): Promise<string> {
  const { id } = await shop.order(lines);
  await shop.act(id, "ship");
  return id;
}

/** Creates a return of these units and receives some of them, part by part. */
async function returned(shop: Shop, order_id: string, items: Units, parts: readonly Units[]): Promise<string> {
  const units = (some: Units) => Object.entries(some).map(([sku, quantity]) => ({ sku, quantity }));
  const { id } = await shop.app.create("/returns", { order_id, reason: "defective", items: units(items) }, shop.by);
  for (const part of parts) await shop.app.create(`/returns/${id}/receive`, { items: units(part) }, shop.by);
  return id;
}
type Units = Readonly<Record<string, number>>;

/** A past order of another system, which took nothing from the stock here. */
async function imported(shop: Shop, sku: string, quantity: number): Promise<string> {
  const row = {
    order_number: "H-1",
    status: "delivered",
    customer_email: "past@example.com",
    ...portland,
    sku,
    quantity,
    line_total: 10,
    created_at: "2025-03-01",
    shipped_at: "2025-03-02T10:00:00Z",
    delivered_at: "2025-03-04T15:30:00Z",
  };
  const file = `${Object.keys(row).join(",")}\n${Object.values(row).join(",")}`;
  const headers = { "content-type": "text/csv" };
  await shop.app.call("POST", "/orders/import?history=true", file, { key: shop.app.keys.live.full, headers });
  return (await shop.app.get("/orders?order_number=H-1")).body.data[0].id;
}

/** A received return of another merchant, which has a returns bin of its own. */
async function returnedToOwnBin({ app }: Shop): Promise<string> {
  await app.must("POST", "/merchants", { code: "OWN", name: "Own" });
  const kept = { code: "OWN-RET", kind: "returns", dedicated_merchant_id: "OWN" };
  const zone = { zone_id: "AMBIENT", temperature_zone: "ambient", bins: [kept] };
  await app.must("PATCH", `/inventory/locations/${main}`, { location_zones: [zone] });
  const customer = { email: "own@example.com", first_name: "Own", shipping_addresses: [portland, portland] };
  const theirs = await shopOn(app, { merchant: "OWN", customer });
  const tea = await theirs.product({ sku: "TEA" });
  await app.create("/inventory", { sku: "TEA", quantity: 2, location: main, bin: "OWN-01" });
  return returned(theirs, await sold(theirs, [[tea, 2]]), { TEA: 2 }, [{ TEA: 2 }]);
}

test("units of received returns are added to the returns bins, and nothing else changes", async () => {
  const shop = await openShop();
  const { app } = shop;
  const west = await openWest(app);
  const add = (sku: string, quantity: number, fields: object) => app.create("/inventory", { sku, quantity, ...fields });
  const plain = await shop.product({ sku: "PLAIN", units: 12 });
  const lots = await shop.product({ sku: "BATCHED", lot_tracking: true });
  await add("BATCHED", 2, { lot_number: "L1", location: main });
  await add("BATCHED", 2, { lot_number: "L2", location: main });
  const one_lot = await shop.product({ sku: "SINGLE", lot_tracking: true });
  await add("SINGLE", 3, { lot_number: "L3", location: main });
  const spread = await shop.product({ sku: "SPREAD" });
  await add("SPREAD", 1, { location: main });
  await add("SPREAD", 4, { location: west });
  const set = await shop.bundle([
    ["PLAIN", 2],
    ["SINGLE", 1],
  ]);

  // Inspected units that wait in the returns bin to be restocked, and a return that nothing has arrived of.
  const early = await returned(shop, await sold(shop, [[plain, 1]]), { PLAIN: 1 }, [{ PLAIN: 1 }]);
  await app.create(`/returns/${early}/inspect`, { items: [{ sku: "PLAIN", quantity: 1, condition: "unopened" }] });
  const order = await sold(shop, [
    [plain, 3],
    [set, 2],
    [lots, 3],
    [one_lot, 1],
  ]);
  const other = await sold(shop, [[spread, 5]]);
  await returned(shop, other, { SPREAD: 1 }, []);

  const items = { PLAIN: 2, [set.sku]: 2 };
  const returns = [
    await returned(shop, order, items, [{ PLAIN: 1 }, { PLAIN: 1, [set.sku]: 1 }]),
    await returned(shop, order, { PLAIN: 1, BATCHED: 3, SINGLE: 1 }, [{ PLAIN: 1, BATCHED: 2, SINGLE: 1 }]),
    await returned(shop, other, { SPREAD: 4 }, [{ SPREAD: 3 }]),
    await returned(shop, await imported(shop, "BATCHED", 2), { BATCHED: 1 }, [{ BATCHED: 1 }]),
  ];
  returns.push(await returnedToOwnBin(shop));

  const { live } = app.service.stores;
  const before = await live.read((db) => booked(db, returns));
  expect(before.received.map(({ type, units, lot }) => `${type} ${units} of lot ${lot}`)).toEqual([
    "return 4 of lot null",
    "return 1 of lot 1003",
    "return 1 of lot null",
    "return 2 of lot null",
    "return 1 of lot 1003",
    "return 3 of lot null",
    "adjustment 1 of lot null",
    "return 2 of lot null",
  ]);
  await live.write((tx) => forget(tx, returns));
  expect(await live.read((db) => booked(db, returns))).not.toEqual(before);
  await live.write(migrate);
  expect(await live.read((db) => booked(db, returns))).toEqual(before);

  // The units can be inspected, and `verify` at the end of the test finds nothing.
  const [first = ""] = returns;
  await app.create(`/returns/${first}/inspect`, {
    items: [
      { sku: "PLAIN", quantity: 2, condition: "unopened", bin: "A-01" },
      { sku: set.sku, quantity: 1, condition: "damaged" },
    ],
  });
  expect(await shop.stockOf("PLAIN")).toMatchObject({ on_hand: 8, unavailable: { returns: 2 } });
});

test("a warehouse without a returns bin gets one", async () => {
  const shop = await openShop();
  const product = await shop.product({ units: 2 });
  const id = await returned(shop, await sold(shop, [[product, 2]]), { [product.sku]: 2 }, [{ [product.sku]: 2 }]);
  const { live } = shop.app.service.stores;
  const before = await live.read((db) => booked(db, [id]));
  await live.write((tx) => forget(tx, [id]));
  await live.write((tx) => tx.sql.delete(bins).where(eq(bins.code, "RETURNS")));
  await live.write(migrate);
  expect(await live.read((db) => booked(db, [id]))).toEqual(before);
  const [bin] = await live.read((db) => db.sql.select().from(bins).where(eq(bins.code, "RETURNS")));
  expect(bin).toMatchObject({ kind: "returns", zone_id: expect.any(Number), mix_merchants: false, capacity: null });
});

describe("a bin coded RETURNS that may not take the units is left alone, and a bin with a free code takes them", () => {
  const unfit = [
    ["a storage bin", { kind: "storage" }],
    ["another merchant's returns bin", { kind: "returns", dedicated: true }],
    ["another merchant's storage bin", { kind: "storage", dedicated: true }],
  ] as const;
  test.each(unfit)("%s", async (_, { kind, ...more }) => {
    const shop = await openShop();
    const product = await shop.product({ units: 2 });
    const id = await returned(shop, await sold(shop, [[product, 2]]), { [product.sku]: 2 }, [{ [product.sku]: 2 }]);
    const merchant = (await shop.app.create("/merchants", { code: "OTHER", name: "Other" })).id;
    const { live } = shop.app.service.stores;
    await live.write((tx) => forget(tx, [id]));
    const dedicated_merchant_id = "dedicated" in more ? Number(merchant.split("_")[1]) : null;
    await live.write(async (tx) => {
      await tx.sql.update(bins).set({ kind, dedicated_merchant_id }).where(eq(bins.code, "RETURNS"));
      const [taken] = await tx.sql.select().from(bins).where(eq(bins.code, "RETURNS"));
      if (taken === undefined) throw new Error("There is no bin RETURNS.");
      const { id: _, ...fields } = taken;
      await tx.sql.insert(bins).values({ ...fields, code: "RETURNS-2", kind: "storage" });
    });
    await live.write(migrate);
    const { held, received } = await live.read((db) => booked(db, [id]));
    expect(held.map((row) => JSON.parse(row))).toEqual([
      expect.objectContaining({ bin: "RETURNS-3", kind: "returns", on_hand: 2, reserved: 0 }),
    ]);
    expect(received).toEqual([expect.objectContaining({ reference: id, units: 2 })]);
    const [bin] = await live.read((db) => db.sql.select().from(bins).where(eq(bins.code, "RETURNS-3")));
    expect(bin).toMatchObject({ dedicated_merchant_id: null, zone_id: expect.any(Number), mix_merchants: false });
  });
});

test("where no return is waiting, nothing changes", async () => {
  const shop = await openShop();
  const product = await shop.product({ units: 2 });
  await returned(shop, await sold(shop, [[product, 2]]), { [product.sku]: 2 }, []);
  const { live } = shop.app.service.stores;
  const rows = (db: Db) => db.sql.select().from(movements).orderBy(asc(movements.id));
  const before = await live.read(rows);
  await live.write(migrate);
  expect(await live.read(rows)).toEqual(before);
});
