// Parcels of labels that were bought here are tracked from the purchase on.
import type { Tx } from "../../database/store.ts";
import { emit } from "../../outbox/emit.ts";
import type { Label } from "../../shipping/labels/label.ts";
import { type BoughtLabel, buyLabel } from "../../shipping/labels/own/commands.ts";
import type { Buying } from "../../shipping/labels/parcels/commands.ts";
import type { CreateLabel } from "../../shipping/labels/schemas.ts";
import { labelMoves } from "../../shipping/labels/status.ts";
import { parcelView } from "../parcel.ts";
import { firstLook } from "../polling/rules.ts";
import type { TrackingRecord } from "../record.ts";
import { recordWaiting } from "../scans/commands.ts";
import { insertRecord, poll_job } from "../store.ts";

/**
 * Buys a label for a parcel of an order and starts to track the parcel. Refuses: validation_failed, resource_missing,
 * ambiguous_identifier, duplicate_label, invalid_state_transition. Emits: shipment.created.
 */
export async function buyTrackedLabel(tx: Tx, input: CreateLabel, buying: Buying): Promise<Label> {
  const bought = await buyLabel(tx, input, buying);
  await followLabel(tx, bought);
  return bought.label;
}

/**
 * Starts to track the parcel of a label that was just bought. Its carrier may have reported on it before. Emits:
 * shipment.created, shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function followLabel(tx: Tx, bought: BoughtLabel): Promise<void> {
  const { label, shipment, estimated_delivery } = bought;
  const record = await openRecord(tx, label, shipment.id, estimated_delivery);
  const data = { object: "shipment", ...parcelView({ ...bought, record }) };
  await emit(tx, [{ type: labelMoves.complete.emits, data }]);
  await recordEarly(tx, record);
}

/**
 * Starts to track a parcel that comes back, of which its return informs. Its carrier may have reported on it before.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function followReturnLabel(tx: Tx, label: Label): Promise<void> {
  await recordEarly(tx, await openRecord(tx, label, null, label.delivery_date));
}

async function recordEarly(tx: Tx, { account_id, tracking_number, look_at }: TrackingRecord): Promise<void> {
  if (look_at !== null) tx.wake(poll_job, look_at);
  if (account_id !== null) await recordWaiting(tx, tracking_number);
}

async function openRecord(tx: Tx, label: Label, shipment_id: number | null, estimated_delivery: number | null) {
  const { account_id, tracking_url, tracker_ref } = label;
  const taken_up = tracker_ref !== null;
  // A carrier that has to be asked to track the parcel is asked at once.
  const tracking_number = label.tracking_number ?? "";
  const look_at = taken_up ? firstLook(tracking_number, tx.now) : tx.now;
  return insertRecord(tx, {
    tracking_number,
    carrier: label.carrier,
    service_type: label.service,
    shipment_id,
    ...(shipment_id === null && { order_id: label.order_id }),
    ...(account_id !== null && { account_id, tracking_url, taken_up, look_at }),
    estimated_delivery,
    ...label.package,
  });
}
