import type { Actor } from "../../core/actor.ts";
import { type Fault, invalid } from "../../core/faults.ts";
import { transition } from "../../core/transitions.ts";
import { emit } from "../../events/emit.ts";
import { shipAllocatedUnits } from "../../inventory/reservations/order_allocations.ts";
import type { LineUnits } from "../../inventory/reservations/reservation.ts";
import type { Tx } from "../../storage/database.ts";
import type { ShipOrder } from "../order.schema.ts";
import { isUnshipped, orderTransitions, shipmentTransitions } from "../order.transitions.ts";
import { type Order, type OrderParcel, orderEvent } from "../order.ts";
import { refusal, refuseForbidden, withAllocations } from "../order_lines.ts";
import { lockOrder, saveOrder } from "../orders.sql.ts";
import {
  allocationUnits,
  chosenShipment,
  nothingToTake,
  outcomeOfShipping,
  packedUnshipped,
  productsOf,
  raised,
  refuseEmpty,
  refuseShort,
  unitsOf,
  withShipment,
} from "./order_units.ts";
import { actOnEach, type RequestedAction, stage, withCurrentAllocation } from "./pick_and_pack.ts";
import type { Shipment } from "./shipment.ts";
import { insertShipment, markUnreported, saveShipment, saveShipmentLines } from "./shipments.sql.ts";
import { givenTrackingNumber, trackingUrl } from "./tracking_url.ts";

/**
 * Ships the named parcel, otherwise the oldest that has not shipped, otherwise everything packed as a new parcel. If no
 * parcel has a tracking number and none is given, all of them ship, along with other packed units. Performs the missing
 * steps first.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, insufficient_inventory.
 * Emits: order.fulfilled, order.shipped (once nothing of the order is left to ship).
 */
export async function shipOrder(tx: Tx, id: string, request: ShipOrder, actor: Actor): Promise<Order> {
  const input = { ...request, tracking_number: givenTrackingNumber("tracking_number", request.tracking_number) };
  return shipLocked(tx, await lockOrder(tx, id), input, actor);
}

/**
 * As `shipOrder`, for many orders at once. Returns each order, its refusal, or "run_individually".
 */
export function shipOrders(
  tx: Tx,
  requests: readonly RequestedAction<ShipOrder>[],
): Promise<(Order | Fault | "run_individually")[]> {
  return actOnEach(tx, requests, {
    action: "ship",
    // With several parcels, a later one might be refused after an earlier one has left.
    isPlain: ({ shipment_id, carrier, service, tracking_number }, order) =>
      [shipment_id, carrier, service, tracking_number].every((value) => value == null) && unshipped(order).length <= 1,
    opens: () => true,
    check: (order, { partial = false }) => {
      const [parcel] = unshipped(order);
      if (parcel === undefined) return refuseEmpty(order, partial);
      refuseShort(order, partial);
      if (parcel.lines.length > 0 && takeable(order, parcel).length === 0) throw nothingToTake(order);
    },
    act: shipLocked,
  });
}

const unshipped = ({ shipments }: Order) => shipments.filter(({ status }) => isUnshipped(status));

async function shipLocked(tx: Tx, locked: Order, input: ShipOrder, actor: Actor): Promise<Order> {
  const chosen = input.shipment_id === undefined ? null : chosenShipment(locked, input.shipment_id);
  refuseForbidden(locked, "ship");
  const order = await withCurrentAllocation(tx, locked);
  if (chosen !== null && !isUnshipped(chosen.status)) {
    throw refusal(locked, "ship", `that parcel is ${chosen.status}`);
  }
  refuseShort(order, input.partial ?? false);
  const waiting = unshipped(order);
  const apart = (input.tracking_number ?? null) !== null || waiting.some((parcel) => parcel.tracking_number !== null);
  const leaving = chosen !== null ? [chosen] : waiting.slice(0, apart ? 1 : undefined);
  let rest = order;
  for (const parcel of leaving) {
    const shipment = await completed(tx, parcel, input);
    rest = (await shipParcel(tx, withShipment(rest, shipment), shipment, actor, false)).order;
  }
  const more = chosen === null && !apart && unitsOf(rest, packedUnshipped).length > 0;
  if (leaving.length > 0 && !more) return rest;
  const shipment = await packedParcel(tx, rest, leaving.length > 0 ? { ...input, partial: true } : input);
  return (await shipParcel(tx, withShipment(rest, shipment), shipment, actor, false)).order;
}

/** The parcel with the fields that the request adds. Fields that are set already cannot be changed here. */
async function completed(tx: Tx, shipment: Shipment, input: ShipOrder): Promise<Shipment> {
  const names = ["carrier", "service", "tracking_number"] as const;
  const added = names.filter((name) => input[name] != null && input[name] !== shipment[name]);
  const fixed = added.find((name) => shipment[name] !== null);
  if (fixed !== undefined) throw invalid(fixed, `is ${shipment[fixed]} on this parcel's label`);
  if (added.length === 0) return shipment;
  const filled = { ...shipment, ...Object.fromEntries(added.map((name) => [name, input[name]])) };
  await saveShipment(tx, filled);
  return { ...filled, tracking_url: trackingUrl(tx, filled) };
}

/** A new parcel of all packed units if `partial` and there are any, otherwise of all reserved units. */
async function packedParcel(tx: Tx, order: Order, input: ShipOrder): Promise<Shipment> {
  const packed = unitsOf(order, packedUnshipped);
  const units = input.partial && packed.length > 0 ? packed : unitsOf(order, (line) => line.reserved);
  if (units.length === 0) throw nothingToTake(order);
  const { carrier = null, service = null, tracking_number = null } = input;
  return insertShipment(tx, order, { carrier, service, tracking_number }, units);
}

/**
 * Ships a parcel: performs the missing steps for its units and takes them out of stock. Units that are not in stock
 * stay open.
 */
export async function shipParcel(
  tx: Tx,
  before: Order,
  shipment: Shipment,
  actor: Actor,
  by_carrier: boolean,
): Promise<OrderParcel> {
  const units = takeable(before, shipment);
  // An extra carton of the same goods counts no units: it ships, and stock stays as it is.
  const carton = shipment.lines.length === 0;
  const staged = carton
    ? before
    : await takenOut(tx, await stage(tx, before, { units, parcels: 1 }, actor), units, actor, by_carrier);
  const left = transition(shipmentTransitions, "ship", shipment.status);
  const gone: Shipment = { ...shipment, status: left, shipped_at: tx.now, lines: units };
  await saveShipped(tx, before, gone);
  if (missesUnits(shipment, units)) await saveShipmentLines(tx, shipment.id, units);
  const moved = raised(withShipment(staged, gone), "quantity_shipped", units);
  const outcome = outcomeOfShipping(moved, carton);
  const whole = outcome === "ship";
  const status = transition(orderTransitions, outcome, staged.status);
  const after: Order = { ...moved, status, shipped_at: whole ? tx.now : moved.shipped_at };
  const order = await saveOrder(tx, staged, after, { event: "ship", actor, note: gone.tracking_number });
  if (whole) await emit(tx, [orderEvent("order.shipped", order, tx.now, staged)]);
  return { order, shipment: gone };
}

/** Stores a parcel that has shipped. A job reports it to the platform that its order came from. */
export async function saveShipped(tx: Tx, { source_external_id }: Order, gone: Shipment): Promise<void> {
  await saveShipment(tx, gone);
  if (source_external_id === null) return;
  await markUnreported(tx, gone.id);
  tx.wake("platforms.report", tx.now);
}

/**
 * Hands the packed units of an order over to its buyer: its parcels leave, and units outside of them as one more.
 * Returns the order with them; the caller stores it.
 */
export async function handOver(tx: Tx, locked: Order, actor: Actor): Promise<Order> {
  let order = await withCurrentAllocation(tx, locked);
  const leave = async (parcel: Shipment) => {
    const units = takeable(order, parcel);
    const staged = await takenOut(tx, order, units, actor, false);
    const gone = { ...parcel, status: transition(shipmentTransitions, "ship", parcel.status), shipped_at: tx.now };
    await saveShipped(tx, locked, gone);
    order = raised(withShipment(staged, gone), "quantity_shipped", units);
  };
  for (const parcel of unshipped(order)) await leave(parcel);
  const units = unitsOf(order, packedUnshipped);
  if (units.length > 0) await leave(await insertShipment(tx, order, { carrier: null, service: null }, units));
  return order;
}

async function takenOut(
  tx: Tx,
  order: Order,
  units: readonly LineUnits[],
  actor: Actor,
  anyway: boolean,
): Promise<Order> {
  const how = { confirmed: true, anyway, products: productsOf(order) };
  return withAllocations(order, await shipAllocatedUnits(tx, order.id, allocationUnits(order, units), actor, how));
}

/** Reserved units of a parcel. */
export function takeable(order: Order, { lines }: Shipment): LineUnits[] {
  const wanted = new Map(lines.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  return unitsOf(order, (line) => Math.min(wanted.get(line.id) ?? 0, line.reserved));
}

/** Whether these are fewer units than a parcel was to hold. */
export function missesUnits({ lines }: Shipment, units: readonly LineUnits[]): boolean {
  const sum = (some: readonly LineUnits[]) => some.reduce((total, { quantity }) => total + quantity, 0);
  return sum(lines) !== sum(units);
}
