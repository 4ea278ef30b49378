// Thousands of expired reservations of one SKU that no job has ended yet do not count.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";
import { expireReservations } from "../../../src/inventory/inventory.jobs.ts";
import { reserveStock } from "../../../src/inventory/reservations/client_reservations.ts";
import { listOrderReservations } from "../../../src/inventory/reservations/reservations.sql.ts";
import { clerk, counts, openStock, runJobs, type Stock } from "../../build/stock.ts";
import { bookMany } from "./many_reservations.ts";

const overdue = 2_000;

let shop: Stock;
beforeEach(async () => {
  shop = await openStock();
  // What the test leaves is verified, and once more after the job.
  afterAll(async () => {
    expect(await shop.differences()).toEqual([]);
    await runJobs(shop.store, [expireReservations]);
  });
  await shop.product("HOT");
  await shop.product("OTHER");
  await shop.add("HOT", overdue);
  await shop.add("OTHER", 1);
  await bookMany(shop, "HOT", overdue, 60_000);
  shop.clock.advance(60_000);
});

describe(`${overdue} expired reservations`, () => {
  test("leave all units to a new reservation", async () => {
    const all = [{ sku: "HOT", quantity: overdue }];
    const made = await shop.write((tx) => reserveStock(tx, { order_id: "N-NEW", items: all }));
    expect(made.status).toBe("reserved");
    expect(await shop.item("HOT")).toMatchObject({ available: 0, reserved: overdue });
  }, 60_000);

  test("leave all units to a new order, without backorders", async () => {
    expect(await shop.claim(1, { lines: [["HOT", overdue]], allow_backorder: false })).toEqual([[overdue, overdue, 0]]);
  }, 60_000);

  test("lose nothing when all units are written off", async () => {
    const lost = { adjustment: -overdue, reason: "lost" } as const;
    expect((await shop.write((tx) => adjustStock(tx, "HOT", lost, clerk))).backordered_orders).toEqual([]);
    expect(await shop.item("HOT")).toMatchObject({ on_hand: 0, reserved: 0, backordered: 0 });
  }, 60_000);

  test("are ended by the job in slices, while other SKUs continue", async () => {
    await expireReservations(shop.store);
    expect((await shop.item("HOT")).reserved).toBeGreaterThanOrEqual(overdue - 200);
    expect(await shop.claim(2, { lines: [["OTHER", 1]] })).toEqual([[1, 1, 0]]);
    expect(counts(await shop.store.read((db) => listOrderReservations(db, [2])))).toEqual([[1, 1, 0]]);
  }, 60_000);
});
