import type { Actor } from "../../core/actor.ts";
import { transition } from "../../core/transitions.ts";
import { emit } from "../../events/emit.ts";
import type { Tx } from "../../storage/database.ts";
import type { DeliverOrder } from "../order.schema.ts";
import {
  isOnItsWay,
  isOpen,
  isTravelling,
  isUnpacked,
  isUnshipped,
  orderTransitions,
  shipmentTransitions,
} from "../order.transitions.ts";
import { type Order, orderEvent } from "../order.ts";
import { refusal, refuseForbidden } from "../order_lines.ts";
import { lockOrder, saveOrder } from "../orders.sql.ts";
import type { HistoryEntry } from "../search/order_history.sql.ts";
import { chosenShipment, isAway, isPacked, raised, withShipment } from "./order_units.ts";
import { handOver } from "./ship_order.ts";
import type { Shipment } from "./shipment.ts";
import { saveShipment } from "./shipments.sql.ts";

/**
 * Saves an order from which units or parcels were removed, and derives its status again from what is left: there may be
 * nothing more to pack, to ship or to arrive. Emits: order.fulfilled, order.shipped, order.delivered.
 */
export async function saveRest(tx: Tx, before: Order, less: Order, entry: HistoryEntry): Promise<Order> {
  const packed = isUnpacked(less.status) && isPacked(less);
  const away = isOpen(less.status) && isAway(less);
  const fulfilled: Order = packed
    ? { ...less, status: transition(orderTransitions, "rest_packed", less.status), fulfilled_at: tx.now }
    : less;
  const after: Order = away
    ? { ...fulfilled, status: transition(orderTransitions, "rest_shipped", fulfilled.status), shipped_at: tx.now }
    : fulfilled;
  const saved = await saveOrder(tx, before, after, entry);
  const between: Order = packed ? { ...before, status: fulfilled.status } : before;
  if (packed) {
    await emit(tx, [orderEvent("order.fulfilled", { ...saved, status: fulfilled.status }, tx.now, before)]);
  }
  if (!away) return saved;
  await emit(tx, [orderEvent("order.shipped", saved, tx.now, between)]);
  const out = saved.shipments.some(({ status }) => isTravelling(status));
  return out ? saved : arrive(tx, saved, [], entry.actor);
}

/**
 * Records that the parcels of an order have arrived, or the one named. An order that its buyer collects is handed over.
 * Refuses: resource_missing, invalid_state_transition. Emits: order.delivered (once every parcel has).
 */
export async function deliverOrder(tx: Tx, id: string, input: DeliverOrder, actor: Actor): Promise<Order> {
  const order = await lockOrder(tx, id);
  const chosen = input.shipment_id === undefined ? null : chosenShipment(order, input.shipment_id);
  refuseForbidden(order, "deliver");
  if (chosen !== null && !isTravelling(chosen.status)) {
    throw refusal(order, "deliver", `that parcel is ${chosen.status}`);
  }
  const moved = isOpen(order.status) ? await handOver(tx, order, actor) : order;
  const out = moved.shipments.filter(({ status }) => isTravelling(status));
  return arrive(tx, order, chosen === null ? out : [chosen], actor, moved);
}

/**
 * Records that these parcels of an order have arrived; with none of them, that nothing is in transit any more. `left`
 * is the order after its buyer took the parcels, if that is to be stored, too.
 * Emits: order.delivered (once every parcel has arrived).
 */
export async function arrive(
  tx: Tx,
  before: Order,
  parcels: readonly Shipment[],
  actor: Actor,
  left = before,
): Promise<Order> {
  let moved = left;
  for (const parcel of parcels) {
    const status = transition(shipmentTransitions, "deliver", parcel.status);
    const there: Shipment = { ...parcel, status, delivered_at: tx.now };
    await saveShipment(tx, there);
    moved = raised(withShipment(moved, there), "quantity_delivered", parcel.lines);
  }
  const out = moved.shipments.some(({ status }) => isUnshipped(status) || isTravelling(status));
  const whole = (isOnItsWay(moved.status) || left !== before) && !out;
  const last = parcels.length === 0 ? "rest_delivered" : "deliver";
  const status = transition(orderTransitions, whole ? last : "deliver_part", moved.status);
  const shipped_at = left === before ? moved.shipped_at : tx.now;
  const after: Order = { ...moved, status, shipped_at, delivered_at: whole ? tx.now : moved.delivered_at };
  const numbers = parcels.flatMap(({ tracking_number }) => tracking_number ?? []);
  const note = numbers.length === 0 ? null : numbers.join(", ");
  const order = await saveOrder(tx, before, after, { event: "deliver", actor, note });
  if (whole) await emit(tx, [orderEvent("order.delivered", order, tx.now, before)]);
  return order;
}
