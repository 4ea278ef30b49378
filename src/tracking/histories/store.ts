// What is known of tracking numbers, with their scans.
import type { Db } from "../../database/store.ts";
import { findOrderOfShipment } from "../../orders/shipments/store.ts";
import { refuseShared } from "../../owners/rules.ts";
import { scannedSscc } from "../../shipping/labels/sscc.ts";
import { unsaid } from "../new_record.ts";
import { unknownNumber } from "../numbers/unknown.ts";
import type { TrackingHistory, TrackingRecord } from "../record.ts";
import { simulatedHistory } from "../simulation.ts";
import { findKnown, listEvents, meantAmong, pageOf } from "../store.ts";

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
    const scans = of.get(record.id) ?? past.toReversed().map((fact) => ({ ...unsaid, ...fact }));
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
  const meant = new Set(await meantAmong(db, number, records));
  const [first = histories[0], ...others] = histories.filter(({ record }) => meant.has(record));
  return [first, ...others];
}

/** The newest parcel's record of a number, with its scans. Refuses: resource_missing, merchant_required. */
export async function getHistory(db: Db, tracking_number: string): Promise<TrackingHistory> {
  const found = (await findHistories(db, [tracking_number])).get(tracking_number);
  if (found === undefined) throw unknownNumber(tracking_number);
  refuseShared(
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
