import { and, asc, eq, or, sql } from "drizzle-orm";
import { movements, stock_items } from "../../../db/schema/inventory.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";

/** Units of one stock item in a put-back bin that came from one order. */
export interface WaitingUnits {
  readonly stock_item_id: number;
  readonly quantity: number;
}

const change = sql<number>`sum(case when ${movements.to_item_id} = ${stock_items.id}
  then ${movements.quantity} else -${movements.quantity} end)`.mapWith(Number);

const waiting = prepared((select, a: Args<{ order: string; product_id: number }>) =>
  select
    .select({ stock_item_id: stock_items.id, quantity: change })
    .from(movements)
    .innerJoin(stock_items, or(eq(stock_items.id, movements.to_item_id), eq(stock_items.id, movements.from_item_id)))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(
      and(
        eq(movements.reference_type, "order"),
        eq(movements.reference_id, a.order),
        eq(movements.product_id, a.product_id),
        eq(bins.kind, "putback"),
      ),
    )
    .groupBy(stock_items.id)
    .having(sql`${change} > 0`)
    .orderBy(asc(stock_items.id)),
);

/** The units of a product that an order gave up and that nobody has put back yet, from the ledger. */
export async function listWaiting(db: Db, order: string, product_id: number): Promise<WaitingUnits[]> {
  return waiting(db, { order, product_id });
}
