import { and, asc, eq, sql } from "drizzle-orm";
import { type AnyPgColumn, alias } from "drizzle-orm/pg-core";
import { movements, stock_items } from "../../../db/schema/inventory.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import { wireId } from "../../kit/ids.ts";

const staged = prepared((query, a: Args<{ order: string }>) => {
  const left = alias(stock_items as never, "left_items") as unknown as typeof stock_items;
  const came = alias(stock_items as never, "came_items") as unknown as typeof stock_items;
  const isStaging = (bin_id: AnyPgColumn) =>
    sql`((select ${bins.kind} from ${bins} where ${bins.id} = ${bin_id}) = 'staging')`;
  return query
    .select({
      product_id: movements.product_id,
      warehouse_id: left.warehouse_id,
      quantity: sql<number>`case when ${isStaging(came.bin_id)} then 1 else -1 end * ${movements.quantity}`.mapWith(
        Number,
      ),
    })
    .from(movements)
    .innerJoin(left, eq(left.id, movements.from_item_id))
    .innerJoin(came, eq(came.id, movements.to_item_id))
    .where(
      and(
        eq(movements.reference_type, "order"),
        eq(movements.reference_id, a.order),
        eq(movements.type, "transfer"),
        sql`${isStaging(came.bin_id)} <> ${isStaging(left.bin_id)}`,
      ),
    )
    .orderBy(asc(movements.id));
});

/** What came to staging for an order, in its order, and (below zero) what went from there back to the shelf. */
export async function listStaged(db: Db, order_id: number) {
  return staged(db, { order: wireId("order", order_id) });
}
