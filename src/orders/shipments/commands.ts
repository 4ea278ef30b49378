import type { Tx } from "../../database/store.ts";
import { freshClaim, resumeClaim, shipClaim } from "../../inventory/claims/commands.ts";
import { takeGivenUp } from "../../inventory/putbacks/commands.ts";
import type { LineUnits } from "../../inventory/reservations/claim.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { Fault, invalid, missing } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { emit } from "../../outbox/emit.ts";
import { orderEvent } from "../events.ts";
import { stage, withFreshClaim } from "../fulfillment/commands.ts";
import {
  claimUnits,
  isAway,
  isPacked,
  nothingToTake,
  packedInHouse,
  raised,
  refuseShort,
  uncancelled,
  unitsOf,
  unitsWithoutParcel,
} from "../fulfillment/rules.ts";
import type { Entry } from "../history/store.ts";
import { pauseAgain, placeHold } from "../holds/commands.ts";
import { actionsOf, isStopped, type Order, partsOf } from "../order.ts";
import { decide, refusal, withClaims } from "../rules.ts";
import type { DeliverOrder, ShipOrder } from "../schemas.ts";
import { lockOrder, saveOrder } from "../store.ts";
import type { Carriage, Shipment, ShipmentLine } from "./shipment.ts";
import {
  findOrderOfShipment,
  insertShipment,
  saveShipment,
  saveShipmentLines,
  saveTracking,
  saveUntold,
} from "./store.ts";
import { givenTrackingNumber } from "./tracking_number.ts";
import { trackingUrl } from "./tracking_url.ts";

/** A parcel together with its order, as a command left them. */
export interface Parcel {
  readonly order: Order;
  readonly shipment: Shipment;
}

/**
 * Opens a parcel for units of a locked order, by default all open ones that are in no other; it waits to be handed
 * over. An empty list makes one more carton of the same goods, which counts no units of its own. The order's history
 * and version tell of it once it is labelled.
 * Refuses: invalid_state_transition (held, cancelled, or nothing left), validation_failed.
 */
export async function openShipment(
  tx: Tx,
  before: Order,
  wanted: Carriage & { readonly units?: readonly ShipmentLine[] | null },
): Promise<Parcel> {
  if (!actionsOf(before).includes("ship")) throw refusal(before, "label");
  const free = unitsWithoutParcel(before);
  const units = wanted.units ?? free;
  if (units.length === 0 && !wanted.units) throw refusal(before, "label", "every open unit is in a parcel already");
  for (const { order_line_id, quantity } of units) {
    const left = free.find((line) => line.order_line_id === order_line_id)?.quantity ?? 0;
    if (quantity > left) throw invalid("units", `are ${quantity - left} more than are left of a line`, "too_large");
  }
  const shipment = await insertShipment(tx, before.id, wanted, units);
  return { order: { ...before, shipments: [...before.shipments, shipment] }, shipment };
}

/** Writes the tracking number of the label on a parcel that was just opened, and tells the order's history. */
export async function labelShipment(
  tx: Tx,
  { order, shipment }: Parcel,
  { tracking_number, told_url }: { readonly tracking_number: string; readonly told_url: string | null },
  actor: Actor,
): Promise<Parcel> {
  assert(
    await saveTracking(tx, shipment.id, { tracking_number, told_url }),
    `shipment ${shipment.id} is there to be labelled`,
  );
  const { carrier, service } = shipment;
  const labelled: Shipment = {
    ...shipment,
    ...{ tracking_number, told_url },
    tracking_url: trackingUrl(tx, { ...shipment, tracking_number, told_url }),
  };
  const note = [tracking_number, carrier, service].filter((word) => word !== null).join(" ");
  const after = withShipment(order, labelled);
  return { order: await saveOrder(tx, order, after, { event: "label", actor, note }), shipment: labelled };
}

/**
 * Gives up a parcel that has not left: its units are free for another.
 * Refuses: resource_missing, label_not_voidable. Emits: order.shipped, order.delivered, when all else had left already.
 */
export async function voidShipment(tx: Tx, shipment_id: number, actor: Actor): Promise<Parcel> {
  const { order, shipment } = await lockParcel(tx, shipment_id);
  if (shipment.status === "voided") return { order, shipment };
  if (shipment.status !== "pending") {
    throw new Fault("label_not_voidable", `Parcel ${wireId("shipment", shipment_id)} has left.`);
  }
  const voided: Shipment = { ...shipment, status: "voided" };
  await saveShipment(tx, voided);
  const note = shipment.tracking_number;
  const saved = await saveLess(tx, order, withShipment(order, voided), { event: "void", actor, note });
  return { order: saved, shipment: voided };
}

/**
 * Saves an order of which units or parcels were given up, and derives its state anew from what is left: it may wait for
 * nothing more to be packed, to leave, or to arrive. Emits: order.fulfilled, order.shipped, order.delivered.
 */
export async function saveLess(tx: Tx, before: Order, less: Order, entry: Entry): Promise<Order> {
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
 * Hands over the parcel named, else the oldest that waits, else all that is packed in a new one. While no parcel has a
 * tracking number and none is given, they all leave, and what is packed beside them. Performs the steps before it.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, insufficient_inventory.
 * Emits: order.fulfilled, order.shipped, once nothing of the order is left in the house.
 */
export async function shipOrder(tx: Tx, id: string, asked: ShipOrder, actor: Actor): Promise<Order> {
  const input = { ...asked, tracking_number: givenTrackingNumber("tracking_number", asked.tracking_number) };
  const locked = await lockOrder(tx, id);
  const chosen = input.shipment_id === undefined ? null : chosenShipment(locked, input.shipment_id);
  decide(locked, "ship");
  const order = await withFreshClaim(tx, locked);
  if (chosen !== null && chosen.status !== "pending") throw refusal(locked, "ship", `that parcel is ${chosen.status}`);
  refuseShort(order, input.partial ?? false);
  const waiting = order.shipments.filter(({ status }) => status === "pending");
  const apart = input.tracking_number !== null || waiting.some((parcel) => parcel.tracking_number !== null);
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

function chosenShipment(order: Order, id: string | number): Shipment {
  const number = readId("shipment", id);
  const found = order.shipments.find((shipment) => shipment.id === number);
  if (found !== undefined) return found;
  throw new Fault("resource_missing", `Order ${wireId("order", order.id)} has no such parcel: ${id}.`, {
    fields: [{ field: "shipment_id", code: "resource_missing", message: "names no parcel of this order" }],
  });
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
  return insertShipment(tx, order.id, { carrier, service, tracking_number }, units);
}

/**
 * The parcel leaves the house: as a person says, or as the carrier's first scan tells. What a carrier reports is never
 * refused: of a held, short or cancelled order the units leave that can, and the order is held for the discrepancy; of
 * a parcel that was given up while its order goes on, nothing leaves, since its units may be in another. A
 * parcel that has left already stays as it is. Refuses: resource_missing, and unless `by_carrier`
 * invalid_state_transition, insufficient_inventory, lot_not_pickable. Emits: order.fulfilled, order.shipped.
 */
export async function handOver(
  tx: Tx,
  shipment_id: number,
  actor: Actor,
  { by_carrier }: { readonly by_carrier: boolean },
): Promise<Parcel> {
  const { order: locked, shipment } = await lockParcel(tx, shipment_id);
  if (by_carrier) return scanned(tx, locked, shipment, actor);
  if (shipment.status !== "pending") return { order: locked, shipment };
  decide(locked, "ship");
  const order = await withFreshClaim(tx, locked);
  refuseShort(order, false);
  return leave(tx, order, shipment, actor, false);
}

/**
 * Notes that a parcel has arrived, and before that that it has left. Refuses: resource_missing.
 * Emits: order.fulfilled, order.shipped, order.delivered.
 */
export async function deliverShipment(tx: Tx, shipment_id: number, actor: Actor): Promise<Parcel> {
  const found = await lockParcel(tx, shipment_id);
  const { order, shipment } = await scanned(tx, found.order, found.shipment, actor);
  if (shipment.status !== "shipped") return { order, shipment };
  const delivered = await arrive(tx, order, [shipment], actor);
  return { order: delivered, shipment: delivered.shipments.find(({ id }) => id === shipment_id) ?? shipment };
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

async function lockParcel(tx: Tx, shipment_id: number): Promise<Parcel> {
  const order_id = await findOrderOfShipment(tx, shipment_id);
  if (order_id === null) throw missing("shipment", shipment_id);
  const order = await lockOrder(tx, order_id);
  const shipment = order.shipments.find(({ id }) => id === shipment_id);
  assert(shipment !== undefined, "an order has the parcels that name it");
  return { order, shipment };
}

function withShipment(order: Order, shipment: Shipment): Order {
  const known = order.shipments.some(({ id }) => id === shipment.id);
  const shipments = known
    ? order.shipments.map((other) => (other.id === shipment.id ? shipment : other))
    : [...order.shipments, shipment];
  return { ...order, shipments };
}

/** Performs the missing steps for a parcel's units and takes them out of stock; units that are not there stay open. */
async function leave(tx: Tx, before: Order, shipment: Shipment, actor: Actor, by_carrier: boolean): Promise<Parcel> {
  const units = takeable(before, shipment);
  // A further carton of the same goods counts no units: it leaves, and stock stays as it is.
  const carton = shipment.lines.length === 0;
  const staged = carton ? before : await takenOut(tx, await stage(tx, before, units, actor), units, actor, by_carrier);
  const gone: Shipment = { ...shipment, status: "shipped", shipped_at: tx.now, lines: units };
  await saveGone(tx, before, gone);
  if (missesUnits(shipment, units)) await saveShipmentLines(tx, shipment.id, units);
  const moved = raised(withShipment(staged, gone), "quantity_shipped", units);
  const whole = isAway(moved);
  const after: Order = whole ? { ...moved, status: "shipped", shipped_at: tx.now } : moved;
  const order = await saveOrder(tx, staged, after, { event: "ship", actor, note: gone.tracking_number });
  if (whole) await emit(tx, [orderEvent("order.shipped", order, tx.now, staged)]);
  return { order, shipment: gone };
}

/** Stores a parcel that has left. The platform that its order came from is told of it later. */
async function saveGone(tx: Tx, { source_external_id }: Order, gone: Shipment): Promise<void> {
  await saveShipment(tx, gone);
  if (source_external_id === null) return;
  await saveUntold(tx, gone.id);
  tx.wake("platforms.report", tx.now);
}

async function takenOut(
  tx: Tx,
  order: Order,
  units: readonly LineUnits[],
  actor: Actor,
  anyway: boolean,
): Promise<Order> {
  return withClaims(order, await shipClaim(tx, order.id, claimUnits(order, units), actor, { confirmed: true, anyway }));
}

/** Units of a parcel that stock has promised. */
function takeable(order: Order, { lines }: Shipment): LineUnits[] {
  const wanted = new Map(lines.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  return unitsOf(order, (line) => Math.min(wanted.get(line.id) ?? 0, line.reserved));
}

function missesUnits({ lines }: Shipment, units: readonly LineUnits[]): boolean {
  const sum = (some: readonly LineUnits[]) => some.reduce((total, { quantity }) => total + quantity, 0);
  return sum(lines) !== sum(units);
}

/** The carrier has the parcel, whatever we know of its order. */
async function scanned(tx: Tx, before: Order, shipment: Shipment, actor: Actor): Promise<Parcel> {
  if (shipment.status !== "pending" && shipment.status !== "voided") return { order: before, shipment };
  const name = shipment.tracking_number ?? wireId("shipment", shipment.id);
  if (before.status === "cancelled") return takenAnyway(tx, before, shipment, name, actor);
  if (shipment.status === "voided") {
    const order = await discrepancy(tx, before, `The carrier has ${name}, which was given up.`, actor);
    return { order, shipment };
  }
  const stopped = before.holds.some(({ reason }) => reason !== "carrier_discrepancy");
  const left = await leftOrNot(tx, before, shipment, actor);
  const { order, shipment: gone } = left ?? { order: before, shipment };
  if (left !== null && !left.short && !stopped) return { order, shipment: gone };
  const short = left?.short ? "units of it were not in stock" : "it was held";
  const why = left === null ? "none of its units could leave stock" : short;
  return { order: await discrepancy(tx, order, `The carrier has ${name}, but ${why}.`, actor), shipment: gone };
}

/** The carrier has a parcel of a cancelled order: what there is of it leaves stock, and the order stays cancelled. */
async function takenAnyway(tx: Tx, before: Order, shipment: Shipment, name: string, actor: Actor): Promise<Parcel> {
  const units = await takenAgain(tx, before, shipment, actor);
  const short = missesUnits(shipment, units) ? ", and not all of it was in stock" : "";
  const note = `The carrier has ${name}, which was given up${short}.`;
  if (units.length === 0 && shipment.lines.length > 0) {
    return { order: await discrepancy(tx, before, note, actor), shipment };
  }
  const gone: Shipment = { ...shipment, status: "shipped", shipped_at: tx.now, lines: units };
  await saveGone(tx, before, gone);
  if (short !== "") await saveShipmentLines(tx, shipment.id, units);
  const after = uncancelled(withShipment(before, gone), units);
  const order = await saveOrder(tx, before, after, { event: "ship", actor, note: gone.tracking_number });
  return { order: await discrepancy(tx, order, note, actor), shipment: gone };
}

/** Takes a parcel's units out of stock that its order has given up; answers those that were there. */
async function takenAgain(tx: Tx, order: Order, { lines }: Shipment, actor: Actor): Promise<LineUnits[]> {
  const wanted = lines.flatMap(({ order_line_id, quantity }) => {
    const line = order.lines.find(({ id }) => id === order_line_id);
    if (line === undefined) return [];
    return [{ order_line_id, sets: Math.min(quantity, line.quantity_cancelled), parts: partsOf(line) }];
  });
  const taken = await takeGivenUp(tx, { order_id: order.id, warehouse_id: order.warehouse_id }, wanted, actor);
  return wanted.flatMap(({ order_line_id }, at) => {
    const quantity = taken[at] ?? 0;
    return quantity > 0 ? [{ order_line_id, quantity }] : [];
  });
}

/** A parcel that has left, and whether units of it did not, since they were not in stock. */
interface Gone extends Parcel {
  readonly short: boolean;
}

/** The parcel after it has left, or null, and nothing done, when stock refuses all of it. */
async function leftOrNot(tx: Tx, order: Order, shipment: Shipment, actor: Actor): Promise<Gone | null> {
  try {
    return await tx.nested((part) => leaveAwake(part, order, shipment, actor));
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** A hold may have given the units free; the parcel shows that they were taken all the same. */
async function leaveAwake(tx: Tx, before: Order, shipment: Shipment, actor: Actor): Promise<Gone> {
  const stopped = isStopped(before);
  // Units may have been taken from the order between the lock of its row and that of its stock.
  const awake = withClaims(before, await (stopped ? resumeClaim : freshClaim)(tx, before.id));
  const short = missesUnits(shipment, takeable(awake, shipment));
  const gone = await leave(tx, awake, shipment, actor, true);
  // In the same part as the parcel's leaving, since a part has the stock read for itself.
  return { order: stopped ? await pauseAgain(tx, gone.order) : gone.order, shipment: gone.shipment, short };
}

/** Holds the order until a person has looked, once for each finding. */
async function discrepancy(tx: Tx, order: Order, note: string, actor: Actor): Promise<Order> {
  const reason = "carrier_discrepancy";
  if (order.holds.some((hold) => hold.reason === reason && hold.note === note)) return order;
  const hold = { reason, note, hold_until: null, reserve_inventory: true, created_at: tx.now } as const;
  return placeHold(tx, order, hold, actor);
}

async function arrive(tx: Tx, before: Order, parcels: readonly Shipment[], actor: Actor): Promise<Order> {
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
