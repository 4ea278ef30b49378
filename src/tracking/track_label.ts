// Starts to track the parcels of labels.

import type { Actor } from "../core/actor.ts";
import { assert, Fault } from "../core/faults.ts";
import { emit } from "../events/emit.ts";
import type { DomainEvent } from "../events/event_types.ts";
import { isSameCarrier } from "../orders/fulfillment/tracking_url.ts";
import { lockParcel } from "../orders/orders.sql.ts";
import { type BoughtLabel, buyLabels, type LabelOrder } from "../shipping/labels/built_in_labels.ts";
import { addExternalLabel, type ExternalDocument } from "../shipping/labels/external_label.ts";
import { labelTransitions } from "../shipping/labels/label.transitions.ts";
import type { ShippingLabel } from "../shipping/labels/label.ts";
import type { CreateExternalLabel, CreateLabel } from "../shipping/labels/labels.schema.ts";
import type { LabelBuyer } from "../shipping/labels/ready_parcels.ts";
import type { Tx } from "../storage/database.ts";
import { followNumber, type TrackingAccount } from "./follow_number.ts";
import { parcelView } from "./parcel.ts";
import { firstPoll, retired_after_ms } from "./poll_carriers.ts";
import { pollQueue } from "./polling.sql.ts";
import { lockKnown, recordWaiting } from "./record_scan.ts";
import { lockRecordsOfParcels } from "./scans.sql.ts";
import { firstScanAt } from "./simulated_tracking.ts";
import { insertRecords, saveFacts } from "./tracking.sql.ts";
import type { NewRecord, TrackingRecord } from "./tracking_record.ts";

/** Like `buyTrackedLabels`, for one label. Throws its refusal. */
export async function buyTrackedLabel(tx: Tx, input: CreateLabel, buying: LabelBuyer): Promise<ShippingLabel> {
  const [label] = await buyTrackedLabels(tx, [{ input, buying }]);
  if (label instanceof Fault) throw label;
  assert(label !== undefined && label !== "run_individually", "a single purchase never waits for another");
  return label;
}

/**
 * Buys built-in labels for parcels of orders like `buyLabels`, and starts to track the parcels.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition,
 * quote_mismatch, quote_used.
 * Emits: shipment.created.
 */
export async function buyTrackedLabels(
  tx: Tx,
  purchases: readonly LabelOrder[],
): Promise<(ShippingLabel | Fault | "run_individually")[]> {
  const done = await buyLabels(tx, purchases);
  const bought = done.flatMap((outcome, at) =>
    outcome === "run_individually" || outcome instanceof Fault ? [] : { ...outcome, buying: purchases[at]?.buying },
  );
  const records = await insertRecords(
    tx,
    bought.map(({ label, shipment, buying }) => recordFor(tx, label, shipment.id, buying?.scans)),
  );
  for (const record of records) wakeFor(tx, record);
  await emit(
    tx,
    bought.flatMap((purchase, at) => {
      const record = records[at];
      return record === undefined ? [] : createdEvent(purchase, record);
    }),
  );
  return done.map((outcome) => (outcome === "run_individually" || outcome instanceof Fault ? outcome : outcome.label));
}

/** The event of a labeled parcel. */
function createdEvent(bought: BoughtLabel, record: TrackingRecord): DomainEvent {
  const { merchant_id } = record;
  return {
    type: labelTransitions.complete.emits,
    merchant_id,
    data: { object: "shipment", ...parcelView({ ...bought, record }) },
  };
}

/**
 * Starts to track the parcel of a carrier's label, and records earlier reports on its number.
 * Emits: shipment.created, shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function followLabel(tx: Tx, bought: BoughtLabel): Promise<void> {
  const record = await openRecord(tx, bought.label, bought.shipment.id);
  await emit(tx, [createdEvent(bought, record)]);
  await recordEarly(tx, record);
}

/**
 * Starts to track the parcel of a return label, and records earlier reports on its number. The return has its own
 * event.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function followReturnLabel(tx: Tx, label: ShippingLabel): Promise<void> {
  await recordEarly(tx, await openRecord(tx, label, null));
}

/** Who records a label, its file, and the accounts that can track it. */
interface RecordedBy {
  readonly actor: Actor;
  readonly document: ExternalDocument | null;
  readonly accounts: readonly TrackingAccount[];
}

/**
 * Records a label that was bought elsewhere like `addExternalLabel`, and tracks its parcel: by an account that sells
 * the carrier's labels, or by the scans that people record.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition.
 * Emits: shipment.created, shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordExternalLabel(
  tx: Tx,
  input: CreateExternalLabel,
  { actor, document, accounts }: RecordedBy,
): Promise<ShippingLabel> {
  const sold = accounts.flatMap(({ carriers }) => carriers);
  const carrier = sold.find(({ code }) => isSameCarrier(code, input.carrier))?.code ?? input.carrier;
  const recorder = { actor, document, reused_after_ms: retired_after_ms };
  const bought = await addExternalLabel(tx, { ...input, carrier }, recorder);
  const { label, shipment } = bought;
  const { order_id, merchant_id } = label;
  const tracking_number = label.tracking_number ?? "";
  // The number may have been tracked before. Then the parcel takes over its scans.
  await lockKnown(tx, tracking_number, actor, merchant_id);
  await followLabel(tx, { ...(await lockParcel(tx, shipment.id)), label });
  await followNumber(tx, { tracking_number, carrier, order_id }, accounts, actor);
  return label;
}

async function recordEarly(tx: Tx, record: TrackingRecord): Promise<void> {
  wakeFor(tx, record);
  if (record.account_id !== null) await recordWaiting(tx, record.tracking_number);
}

function wakeFor(tx: Tx, { look_at }: TrackingRecord): void {
  if (look_at !== null) tx.wake(pollQueue.job, look_at);
}

async function openRecord(tx: Tx, label: ShippingLabel, shipment_id: number | null) {
  const fields = recordFor(tx, label, shipment_id);
  // The parcel may have shipped under another number while its label was bought. Its scans stay.
  const known = shipment_id === null ? undefined : (await lockRecordsOfParcels(tx, [shipment_id])).get(shipment_id);
  const { look_at = null, merchant_id: _owner, ...facts } = fields;
  // Polls of a number that was tracked before its label was recorded go on.
  if (known !== undefined) return saveFacts(tx, known, label.external ? facts : { ...facts, look_at });
  const [record] = await insertRecords(tx, [fields]);
  assert(record !== undefined, "an inserted record is returned");
  return record;
}

function recordFor(
  tx: Tx,
  label: ShippingLabel,
  shipment_id: number | null,
  scans: LabelBuyer["scans"] = "by_carrier",
): NewRecord {
  const { account_id, tracking_url, tracker_ref } = label;
  const tracking_number = label.tracking_number ?? "";
  return {
    merchant_id: label.merchant_id,
    tracking_number,
    carrier: label.carrier,
    service_type: label.service,
    shipment_id,
    ...(shipment_id === null && { order_id: label.order_id }),
    ...(account_id !== null && { account_id, tracking_url, taken_up: tracker_ref !== null }),
    look_at: scans === "by_carrier" && !label.external ? firstLook(tx, label, tracking_number) : null,
    estimated_delivery: label.delivery_date,
    ...label.package,
  };
}

/** When the carrier of a label just bought is first polled (ms), or the simulated one reports; null for never. */
function firstLook(
  { mode, now }: Tx,
  { account_id, tracker_ref }: ShippingLabel,
  tracking_number: string,
): number | null {
  if (account_id === null) return mode === "test" ? firstScanAt(tracking_number, now) : null;
  // A carrier that must be asked to track the parcel is asked immediately.
  return tracker_ref === null ? now : firstPoll(tracking_number, now);
}
