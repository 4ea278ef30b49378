import type { Tx } from "../../database/store.ts";
import { releaseClaim } from "../../inventory/claims/commands.ts";
import type { Actor } from "../../kit/actor.ts";
import { move } from "../../kit/moves.ts";
import { emit } from "../../outbox/emit.ts";
import { saveRest } from "../arrivals/commands.ts";
import { orderEvent } from "../events.ts";
import { claimUnits, wordsFor } from "../fulfillment/rules.ts";
import type { Entry } from "../history/store.ts";
import { settleHolds } from "../holds/commands.ts";
import { closeHolds } from "../holds/store.ts";
import type { Order } from "../order.ts";
import { refuseForbidden, withClaims } from "../rules.ts";
import type { CancelItems, CancelOrder } from "../schemas.ts";
import { isInHouse, shipmentMoves } from "../shipments/status.ts";
import { saveShipment, saveShipmentLines } from "../shipments/store.ts";
import { isCancelled, orderMoves } from "../status.ts";
import { lockOrder, saveOrder } from "../store.ts";
import { itemsToCancel, lessened, losingParcels, takesAll, withoutUnits } from "./rules.ts";

/**
 * Cancels an order of which nothing has left: its promises and parcels are given up. A cancelled one stays as it is.
 * Refuses: resource_missing, invalid_state_transition (a parcel is out). Emits: order.cancelled.
 */
export async function cancelOrder(tx: Tx, id: string, input: CancelOrder, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  if (isCancelled(before.status)) return before;
  refuseForbidden(before, "cancel");
  const { reason = "other", note = null } = input;
  return giveUp(tx, before, "cancel", { event: "cancel", actor, reason, note });
}

/** Gives up all of an order, of which nothing has left. */
async function giveUp(
  tx: Tx,
  before: Order,
  how: "cancel" | "cancel_all",
  entry: Entry & { readonly reason: NonNullable<Order["cancel_reason"]> },
): Promise<Order> {
  const shipments = before.shipments.map((shipment) =>
    isInHouse(shipment.status) ? { ...shipment, status: move(shipmentMoves, "void", shipment.status) } : shipment,
  );
  for (const [at, shipment] of shipments.entries()) {
    if (shipment !== before.shipments[at]) await saveShipment(tx, shipment);
  }
  await releaseClaim(tx, before.id, null, entry.actor);
  await closeHolds(tx, before.holds);
  const cancelled: Order = {
    ...before,
    status: move(orderMoves, how, before.status),
    held: false,
    holds: [],
    shipments,
    lines: before.lines.map((line) => ({ ...line, quantity_packed: 0, quantity_cancelled: line.quantity })),
    cancelled_at: tx.now,
    cancel_reason: entry.reason,
  };
  const order = await saveOrder(tx, before, withClaims(cancelled, []), entry);
  await emit(tx, [orderEvent("order.cancelled", order, tx.now, before)]);
  return order;
}

/**
 * Cancels open units of an order; what is left of it goes on, and may have nothing more to wait for. When nothing is
 * left the order is cancelled. Units that are picked go to the put-back bin, those in parcels leave their parcel.
 * Refuses: resource_missing, invalid_state_transition, validation_failed.
 * Emits: order.cancelled, or order.fulfilled, order.shipped, order.delivered when the rest has come so far.
 */
export async function cancelItems(tx: Tx, id: string, input: CancelItems, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  refuseForbidden(before, "cancel_items");
  const units = itemsToCancel(before, input.items);
  const { reason = "other", note } = input;
  const words = wordsFor(before, units);
  const entry = { event: "cancel_items", actor, reason, note: note === undefined ? words : `${words}. ${note}` };
  if (takesAll(before, units)) return giveUp(tx, before, "cancel_all", entry);
  const losing = new Map<number, Order["shipments"][number]>();
  for (const parcel of losingParcels(before, units)) {
    const shipment = lessened(parcel);
    await saveShipment(tx, shipment);
    if (isInHouse(shipment.status)) await saveShipmentLines(tx, shipment.id, shipment.lines);
    losing.set(shipment.id, shipment);
  }
  const claims = await releaseClaim(tx, before.id, claimUnits(before, units), actor);
  const less = withClaims(withoutUnits(before, units), claims);
  const shipments = before.shipments.map((shipment) => losing.get(shipment.id) ?? shipment);
  const order = await saveRest(tx, before, { ...less, shipments }, entry);
  return settleHolds(tx, order, actor);
}
