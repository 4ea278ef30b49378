// A great many reservations at once, written as the API would write them one by one.

import { insertAllocations } from "../../../src/inventory/reservations/allocations.sql.ts";
import { adjustReserved, lockedStockOf, lockStock } from "../../../src/inventory/reservations/locked_stock.ts";
import { insertLines, insertReservation } from "../../../src/inventory/reservations/reservations.sql.ts";
import type { Tx } from "../../../src/storage/database.ts";
import type { Stock } from "../../build/stock.ts";

/** Many clients reserve one unit each of the first stock item of a SKU, for some milliseconds. */
export function bookMany(shop: Stock, sku: string, count: number, lasting_ms: number): Promise<void> {
  return shop.write((tx) => book(tx, shop.product_id(sku), count, lasting_ms));
}

async function book(tx: Tx, product_id: number, count: number, lasting_ms: number): Promise<void> {
  const [item] = lockedStockOf(await lockStock(tx, [product_id]), product_id).items;
  if (item === undefined) throw new Error("there is stock");
  const { merchant_id, id: stock_item_id } = item;
  const made = { merchant_id, order_id: null, source: "api", status: "reserved", priority: 0, paused: false } as const;
  const choice = { warehouse_id: null, requires_cold_storage: false };
  const until = { expires_at: tx.now + lasting_ms, released_at: null, created_at: tx.now };
  const ids: number[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push(await insertReservation(tx, { ...made, ...choice, ...until, order_ref: `N-${n}` }));
  }
  const one = { merchant_id, product_id, order_line_id: null, quantity: 1, wanted: 1, reserved: 1, picked: 0 };
  const lines = await insertLines(
    tx,
    ids.map((reservation_id) => ({ reservation_id, ...one })),
  );
  const allocations = lines.map((reservation_line_id) => ({
    merchant_id,
    reservation_line_id,
    stock_item_id,
    quantity: 1,
  }));
  await insertAllocations(tx, allocations);
  await adjustReserved(tx, item, count);
}
