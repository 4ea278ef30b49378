import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { momentOf } from "../../kit/clock.ts";
import { invalid } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import type { Parcel } from "../../orders/order.ts";
import { deliverShipment, handOver } from "../../orders/scans/commands.ts";
import type { Shipment } from "../../orders/shipments/shipment.ts";
import { hasLeft, isTravelling } from "../../orders/shipments/status.ts";
import { findStanding } from "../../orders/shipments/store.ts";
import { plainTrackingNumber } from "../../orders/shipments/tracking_number.ts";
import { noteInHistory } from "../../orders/store.ts";
import { previousOf } from "../../outbox/catalog.ts";
import { emit } from "../../outbox/emit.ts";
import { scannedSscc } from "../../shipping/labels/sscc.ts";
import { findLabelCost } from "../../shipping/labels/store.ts";
import { type TrackingEventStatus, trackingMeanings } from "../../shipping/updates/status.ts";
import type { TrackingLocation, TrackingUpdate } from "../../shipping/updates/update.ts";
import { unknownNumber } from "../numbers/unknown.ts";
import { looseView, type ParcelOrder, parcelView } from "../parcel.ts";
import type { Teller, TrackingRecord } from "../record.ts";
import { afterEvent, duplicateHash, inOrder, newFacts, type TrackingStep } from "../rules.ts";
import type { RecordScan } from "../schemas.ts";
import { findReturnOf, insertEvent, lockRecord, pageOf, saveFacts, saveRecord } from "../store.ts";
import { getParcel, getParcelOrder, takeWaiting } from "./store.ts";

/** A report by a carrier or a person. `occurred_at` is in milliseconds. */
interface TrackingReport {
  /** Who reports: `manual`, or the code of a carrier's feed. */
  readonly source: string;
  /** The reporter's own id of the event, if any: a repeated id is a repeated event. */
  readonly source_event_id: string | null;
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  readonly message: string | null;
  readonly location: TrackingLocation | null;
  /** The reporter's message, unchanged. */
  readonly status_detail: string | null;
  readonly carrier_status: string | null;
  readonly carrier_code: string | null;
  readonly reason: string | null;
  readonly signed_by: string | null;
}

/**
 * Records a scan that a person entered, and answers the record after it. Refuses: validation_failed (a time in the
 * future), resource_missing. Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered,
 * shipment.exception.
 */
export async function recordScan(tx: Tx, number: string, scan: RecordScan, actor: Actor): Promise<TrackingRecord> {
  const occurred_at = momentOf(scan.timestamp) ?? tx.now;
  if (occurred_at > tx.now) throw invalid("timestamp", "lies in the future");
  const { status, message = null, code = null, reason = null, signed_by = null, location } = scan;
  const place = location ? { ...nowhere, ...location } : null;
  const said = { message, location: place, status_detail: reason, carrier_status: null, carrier_code: code, reason };
  const report = { source: "manual", source_event_id: null, status, occurred_at, signed_by, ...said };
  return recordReport(tx, number, report, actor);
}

const nowhere: TrackingLocation = { city: null, state: null, country: null, facility: null };

/**
 * Records a report on a parcel, once. A new report moves the order: the first scan of a carrier ships the parcel, a
 * delivery delivers it. No report is refused because of the order's status. Refuses: resource_missing. Emits:
 * shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
async function recordReport(tx: Tx, number: string, report: TrackingReport, actor: Actor): Promise<TrackingRecord> {
  const tracking_number = plainTrackingNumber(number);
  const record = await lockKnown(tx, tracking_number, actor);
  if (record === null) throw unknownNumber(tracking_number);
  return take(tx, record, report, actor);
}

/** A record after a report, and whether its status changed. */
interface Updated {
  readonly record: TrackingRecord;
  readonly changed: boolean;
}

/**
 * Records all that a carrier reports on one parcel. The order of reports and repeats make no difference; of two
 * expected dates the newer report wins. Null for an unknown number. Emits: shipment.tracking_updated,
 * shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordUpdate(tx: Tx, update: TrackingUpdate, teller: Teller): Promise<Updated | null> {
  const tracking_number = plainTrackingNumber(update.tracking_number);
  const found = await lockKnown(tx, tracking_number, teller.actor);
  if (found === null) return null;
  let record = found;
  for (const event of inOrder(update.events)) {
    record = await take(tx, record, { ...event, source: teller.source }, teller.actor);
  }
  const facts = newFacts(record, update, tx.now);
  if (facts !== null) record = await saveFacts(tx, record, facts);
  return { record, changed: record.status !== found.status };
}

/**
 * Records what carriers reported on a number before it was known here. Emits: shipment.tracking_updated,
 * shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordWaiting(tx: Tx, tracking_number: string): Promise<void> {
  for (const { update, teller } of await takeWaiting(tx, tracking_number)) await recordUpdate(tx, update, teller);
}

/**
 * The record of a number, locked, or null. A parcel that was tracked before it was entered gets the status known by
 * then. Emits: order.fulfilled, order.shipped, order.delivered, for such a parcel.
 */
export async function lockKnown(tx: Tx, tracking_number: string, actor: Actor): Promise<TrackingRecord | null> {
  const sscc = scannedSscc(tracking_number);
  const found = (await lockRecord(tx, tracking_number)) ?? (sscc === null ? null : await lockRecord(tx, sscc));
  if (found === null || found.adopted_by === null) return found?.record ?? null;
  const { event_status } = found.record;
  const order_act = event_status === null ? null : trackingMeanings[event_status].order_act;
  await moveParcel(tx, found.adopted_by, { order_act, emits: [] }, actor);
  return found.record;
}

async function take(tx: Tx, before: TrackingRecord, report: TrackingReport, actor: Actor): Promise<TrackingRecord> {
  const { tracking_number } = before;
  const { signed_by, ...stored } = report;
  const hash = duplicateHash({ tracking_number, ...stored });
  if (!(await insertEvent(tx, { record_id: before.id, hash, ...stored }))) return before;
  const { status, occurred_at } = report;
  const step = afterEvent(standingOf(before), { status, occurred_at, event_hash: hash });
  const moved = await moveParcel(tx, before.shipment_id, step, actor);
  if (!step.decides) return before;
  const { message, location: current_location, status_detail } = report;
  const after = await saveRecord(tx, {
    ...before,
    ...step.standing,
    message,
    current_location,
    status_detail,
    signed_by,
  });
  if (step.emits.length === 0) return after;
  const data = moved === null ? await looseData(tx, after, actor) : await parcelData(tx, moved, after, actor);
  const parcel = moved === null ? {} : previousOf({ status: moved.was }, moved.shipment);
  const tracking = previousOf({ status: before.status }, after);
  const previous = { ...parcel, ...("status" in tracking && { tracking }) };
  await emit(
    tx,
    step.emits.map((type) => ({ type, data, previous })),
  );
  return after;
}

/** Emits the news of a parcel of an order. */
async function parcelData(tx: Tx, { order, shipment, went }: Moved, record: TrackingRecord, actor: Actor) {
  if (!went) await tellOrder(tx, order.id, record, actor);
  const label = await findLabelCost(tx, shipment.id);
  return { object: "shipment", ...parcelView({ order, shipment, label, record }) };
}

/** Emits the news of a number that is no parcel here. A return may come back under it. */
async function looseData(tx: Tx, record: TrackingRecord, actor: Actor) {
  const coming = await findReturnOf(tx, record.tracking_number);
  const order_id = record.order_id ?? coming?.order_id ?? null;
  if (order_id !== null) await tellOrder(tx, order_id, record, actor, coming?.id);
  const order = order_id === null ? null : await getParcelOrder(tx, order_id);
  return {
    object: "shipment",
    ...looseView(record, { order, return_id: coming?.id ?? null, tracking_url: pageOf(tx, record) }),
  };
}

/** Adds news of a parcel that did not move its order to the order's history. */
async function tellOrder(tx: Tx, order_id: number, record: TrackingRecord, actor: Actor, return_id?: number) {
  const { tracking_number, status, message } = record;
  const whose = return_id === undefined ? "" : `${wireId("return", return_id)}, `;
  const said = [`${whose}${tracking_number}: ${status}`, ...(message === null ? [] : [message])];
  const note = said.join(". ").slice(0, note_max);
  await noteInHistory(tx, order_id, { event: "tracking", actor, note });
}

const note_max = 500;

const standingOf = ({ status, event_status, occurred_at, event_hash }: TrackingRecord) => ({
  status,
  event_status,
  occurred_at,
  event_hash,
});

interface Moved {
  readonly order: ParcelOrder;
  readonly shipment: Shipment;
  readonly was: Shipment["status"];
  readonly went: boolean;
}

/**
 * Performs the act on the order that a report asks for, unless it was done; null when nothing happened and nothing is
 * to be emitted.
 */
async function moveParcel(
  tx: Tx,
  shipment_id: number | null,
  { order_act, emits }: Pick<TrackingStep, "order_act" | "emits">,
  actor: Actor,
): Promise<Moved | null> {
  if (shipment_id === null || (order_act === null && emits.length === 0)) return null;
  const before = await findStanding(tx, shipment_id);
  assert(before !== null, "the parcel of a record exists");
  const { order_id, status: was } = before;
  const carried = order_act === null ? null : await carry(tx, shipment_id, was, order_act, actor);
  if (carried === null && emits.length === 0) return null;
  const { order, shipment } = carried ?? (await getParcel(tx, order_id, shipment_id));
  return { order, shipment, was, went: shipment.status !== was };
}

/** The parcel and its order after the act, as the act leaves them; null when it was done before. */
async function carry(
  tx: Tx,
  shipment_id: number,
  status: Shipment["status"],
  order_act: "ship" | "deliver",
  actor: Actor,
): Promise<Parcel | null> {
  // // The history of the order must show that the carrier has a parcel which was given up.
  const in_house = !hasLeft(status);
  if (order_act === "ship" && in_house) return handOver(tx, shipment_id, actor, { by_carrier: true });
  const under_way = in_house || isTravelling(status);
  return order_act === "deliver" && under_way ? deliverShipment(tx, shipment_id, actor) : null;
}
