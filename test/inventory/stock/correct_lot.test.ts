// Corrections of a lot's expiry or receipt date, and their effects.

import { beforeEach, describe, expect, test } from "bun:test";
import { day_ms } from "../../../src/core/time.ts";

import { openShop } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(() => shop.app.takeEvents());

let number = 0;
const inDays = (days: number) => new Date(shop.app.clocks.live.now() + days * day_ms).toISOString();
/** The date in New York. */
const dateIn = (days: number) => new Date(inDays(days)).toLocaleDateString("sv-SE", { timeZone: "America/New_York" });
const expiryIn = (days: number) => `${dateIn(days)}T23:59:59.999Z`;
const correct = (lot: string | undefined, fields: object) => shop.app.patch(`/inventory/lots/${lot}`, fields);

/** A product with a lot `L1`, `L2`, … for each pair of units and days until expiry. */
async function goods(...lots: readonly (readonly [units: number, days: number])[]) {
  const sku = `DATE-${++number}`;
  const tracking = { lot_tracking: true, expiration_tracking: true };
  const { id } = await shop.app.product(sku, tracking);
  for (const [at, [quantity, days]] of lots.entries()) {
    const lot = { lot_number: `L${at + 1}`, expiration_date: inDays(days) };
    await shop.app.stock(sku, quantity, lot);
  }
  const ids: string[] = (await shop.stockOf(sku)).lots.map((lot: { id: string }) => lot.id);
  await shop.app.takeEvents();
  return { id: id as string, sku, lots: ids };
}

const movementsOf = async (sku: string) =>
  (await shop.app.get(`/inventory/movements?sku=${sku}`)).body.meta.pagination.total;

describe("works", () => {
  test("a lot that expired by a wrong date is for sale again, and backorders get its units", async () => {
    const { id, sku, lots } = await goods([5, -3]);
    const made = await shop.order([[{ id }, 2]]);
    await shop.app.takeEvents();
    const { status, body } = await correct(lots[0], { expiration_date: inDays(300), notes: "Read 2025 for 2026." });
    expect([status, body.data]).toMatchObject([
      200,
      {
        status: "available",
        expiration_date: expiryIn(300),
        reserved: 2,
        allowed_statuses: ["on_hold", "quarantined", "recalled", "damaged"],
        changes: [
          {
            from_status: "expired",
            to_status: "available",
            reason: `expiry corrected from ${dateIn(-3)} to ${dateIn(300)}`,
            notes: "Read 2025 for 2026.",
            actor: { type: "api_key", id: "key_1003" },
          },
        ],
        backordered_orders: [],
      },
    ]);
    const events = await shop.app.takeEvents();
    expect(events).toMatchObject([
      {
        type: "inventory.updated",
        data: { sku, available: 3, lots: [{ status: "available", expiration_date: expiryIn(300) }] },
      },
    ]);
    expect(await shop.stockOf(sku)).toMatchObject({ available: 3, reserved: 2, unavailable: { expired: 0 } });
    expect(await shop.get(made.id)).toMatchObject({ allocation: { backordered_units: 0 } });
    expect(await movementsOf(sku)).toBe(1);
  });

  test("a lot expired by the right date loses its reservations to other stock, or they are backordered", async () => {
    const { id, sku, lots } = await goods([5, 100], [3, 200]);
    const made = await shop.order([[{ id }, 5]]);
    await shop.app.takeEvents();
    const { body } = await correct(lots[0], { expiration_date: inDays(-1) });
    expect(body.data).toMatchObject({
      status: "expired",
      reserved: 0,
      backordered_orders: [{ order_id: made.id, order_number: made.order_number, quantity: 2 }],
    });
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(sku)).toMatchObject({
      available: 0,
      reserved: 3,
      backordered: 2,
      unavailable: { expired: 5 },
    });
    expect(await movementsOf(sku)).toBe(2);
    // After another correction, its units go to backorders.
    expect((await correct(lots[0], { expiration_date: inDays(90) })).body.data).toMatchObject({ reserved: 2 });
    expect(await shop.stockOf(sku)).toMatchObject({ available: 3, reserved: 5, backordered: 0 });
  });

  test("the lot expires after its new date, not after the old one", async () => {
    const { sku, lots } = await goods([4, 10]);
    await shop.app.runJobs();
    let woken: number | null = null;
    shop.app.service.stores.live.onWake((job, at) => {
      if (job === "inventory.expire_lots") woken = at;
    });
    await correct(lots[0], { expiration_date: inDays(2) });
    const midnight = Date.parse(`${dateIn(3)}T05:00:00.000Z`);
    expect(woken as number | null).toBe(midnight);
    shop.app.clocks.live.advance(midnight - shop.app.clocks.live.now());
    await shop.app.runJobs();
    expect((await shop.app.get(`/inventory/lots/${lots[0]}`)).body.data.changes).toMatchObject([
      { from_status: "available", to_status: "available" },
      { to_status: "expired", actor: { id: "inventory.expire_lots" } },
    ]);
    expect(await shop.stockOf(sku)).toMatchObject({ available: 0, unavailable: { expired: 4 } });
    await correct(lots[0], { expiration_date: inDays(30) });
    shop.app.clocks.live.advance(10 * day_ms);
    await shop.app.runJobs();
    expect(await shop.stockOf(sku)).toMatchObject({ available: 4 });
  });

  test("corrected dates are emitted, and the first to expire ships first from then on", async () => {
    const { id, sku, lots } = await goods([5, 100], [5, 200]);
    const received_date = inDays(-7);
    const { body } = await correct(lots[1], { expiration_date: inDays(50), received_date });
    expect(body.data).toMatchObject({ status: "available", received_date, expiration_date: expiryIn(50) });
    expect(body.data.changes[0].reason).toContain("; date of receipt corrected from ");
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    await shop.order([[{ id }, 4]]);
    const reserved = (await shop.app.get(`/inventory/lots?sku=${sku}`)).body.data.map(
      (lot: { reserved: number }) => lot.reserved,
    );
    expect(reserved).toEqual([4, 0]);
  });

  test("a quarantined lot stays in quarantine, and a lot without expiry tracking has no expiry", async () => {
    const sku = `DATE-${++number}`;
    await shop.app.product(sku, { lot_tracking: true });
    await shop.app.stock(sku, 2, { lot_number: "A", expiration_date: inDays(-1) });
    const [{ id }] = (await shop.stockOf(sku)).lots;
    await shop.app.post(`/inventory/lots/${id}/status`, { status: "quarantined", reason: "Look." });
    expect((await correct(id, { expiration_date: null })).body.data).toMatchObject({
      status: "quarantined",
      expiration_date: null,
    });
    const released = await shop.app.post(`/inventory/lots/${id}/status`, { status: "available", reason: "Good." });
    expect(released.body.data.status).toBe("available");
  });

  test("an unchanged date changes nothing", async () => {
    const { lots } = await goods([5, 100]);
    for (const fields of [{}, { expiration_date: inDays(100) }]) {
      expect((await correct(lots[0], fields)).body.data).toMatchObject({ changes: [], backordered_orders: [] });
    }
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("low stock is reported when too few units remain", async () => {
    const { id, lots } = await goods([5, 100], [2, 200]);
    await shop.app.patch(`/products/${id}`, { reorder_point: 3 });
    await correct(lots[0], { expiration_date: inDays(-1) });
    expect(await shop.takeTypes()).toEqual(["inventory.updated", "inventory.low_stock"]);
  });
});

describe("refuses", () => {
  test("an unknown lot, and impossible dates", async () => {
    const { lots } = await goods([1, 100]);
    expect((await correct("lot_9", { expiration_date: inDays(1) })).status).toBe(404);
    for (const [fields, field] of [
      [{ expiration_date: null }, "expiration_date"],
      [{ expiration_date: "2026-02-30" }, "expiration_date"],
      [{ received_date: inDays(1) }, "received_date"],
      [{ received_date: null }, "received_date"],
      [{ notes: "Only this." }, "notes"],
      [{ status: "available" }, "status"],
    ] as const) {
      const { status, body } = await correct(lots[0], fields);
      expect([status, body.error.details[0].field]).toEqual([422, field]);
    }
    expect(await shop.takeTypes()).toEqual([]);
    expect((await shop.app.get(`/inventory/lots/${lots[0]}`)).body.data.changes).toEqual([]);
  });
});

describe("guards", () => {
  test("concurrent orders never hold expired units", async () => {
    const { id, sku, lots } = await goods([10, 100]);
    const orders = Array.from({ length: 4 }, () => shop.order([[{ id }, 2]]));
    await Promise.all([...orders, correct(lots[0], { expiration_date: inDays(-1) })]);
    expect(await shop.stockOf(sku)).toMatchObject({
      available: 0,
      reserved: 0,
      backordered: 8,
      unavailable: { expired: 10 },
    });
  });
});
