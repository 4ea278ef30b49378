import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { Fault, invalid } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { move } from "../../kit/moves.ts";
import { saveRest } from "../arrivals/commands.ts";
import { unitsWithoutParcel, withShipment } from "../fulfillment/rules.ts";
import { actionsOf, type Order, type Parcel } from "../order.ts";
import { refusal } from "../rules.ts";
import type { Carriage, Shipment, ShipmentLine } from "../shipments/shipment.ts";
import { hasLeft, isGivenUp, shipmentMoves } from "../shipments/status.ts";
import { insertShipment, saveShipment, saveTracking } from "../shipments/store.ts";
import { trackingUrl } from "../shipments/tracking_url.ts";
import { lockParcel, saveOrder } from "../store.ts";

/**
 * Opens a parcel for units of a locked order, by default all open ones that are in no other; it waits to be handed
 * over. An empty list makes one more carton of the same goods, which counts no units of its own. The order's history
 * and version tell of it once it is labelled.
 * Refuses: invalid_state_transition (held, cancelled, or nothing left), validation_failed.
 */
export async function openShipment(
  tx: Tx,
  before: Order,
  wanted: Carriage & { readonly units?: readonly ShipmentLine[] | null },
): Promise<Parcel> {
  if (!actionsOf(before).includes("ship")) throw refusal(before, "label");
  const free = unitsWithoutParcel(before);
  const units = wanted.units ?? free;
  if (units.length === 0 && !wanted.units) throw refusal(before, "label", "every open unit is in a parcel already");
  for (const { order_line_id, quantity } of units) {
    const left = free.find((line) => line.order_line_id === order_line_id)?.quantity ?? 0;
    if (quantity > left) throw invalid("units", `are ${quantity - left} more than are left of a line`, "too_large");
  }
  const shipment = await insertShipment(tx, before.id, wanted, units);
  return { order: { ...before, shipments: [...before.shipments, shipment] }, shipment };
}

/** Writes the tracking number of the label on a parcel that was just opened, and tells the order's history. */
export async function labelShipment(
  tx: Tx,
  { order, shipment }: Parcel,
  { tracking_number, told_url }: { readonly tracking_number: string; readonly told_url: string | null },
  actor: Actor,
): Promise<Parcel> {
  assert(
    await saveTracking(tx, shipment.id, { tracking_number, told_url }),
    `shipment ${shipment.id} is there to be labelled`,
  );
  const { carrier, service } = shipment;
  const labelled: Shipment = {
    ...shipment,
    tracking_number,
    told_url,
    tracking_url: trackingUrl(tx, { ...shipment, tracking_number, told_url }),
  };
  const note = [tracking_number, carrier, service].filter((word) => word !== null).join(" ");
  const after = withShipment(order, labelled);
  return { order: await saveOrder(tx, order, after, { event: "label", actor, note }), shipment: labelled };
}

/**
 * Gives up a parcel that has not left: its units are free for another.
 * Refuses: resource_missing, label_not_voidable. Emits: order.shipped, order.delivered, when all else had left already.
 */
export async function voidShipment(tx: Tx, shipment_id: number, actor: Actor): Promise<Parcel> {
  const { order, shipment } = await lockParcel(tx, shipment_id);
  if (isGivenUp(shipment.status)) return { order, shipment };
  if (hasLeft(shipment.status)) {
    throw new Fault("label_not_voidable", `Parcel ${wireId("shipment", shipment_id)} has left.`);
  }
  const voided: Shipment = { ...shipment, status: move(shipmentMoves, "void", shipment.status) };
  await saveShipment(tx, voided);
  const note = shipment.tracking_number;
  const saved = await saveRest(tx, order, withShipment(order, voided), { event: "void", actor, note });
  return { order: saved, shipment: voided };
}
