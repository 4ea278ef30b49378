import { type SQLWrapper, sql } from "drizzle-orm";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { Day } from "../calendar.ts";

/** The sales of one product in one currency. */
export interface Sold {
  readonly product_id: number;
  readonly currency: string;
  readonly orders: number;
  readonly units_ordered: number;
  readonly units_cancelled: number;
  readonly units_shipped: number;
  readonly units_returned: number;
  readonly revenue_cents: number;
}

const sum = (column: SQLWrapper) => sql<number>`sum(${column})`.mapWith(Number);
const kept = sql`(${order_lines.quantity} - ${order_lines.quantity_cancelled})`;
const total = sql`(${order_lines.quantity} * ${order_lines.unit_price_cents} - ${order_lines.discount_cents})`;
// The price of the units that are not cancelled, as in `shareOf`: whole cents of each unit, and a share of the rest.
const each = sql`(${total} / ${order_lines.quantity})`;
const rest = sql`(${total} % ${order_lines.quantity})`;
const cost = sql`${each} * ${kept} + (2 * ${rest} * ${kept} + ${order_lines.quantity}) / (2 * ${order_lines.quantity})`;

const sold = prepared((select, a: Args<{ since: number; until: number }>) =>
  select
    .select({
      product_id: order_lines.product_id,
      currency: orders.currency,
      orders: sql<number>`count(distinct case when ${kept} > 0 then ${orders.id} end)`.mapWith(Number),
      units_ordered: sum(order_lines.quantity),
      units_cancelled: sum(order_lines.quantity_cancelled),
      units_shipped: sum(order_lines.quantity_shipped),
      units_returned: sum(order_lines.quantity_returned),
      revenue_cents: sum(cost),
    })
    .from(orders)
    .innerJoin(order_lines, sql`${order_lines.order_id} = ${orders.id}`)
    .where(sql`${orders.created_at} >= ${a.since} and ${orders.created_at} < ${a.until}`)
    .groupBy(order_lines.product_id, orders.currency),
);

/** The sales of a day's orders, by product and currency. */
export async function sumSold(db: Db, { since, until }: Day): Promise<Sold[]> {
  return sold(db, { since, until });
}
