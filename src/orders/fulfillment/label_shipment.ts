import type { Actor } from "../../core/actor.ts";
import { assert, Fault, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import type { Tx } from "../../storage/database.ts";
import { hasLeft, isGivenUp, shipmentTransitions } from "../order.transitions.ts";
import { actionsOf, type Order, type OrderParcel } from "../order.ts";
import { refusal, refusePickup } from "../order_lines.ts";
import { lockParcel, saveOrder, saveWithHistory } from "../orders.sql.ts";
import type { HistoryEntry } from "../search/order_history.sql.ts";
import { saveRest } from "./deliver_order.ts";
import { unitsWithoutParcel, withShipment } from "./order_units.ts";
import type { Shipment, ShipmentCarriage, ShipmentLine } from "./shipment.ts";
import { type AllottedParcel, insertAllotted, insertShipment, saveShipment, saveTracking } from "./shipments.sql.ts";
import { trackingUrl } from "./tracking_url.ts";

/**
 * The units of an order for a new parcel: the requested ones, or all open ones that are in no parcel. An empty list
 * creates an extra carton of the same goods, which counts no units.
 * Refuses: pickup_order, invalid_state_transition (held, cancelled, or nothing left), validation_failed.
 */
export function unitsToLabel(before: Order, wanted: readonly ShipmentLine[] | null): readonly ShipmentLine[] {
  refusePickup(before);
  if (!actionsOf(before).includes("ship")) throw refusal(before, "label");
  const free = unitsWithoutParcel(before);
  const units = wanted ?? free;
  if (units.length === 0 && !wanted) throw refusal(before, "label", "every open unit is in a parcel already");
  for (const { order_line_id, quantity } of units) {
    const left = free.find((line) => line.order_line_id === order_line_id)?.quantity ?? 0;
    if (quantity > left) throw invalid("units", `exceed what is left of a line by ${quantity - left}`, "too_large");
  }
  return units;
}

/**
 * Opens a parcel for these units of a locked order, to be shipped later. The order's history and revision change once
 * it is labeled.
 */
export async function openShipment(
  tx: Tx,
  before: Order,
  carriage: ShipmentCarriage,
  units: readonly ShipmentLine[],
): Promise<OrderParcel> {
  const shipment = await insertShipment(tx, before, carriage, units);
  return { order: withParcel(before, shipment), shipment };
}

const withParcel = (order: Order, shipment: Shipment): Order => {
  return { ...order, shipments: [...order.shipments, shipment] };
};

/** A parcel of a locked order whose label is known when it is opened. */
interface LabelledParcel {
  readonly order: Order;
  readonly parcel: Omit<AllottedParcel, "order_id" | "merchant_id"> & { readonly tracking_number: string };
  readonly actor: Actor;
}

/** Opens parcels with their labels, each of another order, and records them in the histories of the orders. */
export async function openLabelled(tx: Tx, opened: readonly LabelledParcel[]): Promise<OrderParcel[]> {
  const rows = opened.map(({ order, parcel }) => ({ ...parcel, order_id: order.id, merchant_id: order.merchant_id }));
  const shipments = await insertAllotted(tx, rows);
  const noted = opened.flatMap(({ order, actor }, at) => {
    const shipment = shipments[at];
    return shipment === undefined ? [] : { order: withParcel(order, shipment), entry: labelEntry(shipment, actor) };
  });
  const orders = await saveWithHistory(tx, noted);
  return shipments.flatMap((shipment, at) => {
    const order = orders[at];
    return order === undefined ? [] : { order, shipment };
  });
}

/** The history entry of a label. */
function labelEntry({ tracking_number, carrier, service }: Shipment, actor: Actor): HistoryEntry {
  const note = [tracking_number, carrier, service].filter((word) => word !== null).join(" ");
  return { event: "label", actor, note };
}

/** Stores the label's tracking number on a parcel that was just opened, and records it in the order's history. */
export async function labelShipment(
  tx: Tx,
  { order, shipment }: OrderParcel,
  { tracking_number, told_url }: { readonly tracking_number: string; readonly told_url: string | null },
  actor: Actor,
): Promise<OrderParcel> {
  assert(await saveTracking(tx, shipment.id, { tracking_number, told_url }), `shipment ${shipment.id} exists`);
  const labelled: Shipment = {
    ...shipment,
    tracking_number,
    told_url,
    tracking_url: trackingUrl(tx, { ...shipment, tracking_number, told_url }),
  };
  const after = withShipment(order, labelled);
  return { order: await saveOrder(tx, order, after, labelEntry(labelled, actor)), shipment: labelled };
}

/**
 * Voids a parcel that has not shipped: its units are free for another.
 * Refuses: resource_missing, label_not_voidable. Emits: order.shipped, order.delivered (when all else had shipped
 * already).
 */
export async function voidShipment(tx: Tx, shipment_id: number, actor: Actor): Promise<OrderParcel> {
  const { order, shipment } = await lockParcel(tx, shipment_id);
  if (isGivenUp(shipment.status)) return { order, shipment };
  if (hasLeft(shipment.status)) {
    throw new Fault("label_not_voidable", `Parcel ${wireId("shipment", shipment_id)} has shipped.`);
  }
  const voided: Shipment = { ...shipment, status: transition(shipmentTransitions, "void", shipment.status) };
  await saveShipment(tx, voided);
  const note = shipment.tracking_number;
  const saved = await saveRest(tx, order, withShipment(order, voided), { event: "void", actor, note });
  return { order: saved, shipment: voided };
}
