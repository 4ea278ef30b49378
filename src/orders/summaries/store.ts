import { desc, eq, sum } from "drizzle-orm";
import { among, list } from "../../../db/kit.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { OrderSummary } from "./summary.ts";

const newest = prepared((sql, a: Args<{ customer_id: number; limit: number }>) =>
  sql
    .select({
      id: orders.id,
      order_number: orders.order_number,
      status: orders.status,
      held: orders.held,
      subtotal_cents: orders.subtotal_cents,
      shipping_amount_cents: orders.shipping_amount_cents,
      currency: orders.currency,
      created_at: orders.created_at,
    })
    .from(orders)
    .where(eq(orders.customer_id, a.customer_id))
    .orderBy(desc(orders.created_at), desc(orders.id))
    .limit(a.limit),
);
const unitsOf = prepared((sql, a: Args<{ order_ids: string }>) =>
  sql
    .select({ order_id: order_lines.order_id, units: sum(order_lines.quantity).mapWith(Number) })
    .from(order_lines)
    .where(among(order_lines.order_id, a.order_ids))
    .groupBy(order_lines.order_id),
);

/** The newest orders of a customer, newest first. */
export async function listOrderSummaries(db: Db, customer_id: number, limit: number): Promise<OrderSummary[]> {
  const rows = await newest(db, { customer_id, limit });
  if (rows.length === 0) return [];
  const units = await unitsOf(db, { order_ids: list(rows.map((row) => row.id)) });
  const unitsBy = new Map(units.map((row) => [row.order_id, row.units]));
  return rows.map(({ held, status, subtotal_cents, shipping_amount_cents, ...row }) => ({
    ...row,
    status: held ? "on_hold" : status,
    total_cents: subtotal_cents + shipping_amount_cents,
    item_count: unitsBy.get(row.id) ?? 0,
  }));
}

/** How many orders a customer has placed. */
export async function countOrdersOfCustomer(db: Db, customer_id: number): Promise<number> {
  return db.sql.$count(orders, eq(orders.customer_id, customer_id));
}
