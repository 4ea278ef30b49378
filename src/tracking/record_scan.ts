import type { Actor } from "../core/actor.ts";
import { momentOf } from "../core/clock.ts";
import { assert, Fault, invalid, orFault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { emit } from "../events/emit.ts";
import { type DomainEvent, previousOf } from "../events/event_types.ts";
import {
  carryExpected,
  deliverShipment,
  handOver,
  isExpected,
  readyToLeave,
} from "../orders/fulfillment/carrier_scans.ts";
import type { Shipment } from "../orders/fulfillment/shipment.ts";
import { findStanding } from "../orders/fulfillment/shipments.sql.ts";
import { plainTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import { hasLeft, isTravelling, isUnshipped } from "../orders/order.transitions.ts";
import type { OrderParcel } from "../orders/order.ts";
import { lockOrders, noteInHistory } from "../orders/orders.sql.ts";
import { isReturned, type TrackingEventStatus, trackingMeanings } from "../shipping/carriers/tracking.transitions.ts";
import type { TrackingLocation, TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import { findLabelCost, findLabelCosts } from "../shipping/labels/labels.sql.ts";
import { scannedSscc } from "../shipping/labels/sscc.ts";
import type { Tx } from "../storage/database.ts";
import { main_merchant, refuseAmbiguousOwner } from "../storage/tenant.ts";
import { unknownNumber } from "./number_formats.ts";
import { looseView, type ParcelOrder, parcelView } from "./parcel.ts";
import {
  endWaiting,
  findReturnOf,
  getParcel,
  getParcelOrder,
  insertScans,
  type KnownParcel,
  listWaiting,
  lockKnownParcels,
} from "./scans.sql.ts";
import type { RecordScan } from "./tracking.schema.ts";
import {
  insertEvent,
  listEvents,
  lockRecords,
  matchingParcels,
  pageOf,
  type StoredTrackingEvent,
  saveFacts,
  saveRecords,
} from "./tracking.sql.ts";
import { afterEvent, duplicateHash, inOrder, newFacts, orderActAmong, type TrackingStep } from "./tracking_events.ts";
import type { TrackingEvent, TrackingHistory, TrackingRecord, UpdateSource } from "./tracking_record.ts";

/** A report by a carrier or a person. `occurred_at` is in milliseconds. */
interface TrackingReport {
  /** The reporter: `manual`, or the code of a carrier's connector. */
  readonly source: string;
  /** The reporter's own id of the event, if any. A repeated id is a repeated event. */
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
 * Records a scan that a person entered, and returns the record after it. A time in the future is refused.
 * Refuses: validation_failed, resource_missing, merchant_required.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordScan(tx: Tx, number: string, scan: RecordScan, actor: Actor): Promise<TrackingRecord> {
  return recordReport(tx, number, reportOf(tx, scan), actor);
}

/** Reads the report of a person. Refuses: validation_failed. */
function reportOf(tx: Tx, scan: RecordScan): TrackingReport {
  const occurred_at = momentOf(scan.timestamp) ?? tx.now;
  if (occurred_at > tx.now) throw invalid("timestamp", "must not be in the future");
  const { status, message = null, code = null, reason = null, signed_by = null, location } = scan;
  const place = location ? { ...no_location, ...location } : null;
  const details = { message, location: place, status_detail: reason, carrier_status: null, carrier_code: code, reason };
  return { source: "manual", source_event_id: null, status, occurred_at, signed_by, ...details };
}

const no_location: TrackingLocation = { city: null, state: null, country: null, facility: null };

/**
 * Records a report on a parcel once. A new report moves the order: the first scan of a carrier ships the parcel, and a
 * delivery delivers it. No report is refused because of the order's status.
 * Refuses: resource_missing, merchant_required.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
async function recordReport(tx: Tx, number: string, report: TrackingReport, actor: Actor): Promise<TrackingRecord> {
  const tracking_number = plainTrackingNumber(number);
  const records = await matchingParcels(tx, tracking_number, await lockKnown(tx, tracking_number, actor));
  const [record] = records;
  if (record === undefined) throw unknownNumber(tracking_number);
  refuseAmbiguousOwner(records, () => tracking_number);
  return applyReport(tx, record, report, actor);
}

/** A record after reports, and whether its status changed. */
interface UpdatedRecord {
  readonly record: TrackingRecord;
  readonly changed: boolean;
}

/**
 * Records a carrier's reports on one parcel, for each merchant with the number, or for `owner` only. Returns their
 * records; none for an unknown number. Order and repeats make no difference. Of two expected dates the newer report
 * wins.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordUpdate(
  tx: Tx,
  update: TrackingUpdate,
  source: UpdateSource,
  owner: number | null = null,
): Promise<UpdatedRecord[]> {
  const updated: UpdatedRecord[] = [];
  for (const before of await lockKnown(tx, plainTrackingNumber(update.tracking_number), source.actor, owner)) {
    let record = before;
    for (const event of inOrder(update.events)) {
      record = await applyReport(tx, record, { ...event, source: source.source }, source.actor);
    }
    const facts = newFacts(record, update, tx.now);
    if (facts !== null) record = await saveFacts(tx, record, facts);
    updated.push({ record, changed: record.status !== before.status });
  }
  return updated;
}

/**
 * Records the reports that carriers sent on a number before it was a parcel. Carriers do not name the merchant, so
 * reports stay stored while merchants only track the number on request: they belong to the parcel that may still come.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordWaiting(tx: Tx, tracking_number: string): Promise<void> {
  let hasParcel = false;
  for (const { update, teller } of await listWaiting(tx, tracking_number)) {
    const known = await recordUpdate(tx, update, teller);
    if (known.length === 0) return;
    hasParcel = isParcel(known);
  }
  if (hasParcel) await endWaiting(tx, tracking_number);
}

/**
 * Like `recordWaiting`, but only once the number is a parcel: merchants who track it on request already have the
 * reports.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordWaitingForParcel(tx: Tx, tracking_number: string): Promise<void> {
  const [first] = await listWaiting(tx, tracking_number);
  if (first === undefined) return;
  const known = await lockKnown(tx, tracking_number, first.teller.actor);
  if (isParcel(known.map((record) => ({ record })))) await recordWaiting(tx, tracking_number);
}

/** Whether a number is a parcel or a return of one of the merchants; otherwise all only track it on request. */
export const isParcel = (known: readonly { readonly record: TrackingRecord }[]): boolean =>
  known.some(({ record }) => !record.followed);

/**
 * Locks the records of a number: one for each merchant with the number, or for `owner` only. A parcel whose number was
 * tracked before takes over the known status.
 * Emits: order.fulfilled, order.shipped, order.delivered.
 */
export async function lockKnown(
  tx: Tx,
  tracking_number: string,
  actor: Actor,
  owner: number | null = null,
): Promise<TrackingRecord[]> {
  const sscc = scannedSscc(tracking_number);
  let locked = await lockRecords(tx, tracking_number, owner);
  if (locked.length === 0 && sscc !== null) locked = await lockRecords(tx, sscc, owner);
  for (const { record, adopted_by } of locked) {
    if (adopted_by === null) continue;
    const order_act = record.event_status === null ? null : trackingMeanings[record.event_status].order_act;
    await moveParcel(tx, adopted_by, { order_act, emits: [] }, actor);
  }
  return locked.map(({ record }) => record);
}

async function applyReport(
  tx: Tx,
  before: TrackingRecord,
  report: TrackingReport,
  actor: Actor,
): Promise<TrackingRecord> {
  const { tracking_number } = before;
  const { signed_by: _, ...stored } = report;
  const hash = duplicateHash({ tracking_number, ...stored });
  const source_event_id = ownEventId(before, stored.source_event_id);
  if (!(await insertEvent(tx, { record_id: before.id, hash, ...stored, source_event_id }))) return before;
  const step = await stepOf(tx, before, report, hash);
  const moved = await moveParcel(tx, before.shipment_id, step, actor);
  if (!step.decides) return before;
  const [after = before] = await saveRecords(tx, [decidedBy(before, step, report)]);
  if (step.emits.length === 0) return after;
  const data = moved === null ? await looseData(tx, after, actor) : await parcelData(tx, moved, after, actor);
  await emit(tx, eventsOf(step, data, { before, after, moved }));
  return after;
}

/** Returns the changes that a newly inserted report makes to a record. */
async function stepOf(tx: Tx, before: TrackingRecord, report: TrackingReport, hash: string): Promise<TrackingStep> {
  const { status, occurred_at } = report;
  const event = { status, occurred_at, event_hash: hash };
  const step = afterEvent(standingOf(before), event);
  // Only a late report can follow a return that was outranked.
  if (!isReturned(before.status) || step.order_act === null) return step;
  return { ...step, order_act: orderActAmong(step, event, await listEvents(tx, [before.id])) };
}

/** The stored id of an event. It detects repeats for each merchant separately. */
function ownEventId({ merchant_id }: TrackingRecord, id: string | null): string | null {
  // Ids from before there were several merchants belong to the main merchant.
  return id === null || merchant_id === main_merchant ? id : `${id} ${wireId("merchant", merchant_id)}`;
}

/** Returns the record with the status that a report decides. */
function decidedBy(before: TrackingRecord, { standing }: TrackingStep, report: TrackingReport): TrackingRecord {
  const { message, location: current_location, status_detail, signed_by } = report;
  return { ...before, ...standing, message, current_location, status_detail, signed_by };
}

/** Returns the events of a record whose status changed. */
function eventsOf(
  { emits }: TrackingStep,
  data: DomainEvent["data"],
  { before, after, moved }: { before: TrackingRecord; after: TrackingRecord; moved: MovedParcel | null },
): DomainEvent[] {
  const parcel = moved === null ? {} : previousOf({ status: moved.was }, moved.shipment);
  const tracking = previousOf({ status: before.status }, after);
  const previous = { ...parcel, ...("status" in tracking && { tracking }) };
  return emits.map((type) => ({ type, merchant_id: after.merchant_id, data, previous }));
}

/** Returns the event data of a parcel of an order, and adds to the order's history if the order did not move. */
async function parcelData(tx: Tx, { order, shipment, has_moved }: MovedParcel, record: TrackingRecord, actor: Actor) {
  if (!has_moved) await addToHistory(tx, order.id, record, actor);
  const label = await findLabelCost(tx, shipment.id);
  return { object: "shipment", ...parcelView({ order, shipment, label, record }) };
}

/** Returns the event data of a number that is no order's parcel, and adds to the history of its order or return. */
async function looseData(tx: Tx, record: TrackingRecord, actor: Actor) {
  const return_found = await findReturnOf(tx, record);
  const order_id = record.order_id ?? return_found?.order_id ?? null;
  if (order_id !== null) await addToHistory(tx, order_id, record, actor, return_found?.id);
  const order = order_id === null ? null : await getParcelOrder(tx, order_id);
  return {
    object: "shipment",
    ...looseView(record, { order, return_id: return_found?.id ?? null, tracking_url: pageOf(tx, record) }),
  };
}

/** Adds a tracking event that did not move the order to the order's history. */
async function addToHistory(tx: Tx, order_id: number, record: TrackingRecord, actor: Actor, return_id?: number) {
  const { tracking_number, status, message } = record;
  const prefix = return_id === undefined ? "" : `${wireId("return", return_id)}, `;
  const sentences = [`${prefix}${tracking_number}: ${status}`, ...(message === null ? [] : [message])];
  const note = sentences.join(". ").slice(0, note_max);
  await noteInHistory(tx, order_id, { event: "tracking", actor, note });
}

const note_max = 500;

const standingOf = ({ status, event_status, occurred_at, event_hash }: TrackingRecord) => ({
  status,
  event_status,
  occurred_at,
  event_hash,
});

interface MovedParcel {
  readonly order: ParcelOrder;
  readonly shipment: Shipment;
  readonly was: Shipment["status"];
  readonly has_moved: boolean;
}

/**
 * Runs the act on the order that a report requires, unless it is done; null when nothing happens and nothing is
 * emitted.
 */
async function moveParcel(
  tx: Tx,
  shipment_id: number | null,
  { order_act, emits }: Pick<TrackingStep, "order_act" | "emits">,
  actor: Actor,
): Promise<MovedParcel | null> {
  if (shipment_id === null || (order_act === null && emits.length === 0)) return null;
  const before = await findStanding(tx, shipment_id);
  assert(before !== null, "the parcel of a record exists");
  const { order_id, status: was } = before;
  const acted = order_act === null ? null : await runAct(tx, shipment_id, was, order_act, actor);
  if (acted === null && emits.length === 0) return null;
  const { order, shipment } = acted ?? (await getParcel(tx, order_id, shipment_id));
  return { order, shipment, was, has_moved: shipment.status !== was };
}

/** Returns the parcel and its order after the act; null when it was done before. */
async function runAct(
  tx: Tx,
  shipment_id: number,
  status: Shipment["status"],
  order_act: "ship" | "deliver",
  actor: Actor,
): Promise<OrderParcel | null> {
  if (!isDue(status, order_act)) return null;
  return order_act === "ship"
    ? handOver(tx, shipment_id, actor, { by_carrier: true })
    : deliverShipment(tx, shipment_id, actor);
}

/** Whether an act on a parcel is still to be done. */
function isDue(status: Shipment["status"], order_act: "ship" | "deliver"): boolean {
  // A parcel that was given up but then scanned counts as due, so that the order's history shows it.
  const in_house = !hasLeft(status);
  return in_house || (order_act === "deliver" && isTravelling(status));
}

/** A scan that a person entered for a number. */
interface EnteredScan {
  readonly number: string;
  readonly scan: RecordScan;
  readonly actor: Actor;
}

/** A new report on a known parcel, with its changes. */
interface ExpectedReport {
  /** The position in the list. */
  readonly at: number;
  readonly actor: Actor;
  readonly known: KnownParcel;
  readonly report: TrackingReport;
  readonly hash: string;
  readonly step: TrackingStep;
}

/**
 * Records scans as `recordScan` does in sequence, with about as many statements for many as for one. Returns for each
 * the record with its scans; or its refusal, which changed nothing; or "run_individually", since its
 * number is no parcel with a record, its parcel or order is in an unusual state, or an earlier scan is for the same
 * order.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordScans(
  tx: Tx,
  entered: readonly EnteredScan[],
): Promise<(TrackingHistory | Fault | "run_individually")[]> {
  const numbers = entered.map(({ number }) => plainTrackingNumber(number));
  const parcels = await lockKnownParcels(tx, numbers);
  const ids = [...parcels.values()].map(({ record }) => record.id);
  const scans = Map.groupBy(await listEvents(tx, ids), ({ record_id }) => record_id);
  const done: (TrackingHistory | Fault | "run_individually")[] = entered.map(() => "run_individually");
  const orders = new Set<number>();
  const reports: ExpectedReport[] = [];
  for (const [at, { scan, actor }] of entered.entries()) {
    const report = orFault(() => reportOf(tx, scan));
    const known = parcels.get(numbers[at] ?? "");
    if (report instanceof Fault) done[at] = report;
    if (report instanceof Fault || known === undefined || orders.has(known.order_id)) continue;
    orders.add(known.order_id);
    const { record } = known;
    const events = scans.get(record.id) ?? [];
    const hash = duplicateHash({ tracking_number: record.tracking_number, ...report });
    const isKnown = events.some((event) => event.hash === hash);
    const { status, occurred_at } = report;
    const event = { status, occurred_at, event_hash: hash };
    const after = afterEvent(standingOf(record), event);
    const step = { ...after, order_act: orderActAmong(after, event, events) };
    if (isKnown) done[at] = historyAfter(tx, known, record, events);
    else reports.push({ at, actor, known, report, hash, step });
  }
  for (const [{ at, known, report }, record] of await recordExpected(tx, reports)) {
    done[at] = historyAfter(tx, known, record, withEvent(scans.get(record.id) ?? [], report));
  }
  return done;
}

function historyAfter(
  tx: Tx,
  { order_id }: KnownParcel,
  record: TrackingRecord,
  events: readonly TrackingEvent[],
): TrackingHistory {
  return { record, events, order_id, tracking_url: pageOf(tx, record) };
}

/**
 * Inserts a scan into a list that is sorted newest first. Of two with the same time, the one stored last comes first.
 */
function withEvent(events: readonly StoredTrackingEvent[], added: TrackingEvent): TrackingEvent[] {
  const after = events.findIndex(({ occurred_at }) => occurred_at <= added.occurred_at);
  const place = after < 0 ? events.length : after;
  return [...events.slice(0, place), added, ...events.slice(place)];
}

/** Records the reports on parcels in the expected state. Returns the record after each. */
async function recordExpected(
  tx: Tx,
  reports: readonly ExpectedReport[],
): Promise<Map<ExpectedReport, TrackingRecord>> {
  const parcels = await parcelsAsExpected(tx, reports);
  const accepted = reports.filter((report) => !concernsOrder(report) || parcels.has(report.known.order_id));
  await insertScans(
    tx,
    accepted.map(({ known, hash, report: { signed_by: _, ...stored } }) => ({
      record_id: known.record.id,
      hash,
      ...stored,
    })),
  );
  const moved = new Map<ExpectedReport, MovedParcel>();
  for (const report of accepted) {
    const parcel = parcels.get(report.known.order_id);
    if (parcel !== undefined) moved.set(report, await moveExpected(tx, parcel, report));
  }
  const decided = accepted.filter(({ step }) => step.decides);
  const saved = await saveRecords(
    tx,
    decided.map(({ known, step, report }) => decidedBy(known.record, step, report)),
  );
  const after = new Map(accepted.map((report) => [report, report.known.record]));
  for (const [at, report] of decided.entries()) after.set(report, saved[at] ?? report.known.record);
  await emitExpected(tx, moved, after);
  return after;
}

const concernsOrder = ({ step, known }: ExpectedReport): boolean =>
  step.emits.length > 0 || (step.order_act !== null && isDue(known.status, step.order_act));

/** Locks the orders that the reports move. Returns the parcels in the expected state, by order id. */
async function parcelsAsExpected(tx: Tx, reports: readonly ExpectedReport[]): Promise<Map<number, OrderParcel>> {
  const concerned = reports.filter(concernsOrder);
  const orders = await lockOrders(
    tx,
    concerned.map(({ known }) => known.order_id),
  );
  const ready = new Map<number, OrderParcel>();
  const leaving: OrderParcel[] = [];
  for (const { known, step } of concerned) {
    const order = orders.get(known.order_id);
    const shipment = order?.shipments.find(({ id }) => id === known.shipment_id);
    assert(order !== undefined && shipment !== undefined, "a parcel belongs to an order");
    const parcel = { order, shipment };
    if (step.order_act === null || !isDue(shipment.status, step.order_act)) ready.set(order.id, parcel);
    else if (!isExpected(parcel)) continue;
    else if (isUnshipped(shipment.status)) leaving.push(parcel);
    else ready.set(order.id, parcel);
  }
  if (leaving.length === 0) return ready;
  return new Map([...ready, ...(await readyToLeave(tx, leaving))]);
}

async function moveExpected(tx: Tx, parcel: OrderParcel, { step, actor }: ExpectedReport): Promise<MovedParcel> {
  const { order_act } = step;
  const was = parcel.shipment.status;
  const isDone = order_act === null || !isDue(was, order_act);
  const { order, shipment } = isDone ? parcel : await carryExpected(tx, parcel, order_act, actor);
  return { order, shipment, was, has_moved: shipment.status !== was };
}

/** Emits the events of parcels whose status changed. */
async function emitExpected(
  tx: Tx,
  moved: ReadonlyMap<ExpectedReport, MovedParcel>,
  after: ReadonlyMap<ExpectedReport, TrackingRecord>,
): Promise<void> {
  const emitting = [...moved].filter(([{ step }]) => step.emits.length > 0);
  const labels = await findLabelCosts(
    tx,
    emitting.map(([, { shipment }]) => shipment.id),
  );
  const events: DomainEvent[] = [];
  for (const [report, parcel] of emitting) {
    const { known, step, actor } = report;
    const { order, shipment, has_moved } = parcel;
    const record = after.get(report) ?? known.record;
    if (!has_moved) await addToHistory(tx, order.id, record, actor);
    const label = labels.get(shipment.id) ?? null;
    const data = { object: "shipment", ...parcelView({ order, shipment, label, record }) };
    events.push(...eventsOf(step, data, { before: known.record, after: record, moved: parcel }));
  }
  await emit(tx, events);
}
