import { sql } from "drizzle-orm";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { shipment_lines, shipments } from "../../../db/schema/shipments.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { Day } from "../calendar.ts";

/** A line of an order of which something has left. */
export interface FilledLine {
  readonly order_id: number;
  readonly line_id: number;
  /** Units that are not cancelled. */
  readonly wanted: number;
}

/** Units of a line that left in one parcel. */
export interface LeftUnits {
  readonly line_id: number;
  readonly order_id: number;
  readonly quantity: number;
  /** When the parcel left (ms). */
  readonly shipped_at: number;
}

const came = (a: Args<{ since: number; until: number }>) =>
  sql`${orders.created_at} >= ${a.since} and ${orders.created_at} < ${a.until} and ${orders.imported} = false`;

const wanted = prepared((select, a: Args<{ since: number; until: number }>) =>
  select
    .select({
      order_id: order_lines.order_id,
      line_id: order_lines.id,
      wanted: sql<number>`${order_lines.quantity} - ${order_lines.quantity_cancelled}`.mapWith(Number),
    })
    .from(orders)
    .innerJoin(order_lines, sql`${order_lines.order_id} = ${orders.id}`)
    .where(sql`${came(a)} and ${order_lines.quantity} > ${order_lines.quantity_cancelled}`),
);

const left = prepared((select, a: Args<{ since: number; until: number }>) =>
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
    .where(sql`${came(a)} and ${shipments.shipped_at} is not null`),
);

/** The lines of orders created on a day, and what has left of them. */
export async function findFilling(
  db: Db,
  { since, until }: Day,
): Promise<{ readonly lines: readonly FilledLine[]; readonly left: readonly LeftUnits[] }> {
  const units = await left(db, { since, until });
  return { lines: units.length === 0 ? [] : await wanted(db, { since, until }), left: units };
}
