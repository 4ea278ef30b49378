import { asc, count, desc, eq, getTableColumns, inArray } from "drizzle-orm";
import { columnsOf } from "../../db/kit.ts";
import { order_lines, orders } from "../../db/schema/orders.ts";
import { labels, shipment_lines, shipments } from "../../db/schema/shipments.ts";
import { tracking_records } from "../../db/schema/tracking.ts";
import { missing } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import { choice, textField } from "../core/schema.ts";
import { trackingUrl } from "../orders/fulfillment/tracking_url.ts";
import { ofNumberedOrder, orderFilter } from "../orders/lifecycle/order_lookup.sql.ts";
import { shipmentStatuses } from "../orders/order.transitions.ts";
import { trackingStatuses } from "../shipping/carriers/tracking.transitions.ts";
import { hasNumber, ofNumber } from "../shipping/labels/label_list.sql.ts";
import type { Db, ReadStatements } from "../storage/database.ts";
import { type LongRecords, sizesBy } from "../storage/long_records.ts";
import { equals, newestIds, recordList, search, timeFilters } from "../storage/record_list.ts";
import { preparedOf } from "../storage/statements.ts";
import type { ListedParcel } from "./parcel.ts";

const linesOf = preparedOf((query, isOf) =>
  query
    .select({
      ...columnsOf(shipment_lines, "shipment_id", "order_line_id", "quantity"),
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

const isTracked = eq(tracking_records.shipment_id, shipments.id);

const parcels = (query: ReadStatements) =>
  query
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
    .leftJoin(tracking_records, isTracked);
type ParcelRow = Awaited<ReturnType<typeof parcels>>[number];

const sizesOf = sizesBy(shipment_lines.shipment_id, { record: 1500, part: 150 });

/** How lists load parcels, which may have hundreds of lines. */
export const longParcels: LongRecords<ParcelRow> = {
  bytes: (db, rows) => sizesOf(db, idsOf(rows)),
  again: async (db, ids) => {
    const rows = await parcels(db.sql).where(inArray(shipments.id, [...ids]));
    const by_id = new Map(rows.map((row) => [row.shipment.id, row]));
    return ids.flatMap((id) => by_id.get(id) ?? []);
  },
};

const idsOf = (rows: readonly ParcelRow[]) => rows.map(({ shipment }) => shipment.id);

/** Parcels without their lines, newest first. */
export const parcelList = recordList(shipments, {
  select: parcels,
  filters: {
    order_id: orderFilter(shipments.order_id),
    status: equals(shipments.status, choice(shipmentStatuses)),
    carrier: equals(shipments.carrier, textField(100)),
    service: equals(shipments.service, textField(100)),
    tracking_number: hasNumber(shipments.tracking_number, 100),
    q: search("Part of the tracking number or the order number.", [
      ofNumber(shipments.tracking_number),
      ofNumberedOrder(shipments.order_id),
    ]),
    tracking_status: equals(
      tracking_records.status,
      choice(trackingStatuses, { description: "Only those with one of these statuses at the carrier." }),
    ),
    ...timeFilters("shipped", shipments.shipped_at),
  },
  counted: (query, { tracking_status }) =>
    tracking_status === undefined
      ? query.select({ count: count() }).from(shipments)
      : query.select({ count: count() }).from(shipments).innerJoin(tracking_records, isTracked),
  order: {
    ...newestIds(shipments.id),
    position: ({ shipment }: ParcelRow) => [shipment.created_at, shipment.id],
  },
  long: longParcels,
});

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

/** Finds a parcel by its identifier, `shp_1001` or `1001`. Refuses: resource_missing. */
export async function getListedParcel(db: Db, id: string | number): Promise<ListedParcel> {
  const rows = await parcels(db.sql).where(eq(shipments.id, readId("shipment", id) ?? 0));
  const [parcel] = await withLinesAndLabels(db, rows);
  if (parcel === undefined) throw missing("shipment", id);
  return parcel;
}
