import { gt, sql as template } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { order_counts, order_lines } from "../../../db/schema/orders.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { type OrderStatus, openStatuses, type PublicOrderStatus } from "../order.transitions.ts";
import { publicStatus } from "../order.ts";

/** The number of rows in the CSV of all orders. */
export async function countLines(db: Db): Promise<number> {
  return db.sql.$count(order_lines);
}

// The number of orders in each status, counted by triggers on the orders table.
const counters = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({
      status: order_counts.status,
      held: order_counts.held,
      number: template`sum(${order_counts.number})`.mapWith(Number),
    })
    .from(order_counts)
    .groupBy(order_counts.status, order_counts.held),
);

/** The number of orders in each status. A status without orders may be left out. */
export async function countByStatus(db: Db): Promise<ReadonlyMap<PublicOrderStatus, number>> {
  const counts = new Map<PublicOrderStatus, number>();
  for (const row of await counters(db, {})) {
    const status = publicStatus(row);
    counts.set(status, (counts.get(status) ?? 0) + row.number);
  }
  return counts;
}

const open = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({ number: template`coalesce(sum(${order_counts.number}), 0)`.mapWith(Number) })
    .from(order_counts)
    .where(isOneOf(order_counts.status, openStatuses)),
);

/** The number of orders that have neither shipped nor been cancelled. */
export async function countOpenOrders(db: Db): Promise<number> {
  const [row] = await open(db, {});
  return row?.number ?? 0;
}

const partsLeft = prepared((sql, _: StatementArgs<object>) =>
  sql.select({ part: order_counts.part }).from(order_counts).where(gt(order_counts.part, 0)).limit(1),
);

/** Whether transactions have left rows that `addUpCounts` has not added up yet. On SQLite they leave none. */
export async function hasPendingCounts(db: Db): Promise<boolean> {
  return (await partsLeft(db, {})).length > 0;
}

interface OrderCountChange {
  readonly merchant_id: number;
  readonly status: OrderStatus;
  readonly held: boolean;
  readonly number: number;
}

const takeParts = prepared((sql: WriteStatements, _: StatementArgs<object>) =>
  sql.delete(order_counts).where(gt(order_counts.part, 0)).returning(),
);
const addWhole = prepared((sql: WriteStatements, a: StatementArgs<OrderCountChange>) =>
  sql
    .insert(order_counts)
    .values({ merchant_id: a.merchant_id, status: a.status, held: a.held, part: 0, number: a.number })
    .onConflictDoUpdate({
      target: [order_counts.merchant_id, order_counts.status, order_counts.held, order_counts.part],
      set: { number: template`${order_counts.number} + excluded.number` },
    }),
);

/** Adds the rows that transactions have left to the one row of each status and merchant. */
export async function addUpCounts(tx: Tx): Promise<void> {
  const sums = new Map<string, OrderCountChange>();
  for (const { merchant_id, status, held, number } of await takeParts(tx, {})) {
    const state = JSON.stringify([merchant_id, status, held]);
    sums.set(state, { merchant_id, status, held, number: number + (sums.get(state)?.number ?? 0) });
  }
  // Always in the same order, so that transactions that add up do not deadlock.
  const states = [...sums.keys()].sort();
  for (const state of states) {
    const sum = sums.get(state);
    if (sum !== undefined && sum.number !== 0) await addWhole(tx, sum);
  }
}
