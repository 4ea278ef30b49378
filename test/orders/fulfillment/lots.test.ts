// The lots and bins of shipped units, as planned or as picked, and parcels delivered one by one.
import { beforeEach, describe, expect, test } from "bun:test";
import { readId } from "../../../src/core/ids.ts";
import { plansOf } from "../../../src/inventory/reservations/reservations.sql.ts";
import type { Db } from "../../../src/storage/database.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(async () => {
  await shop.app.takeEvents();
});

/** The allocated units of an order by bin. */
const held = async (db: Db, id: string) =>
  (await plansOf(db, [readId("order", id) ?? 0])).map(({ bin, quantity }) => ({ bin, quantity }));

/** A SKU with lot `L-1`, which expires first, in bin `A-01`, and `L-2` in `B-01`, with these units each. */
async function milk(units: number) {
  const made = await shop.product();
  const add = (lot_number: string, bin: string, expiration_date: string) =>
    shop.app.post("/inventory", {
      sku: made.sku,
      quantity: units,
      location: "whs_1001",
      lot_number,
      bin,
      expiration_date,
    });
  await add("L-1", "A-01", "2026-03-01");
  await add("L-2", "B-01", "2026-04-01");
  return made;
}
/** The units picked for an order: quantity, lot, and whether a scan confirmed it. */
const taken = async (sku: string) =>
  (await shop.app.get(`/inventory/movements?sku=${sku}&type=transfer`)).body.data
    .map((row: { quantity: number; lot_number: string; confirmed: boolean }) =>
      [row.quantity, row.lot_number, row.confirmed].join(" "),
    )
    .sort() as string[];

describe("works", () => {
  test("implied picks follow the plan, first expired first, and are marked as assumed", async () => {
    const goods = await milk(3);
    const made = await shop.order([[goods, 4]]);
    await shop.act(made.id, "ship");
    expect(await taken(goods.sku)).toEqual(["1 L-2 false", "3 L-1 false"]);
  });

  test("units of one lot from two bins are together in staging, however they are picked", async () => {
    for (const parts of [[5], [2, 3], [1, 4], [4, 1]]) {
      const goods = await shop.product();
      for (const bin of ["C-01", "C-02"]) await shop.app.stock(goods.sku, 3, { location: "whs_1001", bin });
      const made = await shop.order([[goods, 5]]);
      for (const quantity of parts) await shop.act(made.id, "pick", { items: [{ sku: goods.sku, quantity }] });
      expect(await shop.app.service.stores.live.read((db) => held(db, made.id))).toEqual([
        { bin: `STAGING-${made.id}`, quantity: 5 },
      ]);
      expect(await shop.stockOf(goods.sku)).toMatchObject({ reserved: 5, picked: 5, available: 1 });
      await shop.act(made.id, "ship");
      expect(await shop.stockOf(goods.sku)).toMatchObject({ on_hand: 1, reserved: 0, picked: 0 });
    }
  });

  test("picking another lot than planned moves the reservation", async () => {
    const goods = await milk(3);
    const made = await shop.order([[goods, 2]]);
    await shop.app.takeEvents();
    const items = [{ line_id: made.line_items[0].id, quantity: 1, lot_number: "L-2" }];
    const picked = await shop.act(made.id, "pick", { items });
    expect(picked.line_items).toMatchObject([{ quantity_reserved: 2, quantity_picked: 1 }]);
    expect(await shop.stockOf(goods.sku)).toMatchObject({ reserved: 2, picked: 1, available: 4 });
    // Two units of L-1 are free again, so that another order can have them.
    await shop.act(made.id, "pick", { items: [{ sku: goods.sku, quantity: 1, bin: "B-01" }] });
    expect(await taken(goods.sku)).toEqual(["1 L-2 true", "1 L-2 true"]);
    const other = await shop.order([[goods, 3]]);
    await shop.act(other.id, "pick");
    expect(await taken(goods.sku)).toEqual(["1 L-2 true", "1 L-2 true", "3 L-1 true"]);
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("each parcel is delivered separately, and the order once all are", async () => {
    const goods = await milk(2);
    const made = await shop.order([[goods, 3]]);
    const items = (quantity: number) => ({ items: [{ sku: goods.sku, quantity }] });
    await shop.act(made.id, "pack", { packages: [items(1), items(2)] });
    const { shipments } = await shop.act(made.id, "ship");
    await shop.app.takeEvents();
    const first = await shop.act(made.id, "deliver", { shipment_id: shipments[1].id });
    expect(first).toMatchObject({
      status: "shipped",
      fulfillment_status: "partially_delivered",
      delivered_at: null,
      line_items: [{ quantity_delivered: 2 }],
      shipments: [{ status: "shipped" }, { status: "delivered" }],
      allowed_actions: ["deliver"],
    });
    expect(await shop.told()).toEqual([]);
    const again = await shop.app.post(`/orders/${made.id}/deliver`, { shipment_id: shipments[1].id });
    expect([again.status, again.body.error]).toMatchObject([
      409,
      { code: "invalid_state_transition", action: "deliver", message: expect.stringContaining("is delivered") },
    ]);
    expect(await shop.act(made.id, "deliver")).toMatchObject({ status: "delivered" });
    expect(await shop.told()).toEqual(["order.delivered"]);
  });
});

describe("refuses", () => {
  test.each([
    ["a lot of which too little is free", { quantity: 3, lot_number: "L-2" }, 409, "insufficient_inventory"],
    ["a lot there is not", { quantity: 1, lot_number: "L-9" }, 409, "insufficient_inventory"],
    ["a bin there is not", { quantity: 1, bin: "Z-9" }, 409, "insufficient_inventory"],
    ["more than is wanted", { quantity: 4 }, 422, "validation_failed"],
  ])("%s", async (_, item, status, code) => {
    const goods = await milk(2);
    const made = await shop.order([[goods, 3]]);
    await shop.app.takeEvents();
    const answer = await shop.app.post(`/orders/${made.id}/pick`, { items: [{ sku: goods.sku, ...item }] });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(await shop.app.takeEvents()).toEqual([]);
    expect(await shop.get(made.id)).toEqual(made);
  });

  test("a compound action as a whole if one of its steps is refused", async () => {
    const goods = await milk(1);
    const made = await shop.order([[goods, 2]]);
    const lots = (await shop.app.get(`/inventory/lots?sku=${goods.sku}`)).body.data;
    const first = lots.find(({ lot_number }: { lot_number: string }) => lot_number === "L-1");
    await shop.app.post(`/inventory/lots/${first.id}/status`, { status: "on_hold", reason: "inspection" });
    const before = await shop.get(made.id);
    await shop.app.takeEvents();
    for (const action of ["pick", "pack", "ship"]) {
      const { status, body } = await shop.app.post(`/orders/${made.id}/${action}`);
      expect([status, body.error]).toMatchObject([
        409,
        { code: "insufficient_inventory", shortages: [{ sku: goods.sku, requested: 2, available: 1 }] },
      ]);
    }
    expect(await shop.app.takeEvents()).toEqual([]);
    expect(await shop.get(made.id)).toEqual(before);
    expect(await shop.act(made.id, "pack", { partial: true })).toMatchObject({
      fulfillment_status: "partially_fulfilled",
    });
  });
});
