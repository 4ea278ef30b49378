import type { LineUnits } from "../../inventory/reservations/claim.ts";
import { move } from "../../kit/moves.ts";
import { addedUp, type ItemInput, namedUnits, unitsWithoutParcel } from "../fulfillment/rules.ts";
import { type Order, openUnits } from "../order.ts";
import type { Shipment } from "../shipments/shipment.ts";
import { hasLeft, isInHouse, shipmentMoves } from "../shipments/status.ts";

/** The open units that the items of a request name. Refuses: validation_failed, resource_missing. */
export function itemsToCancel(order: Order, items: readonly ItemInput[]): LineUnits[] {
  return addedUp(namedUnits(order, items, openUnits));
}

/** A parcel that is still in the house, and the units it loses. */
interface LosingParcel {
  readonly shipment: Shipment;
  readonly units: readonly LineUnits[];
}

/**
 * Which parcels lose units when these are cancelled: units that are in no parcel go first, then those in parcels
 * without a label, then those in labelled ones, of each the newest first.
 */
export function losingParcels(order: Order, units: readonly LineUnits[]): LosingParcel[] {
  const free = new Map(unitsWithoutParcel(order).map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const left = new Map(
    units.map(({ order_line_id, quantity }) => [order_line_id, quantity - (free.get(order_line_id) ?? 0)]),
  );
  const waiting = order.shipments.filter(({ status }) => isInHouse(status)).reverse();
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

/** The parcel after it has lost units: one with a label, or with nothing left in it, is given up. */
export function lessened({ shipment, units }: LosingParcel): Shipment {
  const lost = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const lines = shipment.lines
    .map((line) => ({ ...line, quantity: line.quantity - (lost.get(line.order_line_id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
  if (!isLabelled(shipment) && lines.length > 0) return { ...shipment, lines };
  return { ...shipment, status: move(shipmentMoves, "void", shipment.status) };
}

/** The order with these units counted as cancelled; what stands packed beyond what is still ordered is unpacked. */
export function withoutUnits(order: Order, units: readonly LineUnits[]): Order {
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

/** Whether nothing of the order would be left without these units: none is open, and no unit or parcel has left. */
export function takesAll(order: Order, units: readonly LineUnits[]): boolean {
  const less = withoutUnits(order, units);
  const out = order.shipments.some(({ status }) => hasLeft(status));
  return !out && less.lines.every((line) => openUnits(line) === 0 && line.quantity_shipped === 0);
}
