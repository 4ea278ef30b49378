import { desc, eq, sql as template } from "drizzle-orm";
import { among, list, opaque } from "../../../db/kit.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import type { Db } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { isCancelled, type PublicOrderStatus } from "../order.transitions.ts";
import { publicStatus } from "../order.ts";

/** An order in a customer's history. */
export interface OrderSummary {
  readonly id: number;
  readonly order_number: string;
  readonly status: PublicOrderStatus;
  /** The cost of what is not cancelled, with shipping; 0 if all is cancelled. */
  readonly total_cents: number;
  readonly currency: string;
  /** Units ordered. */
  readonly item_count: number;
  readonly created_at: number;
}

const summaries = prepared((sql, a: StatementArgs<{ customer_id: number; limit: number }>) =>
  sql
    .select()
    .from(orders)
    .where(eq(orders.customer_id, a.customer_id))
    .orderBy(desc(orders.created_at), desc(orders.id))
    .limit(opaque(a.limit)),
);
const unitsOf = prepared((db, a: StatementArgs<{ ids: string }>) =>
  db
    .select({ order_id: order_lines.order_id, units: template`sum(${order_lines.quantity})`.mapWith(Number) })
    .from(order_lines)
    .where(among(order_lines.order_id, a.ids))
    .groupBy(order_lines.order_id),
);

/** A customer's orders, newest first. */
export async function listOrderSummaries(db: Db, customer_id: number, limit: number): Promise<OrderSummary[]> {
  const rows = await summaries(db, { customer_id, limit });
  const units = rows.length === 0 ? [] : await unitsOf(db, { ids: list(rows.map((row) => row.id)) });
  const counts = new Map(units.map((row) => [row.order_id, row.units]));
  return rows.map((row) => ({
    id: row.id,
    order_number: row.order_number,
    status: publicStatus(row),
    total_cents: row.subtotal_cents + (isCancelled(row.status) ? 0 : row.shipping_amount_cents),
    currency: row.currency,
    item_count: counts.get(row.id) ?? 0,
    created_at: row.created_at,
  }));
}
