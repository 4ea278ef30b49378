import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, type SQL } from "drizzle-orm";
import { order_lines, orders } from "../../db/schema/orders.ts";
import { labels, shipment_lines, shipments } from "../../db/schema/shipments.ts";
import { tracking_records } from "../../db/schema/tracking.ts";
import { missing } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import type { PageWindow } from "../core/schema.ts";
import { trackingUrl } from "../orders/fulfillment/tracking_url.ts";
import type { ShipmentStatus } from "../orders/order.transitions.ts";
import type { TrackingStatus } from "../shipping/carriers/tracking.transitions.ts";
import type { Db } from "../storage/database.ts";
import { type LongRecords, sizesBy } from "../storage/long_records.ts";
import { preparedOf } from "../storage/statements.ts";
import type { ListedParcel } from "./parcel.ts";

/** The filters of a list of parcels. Timestamps are in milliseconds. */
export interface ParcelFilter {
  readonly id?: number | undefined;
  readonly order_id?: number | undefined;
  readonly status?: ShipmentStatus | undefined;
  readonly carrier?: string | undefined;
  readonly service?: string | undefined;
  /** All forms in which the number may be stored. */
  readonly tracking_numbers?: readonly string[] | undefined;
  readonly tracking_status?: TrackingStatus | undefined;
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
  readonly shipped_after?: number | undefined;
  readonly shipped_before?: number | undefined;
}

function matching(filter: ParcelFilter): SQL | undefined {
  const { id, order_id, status, carrier, service, tracking_numbers, tracking_status } = filter;
  const { created_after, created_before, shipped_after, shipped_before } = filter;
  return and(
    id === undefined ? undefined : eq(shipments.id, id),
    order_id === undefined ? undefined : eq(shipments.order_id, order_id),
    status === undefined ? undefined : eq(shipments.status, status),
    carrier === undefined ? undefined : eq(shipments.carrier, carrier),
    service === undefined ? undefined : eq(shipments.service, service),
    tracking_numbers === undefined ? undefined : inArray(shipments.tracking_number, [...tracking_numbers]),
    tracking_status === undefined ? undefined : eq(tracking_records.status, tracking_status),
    created_after === undefined ? undefined : gt(shipments.created_at, created_after),
    created_before === undefined ? undefined : lt(shipments.created_at, created_before),
    shipped_after === undefined ? undefined : gt(shipments.shipped_at, shipped_after),
    shipped_before === undefined ? undefined : lt(shipments.shipped_at, shipped_before),
  );
}

const linesOf = preparedOf((query, isOf) =>
  query
    .select({
      shipment_id: shipment_lines.shipment_id,
      order_line_id: shipment_lines.order_line_id,
      quantity: shipment_lines.quantity,
      sku: order_lines.sku,
    })
    .from(shipment_lines)
    .innerJoin(order_lines, eq(order_lines.id, shipment_lines.order_line_id))
    .where(isOf(shipment_lines.shipment_id))
    .orderBy(asc(shipment_lines.id)),
);

const labelsOf = preparedOf((query, isOf) =>
  query
    .select({ id: labels.id, shipment_id: labels.shipment_id })
    .from(labels)
    .where(isOf(labels.shipment_id))
    .orderBy(desc(labels.id)),
);

const parcels = (db: Db) =>
  db.sql
    .select({
      shipment: getTableColumns(shipments),
      order_number: orders.order_number,
      customer_name: orders.customer_name,
      tracking_status: tracking_records.status,
      estimated_delivery: tracking_records.estimated_delivery,
      account_id: tracking_records.account_id,
      to: orders.shipping_address,
    })
    .from(shipments)
    .innerJoin(orders, eq(orders.id, shipments.order_id))
    .leftJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id));
type ParcelRow = Awaited<ReturnType<typeof parcels>>[number];

/** Lists a page of parcels without their lines, newest first. */
export async function listParcels(db: Db, filter: ParcelFilter, window: PageWindow): Promise<ParcelRow[]> {
  const { limit, offset, after } = window;
  return parcels(db)
    .where(and(matching(filter), after === null ? undefined : lt(shipments.id, after[1])))
    .orderBy(desc(shipments.id))
    .limit(limit)
    .offset(offset);
}

const sizesOf = sizesBy(shipment_lines.shipment_id, { record: 1500, part: 150 });

/** How lists load parcels, which may have hundreds of lines. */
export const longParcels: LongRecords<ParcelRow> = {
  bytes: (db, rows) => sizesOf(db, idsOf(rows)),
  again: async (db, ids) => {
    const rows = await parcels(db).where(inArray(shipments.id, [...ids]));
    const by_id = new Map(rows.map((row) => [row.shipment.id, row]));
    return ids.flatMap((id) => by_id.get(id) ?? []);
  },
};

const idsOf = (rows: readonly ParcelRow[]) => rows.map(({ shipment }) => shipment.id);

/** Adds the lines and labels to parcels. */
export async function withLinesAndLabels(db: Db, rows: readonly ParcelRow[]): Promise<ListedParcel[]> {
  if (rows.length === 0) return [];
  const ids = idsOf(rows);
  const lines = Map.groupBy(await linesOf(db, { ids }), ({ shipment_id }) => shipment_id);
  const labels_by_parcel = Map.groupBy(await labelsOf(db, { ids }), ({ shipment_id }) => shipment_id);
  return rows.map(({ shipment, ...same }) => {
    const own = lines.get(shipment.id) ?? [];
    const { untold: _, ...parcel } = shipment;
    return {
      ...same,
      shipment: { ...parcel, tracking_url: trackingUrl(db, parcel), lines: own },
      skus: new Map(own.map(({ order_line_id, sku }) => [order_line_id, sku])),
      label_ids: (labels_by_parcel.get(shipment.id) ?? []).map(({ id }) => id),
    };
  });
}

/** Counts the parcels that match. */
export async function countParcels(db: Db, filter: ParcelFilter): Promise<number> {
  if (filter.tracking_status === undefined) return db.sql.$count(shipments, matching(filter));
  const tracked = db.sql
    .select({ id: shipments.id })
    .from(shipments)
    .innerJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id))
    .where(matching(filter));
  return db.sql.$count(shipments, inArray(shipments.id, tracked));
}

/** Finds a parcel by its identifier, `shp_1001` or `1001`. Refuses: resource_missing. */
export async function getListedParcel(db: Db, id: string | number): Promise<ListedParcel> {
  const window = { limit: 1, offset: 0, after: null };
  const [parcel] = await withLinesAndLabels(db, await listParcels(db, { id: readId("shipment", id) ?? 0 }, window));
  if (parcel === undefined) throw missing("shipment", id);
  return parcel;
}
