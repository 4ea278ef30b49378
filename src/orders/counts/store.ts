import type { Db } from "../../database/store.ts";
import { countShortOrders } from "../conditions/store.ts";
import { countOrders } from "../list/store.ts";
import { type PublicOrderStatus, publicOrderStatuses } from "../status.ts";
import { countByStatus } from "../tally/store.ts";

/** How many orders there are of each kind. */
interface OrderCounts {
  readonly total: number;
  readonly statuses: Readonly<Record<PublicOrderStatus, number>>;
  /** Orders that wait for units which stock could not promise. */
  readonly short: number;
  /** Orders that have not left although they were to. */
  readonly late: number;
}

/** How many orders are in each state, wait for stock or are late. */
export async function countAllOrders(db: Db): Promise<OrderCounts> {
  const counts = await countByStatus(db);
  const statuses = Object.fromEntries(publicOrderStatuses.map((status) => [status, counts.get(status) ?? 0])) as Record<
    PublicOrderStatus,
    number
  >;
  const total = Object.values(statuses).reduce((sum, number) => sum + number, 0);
  return { total, statuses, short: await countShortOrders(db), late: await countOrders(db, { late: true }) };
}
