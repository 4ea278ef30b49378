import { Type } from "@sinclair/typebox";
import { count, eq, isNotNull, isNull } from "drizzle-orm";
import { shipments } from "../../db/schema/shipments.ts";
import { tracking_records } from "../../db/schema/tracking.ts";
import { choice, textField } from "../core/schema.ts";
import { findOrderOfShipment } from "../orders/fulfillment/shipments.sql.ts";
import { orderFilter } from "../orders/lifecycle/order_lookup.sql.ts";
import { trackingStatuses } from "../shipping/carriers/tracking.transitions.ts";
import { ofNumber } from "../shipping/labels/label_list.sql.ts";
import { scannedSscc } from "../shipping/labels/sscc.ts";
import type { Db } from "../storage/database.ts";
import { equals, filter, newestIds, recordList, search } from "../storage/record_list.ts";
import { refuseAmbiguousOwner } from "../storage/tenant.ts";
import { unknownNumber } from "./number_formats.ts";
import { simulatedHistory } from "./simulated_tracking.ts";
import { findKnown, listEvents, matchingParcels, pageOf } from "./tracking.sql.ts";
import { no_details, type TrackingHistory, type TrackingRecord } from "./tracking_record.ts";

/** A record in a list. */
export interface TrackedNumber {
  readonly record: TrackingRecord;
  readonly order_id: number | null;
  readonly tracking_url: string | null;
}

const { shipment_id } = tracking_records;
const ofParcel = eq(shipments.id, shipment_id);

/** Tracking records, newest first. */
export const trackedList = recordList(tracking_records, {
  select: (query) =>
    query
      .select({ record: tracking_records, order_id: shipments.order_id })
      .from(tracking_records)
      .leftJoin(shipments, ofParcel),
  filters: {
    status: equals(tracking_records.status, choice(trackingStatuses)),
    carrier: equals(tracking_records.carrier, textField(100)),
    order_id: orderFilter(tracking_records.order_id, shipments.order_id),
    q: search("Part of the tracking number.", [ofNumber(tracking_records.tracking_number)]),
    followed: filter(
      Type.Boolean({
        description:
          "True: only numbers that are tracked on request and are no order's parcel. False: only the others.",
      }),
      (followed) => (followed ? isNull(shipment_id) : isNotNull(shipment_id)),
    ),
  },
  counted: (query) => query.select({ count: count() }).from(tracking_records).leftJoin(shipments, ofParcel),
  order: { ...newestIds(tracking_records.id), position: ({ record: { id } }: TrackedNumber) => [id, id] },
  records: (rows, db): readonly TrackedNumber[] =>
    rows.map((row) => {
      const record = row.record as TrackingRecord;
      return { record, order_id: row.order_id ?? record.order_id, tracking_url: pageOf(db, record) };
    }),
});

/** The histories of a number: one for each merchant that a request may mean. */
type Histories = readonly [TrackingHistory, ...TrackingHistory[]];

/**
 * Finds the newest history of each number. Unknown numbers are omitted. A number of several merchants has one history
 * for each that `matchingParcels` cannot rule out. Test data also knows carriers' test numbers.
 */
export async function findHistories(db: Db, numbers: readonly string[]): Promise<Map<string, Histories>> {
  const histories_by_number = await findRecorded(db, numbers.flatMap(storedForms));
  for (const number of numbers) {
    const histories = histories_by_number.get(scannedSscc(number) ?? "");
    if (histories !== undefined && !histories_by_number.has(number)) histories_by_number.set(number, histories);
  }
  if (db.mode === "live") return histories_by_number;
  for (const number of numbers) {
    const simulated = histories_by_number.has(number) ? null : simulatedHistory(number, db.now);
    if (simulated !== null) histories_by_number.set(number, [simulated]);
  }
  return histories_by_number;
}

/** The forms in which a number may be stored: as scanned and, for an SSCC, without its identifier. */
function storedForms(number: string): string[] {
  const sscc = scannedSscc(number);
  return sscc === null ? [number] : [number, sscc];
}

async function findRecorded(db: Db, numbers: readonly string[]): Promise<Map<string, Histories>> {
  const known = [...(await findKnown(db, numbers)).values()];
  const ids = known.flatMap(({ record: { id } }) => (id === 0 ? [] : [id]));
  const events_by_record = Map.groupBy(await listEvents(db, ids), (event) => event.record_id);
  const result = new Map<string, Histories>();
  for (const { number, record, past, order_id } of known) {
    const scans = events_by_record.get(record.id) ?? past.toReversed().map((fact) => ({ ...no_details, ...fact }));
    const history = { record, events: scans, order_id, tracking_url: pageOf(db, record) };
    result.set(number, [history, ...(result.get(number) ?? [])]);
  }
  for (const [number, histories] of result) {
    if (histories.length > 1) result.set(number, await matchingHistories(db, number, histories));
  }
  return result;
}

async function matchingHistories(db: Db, number: string, histories: Histories): Promise<Histories> {
  const records = histories.map(({ record }) => record);
  const matching_records = new Set(await matchingParcels(db, number, records));
  const [first = histories[0], ...others] = histories.filter(({ record }) => matching_records.has(record));
  return [first, ...others];
}

/** Returns the newest history of a number. Refuses: resource_missing, merchant_required. */
export async function getHistory(db: Db, tracking_number: string): Promise<TrackingHistory> {
  const histories = (await findHistories(db, [tracking_number])).get(tracking_number);
  if (histories === undefined) throw unknownNumber(tracking_number);
  refuseAmbiguousOwner(
    histories.map(({ record }) => record),
    () => tracking_number,
  );
  return histories[0];
}

/** Returns the history of a record. */
export async function historyOf(db: Db, record: TrackingRecord): Promise<TrackingHistory> {
  const { id, shipment_id } = record;
  const events = await listEvents(db, [id]);
  const order_id = shipment_id === null ? record.order_id : await findOrderOfShipment(db, shipment_id);
  return { record, events, order_id, tracking_url: pageOf(db, record) };
}
