// What carriers reported on numbers that were not known here.
import { asc, eq, lt } from "drizzle-orm";
import { amongThose } from "../../../db/kit.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { waiting_updates } from "../../../db/schema/tracking.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db, Tx } from "../../database/store.ts";
import { assert } from "../../kit/assert.ts";
import type { Shipment } from "../../orders/shipments/shipment.ts";
import { listShipments } from "../../orders/shipments/store.ts";
import type { ParcelOrder } from "../parcel.ts";
import type { WaitingUpdate } from "../record.ts";

/** Keeps a report until its number is known. */
export async function insertWaiting(
  tx: Tx,
  account_id: number,
  tracking_number: string,
  told: WaitingUpdate,
): Promise<void> {
  await tx.sql.insert(waiting_updates).values({ account_id, tracking_number, told, received_at: tx.now });
}

const waitingFor = prepared((sql, a: Args<{ tracking_number: string }>) =>
  sql
    .select({ told: waiting_updates.told })
    .from(waiting_updates)
    .where(eq(waiting_updates.tracking_number, a.tracking_number))
    .orderBy(asc(waiting_updates.id)),
);

/** The reports on a number from before it was known, oldest first. They are deleted. */
export async function takeWaiting(tx: Tx, tracking_number: string): Promise<WaitingUpdate[]> {
  const found = await waitingFor(tx, { tracking_number });
  if (found.length === 0) return [];
  await tx.sql.delete(waiting_updates).where(eq(waiting_updates.tracking_number, tracking_number));
  return found.map(({ told }) => told);
}

/** Deletes up to `limit` reports that have waited since before a moment, and answers how many. */
export async function deleteWaiting(tx: Tx, before: number, limit: number): Promise<number> {
  const { id, received_at } = waiting_updates;
  const old = tx.sql
    .select({ id })
    .from(waiting_updates)
    .where(lt(received_at, before))
    .orderBy(asc(received_at))
    .limit(limit);
  return (await tx.sql.delete(waiting_updates).where(amongThose(id, old)).returning({ id })).length;
}

const orderWithLines = prepared((sql, a: Args<{ order_id: number }>) =>
  sql
    .select({ id: orders.id, order_number: orders.order_number, line_id: order_lines.id, sku: order_lines.sku })
    .from(orders)
    .innerJoin(order_lines, eq(order_lines.order_id, orders.id))
    .where(eq(orders.id, a.order_id)),
);

/** A parcel of an order and what it shows of the order. */
export async function getParcel(
  db: Db,
  order_id: number,
  shipment_id: number,
): Promise<{ shipment: Shipment; order: ParcelOrder }> {
  const shipment = (await listShipments(db, [order_id])).find(({ id }) => id === shipment_id);
  assert(shipment !== undefined, "a parcel belongs to an order");
  return { shipment, order: await getParcelOrder(db, order_id) };
}

/** An order as its parcels show it. */
export async function getParcelOrder(db: Db, order_id: number): Promise<ParcelOrder> {
  const rows = await orderWithLines(db, { order_id });
  assert(rows[0] !== undefined, "an order has lines");
  const { id, order_number } = rows[0];
  return { id, order_number, lines: rows.map((row) => ({ id: row.line_id, sku: row.sku })) };
}
