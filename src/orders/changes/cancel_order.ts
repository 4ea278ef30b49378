import type { Actor } from "../../core/actor.ts";
import { transition } from "../../core/transitions.ts";
import { emit } from "../../events/emit.ts";
import { releaseOrderAllocation } from "../../inventory/reservations/order_allocations.ts";
import type { LineUnits } from "../../inventory/reservations/reservation.ts";
import type { Tx } from "../../storage/database.ts";
import { saveRest } from "../fulfillment/deliver_order.ts";
import {
  addedUp,
  allocationUnits,
  type ItemInput,
  namedUnits,
  unitsText,
  unitsWithoutParcel,
  withShipment,
} from "../fulfillment/order_units.ts";
import type { Shipment } from "../fulfillment/shipment.ts";
import { saveShipment, saveShipmentLines } from "../fulfillment/shipments.sql.ts";
import type { CancelItems, CancelOrder } from "../order.schema.ts";
import { hasLeft, isCancelled, isUnshipped, orderTransitions, shipmentTransitions } from "../order.transitions.ts";
import { type Order, openUnits, orderEvent } from "../order.ts";
import { refuseForbidden, withAllocations } from "../order_lines.ts";
import { lockOrder, saveOrder } from "../orders.sql.ts";
import type { HistoryEntry } from "../search/order_history.sql.ts";
import { applyRulesAgain } from "../shipping_rules/apply_rules.ts";
import { closeHolds } from "./holds.sql.ts";
import { settleHolds } from "./holds.ts";

/** The open units that the items of a request name. Refuses: validation_failed, resource_missing. */
export function itemsToCancel(order: Order, items: readonly ItemInput[]): LineUnits[] {
  return addedUp(namedUnits(order, items, openUnits));
}

/** A parcel that has not shipped, and the units it loses. */
export interface LosingParcel {
  readonly shipment: Shipment;
  readonly units: readonly LineUnits[];
}

/**
 * The parcels that lose units when these are cancelled or unpacked. Units in no parcel (`loose`) go first, then those
 * in parcels without a label, then those in labeled ones, newest first.
 */
export function losingParcels(
  order: Order,
  units: readonly LineUnits[],
  loose: readonly LineUnits[] = unitsWithoutParcel(order),
): LosingParcel[] {
  const free = new Map(loose.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const left = new Map(
    units.map(({ order_line_id, quantity }) => [order_line_id, quantity - (free.get(order_line_id) ?? 0)]),
  );
  const waiting = order.shipments.filter(({ status }) => isUnshipped(status)).reverse();
  const [labelled, plain] = [waiting.filter(isLabelled), waiting.filter((shipment) => !isLabelled(shipment))];
  return [...plain, ...labelled].flatMap((shipment) => {
    const lost = shipment.lines.flatMap(({ order_line_id, quantity }) => {
      const more = Math.min(quantity, left.get(order_line_id) ?? 0);
      if (more <= 0) return [];
      left.set(order_line_id, (left.get(order_line_id) ?? 0) - more);
      return [{ order_line_id, quantity: more }];
    });
    return lost.length === 0 ? [] : [{ shipment, units: lost }];
  });
}

/** Whether a parcel has a label: its contents cannot change any more. */
function isLabelled({ tracking_number }: Shipment): boolean {
  return tracking_number !== null;
}

/** The parcel without these units. With a label, or with nothing left in it, it is voided. */
function reduced({ shipment, units }: LosingParcel): Shipment {
  const lost = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const lines = shipment.lines
    .map((line) => ({ ...line, quantity: line.quantity - (lost.get(line.order_line_id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
  if (!isLabelled(shipment) && lines.length > 0) return { ...shipment, lines };
  return { ...shipment, status: transition(shipmentTransitions, "void", shipment.status) };
}

/** Stores what is left of parcels that lose units, and returns the order with them. */
export async function withoutContents(tx: Tx, before: Order, parcels: readonly LosingParcel[]): Promise<Order> {
  let order = before;
  for (const parcel of parcels) {
    const shipment = reduced(parcel);
    await saveShipment(tx, shipment);
    if (isUnshipped(shipment.status)) await saveShipmentLines(tx, shipment.id, shipment.lines);
    order = withShipment(order, shipment);
  }
  return order;
}

/** The order with these units cancelled. Packed units beyond those still ordered are unpacked. */
function withoutUnits(order: Order, units: readonly LineUnits[]): Order {
  const less = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const lines = order.lines.map((line) => {
    const quantity_cancelled = line.quantity_cancelled + (less.get(line.id) ?? 0);
    return {
      ...line,
      quantity_cancelled,
      quantity_packed: Math.min(line.quantity_packed, line.quantity - quantity_cancelled),
    };
  });
  return { ...order, lines };
}

/** Whether nothing of the order would be left without these units: none is open, and no unit or parcel has shipped. */
export function takesAll(order: Order, units: readonly LineUnits[]): boolean {
  const less = withoutUnits(order, units);
  const out = order.shipments.some(({ status }) => hasLeft(status));
  return !out && less.lines.every((line) => openUnits(line) === 0 && line.quantity_shipped === 0);
}

/**
 * Cancels an order of which nothing has shipped: its allocation is released and its parcels are voided. A cancelled
 * order stays as it is.
 * Refuses: resource_missing, invalid_state_transition (a parcel has shipped). Emits: order.cancelled.
 */
export async function cancelOrder(tx: Tx, id: string, input: CancelOrder, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  if (isCancelled(before.status)) return before;
  refuseForbidden(before, "cancel");
  const { reason = "other", note = null } = input;
  return cancelAll(tx, before, "cancel", { event: "cancel", actor, reason, note });
}

/** Cancels all of an order of which nothing has shipped. */
async function cancelAll(
  tx: Tx,
  before: Order,
  how: "cancel" | "cancel_all",
  entry: HistoryEntry & { readonly reason: NonNullable<Order["cancel_reason"]> },
): Promise<Order> {
  const shipments = before.shipments.map((shipment) =>
    isUnshipped(shipment.status)
      ? { ...shipment, status: transition(shipmentTransitions, "void", shipment.status) }
      : shipment,
  );
  for (const [at, shipment] of shipments.entries()) {
    if (shipment !== before.shipments[at]) await saveShipment(tx, shipment);
  }
  await releaseOrderAllocation(tx, before.id, null, entry.actor);
  await closeHolds(tx, before.holds);
  const cancelled: Order = {
    ...before,
    status: transition(orderTransitions, how, before.status),
    held: false,
    holds: [],
    shipments,
    lines: before.lines.map((line) => ({ ...line, quantity_packed: 0, quantity_cancelled: line.quantity })),
    cancelled_at: tx.now,
    cancel_reason: entry.reason,
  };
  const order = await saveOrder(tx, before, withAllocations(cancelled, []), entry);
  await emit(tx, [orderEvent("order.cancelled", order, tx.now, before)]);
  return order;
}

/**
 * Cancels open units of an order. The rest continues, and may have nothing more to wait for. An order with nothing left
 * is cancelled. Picked units go to the `putback` bin; units in parcels leave their parcel.
 * Refuses: resource_missing, invalid_state_transition, validation_failed.
 * Emits: order.cancelled, or order.fulfilled, order.shipped, order.delivered (when the rest has come so far).
 */
export async function cancelItems(tx: Tx, id: string, input: CancelItems, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  refuseForbidden(before, "cancel_items");
  const units = itemsToCancel(before, input.items);
  const { reason = "other", note } = input;
  const words = unitsText(before, units);
  const entry = { event: "cancel_items", actor, reason, note: note === undefined ? words : `${words}. ${note}` };
  if (takesAll(before, units)) return cancelAll(tx, before, "cancel_all", entry);
  const emptied = await withoutContents(tx, before, losingParcels(before, units));
  const claims = await releaseOrderAllocation(tx, before.id, allocationUnits(before, units), actor);
  const less = withAllocations(withoutUnits(emptied, units), claims);
  const order = await saveRest(tx, before, less, entry);
  return applyRulesAgain(tx, await settleHolds(tx, order, actor), actor);
}
