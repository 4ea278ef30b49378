// Thousands of reservations of one SKU that are past their time and that no job has ended yet: they count for nothing.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Tx } from "../../../src/database/store.ts";
import { bookStock } from "../../../src/inventory/bookings/commands.ts";
import { expireReservations } from "../../../src/inventory/jobs.ts";
import {
  claimsOf,
  insertAllocations,
  insertLines,
  insertReservation,
} from "../../../src/inventory/reservations/store.ts";
import { openShelves, promise, shelfOf } from "../../../src/inventory/shelves/commands.ts";
import { adjustStock } from "../../../src/inventory/stock/commands.ts";
import { clerk, counts, openShop, runJobs, type Shop } from "../shop.ts";

const overdue = 2_000;

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
  await shop.product("HOT");
  await shop.product("OTHER");
  await shop.add("HOT", overdue);
  await shop.add("OTHER", 1);
  await shop.write(bookAll);
  shop.clock.advance(60_000);
});
afterEach(async () => {
  expect(await shop.differences()).toEqual([]);
  await runJobs(shop.store, [expireReservations]);
  expect(await shop.differences()).toEqual([]);
  await shop.close();
});

/** As many clients as there are units reserve one of them each, until a minute from now. */
async function bookAll(tx: Tx): Promise<void> {
  const product_id = shop.product_id("HOT");
  const [item] = shelfOf(await openShelves(tx, [product_id]), product_id).items;
  if (item === undefined) throw new Error("there is stock");
  const made = {
    order_id: null,
    source: "api",
    status: "reserved",
    priority: 0,
    paused: false,
    warehouse_id: null,
  } as const;
  const until = { requires_cold_storage: false, expires_at: tx.now + 60_000, released_at: null, created_at: tx.now };
  const ids: number[] = [];
  for (let n = 0; n < overdue; n += 1)
    ids.push(await insertReservation(tx, { ...made, ...until, order_ref: `N-${n}` }));
  const one = { product_id, order_line_id: null, quantity: 1, wanted: 1, reserved: 1, picked: 0 };
  const lines = await insertLines(
    tx,
    ids.map((reservation_id) => ({ reservation_id, ...one })),
  );
  const allocations = lines.map((reservation_line_id) => ({
    reservation_line_id,
    stock_item_id: item.id,
    quantity: 1,
  }));
  await insertAllocations(tx, allocations);
  await promise(tx, item, overdue);
}

describe(`${overdue} reservations past their time`, () => {
  test("leave all units to a new reservation", async () => {
    const all = [{ sku: "HOT", quantity: overdue }];
    const made = await shop.write((tx) => bookStock(tx, { order_id: "N-NEW", items: all }));
    expect(made.status).toBe("reserved");
    expect(await shop.item("HOT")).toMatchObject({ available: 0, reserved: overdue });
  }, 60_000);

  test("leave all units to a new order, and nothing of it waits", async () => {
    expect(await shop.claim(1, { lines: [["HOT", overdue]], allow_backorder: false })).toEqual([[overdue, overdue, 0]]);
  }, 60_000);

  test("lose nothing when all units are written off", async () => {
    const lost = { adjustment: -overdue, reason: "lost" } as const;
    expect((await shop.write((tx) => adjustStock(tx, "HOT", lost, clerk))).backordered_orders).toEqual([]);
    expect(await shop.item("HOT")).toMatchObject({ on_hand: 0, reserved: 0, backordered: 0 });
  }, 60_000);

  test("are ended by the job a slice at a time, while those of other SKUs go on", async () => {
    await expireReservations(shop.store);
    expect((await shop.item("HOT")).reserved).toBeGreaterThanOrEqual(overdue - 200);
    expect(await shop.claim(2, { lines: [["OTHER", 1]] })).toEqual([[1, 1, 0]]);
    expect(counts((await shop.store.read((db) => claimsOf(db, [2]))).get(2) ?? [])).toEqual([[1, 1, 0]]);
  }, 60_000);
});
