import type { Tx } from "../../database/store.ts";
import { releaseClaim } from "../../inventory/reservations/commands.ts";
import type { Actor } from "../../kit/actor.ts";
import { emit } from "../../outbox/emit.ts";
import { orderEvent } from "../events.ts";
import { closeHolds } from "../holds/store.ts";
import type { Order } from "../order.ts";
import { decide, withClaims } from "../rules.ts";
import type { CancelOrder } from "../schemas.ts";
import { saveShipment } from "../shipments/store.ts";
import { lockOrder, saveOrder } from "../store.ts";

/**
 * Cancels an order of which nothing has left: its promises and parcels are given up. A cancelled one stays as it is.
 * Refuses: resource_missing, invalid_state_transition (a parcel is out). Emits: order.cancelled.
 */
export async function cancelOrder(tx: Tx, id: string, input: CancelOrder, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  if (before.status === "cancelled") return before;
  const status = decide(before, "cancel");
  const { reason = "other", note = null } = input;
  const shipments = before.shipments.map((shipment) =>
    shipment.status === "pending" ? { ...shipment, status: "voided" as const } : shipment,
  );
  for (const [at, shipment] of shipments.entries()) {
    if (shipment !== before.shipments[at]) await saveShipment(tx, shipment);
  }
  await releaseClaim(tx, before.id, null, actor);
  await closeHolds(tx, before.holds);
  const cancelled: Order = {
    ...before,
    status,
    held: false,
    holds: [],
    shipments,
    lines: before.lines.map((line) => ({ ...line, quantity_packed: 0, quantity_cancelled: line.quantity })),
    cancelled_at: tx.now,
    cancel_reason: reason,
  };
  const order = await saveOrder(tx, before, withClaims(cancelled, []), { event: "cancel", actor, reason, note });
  await emit(tx, [orderEvent("order.cancelled", order, tx.now)]);
  return order;
}
