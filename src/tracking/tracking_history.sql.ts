import { and, desc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { shipments } from "../../db/schema/shipments.ts";
import { tracking_records } from "../../db/schema/tracking.ts";
import type { PageWindow } from "../core/schema.ts";
import { findOrderOfShipment } from "../orders/fulfillment/shipments.sql.ts";
import type { TrackingStatus } from "../shipping/carriers/tracking.transitions.ts";
import { scannedSscc } from "../shipping/labels/sscc.ts";
import type { Db } from "../storage/database.ts";
import { refuseAmbiguousOwner } from "../storage/tenant.ts";
import { unknownNumber } from "./number_formats.ts";
import { simulatedHistory } from "./simulated_tracking.ts";
import { findKnown, listEvents, matchingParcels, pageOf } from "./tracking.sql.ts";
import { no_expectation, type TrackingHistory, type TrackingRecord } from "./tracking_record.ts";

/** The filters of a list of tracking records. */
export interface TrackedFilter {
  readonly status?: TrackingStatus | undefined;
  readonly carrier?: string | undefined;
  readonly order_id?: number | undefined;
  /** True for numbers tracked on request that are no parcel's, false for parcels. */
  readonly followed?: boolean | undefined;
}

function matching({ status, carrier, order_id: of, followed }: TrackedFilter): SQL | undefined {
  const { shipment_id } = tracking_records;
  return and(
    status === undefined ? undefined : eq(tracking_records.status, status),
    carrier === undefined ? undefined : eq(tracking_records.carrier, carrier),
    of === undefined ? undefined : or(eq(tracking_records.order_id, of), eq(shipments.order_id, of)),
    followed === undefined ? undefined : followed ? isNull(shipment_id) : isNotNull(shipment_id),
  );
}

/** A record in a list. */
export interface TrackedNumber {
  readonly record: TrackingRecord;
  readonly order_id: number | null;
  readonly tracking_url: string | null;
}

/** A page of records, newest first. */
export async function listTracked(
  db: Db,
  filter: TrackedFilter,
  { limit, offset, after }: PageWindow,
): Promise<TrackedNumber[]> {
  const rows = await db.sql
    .select({ record: tracking_records, order_id: shipments.order_id })
    .from(tracking_records)
    .leftJoin(shipments, eq(shipments.id, tracking_records.shipment_id))
    .where(and(matching(filter), after ? sql`${tracking_records.id} < ${after[1]}` : undefined))
    .orderBy(desc(tracking_records.id))
    .limit(limit)
    .offset(offset);
  return rows.map((row) => {
    const record = row.record as TrackingRecord;
    return { record, order_id: row.order_id ?? record.order_id, tracking_url: pageOf(db, record) };
  });
}

/** How many records match. */
export async function countTracked(db: Db, filter: TrackedFilter): Promise<number> {
  const [row] = await db.sql
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(tracking_records)
    .leftJoin(shipments, eq(shipments.id, tracking_records.shipment_id))
    .where(matching(filter));
  return row?.count ?? 0;
}

// What is known of tracking numbers, with their scans.

/** The histories of a number: one of each merchant whom a request may mean by it. */
type Histories = readonly [TrackingHistory, ...TrackingHistory[]];

/**
 * The newest parcel's record of each number, with its scans; unknown numbers are left out. A number that several
 * merchants know has one of each whom `meantAmong` cannot rule out. The sandbox also knows carriers' test numbers.
 */
export async function findHistories(db: Db, numbers: readonly string[]): Promise<Map<string, Histories>> {
  const found = await findRecorded(db, numbers.flatMap(readings));
  for (const number of numbers) {
    const histories = found.get(scannedSscc(number) ?? "");
    if (histories !== undefined && !found.has(number)) found.set(number, histories);
  }
  if (db.mode === "live") return found;
  for (const number of numbers) {
    const simulated = found.has(number) ? null : simulatedHistory(number, db.now);
    if (simulated !== null) found.set(number, [simulated]);
  }
  return found;
}

/** The forms in which a number may be stored: as it was scanned and, for an SSCC with its identifier, without that. */
function readings(number: string): string[] {
  const sscc = scannedSscc(number);
  return sscc === null ? [number] : [number, sscc];
}

async function findRecorded(db: Db, numbers: readonly string[]): Promise<Map<string, Histories>> {
  const known = [...(await findKnown(db, numbers)).values()];
  const ids = known.flatMap(({ record: { id } }) => (id === 0 ? [] : [id]));
  const of = Map.groupBy(await listEvents(db, ids), (event) => event.record_id);
  const found = new Map<string, Histories>();
  for (const { number, record, past, order_id } of known) {
    const scans = of.get(record.id) ?? past.toReversed().map((fact) => ({ ...no_expectation, ...fact }));
    const history = { record, events: scans, order_id, tracking_url: pageOf(db, record) };
    found.set(number, [history, ...(found.get(number) ?? [])]);
  }
  for (const [number, histories] of found) {
    if (histories.length > 1) found.set(number, await meantHistories(db, number, histories));
  }
  return found;
}

async function meantHistories(db: Db, number: string, histories: Histories): Promise<Histories> {
  const records = histories.map(({ record }) => record);
  const meant = new Set(await matchingParcels(db, number, records));
  const [first = histories[0], ...others] = histories.filter(({ record }) => meant.has(record));
  return [first, ...others];
}

/** The newest parcel's record of a number, with its scans. Refuses: resource_missing, merchant_required. */
export async function getHistory(db: Db, tracking_number: string): Promise<TrackingHistory> {
  const found = (await findHistories(db, [tracking_number])).get(tracking_number);
  if (found === undefined) throw unknownNumber(tracking_number);
  refuseAmbiguousOwner(
    found.map(({ record }) => record),
    () => tracking_number,
  );
  return found[0];
}

/** A record with its scans. */
export async function historyOf(db: Db, record: TrackingRecord): Promise<TrackingHistory> {
  const { id, shipment_id } = record;
  const events = await listEvents(db, [id]);
  const order_id = shipment_id === null ? record.order_id : await findOrderOfShipment(db, shipment_id);
  return { record, events, order_id, tracking_url: pageOf(db, record) };
}
