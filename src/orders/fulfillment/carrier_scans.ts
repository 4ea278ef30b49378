import type { Actor } from "../../core/actor.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { takeReleasedUnits } from "../../inventory/receiving/restock_units.ts";
import { lockEachOrderAllocation } from "../../inventory/reservations/lock_order_allocation.ts";
import { currentOrderAllocation, resumeOrderAllocation } from "../../inventory/reservations/order_allocations.ts";
import type { LineUnits } from "../../inventory/reservations/reservation.ts";
import type { Tx } from "../../storage/database.ts";
import { pauseAgain, placeHold } from "../changes/holds.ts";
import {
  hasLeft,
  isCancelled,
  isGivenUp,
  isTravelling,
  isUnshipped,
  shipmentTransitions,
} from "../order.transitions.ts";
import { hinderedBy, isStopped, type Order, type OrderParcel, partsOf } from "../order.ts";
import { refuseForbidden, withAllocations } from "../order_lines.ts";
import { lockParcel, saveOrder } from "../orders.sql.ts";
import { arrive } from "./deliver_order.ts";
import { productsOf, refuseShort, uncancelled, withShipment } from "./order_units.ts";
import { withCurrentAllocation } from "./pick_and_pack.ts";
import { missesUnits, saveShipped, shipParcel, takeable } from "./ship_order.ts";
import type { Shipment } from "./shipment.ts";
import { saveShipmentLines } from "./shipments.sql.ts";

/**
 * Ships a parcel, at a person's request or on the carrier's first scan. A carrier's report is never refused: if the
 * order is on hold, short or cancelled, the available units ship, and the order is held for the discrepancy. A voided
 * parcel of an open order ships no units, since they may be in another parcel. A shipped parcel does not change.
 * Refuses: resource_missing, and unless `by_carrier` invalid_state_transition, insufficient_inventory,
 * lot_not_pickable. Emits: order.fulfilled, order.shipped.
 */
export async function handOver(
  tx: Tx,
  shipment_id: number,
  actor: Actor,
  { by_carrier }: { readonly by_carrier: boolean },
): Promise<OrderParcel> {
  const { order: locked, shipment } = await lockParcel(tx, shipment_id);
  if (by_carrier) return scanned(tx, locked, shipment, actor);
  if (!isUnshipped(shipment.status)) return { order: locked, shipment };
  refuseForbidden(locked, "ship");
  const order = await withCurrentAllocation(tx, locked);
  refuseShort(order, false);
  return shipParcel(tx, order, shipment, actor, false);
}

/**
 * Records that a parcel has arrived, and before that, that it has shipped. Refuses: resource_missing.
 * Emits: order.fulfilled, order.shipped, order.delivered.
 */
export async function deliverShipment(tx: Tx, shipment_id: number, actor: Actor): Promise<OrderParcel> {
  const parcel = await lockParcel(tx, shipment_id);
  const { order, shipment } = await scanned(tx, parcel.order, parcel.shipment, actor);
  if (!isTravelling(shipment.status)) return { order, shipment };
  return arrived(tx, order, shipment, actor);
}

/** Whether a parcel that a carrier reports on is where it should be, and nothing contradicts the report. */
export function isExpected({ order, shipment }: OrderParcel): boolean {
  if (isTravelling(shipment.status)) return true;
  return isUnshipped(shipment.status) && !isCancelled(order.status) && hinderedBy(order).length === 0;
}

/**
 * Locks the allocations of locked orders whose parcels are about to ship as expected. Returns, by order id, those of
 * which all units can ship.
 */
export async function readyToLeave(tx: Tx, parcels: readonly OrderParcel[]): Promise<Map<number, OrderParcel>> {
  await lockEachOrderAllocation(
    tx,
    parcels.map(({ order }) => ({ order_id: order.id, products: productsOf(order) })),
  );
  const ready = new Map<number, OrderParcel>();
  for (const { order: locked, shipment } of parcels) {
    const order = withAllocations(locked, await currentOrderAllocation(tx, locked.id));
    if (!missesUnits(shipment, takeable(order, shipment))) ready.set(order.id, { order, shipment });
  }
  return ready;
}

/**
 * Records that a carrier has a parcel that was expected to ship, or has delivered one that was expected to arrive.
 * Emits: order.fulfilled, order.shipped, order.delivered.
 */
export async function carryExpected(
  tx: Tx,
  parcel: OrderParcel,
  act: "ship" | "deliver",
  actor: Actor,
): Promise<OrderParcel> {
  const { order, shipment } = isUnshipped(parcel.shipment.status)
    ? await shipParcel(tx, parcel.order, parcel.shipment, actor, true)
    : parcel;
  return act === "ship" ? { order, shipment } : arrived(tx, order, shipment, actor);
}

async function arrived(tx: Tx, before: Order, parcel: Shipment, actor: Actor): Promise<OrderParcel> {
  const order = await arrive(tx, before, [parcel], actor);
  return { order, shipment: order.shipments.find(({ id }) => id === parcel.id) ?? parcel };
}

/** Records that the carrier has the parcel, whatever the status of its order. */
async function scanned(tx: Tx, before: Order, shipment: Shipment, actor: Actor): Promise<OrderParcel> {
  if (hasLeft(shipment.status)) return { order: before, shipment };
  const name = shipment.tracking_number ?? wireId("shipment", shipment.id);
  if (isCancelled(before.status)) return takenAnyway(tx, before, shipment, name, actor);
  if (isGivenUp(shipment.status)) {
    const order = await discrepancy(tx, before, `The carrier has ${name}, which was voided.`, actor);
    return { order, shipment };
  }
  const stopped = hinderedBy(before).some((reason) => reason !== "carrier_discrepancy");
  const left = await leftOrNot(tx, before, shipment, actor);
  const { order, shipment: gone } = left ?? { order: before, shipment };
  if (left !== null && !left.short && !stopped) return { order, shipment: gone };
  const short = left?.short ? "units of it were not in stock" : "it was held";
  const why = left === null ? "none of its units could leave stock" : short;
  return { order: await discrepancy(tx, order, `The carrier has ${name}, but ${why}.`, actor), shipment: gone };
}

/**
 * The carrier has a parcel of a cancelled order: its available units leave stock, and the order stays cancelled.
 */
async function takenAnyway(
  tx: Tx,
  before: Order,
  shipment: Shipment,
  name: string,
  actor: Actor,
): Promise<OrderParcel> {
  const units = await takenAgain(tx, before, shipment, actor);
  const short = missesUnits(shipment, units) ? ", and not all of it was in stock" : "";
  const note = `The carrier has ${name}, which was voided${short}.`;
  if (units.length === 0 && shipment.lines.length > 0) {
    return { order: await discrepancy(tx, before, note, actor), shipment };
  }
  const status = transition(shipmentTransitions, "take", shipment.status);
  const gone: Shipment = { ...shipment, status, shipped_at: tx.now, lines: units };
  await saveShipped(tx, before, gone);
  if (short !== "") await saveShipmentLines(tx, shipment.id, units);
  const after = uncancelled(withShipment(before, gone), units);
  const order = await saveOrder(tx, before, after, { event: "ship", actor, note: gone.tracking_number });
  return { order: await discrepancy(tx, order, note, actor), shipment: gone };
}

/** Takes units of a parcel out of stock that its order has released. Returns those that were available. */
async function takenAgain(tx: Tx, order: Order, { lines }: Shipment, actor: Actor): Promise<LineUnits[]> {
  const wanted = lines.flatMap(({ order_line_id, quantity }) => {
    const line = order.lines.find(({ id }) => id === order_line_id);
    if (line === undefined) return [];
    return [{ order_line_id, sets: Math.min(quantity, line.quantity_cancelled), parts: partsOf(line) }];
  });
  const taken = await takeReleasedUnits(tx, { order_id: order.id, warehouse_id: order.warehouse_id }, wanted, actor);
  return wanted.flatMap(({ order_line_id }, at) => {
    const quantity = taken[at] ?? 0;
    return quantity > 0 ? [{ order_line_id, quantity }] : [];
  });
}

/** A parcel that has shipped, and whether some of its units did not, since they were not in stock. */
interface DepartedParcel extends OrderParcel {
  readonly short: boolean;
}

/** The parcel after it has shipped; null, with nothing done, if stock refuses all of it. */
async function leftOrNot(tx: Tx, order: Order, shipment: Shipment, actor: Actor): Promise<DepartedParcel | null> {
  try {
    return await tx.nested((part) => shipDespiteHold(part, order, shipment, actor));
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** Ships a parcel of an order whose hold may have released the units: the report shows that they were taken anyway. */
async function shipDespiteHold(tx: Tx, before: Order, shipment: Shipment, actor: Actor): Promise<DepartedParcel> {
  const stopped = isStopped(before);
  // Units may have been taken from the order between the lock of its row and that of its stock.
  const claims = stopped
    ? resumeOrderAllocation(tx, before.id)
    : currentOrderAllocation(tx, before.id, productsOf(before));
  const awake = withAllocations(before, await claims);
  const short = missesUnits(shipment, takeable(awake, shipment));
  const gone = await shipParcel(tx, awake, shipment, actor, true);
  // In the same part as the shipment, since a part of a transaction reads the stock for itself.
  return { order: stopped ? await pauseAgain(tx, gone.order) : gone.order, shipment: gone.shipment, short };
}

/** Holds the order until a person has checked it, once for each finding. */
async function discrepancy(tx: Tx, order: Order, note: string, actor: Actor): Promise<Order> {
  const reason = "carrier_discrepancy";
  if (order.holds.some((hold) => hold.reason === reason && hold.note === note)) return order;
  const hold = { reason, note, hold_until: null, reserve_inventory: true, created_at: tx.now } as const;
  return placeHold(tx, order, hold, actor);
}
