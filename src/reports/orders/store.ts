import { count, sql } from "drizzle-orm";
import { orders } from "../../../db/schema/orders.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { PublicOrderStatus } from "../../orders/status.ts";
import type { Day } from "../calendar.ts";

const came = prepared((select, a: Args<{ since: number; until: number }>) =>
  select
    .select({ status: orders.status, held: orders.held, count: count() })
    .from(orders)
    .where(sql`${orders.created_at} >= ${a.since} and ${orders.created_at} < ${a.until}`)
    .groupBy(orders.status, orders.held),
);

/** How many orders were created on a day, by present status as the API shows it. */
export async function countByStatus(db: Db, { since, until }: Day): Promise<Map<PublicOrderStatus, number>> {
  const counts = new Map<PublicOrderStatus, number>();
  for (const { status, held, count } of await came(db, { since, until })) {
    const shown = held ? "on_hold" : status;
    counts.set(shown, (counts.get(shown) ?? 0) + count);
  }
  return counts;
}
