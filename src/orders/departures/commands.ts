import type { Tx } from "../../database/store.ts";
import { shipClaim } from "../../inventory/claims/commands.ts";
import type { LineUnits } from "../../inventory/reservations/claim.ts";
import type { Actor } from "../../kit/actor.ts";
import { type Fault, invalid } from "../../kit/fault.ts";
import { move } from "../../kit/moves.ts";
import { emit } from "../../outbox/emit.ts";
import { orderEvent } from "../events.ts";
import { type AskedAct, actOnEach, stage, withFreshClaim } from "../fulfillment/commands.ts";
import {
  chosenShipment,
  claimUnits,
  nothingToTake,
  outcomeOfShipping,
  packedInHouse,
  productsOf,
  raised,
  refuseEmpty,
  refuseShort,
  unitsOf,
  withShipment,
} from "../fulfillment/rules.ts";
import type { Order, Parcel } from "../order.ts";
import { refusal, refuseForbidden, withClaims } from "../rules.ts";
import type { ShipOrder } from "../schemas.ts";
import type { Shipment } from "../shipments/shipment.ts";
import { isInHouse, shipmentMoves } from "../shipments/status.ts";
import { insertShipment, markUnreported, saveShipment, saveShipmentLines } from "../shipments/store.ts";
import { givenTrackingNumber } from "../shipments/tracking_number.ts";
import { trackingUrl } from "../shipments/tracking_url.ts";
import { orderMoves } from "../status.ts";
import { lockOrder, saveOrder } from "../store.ts";

/**
 * Hands over the parcel named, else the oldest that waits, else all that is packed in a new one. While no parcel has a
 * tracking number and none is given, they all leave, and what is packed beside them. Performs the steps before it.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, insufficient_inventory.
 * Emits: order.fulfilled, order.shipped, once nothing of the order is left in the house.
 */
export async function shipOrder(tx: Tx, id: string, asked: ShipOrder, actor: Actor): Promise<Order> {
  const input = { ...asked, tracking_number: givenTrackingNumber("tracking_number", asked.tracking_number) };
  return shipLocked(tx, await lockOrder(tx, id), input, actor);
}

/** As `shipOrder`, of many orders at once. Answers each order or its refusal, or that it has to be shipped alone. */
export function shipOrders(tx: Tx, asked: readonly AskedAct<ShipOrder>[]): Promise<(Order | Fault | "alone")[]> {
  return actOnEach(tx, asked, {
    action: "ship",
    // With several parcels, a later one might be refused after an earlier one has left.
    isPlain: ({ shipment_id, carrier, service, tracking_number }, order) =>
      [shipment_id, carrier, service, tracking_number].every((said) => said == null) && inHouse(order).length <= 1,
    opens: () => true,
    check: (order, { partial = false }) => {
      const [parcel] = inHouse(order);
      if (parcel === undefined) return refuseEmpty(order, partial);
      refuseShort(order, partial);
      if (parcel.lines.length > 0 && takeable(order, parcel).length === 0) throw nothingToTake(order);
    },
    act: shipLocked,
  });
}

const inHouse = ({ shipments }: Order) => shipments.filter(({ status }) => isInHouse(status));

async function shipLocked(tx: Tx, locked: Order, input: ShipOrder, actor: Actor): Promise<Order> {
  const chosen = input.shipment_id === undefined ? null : chosenShipment(locked, input.shipment_id);
  refuseForbidden(locked, "ship");
  const order = await withFreshClaim(tx, locked);
  if (chosen !== null && !isInHouse(chosen.status)) {
    throw refusal(locked, "ship", `that parcel is ${chosen.status}`);
  }
  refuseShort(order, input.partial ?? false);
  const waiting = inHouse(order);
  const apart = (input.tracking_number ?? null) !== null || waiting.some((parcel) => parcel.tracking_number !== null);
  const leaving = chosen !== null ? [chosen] : waiting.slice(0, apart ? 1 : undefined);
  let rest = order;
  for (const parcel of leaving) {
    const shipment = await completed(tx, parcel, input);
    rest = (await leave(tx, withShipment(rest, shipment), shipment, actor, false)).order;
  }
  const more = chosen === null && !apart && unitsOf(rest, packedInHouse).length > 0;
  if (leaving.length > 0 && !more) return rest;
  const shipment = await packedParcel(tx, rest, leaving.length > 0 ? { ...input, partial: true } : input);
  return (await leave(tx, withShipment(rest, shipment), shipment, actor, false)).order;
}

/** The parcel with what the request adds to it; what is known of it already cannot be changed here. */
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

/** A new parcel of all that stands packed, or of all that can be taken when that is not enough. */
async function packedParcel(tx: Tx, order: Order, input: ShipOrder): Promise<Shipment> {
  const packed = unitsOf(order, packedInHouse);
  const units = input.partial && packed.length > 0 ? packed : unitsOf(order, (line) => line.reserved);
  if (units.length === 0) throw nothingToTake(order);
  const { carrier = null, service = null, tracking_number = null } = input;
  return insertShipment(tx, order, { carrier, service, tracking_number }, units);
}

/**
 * Hands a parcel over: performs the steps that are missing for its units and takes them out of stock. Units that are
 * not in stock stay open.
 */
export async function leave(
  tx: Tx,
  before: Order,
  shipment: Shipment,
  actor: Actor,
  by_carrier: boolean,
): Promise<Parcel> {
  const units = takeable(before, shipment);
  // A further carton of the same goods counts no units: it leaves, and stock stays as it is.
  const carton = shipment.lines.length === 0;
  const staged = carton
    ? before
    : await takenOut(tx, await stage(tx, before, { units, parcels: 1 }, actor), units, actor, by_carrier);
  const left = move(shipmentMoves, "ship", shipment.status);
  const gone: Shipment = { ...shipment, status: left, shipped_at: tx.now, lines: units };
  await saveGone(tx, before, gone);
  if (missesUnits(shipment, units)) await saveShipmentLines(tx, shipment.id, units);
  const moved = raised(withShipment(staged, gone), "quantity_shipped", units);
  const outcome = outcomeOfShipping(moved, carton);
  const whole = outcome === "ship";
  const status = move(orderMoves, outcome, staged.status);
  const after: Order = { ...moved, status, shipped_at: whole ? tx.now : moved.shipped_at };
  const order = await saveOrder(tx, staged, after, { event: "ship", actor, note: gone.tracking_number });
  if (whole) await emit(tx, [orderEvent("order.shipped", order, tx.now, staged)]);
  return { order, shipment: gone };
}

/** Stores a parcel that has left. A job tells the platform that its order came from. */
export async function saveGone(tx: Tx, { source_external_id }: Order, gone: Shipment): Promise<void> {
  await saveShipment(tx, gone);
  if (source_external_id === null) return;
  await markUnreported(tx, gone.id);
  tx.wake("platforms.report", tx.now);
}

async function takenOut(
  tx: Tx,
  order: Order,
  units: readonly LineUnits[],
  actor: Actor,
  anyway: boolean,
): Promise<Order> {
  const how = { confirmed: true, anyway, products: productsOf(order) };
  return withClaims(order, await shipClaim(tx, order.id, claimUnits(order, units), actor, how));
}

/** Units of a parcel that stock has promised. */
export function takeable(order: Order, { lines }: Shipment): LineUnits[] {
  const wanted = new Map(lines.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  return unitsOf(order, (line) => Math.min(wanted.get(line.id) ?? 0, line.reserved));
}

/** Whether these are fewer units than a parcel was to hold. */
export function missesUnits({ lines }: Shipment, units: readonly LineUnits[]): boolean {
  const sum = (some: readonly LineUnits[]) => some.reduce((total, { quantity }) => total + quantity, 0);
  return sum(lines) !== sum(units);
}
