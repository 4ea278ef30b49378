import { type SQLWrapper, sql } from "drizzle-orm";
import { lots, movements, stock_items } from "../../db/schema/inventory.ts";
import { order_lines, orders } from "../../db/schema/orders.ts";
import { day_ms } from "../core/time.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { ReportDay } from "./report_days.ts";
import type { IdPart } from "./reports.sql.ts";

/** Units of one product with the same age, in days of 24 hours. */
export interface AgedUnits {
  readonly product_id: number;
  readonly age_days: number;
  readonly units: number;
}

const came_at = sql`coalesce(${lots.received_date}, ${stock_items.received_at})`;

const aged = prepared((select, a: StatementArgs<{ now: number; first: number; end: number }>) =>
  select
    .select({
      product_id: stock_items.product_id,
      age_days: sql<number>`case when ${came_at} >= ${a.now} then 0
        else (${a.now} - ${came_at}) / ${sql.raw(String(day_ms))} end`
        .mapWith(Number)
        .as("age_days"),
      units: sql<number>`sum(${stock_items.on_hand})`.mapWith(Number),
    })
    .from(stock_items)
    .leftJoin(lots, sql`${lots.id} = ${stock_items.lot_id}`)
    .where(
      sql`${stock_items.on_hand} > 0 and ${stock_items.product_id} >= ${a.first}
        and ${stock_items.product_id} < ${a.end}`,
    )
    .groupBy(stock_items.product_id, sql`2`),
);

/** The ages of the units on hand of the products with ids from `first` until before `end`. `now` is in ms. */
export async function listAged(db: Db, first: number, end: number, now: number): Promise<AgedUnits[]> {
  return aged(db, { first, end, now });
}

/** The sales of one product in one currency. */
export interface ProductSales {
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
// The price of the units that are not cancelled, as in `shareOf`: whole cents per unit, and a share of the rest.
const each = sql`(${total} / ${order_lines.quantity})`;
const rest = sql`(${total} % ${order_lines.quantity})`;
const cost = sql`${each} * ${kept} + (2 * ${rest} * ${kept} + ${order_lines.quantity}) / (2 * ${order_lines.quantity})`;

const sold = prepared((select, a: StatementArgs<{ since: number; until: number }>) =>
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
export async function sumSold(db: Db, { since, until }: ReportDay): Promise<ProductSales[]> {
  return sold(db, { since, until });
}

/** Changes of a product's units on hand, and units shipped to customers. */
interface ProductFlow {
  readonly product_id: number;
  /** Incoming less outgoing units, from the start of the period until now. */
  readonly change_since: number;
  /** The same from the end of the period until now. */
  readonly change_after: number;
  /** Units shipped to customers within the period. */
  readonly units_shipped: number;
}

const change = sql`case when ${movements.from_item_id} is null then ${movements.quantity}
  when ${movements.to_item_id} is null then -${movements.quantity} else 0 end`;

const flows = prepared((select, a: StatementArgs<IdPart & { since: number; until: number }>) =>
  select
    .select({
      product_id: movements.product_id,
      change_since: sql<number>`sum(${change})`.mapWith(Number),
      change_after: sql<number>`sum(case when ${movements.created_at} >= ${a.until} then ${change} else 0 end)`.mapWith(
        Number,
      ),
      units_shipped: sql<number>`sum(case when ${movements.created_at} < ${a.until} and ${movements.type} = 'sale'
        and ${movements.to_place} = 'customer' then ${movements.quantity} else 0 end)`.mapWith(Number),
    })
    .from(movements)
    .where(
      sql`${movements.id} >= ${a.first} and ${movements.id} < ${a.end} and ${movements.created_at} >= ${a.since}
        and (${movements.from_item_id} is null or ${movements.to_item_id} is null)`,
    )
    .groupBy(movements.product_id),
);

/** Stock changes since `since` (ms) in one part of the ledger. `until` (ms) is the end of the period. */
export async function sumFlows(db: Db, part: IdPart, since: number, until: number): Promise<ProductFlow[]> {
  return flows(db, { ...part, since, until });
}

const held = prepared((select) =>
  select
    .select({ product_id: stock_items.product_id, on_hand: sql<number>`sum(${stock_items.on_hand})`.mapWith(Number) })
    .from(stock_items)
    .where(sql`${stock_items.on_hand} > 0`)
    .groupBy(stock_items.product_id),
);

/** The units on hand of each product that has stock. */
export async function sumOnHand(db: Db): Promise<{ product_id: number; on_hand: number }[]> {
  return held(db, {});
}
