import { sql } from "drizzle-orm";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";

/** Units of one product that came on one day, in days of 24 hours before now. */
export interface AgedUnits {
  readonly product_id: number;
  readonly age_days: number;
  readonly units: number;
}

const day_ms = 86_400_000;
const came_at = sql`coalesce(${lots.received_date}, ${stock_items.received_at})`;

const aged = prepared((select, a: Args<{ now: number; first: number; end: number }>) =>
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

/** The age of the units on hand of products with ids from one until before another. */
export async function listAged(db: Db, first: number, end: number, now: number): Promise<AgedUnits[]> {
  return aged(db, { first, end, now });
}
