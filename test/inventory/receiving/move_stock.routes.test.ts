import { beforeEach, describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(() => shop.app.takeEvents());

const move = (body: object) => shop.app.post("/inventory/moves", body);
const places = async (sku: string) =>
  (await shop.app.get(`/inventory/items?sku=${sku}&sort=bin`)).body.data.map(
    ({ bin, quantity, reserved }: Record<string, unknown>) => `${bin} ${quantity} ${reserved}`,
  );

describe("works", () => {
  test("free units move, and reserved units stay", async () => {
    const { sku } = await shop.product({ units: 9 });
    await shop.takeTypes();
    const { status, body } = await move({ sku, quantity: 4, to_bin: "B-07", notes: "Nearer to the door." });
    expect([status, body.data]).toMatchObject([
      201,
      { from_bin: "A-01", from_quantity: 5, bin: "B-07", bin_quantity: 4, reason: "relocation", moved_by: "key_1003" },
    ]);
    expect(await places(sku)).toEqual(["A-01 5 0", "B-07 4 0"]);
    // The units for sale are unchanged.
    expect(await shop.takeTypes()).toEqual([]);
    const [movement] = (await shop.app.get(`/inventory/movements?sku=${sku}`)).body.data;
    expect(movement).toMatchObject({
      id: body.data.movement_id,
      type: "transfer",
      from_location: "A-01",
      to_location: "B-07",
      notes: "Nearer to the door.",
    });
    await shop.expectVerified();
  });

  test("moved reserved units stay reserved in the new bin, and the order can be picked from there", async () => {
    const goods = await shop.product({ units: 5 });
    const order = await shop.order([[goods, 3]]);
    await shop.takeTypes();
    expect((await move({ sku: goods.sku, quantity: 5, to_bin: "B-08" })).body.data.backordered_orders).toEqual([]);
    expect(await places(goods.sku)).toEqual(["B-08 5 3"]);
    expect(await shop.takeTypes()).toEqual([]);
    await shop.act(order.id, "pick");
    expect(await shop.stockOf(goods.sku)).toMatchObject({ picked: 3, available: 2 });
    await shop.expectVerified();
  });

  test("units without a lot go to quarantine, and back on sale for backorders", async () => {
    const goods = await shop.product({ units: 5 });
    await shop.takeTypes();
    expect((await move({ sku: goods.sku, quantity: 5, condition: "quarantined" })).body.data).toMatchObject({
      bin: "QUARANTINE",
      reason: "quality_hold",
    });
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(goods.sku)).toMatchObject({ on_hand: 5, available: 0, unavailable: { quarantined: 5 } });
    const order = await shop.order([[goods, 2]]);
    expect(order.allocation.backordered_units).toBe(2);
    await shop.takeTypes();
    const back = await move({ sku: goods.sku, quantity: 4, bin: "QUARANTINE", to_bin: "A-01" });
    expect(back.body.data).toMatchObject({ reason: "released", from_quantity: 1 });
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(goods.sku)).toMatchObject({ reserved: 2, available: 2, backordered: 0 });
    await shop.expectVerified();
  });

  test("reserved units go off sale if shortfalls are allowed", async () => {
    const goods = await shop.product({ units: 3 });
    const order = await shop.order([[goods, 2]]);
    const body = { sku: goods.sku, quantity: 2, condition: "damaged" };
    const refused = await move(body);
    expect([refused.status, refused.body.error.code, refused.body.error.orders]).toEqual([
      409,
      "would_break_reservations",
      [{ order_id: order.id, order_number: order.order_number, quantity: 1 }],
    ]);
    expect(await shop.stockOf(goods.sku)).toMatchObject({ available: 1, reserved: 2 });
    const done = await move({ ...body, allow_shortfall: true });
    expect(done.body.data.backordered_orders).toEqual(refused.body.error.orders);
    expect(await shop.stockOf(goods.sku)).toMatchObject({ available: 0, reserved: 1, unavailable: { damaged: 2 } });
    await shop.expectVerified();
  });
});

describe("refuses", () => {
  test("unknown, ambiguous and unsuitable places, and changes nothing", async () => {
    const { sku } = await shop.product({ units: 5 });
    await move({ sku, quantity: 2, to_bin: "B-09" });
    const waits = await shop.product({ units: 2 });
    const order = await shop.order([[waits, 2]]);
    await shop.act(order.id, "pick");
    await shop.app.patch("/inventory/locations/whs_1001", {
      location_zones: [
        { zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "TINY", capacity: 1 }] },
        { zone_id: "COLD", temperature_zone: "refrigerated", bins: [{ code: "C-01" }] },
      ],
    });
    const cold = `COLD-${crypto.randomUUID()}`;
    await shop.app.product(cold, { temperature_zone: "refrigerated" });
    await shop.app.stock(cold, 1, { location: "whs_1001", bin: "C-01" });
    await shop.takeTypes();
    const from = { sku, quantity: 1, bin: "A-01" };
    const cases = [
      [{ ...from, sku: "NOTHING", to_bin: "B-01" }, 404, "resource_missing"],
      [{ sku, quantity: 1, to_bin: "B-01" }, 422, "ambiguous_stock"],
      [{ ...from, quantity: 4, to_bin: "B-01" }, 409, "insufficient_inventory"],
      [{ ...from, bin: "C-77", to_bin: "B-01" }, 409, "insufficient_inventory"],
      [{ ...from, to_bin: "A-01" }, 422, "validation_failed"],
      [from, 422, "validation_failed"],
      [{ ...from, to_bin: "PUTBACK" }, 422, "validation_failed"],
      [{ ...from, to_bin: "DAMAGE", condition: "quarantined" }, 422, "validation_failed"],
      [{ ...from, quantity: 2, to_bin: "TINY" }, 409, "bin_full"],
      [{ sku: cold, quantity: 1, to_bin: "A-01" }, 422, "validation_failed"],
      [{ sku: waits.sku, quantity: 1, bin: `STAGING-${order.id}`, to_bin: "B-01" }, 422, "validation_failed"],
    ] as const;
    for (const [body, status, code] of cases) {
      const answer = await move(body);
      expect([body, answer.status, answer.body.error?.code]).toEqual([body, status, code]);
    }
    expect(await shop.takeTypes()).toEqual([]);
    expect(await places(sku)).toEqual(["A-01 3 0", "B-09 2 0"]);
    await shop.expectVerified();
  });
});
