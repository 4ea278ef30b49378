import { and, eq, gt, sql as template } from "drizzle-orm";
import { deliveries } from "../../../db/schema/webhooks.ts";
import type { Db } from "../../database/store.ts";

/** How many test events were sent to a subscription since a moment. */
export async function countTests(db: Db, subscription_id: number, since: number): Promise<number> {
  const tests = and(
    eq(deliveries.subscription_id, subscription_id),
    template`${deliveries.sequence} = 0`,
    gt(deliveries.created_at, since),
  );
  return db.sql.$count(deliveries, tests);
}
