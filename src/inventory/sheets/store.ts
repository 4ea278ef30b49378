import { and, asc, count, eq, gt, sql } from "drizzle-orm";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Db } from "../../database/store.ts";
import type { HeldStock } from "./columns.ts";

const lies = and(gt(stock_items.on_hand, 0), sql`${bins.kind} <> 'staging'`);

/** How many rows a file of all stock has. */
export async function countHeld(db: Db): Promise<number> {
  const [row] = await db.sql
    .select({ count: count() })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(lies);
  return row?.count ?? 0;
}

/** What lies in the bins after one (null: from the first). Units that were picked are no longer there. */
export async function listHeldAfter(db: Db, last: HeldStock | null, limit: number): Promise<HeldStock[]> {
  return db.sql
    .select({
      id: stock_items.id,
      sku: products.sku,
      warehouse_id: stock_items.warehouse_id,
      bin: bins.code,
      lot_number: lots.lot_number,
      expiration_date: lots.expiration_date,
      received_at: stock_items.received_at,
      on_hand: stock_items.on_hand,
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(and(gt(stock_items.id, last?.id ?? 0), lies))
    .orderBy(asc(stock_items.id))
    .limit(limit);
}
