import { describe, expect, test } from "bun:test";
import { iso } from "../../../src/core/clock.ts";
import { Fault } from "../../../src/core/faults.ts";
import { day_ms, hour_ms } from "../../../src/core/time.ts";
import { start } from "../../build/service.ts";
import { openShop, type Shop } from "../../build/shop.ts";
import { openSeller } from "../../shipping/labels/seller.ts";
import { allOf, playHouse, type Records } from "../operator.ts";

const overviewOf = async ({ app }: Shop) => (await app.get("/overview")).body.data;
/** Open tasks by kind and reason: their number, and the names of the first. */
const waits = async (shop: Shop) =>
  Object.fromEntries(
    (await overviewOf(shop)).waiting.map(({ kind, reason, count, samples }: Records[number]) => [
      reason === null ? kind : `${kind}: ${reason}`,
      [count, ...samples.map(({ name }: Records[number]) => name)],
    ]),
  );

describe("departures", () => {
  // Monday 5 January 2026, 9:00 in New York; the cut-off is at 14:00.
  const monday = Date.parse("2026-01-05T14:00:00Z");
  const stagesOf = ({ late, short, to_pick, picked, packed, ready, shipped }: Records[number]) =>
    [late, short, to_pick, picked, packed, ready, shipped].join(" ");

  test("show the cut-off, services and progress", async () => {
    const shop = await openShop();
    const { app, order, act } = shop;
    app.clocks.live.advance(monday - 3 * day_ms - start);
    const [tea, rare] = [await shop.product({ units: 100 }), await shop.product()];
    // Friday after the cut-off: due on Monday. Friday before the cut-off: late by now.
    await order([[tea, 1]], { shipping_method: "ground" });
    app.clocks.live.advance(6 * hour_ms);
    await order([[tea, 1]], { shipping_method: "ground" });
    app.clocks.live.advance(3 * day_ms - 6 * hour_ms);
    await order([[rare, 2]], { shipping_method: "ground" });
    const picked = await order([[tea, 2]]);
    await act(picked.id, "pick");
    const packed = await order([[tea, 2]]);
    await act(packed.id, "pack");
    const ready = await order([[tea, 2]], { shipping_method: "whatever" });
    await act(ready.id, "pack");
    const parcel = { weight: 2, weight_unit: "lb" };
    const label = { order_id: ready.id, carrier: "local", service: "express", package: parcel };
    expect((await app.post("/shipping/labels", label)).status).toBe(201);
    const gone = await order([[tea, 2]]);
    await act(gone.id, "ship");
    const held = await order([[tea, 2]]);
    await act(held.id, "hold", { reason: "payment" });
    const { departures } = await overviewOf(shop);
    expect(departures.map(({ date, minutes_left }: Records[number]) => [date, minutes_left])).toEqual([
      ["2026-01-05", 300],
    ]);
    const [today] = departures;
    expect([today.orders, stagesOf(today)]).toEqual([6, "1 1 2 1 1 1 1"]);
    const services = today.services.map((one: Records[number]) => [
      one.carrier,
      one.service,
      one.orders,
      stagesOf(one),
    ]);
    expect(services).toEqual([
      [null, "ground", 3, "1 1 2 0 0 0 "],
      [null, null, 2, "0 0 0 1 1 0 "],
      ["local", "express", 1, "0 0 0 0 0 1 "],
    ]);
    // Once the cut-off has passed, new orders show the day on which they are due.
    app.clocks.live.advance(5 * hour_ms);
    await order([[tea, 1]]);
    const ahead = await order([[tea, 1]]);
    await act(ahead.id, "ship");
    const after = (await overviewOf(shop)).departures;
    expect(after.map((one: Records[number]) => [one.date, one.minutes_left, one.orders, one.shipped])).toEqual([
      ["2026-01-05", 0, 6, 1],
      ["2026-01-06", 24 * 60, 1, 1],
    ]);
  });

  test("match the orders after random activity, in every warehouse", async () => {
    const shop = await playHouse(5, 200);
    const orders = await allOf(shop, "/orders");
    const { departures } = await overviewOf(shop);
    const open = orders.filter(({ status }) => ["pending", "processing", "fulfilled"].includes(status));
    const sum = (of: (one: Records[number]) => number) =>
      departures.reduce((all: number, one: Records[number]) => all + of(one), 0);
    expect(sum(({ orders }) => orders)).toBe(open.length);
    const isShort = ({ status, allocation }: Records[number]) =>
      status !== "fulfilled" && allocation.backordered_units > 0;
    expect(sum(({ short }) => short)).toBe(open.filter(isShort).length);
    expect(sum(({ packed, ready }) => packed + ready)).toBe(open.filter(({ status }) => status === "fulfilled").length);
    const isPicked = ({ status, line_items }: Records[number]) =>
      status === "processing" &&
      line_items.every(
        (line: Records[number]) =>
          line.quantity_picked === line.quantity - line.quantity_cancelled - line.quantity_shipped,
      );
    expect(sum(({ picked }) => picked)).toBe(open.filter((one) => isPicked(one) && !isShort(one)).length);
    expect(open.length).toBeGreaterThan(5);
  });
});

const shop = await openShop();

describe("open tasks", () => {
  test("are empty at first, with the first steps to take", async () => {
    const { waiting, receipts_today, expiring_lots, low_stock, first_steps } = await overviewOf(shop);
    expect([waiting, receipts_today.count, expiring_lots.count, low_stock.count]).toEqual([[], 0, 0, 0]);
    const ready = { warehouse: true, carrier: false };
    expect(first_steps).toEqual({
      ...ready,
      product: false,
      stock: false,
      order: false,
      shipped_order: false,
      used_key: true,
    });
  });

  test("include holds by reason, and short orders", async () => {
    const [tea, rare] = [await shop.product({ sku: "TEA", units: 50 }), await shop.product({ sku: "RARE" })];
    const first = await shop.order([[tea, 1]]);
    const second = await shop.order([[tea, 1]]);
    const third = await shop.order([
      [rare, 2],
      [tea, 1],
    ]);
    await shop.act(first.id, "hold", { reason: "payment" });
    shop.app.clocks.live.advance(1000);
    await shop.act(second.id, "hold", { reason: "payment" });
    await shop.act(second.id, "hold", { reason: "fraud" });
    expect(await waits(shop)).toEqual({
      "hold: payment": [2, first.order_number, second.order_number],
      "hold: fraud": [1, second.order_number],
      backorder: [1, third.order_number],
    });
    const [fraud] = (await overviewOf(shop)).waiting.filter(({ reason }: Records[number]) => reason === "fraud");
    expect(fraud.target).toEqual({ noun: "orders", filter: { status: "on_hold", hold_reason: "fraud" } });
    await shop.act(second.id, "release");
    await shop.act(first.id, "release");
    await shop.app.stock("RARE", 5);
    expect(await waits(shop)).toEqual({});
  });

  test("include units to restock, until they are restocked", async () => {
    const product = await shop.product({ sku: "BACK", units: 5 });
    const order = await shop.order([[product, 2]]);
    await shop.act(order.id, "pick");
    await shop.cancel(order.id);
    expect(await waits(shop)).toEqual({ putback: [1, "BACK"] });
    await shop.app.post("/inventory/putbacks", { order_id: order.id, sku: "BACK", quantity: 2, bin: "B-1" });
    expect(await waits(shop)).toEqual({});
  });

  test("include a failed label, until another one is bought", async () => {
    const product = await shop.product({ sku: "SENT", units: 5 });
    const order = await shop.order([[product, 1]]);
    const { fake, openUp } = await openSeller(shop.app);
    fake.buy = async () => {
      throw new Fault("carrier_refused", "The balance is too low.");
    };
    const label = {
      order_id: order.id,
      carrier: "swift",
      service: "ground",
      package: { weight: 2, weight_unit: "lb" },
    };
    const refused = await shop.app.post("/shipping/labels", label);
    expect(refused.body.error.code).toBe("carrier_refused");
    expect(await waits(shop)).toEqual({ failed_label: [1, order.order_number] });
    openUp();
    expect((await shop.app.post("/shipping/labels", label)).status).toBe(201);
    expect(await waits(shop)).toEqual({});
  });

  test("include a count with a difference, once it is in review", async () => {
    await shop.product({ sku: "COUNTED", units: 5 });
    const count = (await shop.app.post("/inventory/counts", { skus: ["COUNTED"], notes: "Aisle 4" })).body.data;
    const [{ bin }] = count.items;
    const lines = [{ sku: "COUNTED", bin, quantity: 4 }];
    expect((await shop.app.post(`/inventory/counts/${count.id}/items`, { items: lines })).body.error).toBeUndefined();
    expect(await waits(shop)).toEqual({});
    await shop.app.post(`/inventory/counts/${count.id}/review`);
    expect(await waits(shop)).toEqual({ count_difference: [1, "Aisle 4"] });
    await shop.app.post(`/inventory/counts/${count.id}/post`);
    expect(await waits(shop)).toEqual({});
  });

  test("include receipts due today and late, lots that expire soon, and low SKUs", async () => {
    const { app } = shop;
    const now = app.clocks.live.now();
    const expect_ = async (reference: string, days: number) => {
      const items = [{ sku: "TEA", quantity: 10 }];
      const body = { reference, location: "whs_1001", expected_at: iso(now + days * day_ms), items };
      const made = await app.post("/inventory/receipts", body);
      expect([made.status, made.body.error]).toEqual([201, undefined]);
      return made.body.data.id;
    };
    const late = await expect_("PO-1", -2);
    for (const days of [3, 4, 5]) await expect_(`PO-${days} days ago`, -days);
    await expect_("PO-2", 0);
    await expect_("PO-3", 3);
    await app.product("MILK", { lot_tracking: true, expiration_tracking: true });
    for (const [lot_number, days] of [
      ["L-SOON", 10],
      ["L-LATER", 60],
    ] as const) {
      const lot = { sku: "MILK", quantity: 3, lot_number, expiration_date: iso(now + days * day_ms) };
      expect((await app.post("/inventory", lot)).status).toBe(201);
    }
    await app.product("LOW", { name: "Low", reorder_point: 5 });
    await app.stock("LOW", 4);
    const found = await overviewOf(shop);
    const said = ["receipts_late", "receipts_today", "expiring_lots", "low_stock"].map((topic) => [
      found[topic].count,
      ...found[topic].samples.map(({ id, name, quantity }: Records[number]) => [id.slice(0, 3), name, quantity]),
    ]);
    expect(said).toEqual([
      // Of four late ones, the three oldest are shown.
      [4, ["rcv", "PO-5 days ago", 10], ["rcv", "PO-4 days ago", 10], ["rcv", "PO-3 days ago", 10]],
      [1, ["rcv", "PO-2", 10]],
      [1, ["lot", "L-SOON", 3]],
      [1, ["LOW", "Low", 4]],
    ]);
    await app.post(`/inventory/receipts/${late}/cancel`);
    await app.stock("LOW", 1);
    const after = await overviewOf(shop);
    expect([after.receipts_late.count, after.low_stock.count]).toEqual([3, 0]);
    expect(after.first_steps).toMatchObject({ product: true, stock: true, order: true, shipped_order: false });
  });
});
