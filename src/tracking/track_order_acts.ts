// Updates the tracking records of parcels that people ship and deliver by hand.

import type { Actor } from "../core/actor.ts";
import { engine } from "../core/config.ts";
import { emit } from "../events/emit.ts";
import { type DomainEvent, previousOf } from "../events/event_types.ts";
import type { Shipment } from "../orders/fulfillment/shipment.ts";
import { resolveOrders } from "../orders/lifecycle/order_lookup.sql.ts";
import { hasLeft, shipmentTransitions } from "../orders/order.transitions.ts";
import type { Order } from "../orders/order.ts";
import { lockOrders } from "../orders/orders.sql.ts";
import { isAwaited, isDelivered, trackingMeanings } from "../shipping/carriers/tracking.transitions.ts";
import { findLabelCosts } from "../shipping/labels/labels.sql.ts";
import type { Tx } from "../storage/database.ts";
import { parcelView } from "./parcel.ts";
import { lockKnown, recordWaitingForParcel } from "./record_scan.ts";
import { insertScans, lockRecordsOfOrders, lockRecordsOfParcels } from "./scans.sql.ts";
import { saveRecords } from "./tracking.sql.ts";
import { afterEvent, pastFacts, type TrackingFact, type TrackingStep } from "./tracking_events.ts";
import type { TrackingRecord } from "./tracking_record.ts";
import { no_details } from "./tracking_record.ts";

/** An order after a person shipped or delivered parcels of it. */
interface MovedOrder {
  readonly order: Order;
  readonly actor: Actor;
}

/**
 * Locks the tracking records of orders before the orders themselves, as scans do. In the opposite order, concurrent
 * scans would have to be retried.
 */
export async function lockRecordsFirst(tx: Tx, names: readonly string[]): Promise<void> {
  if (engine === "sqlite") return;
  const ids = (await resolveOrders(tx, names, null)).filter((id) => typeof id === "number");
  await lockRecordsOfOrders(tx, ids);
}

/**
 * Updates the tracking records of parcels that left or arrived. Parcels without a tracking number have none. If an
 * earlier tracked number is ahead of its parcel, the parcel moves as well. Returns the orders afterwards.
 * Emits: shipment.tracking_updated, shipment.delivered, order.delivered.
 */
export async function trackOrderActs(tx: Tx, moved: readonly MovedOrder[]): Promise<Order[]> {
  const parcels = moved.flatMap(({ order, actor }) =>
    order.shipments.filter(isTracked).map((shipment) => ({ order, actor, shipment })),
  );
  const known = await lockRecordsOfParcels(
    tx,
    parcels.map(({ shipment }) => shipment.id),
  );
  const changes: ParcelChange[] = [];
  const others = new Set<number>();
  for (const { order, actor, shipment } of parcels) {
    let record = known.get(shipment.id);
    if (record === undefined) {
      const { tracking_number, merchant_id } = { ...order, ...shipment };
      record = await newRecordOf(tx, { id: shipment.id, tracking_number: tracking_number ?? "", merchant_id }, actor);
      others.add(order.id);
    }
    const steps = record === undefined ? [] : stepsOf(record, shipment);
    if (record !== undefined && steps.length > 0) changes.push({ order, shipment, record, steps });
  }
  await save(tx, changes);
  if (others.size === 0) return moved.map(({ order }) => order);
  const now = await lockOrders(tx, [...others]);
  return moved.map(({ order }) => now.get(order.id) ?? order);
}

/** Creates the record of a parcel, with earlier reports on its number; undefined if a newer parcel has the number. */
async function newRecordOf(
  tx: Tx,
  { id, tracking_number, merchant_id }: Pick<TrackingRecord, "id" | "tracking_number" | "merchant_id">,
  actor: Actor,
): Promise<TrackingRecord | undefined> {
  await lockKnown(tx, tracking_number, actor, merchant_id);
  await recordWaitingForParcel(tx, tracking_number);
  const records = await lockKnown(tx, tracking_number, actor, merchant_id);
  return records.find(({ shipment_id }) => shipment_id === id);
}

const isTracked = ({ status, tracking_number }: Shipment) => tracking_number !== null && hasLeft(status);

/** A parcel with the facts that are new to its tracking record. */
interface ParcelChange {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly record: TrackingRecord;
  readonly steps: readonly { readonly fact: TrackingFact; readonly step: TrackingStep }[];
}

function stepsOf(record: TrackingRecord, shipment: Shipment): ParcelChange["steps"] {
  const steps: { fact: TrackingFact; step: TrackingStep }[] = [];
  let standing = { ...record };
  for (const fact of pastFacts(shipment)) {
    const isNew = isDelivered(fact.status) ? !trackingMeanings[standing.status].final : isAwaited(standing.status);
    if (!isNew) continue;
    const step = afterEvent(standing, fact);
    steps.push({ fact, step });
    standing = { ...standing, ...step.standing };
  }
  return steps;
}

async function save(tx: Tx, changes: readonly ParcelChange[]): Promise<void> {
  if (changes.length === 0) return;
  await insertScans(
    tx,
    changes.flatMap(({ record, steps }) =>
      steps.map(({ fact: { event_hash: hash, ...fact } }) => {
        return { record_id: record.id, source: "manual", source_event_id: null, hash, ...no_details, ...fact };
      }),
    ),
  );
  const decided = changes.filter(({ steps }) => steps.some(({ step }) => step.decides));
  const saved = await saveRecords(tx, decided.map(standingNow));
  const labels = await findLabelCosts(
    tx,
    decided.map(({ shipment }) => shipment.id),
  );
  await emit(
    tx,
    decided.flatMap((change, at) => eventsOf(tx, change, saved[at] ?? change.record, labels)),
  );
}

/** The record after all facts. A manual act has no message, place or signature. */
function standingNow({ record, steps }: ParcelChange): TrackingRecord {
  const details = { message: null, current_location: null, status_detail: null, signed_by: null };
  const last = steps.findLast(({ step }) => step.decides);
  return last === undefined ? record : { ...record, ...last.step.standing, ...details };
}

function eventsOf(
  tx: Tx,
  { order, shipment, record, steps }: ParcelChange,
  after: TrackingRecord,
  labels: Awaited<ReturnType<typeof findLabelCosts>>,
): DomainEvent[] {
  let before = record;
  return steps.flatMap(({ fact, step }) => {
    const shown = { ...after, ...step.standing };
    const label = labels.get(shipment.id) ?? null;
    const data = { object: "shipment", ...parcelView({ order, shipment, label, record: shown }) };
    const [was] = (isDelivered(fact.status) ? shipmentTransitions.deliver : shipmentTransitions.ship).from;
    const parcel = fact.occurred_at === tx.now ? previousOf({ status: was }, shipment) : {};
    const tracking = previousOf({ status: before.status }, shown);
    const previous = { ...parcel, ...("status" in tracking && { tracking }) };
    before = shown;
    return step.emits.map((type) => ({ type, merchant_id: record.merchant_id, data, previous }));
  });
}
