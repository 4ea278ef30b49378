import { and, asc, between, count, eq, gt, min, sum } from "drizzle-orm";
import { columnsOf } from "../../../db/kit.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Db } from "../../storage/database.ts";
import type { OwnedStock, StockCsvRow } from "./stock_csv.schema.ts";

const held = gt(stock_items.on_hand, 0);

/** The number of rows in the CSV of all stock. */
export async function countHeld(db: Db): Promise<number> {
  const [row] = await db.sql.select({ count: count() }).from(stock_items).where(held);
  return row?.count ?? 0;
}

/** Stock items with units after `last` (null: from the first). Picked units are in the staging bin of their order. */
export async function listHeldAfter(db: Db, last: StockCsvRow | null, limit: number): Promise<StockCsvRow[]> {
  return db.sql
    .select({
      ...columnsOf(stock_items, "id", "warehouse_id", "received_at", "on_hand"),
      sku: products.sku,
      bin: bins.code,
      lot_number: lots.lot_number,
      expires_on: lots.expires_on,
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(and(gt(stock_items.id, last?.id ?? 0), held))
    .orderBy(asc(stock_items.id))
    .limit(limit);
}

/**
 * The units of the products after `last` (null: from the first), by warehouse and lot, regardless of bins. `next` is
 * the last product; null at the end.
 */
export async function listOwnedAfter(
  db: Db,
  last: number | null,
  limit: number,
): Promise<{ rows: OwnedStock[]; next: number | null }> {
  const { product_id, warehouse_id, lot_id } = stock_items;
  const ids = await db.sql
    .select({ product_id })
    .from(stock_items)
    .where(and(gt(product_id, last ?? 0), held))
    .groupBy(product_id)
    .orderBy(asc(product_id))
    .limit(limit);
  const [first] = ids;
  const end = ids.at(-1);
  if (first === undefined || end === undefined) return { rows: [], next: null };
  const rows = await db.sql
    .select({
      sku: products.sku,
      warehouse_id,
      lot_number: lots.lot_number,
      expires_on: lots.expires_on,
      received_at: min(stock_items.received_at),
      on_hand: sum(stock_items.on_hand),
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, product_id))
    .leftJoin(lots, eq(lots.id, lot_id))
    .where(and(between(product_id, first.product_id, end.product_id), held))
    .groupBy(product_id, products.sku, warehouse_id, lot_id, lots.lot_number, lots.expires_on)
    .orderBy(asc(product_id), asc(warehouse_id), asc(lot_id));
  const owned = rows.map((row) => ({ ...row, received_at: row.received_at ?? 0, on_hand: Number(row.on_hand) }));
  return { rows: owned, next: ids.length < limit ? null : end.product_id };
}
