import { inArray } from "drizzle-orm";
import { among, forUpdateInOrder, list } from "../../../db/kit.ts";
import { shipments } from "../../../db/schema/shipments.ts";
import { tracking_records } from "../../../db/schema/tracking.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Tx } from "../../database/store.ts";
import type { TrackingRecord } from "../record.ts";

const ofParcels = prepared((sql, a: Args<{ ids: string }>) =>
  forUpdateInOrder(
    sql.select().from(tracking_records).where(among(tracking_records.shipment_id, a.ids)),
    tracking_records.id,
  ),
);

/** The tracking records of these parcels, by parcel, locked until the transaction ends; those that have one. */
export async function lockRecordsOfParcels(
  tx: Tx,
  shipment_ids: readonly number[],
): Promise<Map<number, TrackingRecord>> {
  if (shipment_ids.length === 0) return new Map();
  const rows = (await ofParcels(tx, { ids: list(shipment_ids) })) as TrackingRecord[];
  return new Map(rows.map((record) => [record.shipment_id ?? 0, record]));
}

const ofOrders = prepared((sql, a: Args<{ ids: string }>) => {
  const parcels = sql.select({ id: shipments.id }).from(shipments).where(among(shipments.order_id, a.ids));
  const { id, shipment_id } = tracking_records;
  return forUpdateInOrder(sql.select({ id }).from(tracking_records).where(inArray(shipment_id, parcels)), id);
});

/** Locks the tracking records of all parcels of these orders until the transaction ends. */
export async function lockRecordsOfOrders(tx: Tx, order_ids: readonly number[]): Promise<void> {
  if (order_ids.length > 0) await ofOrders(tx, { ids: list(order_ids) });
}
