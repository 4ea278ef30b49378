import { beforeEach, describe, expect, test } from "bun:test";
import { openShop, type Shop } from "../build/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});

const main = "whs_1001";
const add = (sku: string, quantity: number, fields: object = {}) =>
  shop.app.post("/inventory", { sku, quantity, location: main, ...fields });
const allocate = (id: string, query = "") => shop.app.post(`/orders/${id}/allocate${query}`);

type Passed = { bin: string; lot_number: string | null; reason: string; free: number };
const passed = (item: { not_chosen: Passed[] }) =>
  item.not_chosen.map(({ bin, lot_number, reason, free }) => [bin, lot_number, reason, free]);

/** A SKU with several lots, of which an order holds the one that expires last, since the others arrived later. */
async function milkInLots() {
  const milk = await shop.product({ sku: "MILK" });
  await add("MILK", 5, { bin: "S-1", lot_number: "L9", expiration_date: "2026-03-09" });
  const order = await shop.order([[milk, 4]]);
  await add("MILK", 3, { bin: "S-2", lot_number: "L5", expiration_date: "2026-03-05" });
  await add("MILK", 6, { bin: "S-3", lot_number: "L7", expiration_date: "2026-03-07" });
  await shop.app.takeEvents();
  return order;
}

describe("works", () => {
  test("a dry run shows the lots to use and why others are passed over, and changes nothing", async () => {
    const order = await milkInLots();
    const before = (await shop.app.get("/inventory/MILK")).body.data;
    const { status, body } = await allocate(order.id, "?dry_run=true");
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      order_id: order.id,
      dry_run: true,
      allocation: { complete: true, backordered_units: 0 },
      items: [{ sku: "MILK", required: 4, backordered: 0 }],
    });
    const [item] = body.data.items;
    const spot = { warehouse_id: main, temperature_zone: "ambient", received_at: "2026-01-02T03:04:05.000Z" };
    expect(item.chosen).toEqual([
      { ...spot, bin: "S-2", lot_number: "L5", expiration_date: "2026-03-05T23:59:59.999Z", quantity: 3 },
      { ...spot, bin: "S-3", lot_number: "L7", expiration_date: "2026-03-07T23:59:59.999Z", quantity: 1 },
    ]);
    expect(item.not_chosen).toEqual([
      {
        ...spot,
        bin: "S-1",
        lot_number: "L9",
        expiration_date: "2026-03-09T23:59:59.999Z",
        on_hand: 5,
        free: 5,
        reason: "expires_later",
      },
    ]);
    expect((await shop.app.get("/inventory/MILK")).body.data).toEqual(before);
    expect((await allocate(order.id, "?dry_run=true")).body.data).toEqual(body.data);
    expect(await shop.takeStockEvents()).toEqual([]);
  });

  test("without dry_run the same is done", async () => {
    const order = await milkInLots();
    const dry = (await allocate(order.id, "?dry_run=true")).body.data;
    const { status, body } = await allocate(order.id);
    expect([status, body.data]).toEqual([200, { ...dry, dry_run: false }]);
    // The totals of the SKU are unchanged, so nothing is emitted.
    expect(await shop.takeStockEvents()).toEqual([]);
    const again = (await allocate(order.id)).body.data;
    expect(again.items[0].chosen).toEqual(body.data.items[0].chosen);
    const picked = await shop.app.post(`/orders/${order.id}/pick`);
    expect(picked.status).toBe(200);
    const left = (await shop.app.get("/inventory/movements?sku=MILK&type=transfer")).body.data;
    expect(
      left.map(({ lot_number, quantity }: { lot_number: string; quantity: number }) => [lot_number, quantity]),
    ).toEqual(
      expect.arrayContaining([
        ["L5", 3],
        ["L7", 1],
      ]),
    );
  });

  test("reserved units that move to another warehouse are announced, though the totals stay the same", async () => {
    const { warehouse_id: _id, name: _name, ...rest } = (await shop.app.get("/inventory/locations")).body.data[0];
    const fields = { ...rest, name: "West", priority: 500 };
    const west = (await shop.app.post("/inventory/locations", fields)).body.data.warehouse_id;
    const mug = await shop.product({ sku: "MUG" });
    await add("MUG", 5, { location: west, bin: "W-1" });
    const order = await shop.order([[mug, 4]]);
    await add("MUG", 5, { bin: "S-1" });
    await shop.app.takeEvents();
    const [mugs] = (await allocate(order.id)).body.data.items;
    expect(mugs.chosen.map(({ bin }: { bin: string }) => bin)).toEqual(["S-1"]);
    const events = await shop.takeStockEvents();
    expect(events).toHaveLength(1);
  });

  test("each rule has its name", async () => {
    const { warehouse_id: _id, name: _name, ...rest } = (await shop.app.get("/inventory/locations")).body.data[0];
    const fields = { ...rest, name: "West", priority: 500 };
    const west = (await shop.app.post("/inventory/locations", fields)).body.data.warehouse_id;
    const cold = { zone_id: "COLD", temperature_zone: "refrigerated", bins: [{ code: "C-1" }] };
    await shop.app.patch(`/inventory/locations/${main}`, { location_zones: [cold] });
    const fish = await shop.product({ sku: "FISH" });
    await shop.app.patch(`/products/${fish.id}`, { min_shelf_life_days: 10 });
    await add("FISH", 4, { bin: "S-1" });
    await add("FISH", 4, { bin: "C-1", lot_number: "A", expiration_date: "2026-01-09" });
    await add("FISH", 9, { bin: "C-1", lot_number: "B", expiration_date: "2026-03-09" });
    await add("FISH", 9, { location: west, bin: "S-9" });
    const [small, other] = [
      await shop.order([[fish, 5]], { requires_cold_storage: true, warehouse_id: main }),
      await shop.order([[fish, 6]]),
    ];
    await shop.app.takeEvents();
    const [cool] = (await allocate(small.id, "?dry_run=true")).body.data.items;
    expect(passed(cool)).toEqual([
      ["S-1", null, "zone_too_warm", 2],
      ["C-1", "A", "shelf_life", 4],
      ["S-9", null, "other_warehouse", 9],
    ]);
    const [plain] = (await allocate(other.id, "?dry_run=true")).body.data.items;
    expect(plain.chosen.map(({ bin, quantity }: { bin: string; quantity: number }) => [bin, quantity])).toEqual([
      ["C-1", 4],
      ["S-1", 2],
    ]);
    expect(passed(plain)).toEqual([
      ["C-1", "A", "shelf_life", 4],
      ["S-9", null, "warehouse_priority", 9],
    ]);
    expect(await shop.takeStockEvents()).toEqual([]);
  });

  test("backordered units are shown, and picked ones are not planned again", async () => {
    const oats = await shop.product({ sku: "OATS", units: 5 });
    const order = await shop.order([[oats, 8]]);
    await shop.act(order.id, "pick", { items: [{ sku: "OATS", quantity: 2 }] });
    await shop.app.takeEvents();
    const { data } = (await allocate(order.id)).body;
    expect(data.allocation).toEqual({ complete: false, backordered_units: 3 });
    const [item] = data.items;
    expect([item.required, item.backordered, item.chosen.length]).toEqual([6, 3, 1]);
    expect(passed(item)).toEqual([[`STAGING-${order.id}`, null, "bin_not_for_sale", 0]]);
    expect((await shop.get(order.id)).line_items[0]).toMatchObject({ quantity_reserved: 5, quantity_picked: 2 });
    expect(await shop.takeStockEvents()).toEqual([]);
  });
});

describe("refuses", () => {
  test("an order that has changed since it was read", async () => {
    const { id } = await shop.order([[await shop.product({ sku: "TEA", units: 9 }), 1]]);
    const send = (tag: string) => shop.app.call("POST", `/orders/${id}/allocate`, {}, { headers: { "if-match": tag } });
    const stale = await send('"7"');
    expect([stale.status, stale.body.error.code]).toEqual([412, "precondition_failed"]);
    expect((await send('"1"')).status).toBe(200);
  });

  test("unknown, held, packed and cancelled orders", async () => {
    const tea = await shop.product({ sku: "TEA", units: 9 });
    const [held, packed, gone] = [
      await shop.order([[tea, 1]]),
      await shop.order([[tea, 1]]),
      await shop.order([[tea, 1]]),
    ];
    await shop.act(held.id, "hold");
    await shop.act(packed.id, "pack");
    await shop.cancel(gone.id);
    await shop.app.takeEvents();
    for (const query of ["", "?dry_run=true"]) {
      for (const { id } of [held, packed, gone]) {
        const { status, body } = await allocate(id, query);
        expect([status, body.error.code, body.error.action]).toEqual([409, "invalid_state_transition", "allocate"]);
      }
      expect((await allocate("ord_9", query)).status).toBe(404);
    }
    expect((await allocate(held.id, "?dry_run=perhaps")).status).toBe(422);
    expect((await shop.app.post(`/orders/${held.id}/allocate`, { dry_run: true })).status).toBe(422);
    expect(await shop.takeStockEvents()).toEqual([]);
  });
});

describe("guards", () => {
  test("orders allocated concurrently never hold more than the available units", async () => {
    const rice = await shop.product({ sku: "RICE", units: 20 });
    const orders = await Promise.all(Array.from({ length: 12 }, () => shop.order([[rice, 2]])));
    await Promise.all(orders.map(({ id }, at) => allocate(id, at % 3 === 0 ? "?dry_run=true" : "")));
    const { reserved, available } = (await shop.app.get("/inventory/RICE")).body.data;
    expect([reserved, available]).toEqual([20, 0]);
  });
});
