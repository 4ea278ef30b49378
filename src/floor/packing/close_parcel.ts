// Closes parcels: packs their units, and prints what goes with them.
import type { Actor } from "../../core/actor.ts";
import { asFault, Fault, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { isPacked } from "../../orders/fulfillment/order_units.ts";
import { packParcel } from "../../orders/fulfillment/pick_and_pack.ts";
import { insertShipment } from "../../orders/fulfillment/shipments.sql.ts";
import { isPickup } from "../../orders/order.transitions.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import { isBeingBought, isUsable } from "../../shipping/labels/label.transitions.ts";
import { findLabelOfShipment } from "../../shipping/labels/labels.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { isPackedParcel, packingTransitions } from "../floor.transitions.ts";
import { releaseTotesOf } from "../picking/totes.ts";
import { findStation } from "../printing/printers.sql.ts";
import { queuePrintJobs } from "../printing/queue_print_jobs.ts";
import { deleteClaim } from "../work/claims.sql.ts";
import { packTask } from "./open_session.ts";
import { describeParcel, keyOf, type PackingFacts, packable, refuseUnweighed } from "./packed_parcel.ts";
import type { BuyParcelLabel } from "./packing.schema.ts";
import {
  labelledParcel,
  lineUnitsOf,
  orderText,
  type PackingSession,
  packedLoosely,
  scannedLines,
} from "./packing_session.ts";
import {
  getPackingSession,
  listSessionParcels,
  lockPackingSession,
  parcelLabelQueue,
  saveCartonChoice,
  savePackingSession,
} from "./packing_sessions.sql.ts";

/** Locks a session and its order. Refuses: resource_missing. */
export async function lockSession(tx: Tx, id: string | number) {
  // Every act locks the order first.
  const { order_id } = await getPackingSession(tx, id);
  const order = await packable(tx, await lockOrder(tx, order_id));
  return { order, session: await lockPackingSession(tx, id) };
}

/** Why a complete parcel is not closed by its last scan; null if it is. */
export function whyOpen(facts: PackingFacts): Fault | null {
  try {
    refuseUnweighed(facts, describeParcel(facts, scannedLines(facts.order, facts.session.units)));
    return null;
  } catch (error) {
    return asFault(error);
  }
}

/** Packs the scanned units. Their label is bought after the commit, by the request or by the job. */
export async function closeParcel(tx: Tx, facts: PackingFacts, actor: Actor): Promise<PackingSession> {
  const { session, order } = facts;
  const units = scannedLines(order, session.units);
  const { carton, weight } = describeParcel(facts, units);
  const labelled = labelledParcel(order, units, await listSessionParcels(tx, order.id));
  const parcel = {
    units,
    name: carton?.name ?? null,
    dimensions: carton?.dimensions ?? null,
    ...(weight && { weight: Number(weight.text), weight_unit: weight.unit }),
  };
  const packed_before = (line_id: number) => (labelled === null ? packedLoosely(order, line_id) : 0);
  const { waiting: _, ...plain } = order;
  const packed = await packParcel(tx, plain, parcel, packed_before, actor);
  const carton_id = carton?.carton?.id ?? null;
  if (session.carton_id !== null) {
    await saveCartonChoice(tx, order.merchant_id, keyOf(order, units), session.carton_id);
  }
  await deleteClaim(tx, packTask(order.id));
  // Other totes of an order that goes into several parcels are needed until the last one.
  if (isPacked(packed)) await releaseTotesOf(tx, order.id);
  tx.wake("floor.settle", tx.now);
  const closed = await savePackingSession(tx, session, {
    status: transition(packingTransitions, "close", session.status),
    carton_id,
    closed_at: tx.now,
  });
  if (labelled !== null) {
    const label = await findLabelOfShipment(tx, labelled.id);
    return printParcel(tx, closed, { shipment_id: labelled.id, label_id: label?.id ?? null }, actor);
  }
  if (isPickup(order)) {
    const { id: shipment_id } = await insertShipment(tx, packed, { carrier: null, service: null }, units);
    return printParcel(tx, closed, { shipment_id, label_id: null }, actor);
  }
  return savePackingSession(tx, closed, { label_due_at: await parcelLabelQueue.hold(tx, closed.id) });
}

/**
 * Records the parcel and the label of a closed session, and prints label and packing slip at its station, unless that
 * was deleted.
 */
export async function printParcel(
  tx: Tx,
  session: PackingSession,
  parcel: { readonly shipment_id: number; readonly label_id: number | null },
  actor: Actor,
): Promise<PackingSession> {
  const { station_id, order_id, merchant_id } = session;
  const station = station_id === null ? null : await findStation(tx, station_id);
  if (station !== null) {
    await queuePrintJobs(tx, { station, order: { id: order_id, merchant_id }, ...parcel, actor });
  }
  return savePackingSession(tx, session, { ...parcel, label_due_at: null, label_error: null });
}

/**
 * Requests the label of a packed parcel again, after it failed or was voided.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, pickup_order, duplicate_label.
 */
export async function requestLabel(tx: Tx, id: string, input: BuyParcelLabel): Promise<PackingSession> {
  const { order, session } = await lockSession(tx, id);
  const { carrier, service } = input;
  if ((carrier === undefined) !== (service === undefined)) {
    throw invalid(carrier === undefined ? "carrier" : "service", "is required with the other", "required");
  }
  if (!isPackedParcel(session.status)) {
    throw new Fault("invalid_state_transition", `Cannot buy a label while ${session.status}. Close the parcel first.`);
  }
  if (isPickup(order)) {
    throw new Fault("pickup_order", `The buyer collects order ${orderText(order)}, so its parcel needs no label.`);
  }
  const label = session.shipment_id === null ? null : await findLabelOfShipment(tx, session.shipment_id);
  const is_valid = label !== null && (isBeingBought(label.status) || isUsable(label.status));
  if (session.label_due_at !== null || is_valid) {
    const facts = label === null ? {} : { label_id: wireId("label", label.id) };
    throw new Fault("duplicate_label", "This parcel has a label, or it is being bought. Void it first.", facts);
  }
  const others = await packable(tx, order, session.id);
  const loose = lineUnitsOf(order, session.units).every(
    ({ order_line_id, quantity }) => quantity <= packedLoosely(others, order_line_id),
  );
  if (!loose) {
    const message = `The units of this parcel of order ${orderText(order)} were unpacked, or packed again.`;
    throw new Fault("invalid_state_transition", message);
  }
  return savePackingSession(tx, session, {
    ...(carrier !== undefined && service !== undefined && { carrier, service }),
    ...{ shipment_id: null, label_id: null, label_error: null },
    label_due_at: await parcelLabelQueue.hold(tx, session.id),
  });
}
