import { and, asc, desc, eq, inArray, lt } from "drizzle-orm";
import { among, amongTexts, columnsOf, forUpdateInOrder, list } from "../../db/kit.ts";
import { order_lines, orders } from "../../db/schema/orders.ts";
import { returns } from "../../db/schema/returns.ts";
import { shipments } from "../../db/schema/shipments.ts";
import { tracking_events, tracking_records, waiting_updates } from "../../db/schema/tracking.ts";
import { assert } from "../core/faults.ts";
import type { Shipment } from "../orders/fulfillment/shipment.ts";
import { listShipments } from "../orders/fulfillment/shipments.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { deleteBatch } from "../storage/row_batches.ts";
import { insert, prepared, type StatementArgs } from "../storage/statements.ts";
import type { ParcelOrder } from "./parcel.ts";
import { type EventRow, isFoundByNumber } from "./tracking.sql.ts";
import type { TrackingRecord, WaitingUpdate } from "./tracking_record.ts";

const ofParcels = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  forUpdateInOrder(
    sql.select().from(tracking_records).where(among(tracking_records.shipment_id, a.ids)),
    tracking_records.id,
  ),
);

/** Locks the tracking records of parcels until the transaction ends. Returns those that exist, by parcel id. */
export async function lockRecordsOfParcels(
  tx: Tx,
  shipment_ids: readonly number[],
): Promise<Map<number, TrackingRecord>> {
  if (shipment_ids.length === 0) return new Map();
  const rows = (await ofParcels(tx, { ids: list(shipment_ids) })) as TrackingRecord[];
  return new Map(rows.map((record) => [record.shipment_id ?? 0, record]));
}

const ofOrders = prepared((sql, a: StatementArgs<{ ids: string }>) => {
  const parcels = sql.select({ id: shipments.id }).from(shipments).where(among(shipments.order_id, a.ids));
  const { id, shipment_id } = tracking_records;
  return forUpdateInOrder(sql.select({ id }).from(tracking_records).where(inArray(shipment_id, parcels)), id);
});

/** Locks the tracking records of all parcels of orders until the transaction ends. */
export async function lockRecordsOfOrders(tx: Tx, order_ids: readonly number[]): Promise<void> {
  if (order_ids.length > 0) await ofOrders(tx, { ids: list(order_ids) });
}

/** Stores a report until its number is a parcel. */
export async function insertWaiting(
  tx: Tx,
  account_id: number,
  tracking_number: string,
  report: WaitingUpdate,
): Promise<void> {
  await tx.sql.insert(waiting_updates).values({ account_id, tracking_number, told: report, received_at: tx.now });
}

const waitingFor = prepared((sql, a: StatementArgs<{ tracking_number: string }>) =>
  sql
    .select({ told: waiting_updates.told })
    .from(waiting_updates)
    .where(eq(waiting_updates.tracking_number, a.tracking_number))
    .orderBy(asc(waiting_updates.id)),
);

/** Lists the stored reports on a number, oldest first. */
export async function listWaiting(db: Db, tracking_number: string): Promise<WaitingUpdate[]> {
  return (await waitingFor(db, { tracking_number })).map(({ told }) => told);
}

/** Deletes the stored reports on a number. */
export async function endWaiting(tx: Tx, tracking_number: string): Promise<void> {
  await tx.sql.delete(waiting_updates).where(eq(waiting_updates.tracking_number, tracking_number));
}

/** Deletes up to `limit` reports stored before a time (ms), and returns how many. */
export async function deleteWaiting(tx: Tx, before: number, limit: number): Promise<number> {
  const { received_at } = waiting_updates;
  return deleteBatch(tx, waiting_updates, { where: lt(received_at, before), by: [received_at], limit });
}

const orderWithLines = prepared((sql, a: StatementArgs<{ order_id: number }>) =>
  sql
    .select({ id: orders.id, order_number: orders.order_number, line_id: order_lines.id, sku: order_lines.sku })
    .from(orders)
    .innerJoin(order_lines, eq(order_lines.order_id, orders.id))
    .where(eq(orders.id, a.order_id)),
);

/** Returns a parcel and the fields of its order that it shows. */
export async function getParcel(
  db: Db,
  order_id: number,
  shipment_id: number,
): Promise<{ shipment: Shipment; order: ParcelOrder }> {
  const shipment = (await listShipments(db, [order_id])).find(({ id }) => id === shipment_id);
  assert(shipment !== undefined, "a parcel belongs to an order");
  return { shipment, order: await getParcelOrder(db, order_id) };
}

/** Returns the fields of an order that its parcels show. */
export async function getParcelOrder(db: Db, order_id: number): Promise<ParcelOrder> {
  const rows = await orderWithLines(db, { order_id });
  assert(rows[0] !== undefined, "an order has lines");
  const { id, order_number } = rows[0];
  return { id, order_number, lines: rows.map((row) => ({ id: row.line_id, sku: row.sku })) };
}

const returnsOf = prepared((sql, a: StatementArgs<{ tracking_number: string }>) =>
  sql
    .select({ id: returns.id, order_id: returns.order_id, merchant_id: returns.merchant_id })
    .from(returns)
    .where(eq(returns.tracking_number, a.tracking_number))
    .orderBy(desc(returns.id)),
);

/** Finds a merchant's newest return with a tracking number; null if there is none. */
export async function findReturnOf(
  db: Db,
  { tracking_number, merchant_id }: Pick<TrackingRecord, "tracking_number" | "merchant_id">,
): Promise<{ id: number; order_id: number } | null> {
  const matches = await returnsOf(db, { tracking_number });
  return matches.find((candidate) => candidate.merchant_id === merchant_id) ?? null;
}

/** Lists the merchants of the returns with a tracking number. */
export async function listReturnOwners(db: Db, tracking_number: string): Promise<{ readonly merchant_id: number }[]> {
  return returnsOf(db, { tracking_number });
}

const namedParcels = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select({
      ...columnsOf(shipments, "tracking_number", "merchant_id", "order_id", "status"),
      shipment_id: shipments.id,
      record_id: tracking_records.id,
    })
    .from(shipments)
    .leftJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id))
    .where(and(amongTexts(shipments.tracking_number, a.numbers), isFoundByNumber))
    .orderBy(asc(shipments.id)),
);
const lockedNamed = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  forUpdateInOrder(
    sql.select().from(tracking_records).where(amongTexts(tracking_records.tracking_number, a.numbers)),
    tracking_records.id,
  ),
);

/** A parcel with its tracking record, which is locked until the transaction ends. */
export interface KnownParcel {
  readonly record: TrackingRecord;
  readonly shipment_id: number;
  readonly order_id: number;
  /** The parcel's status before its order was locked. */
  readonly status: Shipment["status"];
}

/**
 * Locks the records of the parcels with these numbers, by number. Omitted are numbers that are unknown, are tracked
 * without a parcel, belong to several merchants, or whose parcel has no record.
 */
export async function lockKnownParcels(tx: Tx, numbers: readonly string[]): Promise<Map<string, KnownParcel>> {
  const parcels = await namedParcels(tx, { numbers: list(numbers) });
  const records = (await lockedNamed(tx, { numbers: list(numbers) })) as TrackingRecord[];
  const by_id = new Map(records.map((record) => [record.id, record]));
  const excluded = new Set(
    records.flatMap(({ shipment_id, tracking_number }) => (shipment_id === null ? tracking_number : [])),
  );
  // The newest parcel with a number counts.
  const newest = new Map(parcels.map((parcel) => [parcel.tracking_number ?? "", parcel]));
  for (const { tracking_number, merchant_id } of parcels) {
    if (newest.get(tracking_number ?? "")?.merchant_id !== merchant_id) excluded.add(tracking_number ?? "");
  }
  const known = new Map<string, KnownParcel>();
  for (const [number, { record_id, shipment_id, order_id, status }] of newest) {
    const record = by_id.get(record_id ?? 0);
    if (record !== undefined && !excluded.has(number)) known.set(number, { record, shipment_id, order_id, status });
  }
  return known;
}

/** Inserts scans of locked records. */
export async function insertScans(tx: Tx, scans: readonly Required<EventRow>[]): Promise<void> {
  await insert(
    tx,
    tracking_events,
    scans.map((scan) => ({ ...scan, created_at: tx.now })),
  );
}
