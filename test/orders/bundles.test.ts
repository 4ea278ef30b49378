import { beforeEach, describe, expect, test } from "bun:test";
import { openShop } from "../build/shop.ts";

const shop = await openShop();
beforeEach(async () => {
  await shop.app.takeEvents();
});

let number = 0;

/** A bundle of two cups and one pot, with these units in stock. */
async function teaSet(cups: number, pots: number) {
  number += 1;
  const cup = await shop.product({ sku: `CUP-${number}`, units: cups });
  const pot = await shop.product({ sku: `POT-${number}`, units: pots });
  const components = [
    { sku: cup.sku, quantity: 2 },
    { sku: pot.sku, quantity: 1 },
  ];
  const made = await shop.app.post("/products", { sku: `SET-${number}`, name: "Tea set", type: "bundle", components });
  expect([made.status, made.body.data?.components]).toEqual([201, components]);
  await shop.app.takeEvents();
  return { cup, pot, components, set: made.body.data as { id: string; sku: string } };
}

const updated = async () =>
  (await shop.app.takeEvents()).filter(({ type }) => type === "inventory.updated").map(({ data }) => data["sku"]);

describe("works", () => {
  test("the components determine the available sets, and the list shows the same", async () => {
    const { set, cup, pot } = await teaSet(7, 5);
    expect(await shop.stockOf(set.sku)).toMatchObject({
      available: 3,
      total: 3,
      reserved: 0,
      on_hand: 0,
      locations: [],
    });
    const listed = await shop.app.get(`/inventory?sku=${set.sku}`);
    expect(listed.body.data).toMatchObject([{ sku: set.sku, available: 3, status: "in_stock" }]);
    await shop.app.patch(`/inventory/${pot.sku}`, { adjustment: -4, reason: "lost" });
    expect(await shop.stockOf(set.sku)).toMatchObject({ available: 1 });
    const low = async () => (await shop.app.get(`/inventory?sku=${set.sku}&low_stock=true`)).body.data.length;
    await shop.app.patch(`/products/${set.id}`, { reorder_point: 1 });
    expect(await low()).toBe(0);
    await shop.app.patch(`/products/${set.id}`, { reorder_point: 2 });
    expect([await low(), (await shop.stockOf(set.sku)).status]).toEqual([1, "low_stock"]);
    expect((await shop.stockOf(cup.sku)).available).toBe(7);
  });

  test("an order reserves components, counts whole sets, and keeps the composition of the bundle", async () => {
    const { set, cup, pot, components } = await teaSet(10, 3);
    const order = await shop.order([[set, 4]]);
    expect(order.line_items).toMatchObject([
      { sku: set.sku, components, quantity: 4, quantity_reserved: 3, quantity_backordered: 1 },
    ]);
    expect(order.allocation).toEqual({ complete: false, backordered_units: 1 });
    expect([(await shop.stockOf(cup.sku)).reserved, (await shop.stockOf(pot.sku)).reserved]).toEqual([8, 3]);
    expect(await shop.stockOf(set.sku)).toMatchObject({ available: 0, reserved: 0 });
    expect((await updated()).sort()).toEqual([cup.sku, pot.sku, set.sku]);
    await shop.app.patch(`/products/${set.id}`, { components: [{ sku: cup.sku, quantity: 1 }] });
    expect((await shop.get(order.id)).line_items[0].components).toEqual(components);
    await shop.app.stock(pot.sku, 2, { location: "whs_1001" });
    expect((await shop.get(order.id)).line_items).toMatchObject([{ quantity_reserved: 4, quantity_backordered: 0 }]);
    await shop.cancel(order.id);
    expect([await shop.available(cup.sku), await shop.available(pot.sku)]).toEqual([10, 5]);
  });

  test("components are picked individually, packed and shipped as sets, and returned as components", async () => {
    const { set, cup, pot } = await teaSet(6, 3);
    const { id } = await shop.order([[set, 2]]);
    const half = await shop.act(id, "pick", { items: [{ sku: cup.sku, quantity: 3 }] });
    expect(half.line_items).toMatchObject([{ quantity_picked: 0 }]);
    const one = await shop.act(id, "pick", { items: [{ sku: set.sku, quantity: 1 }] });
    expect(one.line_items).toMatchObject([{ quantity_picked: 1 }]);
    expect([(await shop.stockOf(cup.sku)).picked, (await shop.stockOf(pot.sku)).picked]).toEqual([3, 1]);
    const whole = await shop.act(id, "pick");
    expect(whole.line_items).toMatchObject([{ quantity_picked: 2, quantity_packed: 0 }]);
    const shipped = await shop.act(id, "ship");
    expect(shipped).toMatchObject({ status: "shipped", line_items: [{ quantity_shipped: 2, quantity_picked: 2 }] });
    expect([await shop.stockOf(cup.sku), await shop.stockOf(pot.sku)]).toMatchObject([
      { on_hand: 2, reserved: 0 },
      { on_hand: 1, reserved: 0 },
    ]);
    const items = [{ sku: set.sku, quantity: 1 }];
    const back = (await shop.app.post("/returns", { order_id: id, reason: "customer_remorse", items })).body.data;
    expect(back.items).toMatchObject([{ sku: set.sku, quantity: 1 }]);
    await shop.app.post(`/returns/${back.id}/receive`, {});
    await shop.app.takeEvents();
    const found = { items: [{ sku: set.sku, quantity: 1, condition: "unopened", bin: "A-01" }] };
    const inspected = await shop.app.post(`/returns/${back.id}/inspect`, found);
    expect([inspected.status, inspected.body.error]).toEqual([200, undefined]);
    expect([await shop.available(cup.sku), await shop.available(pot.sku)]).toEqual([4, 2]);
    expect((await updated()).sort()).toEqual([cup.sku, pot.sku, set.sku]);
    expect((await shop.get(id)).line_items).toMatchObject([{ quantity_returned: 1 }]);
  });

  test("a bundle and its component in one order do not interfere", async () => {
    const { set, cup, pot } = await teaSet(5, 5);
    const order = await shop.order([
      [set, 2],
      [cup, 2],
    ]);
    expect(order.line_items).toMatchObject([
      { quantity_reserved: 2, quantity_backordered: 0 },
      { quantity_reserved: 1, quantity_backordered: 1 },
    ]);
    await shop.app.stock(cup.sku, 1, { location: "whs_1001" });
    const shipped = await shop.act(order.id, "ship");
    expect(shipped.line_items).toMatchObject([{ quantity_shipped: 2 }, { quantity_shipped: 2 }]);
    expect([await shop.available(cup.sku), await shop.available(pot.sku)]).toEqual([0, 3]);
  });

  test("a carrier that has a cancelled order's parcel ships as many whole sets as there are", async () => {
    const { set, cup, pot } = await teaSet(7, 3);
    const order = await shop.order([[set, 3]]);
    const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };
    const label = (await shop.app.post("/shipping/labels", { order_id: order.id, ...parcel })).body.data;
    await shop.act(order.id, "pick", { items: [{ sku: pot.sku, quantity: 1 }] });
    await shop.cancel(order.id);
    await shop.app.patch(`/inventory/${cup.sku}`, { adjustment: -2, reason: "lost" });
    await shop.app.takeEvents();
    const scan = await shop.app.post(`/tracking/${label.tracking_number}/events`, { status: "in_transit" });
    expect(scan.status).toBe(201);
    expect((await updated()).sort()).toEqual([cup.sku, pot.sku, set.sku]);
    expect(await shop.get(order.id)).toMatchObject({
      held_from: "cancelled",
      line_items: [{ quantity_cancelled: 1, quantity_shipped: 2 }],
      shipments: [{ status: "shipped", items: [{ quantity: 2 }] }],
      holds: [{ reason: "carrier_discrepancy", note: expect.stringContaining("not all of it was in stock") }],
    });
    expect([await shop.stockOf(cup.sku), await shop.stockOf(pot.sku)]).toMatchObject([
      { on_hand: 1, reserved: 0 },
      { on_hand: 1, reserved: 0, unavailable: { putback: 0 } },
    ]);
  });

  test("picked components of a recalled lot are restocked, even if no whole set is picked", async () => {
    const { set, cup } = await teaSet(0, 2);
    const add = (quantity: number, lot_number: string) =>
      shop.app.post("/inventory", { sku: cup.sku, quantity, location: "whs_1001", lot_number });
    await add(4, "L-1");
    const order = await shop.order([[set, 2]]);
    await shop.act(order.id, "pick", { items: [{ sku: cup.sku, quantity: 3 }] });
    const [lot] = (await shop.app.get(`/inventory/lots?sku=${cup.sku}`)).body.data;
    await shop.app.post(`/inventory/lots/${lot.id}/status`, { status: "recalled", reason: "recall" });
    await shop.app.runJobs();
    expect((await shop.get(order.id)).holds).toMatchObject([{ reason: "recalled_lot" }]);
    const back = { order_id: order.id, sku: cup.sku, quantity: 3, bin: "A-01" };
    const done = await shop.app.post("/inventory/putbacks", back);
    expect([done.status, done.body.data?.remaining]).toEqual([201, 0]);
    await add(4, "L-2");
    await shop.app.runJobs();
    expect(await shop.act(order.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("the lines of an order change with bundles among them", async () => {
    const { set, cup, pot } = await teaSet(9, 9);
    const order = await shop.order([[set, 2]]);
    const line_items = [
      { product_id: set.id, quantity: 3, unit_price: "12.50" },
      { product_id: pot.id, quantity: 1, unit_price: "9" },
    ];
    const changed = await shop.app.patch(`/orders/${order.id}`, { line_items });
    expect(changed.body.data.line_items).toMatchObject([{ quantity_reserved: 3 }, { quantity_reserved: 1 }]);
    expect([await shop.available(cup.sku), await shop.available(pot.sku)]).toEqual([3, 5]);
  });
});

describe("refuses", () => {
  test("stock and reservations of a bundle, and an order of too many sets without backorders", async () => {
    const { set, cup, pot } = await teaSet(4, 1);
    const answers = [
      await shop.app.post("/inventory", { sku: set.sku, quantity: 1, location: "whs_1001" }),
      await shop.app.patch(`/inventory/${set.sku}`, { adjustment: 1, reason: "found" }),
      await shop.app.post("/inventory/reserve", { order_id: "B-1", items: [{ sku: set.sku, quantity: 1 }] }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.details[0].field])).toEqual([
      [422, "sku"],
      [422, "sku"],
      [422, "items[0].sku"],
    ]);
    const file = `sku,location,bin,quantity\n${set.sku},whs_1001,A-01,3`;
    const headers = { "content-type": "text/csv" };
    const { data } = (await shop.app.call("POST", "/inventory/import", file, { headers })).body;
    expect([data.failed, data.errors[0].field]).toEqual([1, "sku"]);
    const refused = await shop.app.post("/orders", shop.draft([[set, 2]], { allow_backorder: false }));
    expect([refused.status, refused.body.error.shortages]).toMatchObject([409, [{ sku: pot.sku, requested: 2 }]]);
    expect([await shop.available(cup.sku), await shop.available(pot.sku)]).toEqual([4, 1]);
    expect(await shop.app.takeEvents()).toEqual([]);
  });

  test("a hold or other lines once a single component is picked", async () => {
    const { set, cup } = await teaSet(4, 2);
    const order = await shop.order([[set, 2]]);
    const begun = await shop.act(order.id, "pick", { items: [{ sku: cup.sku, quantity: 1 }] });
    expect(begun.allowed_actions).not.toContain("hold");
    const line_items = [{ product_id: set.id, quantity: 1, unit_price: "1" }];
    const answers = [
      await shop.app.post(`/orders/${order.id}/hold`),
      await shop.app.patch(`/orders/${order.id}`, { line_items }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [409, "invalid_state_transition"],
      [409, "invalid_state_transition"],
    ]);
    await shop.app.takeEvents();
  });

  test("bundles without or with nested or unknown components, simple products with any, type changes", async () => {
    const { set, cup } = await teaSet(0, 0);
    const bundle = (components: unknown) => ({ sku: "B-X", name: "x", type: "bundle", components });
    const answers = [
      await shop.app.post("/products", { sku: "B-X", name: "x", type: "bundle" }),
      await shop.app.post("/products", bundle([{ sku: set.sku, quantity: 1 }])),
      await shop.app.post("/products", bundle([{ sku: "B-X", quantity: 1 }])),
      await shop.app.post("/products", bundle([cup, cup].map(({ sku }) => ({ sku, quantity: 1 })))),
      await shop.app.post("/products", { ...bundle([{ sku: cup.sku, quantity: 1 }]), type: "simple" }),
      await shop.app.patch(`/products/${cup.id}`, { type: "bundle", components: [{ sku: set.sku, quantity: 1 }] }),
      await shop.app.patch(`/products/${set.id}`, { components: [] }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code, body.error.details[0].field])).toEqual([
      [422, "validation_failed", "components"],
      [422, "validation_failed", "components[0].sku"],
      [404, "resource_missing", "components[0].sku"],
      [422, "validation_failed", "components[1].sku"],
      [422, "validation_failed", "components"],
      [422, "immutable_field", "type"],
      [422, "validation_failed", "components"],
    ]);
    await shop.app.patch(`/products/${cup.id}`, { status: "inactive" });
    const ordered = await shop.app.post("/orders", shop.draft([[set, 1]]));
    expect([ordered.status, ordered.body.error.details[0].code]).toEqual([422, "inactive"]);
  });
});

describe("guards", () => {
  test("bundles are exported and imported as CSV, after their components", async () => {
    const { set, components } = await teaSet(1, 1);
    const file = (await shop.app.get("/products/export.csv")).body as string;
    expect(file.indexOf(`\n${set.sku},`)).toBeGreaterThan(file.lastIndexOf(",simple,"));
    const there = { key: shop.app.keys.test.full };
    const headers = { "content-type": "text/csv" };
    const { data } = (await shop.app.call("POST", "/products/import", file, { ...there, headers })).body;
    expect([data.failed, data.created]).toEqual([0, data.rows]);
    const copy = await shop.app.call("GET", `/products?sku=${set.sku}`, undefined, there);
    expect(copy.body.data[0].components).toEqual(components);
    const again = (await shop.app.call("POST", "/products/import", file, { ...there, headers })).body.data;
    expect(again.unchanged).toBe(again.rows);
  });
});
