import { and, desc, eq, gt, sql as template } from "drizzle-orm";
import { deliveries } from "../../../db/schema/webhooks.ts";
import type { Db } from "../../database/store.ts";

/** When the newest `limit` test events were sent to a subscription since a moment, newest first. */
export async function listTestMoments(
  db: Db,
  subscription_id: number,
  since: number,
  limit: number,
): Promise<number[]> {
  const tests = and(
    eq(deliveries.subscription_id, subscription_id),
    template`${deliveries.sequence} = 0`,
    gt(deliveries.created_at, since),
  );
  const { created_at } = deliveries;
  const rows = await db.sql.select({ created_at }).from(deliveries).where(tests).orderBy(desc(created_at)).limit(limit);
  return rows.map((row) => row.created_at);
}
