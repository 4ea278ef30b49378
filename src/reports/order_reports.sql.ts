import { count, sql } from "drizzle-orm";
import { isOneOf } from "../../db/kit.ts";
import { order_lines, orders } from "../../db/schema/orders.ts";
import { shipment_lines, shipments } from "../../db/schema/shipments.ts";
import { orderTransitions, type PublicOrderStatus } from "../orders/order.transitions.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { ReportDay, ShipByDay } from "./report_days.ts";

/** A line of an order that has shipped at least partly. */
export interface FillRateLine {
  readonly order_id: number;
  readonly line_id: number;
  /** Units that are not cancelled. */
  readonly wanted: number;
}

/** Units of a line in one shipped parcel. */
export interface LeftUnits {
  readonly line_id: number;
  readonly order_id: number;
  readonly quantity: number;
  /** In ms. */
  readonly shipped_at: number;
}

const createdWithin = (a: StatementArgs<{ since: number; until: number }>) =>
  sql`${orders.created_at} >= ${a.since} and ${orders.created_at} < ${a.until} and ${orders.imported} = false`;

const wanted = prepared((select, a: StatementArgs<{ since: number; until: number }>) =>
  select
    .select({
      order_id: order_lines.order_id,
      line_id: order_lines.id,
      wanted: sql<number>`${order_lines.quantity} - ${order_lines.quantity_cancelled}`.mapWith(Number),
    })
    .from(orders)
    .innerJoin(order_lines, sql`${order_lines.order_id} = ${orders.id}`)
    .where(sql`${createdWithin(a)} and ${order_lines.quantity} > ${order_lines.quantity_cancelled}`),
);

const left = prepared((select, a: StatementArgs<{ since: number; until: number }>) =>
  select
    .select({
      order_id: shipments.order_id,
      line_id: shipment_lines.order_line_id,
      quantity: shipment_lines.quantity,
      shipped_at: sql<number>`${shipments.shipped_at}`.mapWith(Number),
    })
    .from(orders)
    .innerJoin(shipments, sql`${shipments.order_id} = ${orders.id}`)
    .innerJoin(shipment_lines, sql`${shipment_lines.shipment_id} = ${shipments.id}`)
    .where(sql`${createdWithin(a)} and ${shipments.shipped_at} is not null`),
);

/** The lines of orders created on a day, and their shipped units. */
export async function findFilling(
  db: Db,
  { since, until }: ReportDay,
): Promise<{ readonly lines: readonly FillRateLine[]; readonly left: readonly LeftUnits[] }> {
  const units = await left(db, { since, until });
  return { lines: units.length === 0 ? [] : await wanted(db, { since, until }), left: units };
}

/** Counts of the orders due on a working day. */
interface Punctuality {
  readonly due: number;
  readonly on_time: number;
  /** Orders that have not shipped. */
  readonly open: number;
}

const figures = (a: { readonly deadline: unknown }) => ({
  due: sql<number>`count(*)`.mapWith(Number),
  on_time: sql<number>`count(case when ${orders.shipped_at} < ${a.deadline} then 1 end)`.mapWith(Number),
  open: sql<number>`count(case when ${orders.shipped_at} is null then 1 end)`.mapWith(Number),
});
const isCancelled = isOneOf(orders.status, [orderTransitions.cancel.to]);
type OnTimeArgs = StatementArgs<{ since: number; until: number; deadline: number }>;
const counted = (a: OnTimeArgs) =>
  sql`${orders.created_at} >= ${a.since} and ${orders.created_at} < ${a.until} and not ${isCancelled}
    and ${orders.imported} = false`;
const ofAll = prepared((select, a: OnTimeArgs) => select.select(figures(a)).from(orders).where(counted(a)));
const ofFirst = prepared((select, a: OnTimeArgs & StatementArgs<{ id: number }>) =>
  select
    .select(figures(a))
    .from(orders)
    .where(sql`${counted(a)} and (${orders.warehouse_id} = ${a.id} or ${orders.warehouse_id} is null)`),
);
const ofOne = prepared((select, a: OnTimeArgs & StatementArgs<{ id: number }>) =>
  select
    .select(figures(a))
    .from(orders)
    .where(sql`${counted(a)} and ${orders.warehouse_id} = ${a.id}`),
);

/**
 * Counts the orders that were due on a working day of a warehouse. An order without a warehouse counts for the first
 * one.
 */
export async function punctualityOf(
  db: Db,
  { since, until, deadline }: ShipByDay,
  warehouse: { readonly id: number; readonly isFirst: boolean; readonly isOnly: boolean },
): Promise<Punctuality> {
  const { id, isFirst, isOnly } = warehouse;
  const asked = { since, until, deadline };
  const [row] = isOnly ? await ofAll(db, asked) : await (isFirst ? ofFirst : ofOne)(db, { ...asked, id });
  return row ?? { due: 0, on_time: 0, open: 0 };
}

const createdOrders = prepared((select, a: StatementArgs<{ since: number; until: number }>) =>
  select
    .select({ status: orders.status, held: orders.held, count: count() })
    .from(orders)
    .where(sql`${orders.created_at} >= ${a.since} and ${orders.created_at} < ${a.until}`)
    .groupBy(orders.status, orders.held),
);

/** The number of orders created on a day, by the status that the API shows. */
export async function countByStatus(db: Db, { since, until }: ReportDay): Promise<Map<PublicOrderStatus, number>> {
  const counts = new Map<PublicOrderStatus, number>();
  for (const { status, held, count } of await createdOrders(db, { since, until })) {
    const shown = held ? "on_hold" : status;
    counts.set(shown, (counts.get(shown) ?? 0) + count);
  }
  return counts;
}
