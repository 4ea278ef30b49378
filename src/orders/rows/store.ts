import { getTableColumns, sql as template } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { merchants } from "../../../db/schema/merchants.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { inOrderOf, sizesBy } from "../../database/long_records.ts";
import { preparedOf } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
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

const byIds = preparedOf((sql, isOf) => sql.select(orderRow).from(orders).where(isOf(orders.id)));

/** The rows of the orders with these ids, in their order; ids that name nothing are left out. */
export async function findOrderRows(db: Db, ids: readonly number[]): Promise<OrderRow[]> {
  return inOrderOf(ids, await byIds(db, { ids }));
}

/** About how many bytes each of the orders with these ids takes as JSON, with all that belongs to it. */
export const sizesOfOrders = sizesBy(order_lines.order_id, { record: 2000, part: 500 });
