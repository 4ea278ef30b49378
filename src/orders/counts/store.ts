import { and, count, isNotNull, sql as template } from "drizzle-orm";
import { orders } from "../../../db/schema/orders.ts";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import { countOrders } from "../list/store.ts";
import { publicStatus } from "../order.ts";
import { type PublicOrderStatus, publicOrderStatuses } from "../status.ts";

/** How many orders there are of each kind. */
interface OrderCounts {
  readonly total: number;
  readonly statuses: Readonly<Record<PublicOrderStatus, number>>;
  /** Orders that wait for units which stock could not promise. */
  readonly short: number;
  /** Orders that have not left although they were to. */
  readonly late: number;
}

// Read from an index alone on both engines.
const byStatus = prepared((sql, _: Args<object>) =>
  sql
    .select({ status: orders.status, held: orders.held, count: count() })
    .from(orders)
    .groupBy(orders.status, orders.held),
);
const shortOnes = prepared((sql, _: Args<object>) =>
  sql
    .select({ count: template`count(distinct ${reservations.order_id})`.mapWith(Number) })
    .from(reservation_lines)
    .innerJoin(reservations, template`${reservations.id} = ${reservation_lines.reservation_id}`)
    .where(
      and(template`${reservation_lines.reserved} < ${reservation_lines.wanted}`, isNotNull(reservations.order_id)),
    ),
);

/** How many orders are in each state, wait for stock or are late. */
export async function countAllOrders(db: Db): Promise<OrderCounts> {
  const statuses = Object.fromEntries(publicOrderStatuses.map((status) => [status, 0])) as Record<
    PublicOrderStatus,
    number
  >;
  let total = 0;
  for (const row of await byStatus(db, {})) {
    statuses[publicStatus(row)] += row.count;
    total += row.count;
  }
  const [short] = await shortOnes(db, {});
  return { total, statuses, short: short?.count ?? 0, late: await countOrders(db, { late: true }) };
}
