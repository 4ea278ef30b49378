import { getTableColumns, sql as template } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { merchants } from "../../../db/schema/merchants.ts";
import { orders } from "../../../db/schema/orders.ts";
import { suspendedStatuses } from "../../merchants/status.ts";

const ofSuspended = template`exists (
  select 1 from ${merchants} where ${merchants.id} = ${orders.merchant_id}
  and ${isOneOf(merchants.status, suspendedStatuses)}
)`;

/** What is read of an order itself: its columns, and whether its merchant is suspended at that moment. */
export const orderRow = {
  ...getTableColumns(orders),
  // Within another expression, so that its columns keep the names of their tables.
  suspended: template<boolean>`${ofSuspended}`.mapWith(Boolean).as("suspended"),
};

/** A row as `orderRow` reads it. */
export type OrderRow = typeof orders.$inferSelect & { suspended: boolean };
