import { sql } from "drizzle-orm";
import { movements, stock_items } from "../../../db/schema/inventory.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { IdPart } from "../store.ts";

/** How the units on hand of a product changed, and how many were shipped to customers. */
interface Flow {
  readonly product_id: number;
  /** Units that came less units that left, from the period's beginning until now. */
  readonly change_since: number;
  /** The same from its end until now. */
  readonly change_after: number;
  /** Units shipped to customers within the period. */
  readonly units_shipped: number;
}

const change = sql`case when ${movements.from_item_id} is null then ${movements.quantity}
  when ${movements.to_item_id} is null then -${movements.quantity} else 0 end`;

const flows = prepared((select, a: Args<IdPart & { since: number; until: number }>) =>
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

/** How stock changed from a moment (ms) on, by one part of the ledger. */
export async function sumFlows(db: Db, part: IdPart, since: number, until: number): Promise<Flow[]> {
  return flows(db, { ...part, since, until });
}

const held = prepared((select) =>
  select
    .select({ product_id: stock_items.product_id, on_hand: sql<number>`sum(${stock_items.on_hand})`.mapWith(Number) })
    .from(stock_items)
    .where(sql`${stock_items.on_hand} > 0`)
    .groupBy(stock_items.product_id),
);

/** The units on hand of each product that has any. */
export async function sumOnHand(db: Db): Promise<{ product_id: number; on_hand: number }[]> {
  return held(db, {});
}
