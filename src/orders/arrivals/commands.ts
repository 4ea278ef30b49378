import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { emit } from "../../outbox/emit.ts";
import { orderEvent } from "../events.ts";
import { chosenShipment, isAway, isPacked, raised, withShipment } from "../fulfillment/rules.ts";
import type { Entry } from "../history/store.ts";
import type { Order } from "../order.ts";
import { decide, refusal } from "../rules.ts";
import type { DeliverOrder } from "../schemas.ts";
import type { Shipment } from "../shipments/shipment.ts";
import { saveShipment } from "../shipments/store.ts";
import { lockOrder, saveOrder } from "../store.ts";

/**
 * Saves an order of which units or parcels were given up, and derives its state anew from what is left: it may wait for
 * nothing more to be packed, to leave, or to arrive. Emits: order.fulfilled, order.shipped, order.delivered.
 */
export async function saveRest(tx: Tx, before: Order, less: Order, entry: Entry): Promise<Order> {
  const inWork = less.status === "pending" || less.status === "processing";
  const packed = inWork && isPacked(less);
  const away = (inWork || less.status === "fulfilled") && isAway(less);
  const fulfilled: Order = packed ? { ...less, status: "fulfilled", fulfilled_at: tx.now } : less;
  const after: Order = away ? { ...fulfilled, status: "shipped", shipped_at: tx.now } : fulfilled;
  const saved = await saveOrder(tx, before, after, entry);
  const told: Order = packed ? { ...before, status: "fulfilled" } : before;
  if (packed) await emit(tx, [orderEvent("order.fulfilled", { ...saved, status: "fulfilled" }, tx.now, before)]);
  if (!away) return saved;
  await emit(tx, [orderEvent("order.shipped", saved, tx.now, told)]);
  const out = saved.shipments.some(({ status }) => status === "shipped");
  return out ? saved : arrive(tx, saved, [], entry.actor);
}

/**
 * Notes that the parcels of an order have arrived, or the one named. Refuses: resource_missing,
 * invalid_state_transition. Emits: order.delivered, once every parcel has.
 */
export async function deliverOrder(tx: Tx, id: string, input: DeliverOrder, actor: Actor): Promise<Order> {
  const order = await lockOrder(tx, id);
  const chosen = input.shipment_id === undefined ? null : chosenShipment(order, input.shipment_id);
  decide(order, "deliver");
  if (chosen !== null && chosen.status !== "shipped") {
    throw refusal(order, "deliver", `that parcel is ${chosen.status}`);
  }
  const out = order.shipments.filter(({ status }) => status === "shipped");
  return arrive(tx, order, chosen === null ? out : [chosen], actor);
}

/** Notes that parcels of an order have arrived. Emits: order.delivered, once every parcel has. */
export async function arrive(tx: Tx, before: Order, parcels: readonly Shipment[], actor: Actor): Promise<Order> {
  let moved = before;
  for (const parcel of parcels) {
    const there: Shipment = { ...parcel, status: "delivered", delivered_at: tx.now };
    await saveShipment(tx, there);
    moved = raised(withShipment(moved, there), "quantity_delivered", parcel.lines);
  }
  const out = moved.shipments.some(({ status }) => status === "pending" || status === "shipped");
  const whole = moved.status === "shipped" && !out;
  const after: Order = whole ? { ...moved, status: "delivered", delivered_at: tx.now } : moved;
  const numbers = parcels.flatMap(({ tracking_number }) => tracking_number ?? []);
  const note = numbers.length === 0 ? null : numbers.join(", ");
  const order = await saveOrder(tx, before, after, { event: "deliver", actor, note });
  if (whole) await emit(tx, [orderEvent("order.delivered", order, tx.now, before)]);
  return order;
}
