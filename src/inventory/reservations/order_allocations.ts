// What an order asks of the stock. An order's claim is a reservation; these commands are called by the features above.

import type { Actor } from "../../core/actor.ts";
import { assert, Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import type { Tx } from "../../storage/database.ts";
import {
  isCommitted,
  isReleased,
  isReserved,
  type ReservationStatus,
  reservationTransitions,
} from "../inventory.transitions.ts";
import { isLotGood } from "../stock/product_stock.ts";
import { withAllocations } from "./allocations.sql.ts";
import {
  addUnits,
  assignUnits,
  count,
  itemOf,
  replaceLines,
  setCounts,
  unpicked,
  unpickedUnits,
} from "./allocations.ts";
import { fillBackorders, lockFreshStock } from "./backorders.ts";
import { change, holdLines, lockOrderAllocation, lockOrderAllocations, setAvoids } from "./lock_order_allocation.ts";
import { type LockedStockMap, lockedStockOf } from "./locked_stock.ts";
import { allotmentsOf, type ProductAllotment } from "./passed_over_stock.ts";
import { handOutUnits, missUnits, pickUnits, unpickUnits } from "./pick_units.ts";
import { plannedAllocation, planOrderAllocations, storeOrderAllocations } from "./plan_order_allocations.ts";
import { planStock, type StockPlan, type StockPortion, shortageFault } from "./plan_stock.ts";
import type {
  AllocationLine,
  AllocationUnits,
  MissingUnits,
  OrderAllocation,
  PartUnits,
  PickedUnits,
  TakenUnits,
} from "./reservation.ts";
import { type AvoidedItem, allocationLine, type HeldLine, isOverdue, type Reservation } from "./reservation.ts";
import {
  findAdoptable,
  findOrderReservation,
  findReservation,
  listLines,
  saveLines,
  saveReservation,
  saveState,
} from "./reservations.sql.ts";

/**
 * Reserves at once what an order wants and there is; the rest is backordered. An earlier reservation for this order is
 * adopted, its surplus released. Refuses: insufficient_inventory (where the order allows no backorder),
 * resource_missing, reservation_closed, reservation_committed. Emits: inventory.updated, inventory.low_stock.
 */
export async function allocateForOrder(tx: Tx, claim: OrderAllocation): Promise<AllocationLine[]> {
  // Read before their stock is locked, so that it is locked all at once, in the one order that everyone keeps.
  const seen = (await adoptedBy(tx, claim)).map(({ id }) => id);
  const theirs = seen.length === 0 ? [] : await listLines(tx, seen);
  const shelves = await lockFreshStock(tx, productsOf([...claim.lines, ...theirs]));
  // Read again under the lock: one that was made at the same moment has taken units by now, or will find none.
  const found = await adoptedBy(tx, claim);
  if (found.length === 0) return allocateAnew(tx, shelves, claim);
  const adopted = await withLockedStock(tx, shelves, claim, found);
  const old = await withAllocations(
    tx,
    await listLines(
      tx,
      adopted.map(({ id }) => id),
    ),
  );
  const [first, ...others] = adopted;
  if (first === undefined) return allocateAnew(tx, shelves, claim);
  const { lines } = await saveOrderAllocation(tx, shelves, claim, first, old);
  for (const other of others) {
    const status = transition<ReservationStatus, typeof reservationTransitions>(
      reservationTransitions,
      "release",
      other.status,
    );
    await saveState(tx, { ...other, status, released_at: tx.now });
  }
  await fillBackorders(tx, shelves, productsOf(old));
  return lines.map(allocationLine);
}

/** Claims stock for an order that adopts nothing. */
async function allocateAnew(tx: Tx, shelves: LockedStockMap, claim: OrderAllocation): Promise<AllocationLine[]> {
  const [portions = []] = planOrderAllocations(tx, shelves, [claim]);
  if (portions instanceof Fault) throw portions;
  const [stored] = await storeOrderAllocations(tx, shelves, [plannedAllocation(tx, claim, portions)]);
  return (stored?.lines ?? []).map(allocationLine);
}

/** Opens what more shelves an order's earlier reservations hold units of; answers those that are there still. */
async function withLockedStock(
  tx: Tx,
  shelves: LockedStockMap,
  claim: OrderAllocation,
  found: readonly Reservation[],
): Promise<readonly Reservation[]> {
  const ids = found.map(({ id }) => id);
  const more = productsOf(await listLines(tx, ids)).filter((product_id) => !shelves.has(product_id));
  if (more.length === 0) return found;
  await lockFreshStock(tx, more);
  // They may have been released or adopted before this stock was locked.
  return (await adoptedBy(tx, claim)).filter(({ id }) => ids.includes(id));
}

function noSuchReservation(id: string): Fault {
  const fields = [{ field: "reservation_id", code: "resource_missing", message: "names no reservation" }];
  return new Fault("resource_missing", `No such reservation: ${id}.`, { resource: "reservation", fields });
}

/** The reservations that an order takes over: the one it names, or those made for its number. */
async function adoptedBy(tx: Tx, claim: OrderAllocation): Promise<Reservation[]> {
  const { reservation_id, order_number, source, merchant_id } = claim;
  if (reservation_id === null) return findAdoptable(tx, order_number, source, merchant_id);
  const named = await findReservation(tx, reservation_id);
  if (named === null || named.merchant_id !== merchant_id)
    throw noSuchReservation(wireId("reservation", reservation_id));
  if (named.order_id !== null) {
    throw new Fault("reservation_committed", `${wireId("reservation", named.id)} belongs to another order.`);
  }
  if (!isReserved(named.status) || isOverdue(named, tx.now)) {
    throw new Fault("reservation_closed", `${wireId("reservation", named.id)} is over.`);
  }
  return [named];
}

/**
 * Replaces what an order wants: units no longer wanted are released, new ones reserved where there are any. Nothing of
 * the order may have been picked. Refuses: insufficient_inventory. Emits: inventory.updated, inventory.low_stock.
 */
export async function reviseOrderAllocation(tx: Tx, claim: OrderAllocation): Promise<AllocationLine[]> {
  const products = productsOf(claim.lines);
  const open = await lockOrderAllocation(tx, claim.order_id, products);
  const { reservation, lines, shelves } = open;
  assert(
    lines.every((line) => line.picked === 0),
    "an order is revised before anything is picked",
  );
  const revised = await saveOrderAllocation(tx, shelves, claim, reservation, lines);
  open.reservation = revised.reservation;
  holdLines(tx, open, revised.lines);
  await fillBackorders(tx, shelves, productsOf(lines));
  return open.lines.map(allocationLine);
}

/** Plans for a claim with what it holds already, and stores the reservation with its new lines. */
async function saveOrderAllocation(
  tx: Tx,
  shelves: LockedStockMap,
  claim: OrderAllocation,
  before: Reservation,
  old: readonly HeldLine[],
): Promise<{ readonly reservation: Reservation; readonly lines: HeldLine[] }> {
  const { order_id, order_number: order_ref, source, priority, warehouse_id, requires_cold_storage } = claim;
  // An order on hold that gave its stock back takes none before it is released.
  const waits = before.paused && old.length > 0 && old.every((line) => line.reserved === 0);
  const own = unpickedUnits(shelves, old);
  const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids: before.avoids, own };
  const { portions, missing } = waits ? noPlan(claim) : planStock(claim.lines, shelves, options);
  const isShort = !waits && missing.some((units) => units > 0);
  if (isShort && !claim.allow_backorder) throw shortageFault(claim.lines, missing, shelves, options);
  const row = { order_id, order_ref, source, priority, warehouse_id, requires_cold_storage };
  const reservation = { ...before, ...row, expires_at: null };
  await saveReservation(tx, reservation);
  return { reservation, lines: await replaceLines(tx, shelves, before, old, claim.lines, portions) };
}

function noPlan({ lines }: OrderAllocation): StockPlan {
  return { portions: lines.map(() => []), missing: lines.map((line) => line.quantity) };
}

function productsOf(lines: readonly { readonly product_id: number }[]): number[] {
  return [...new Set(lines.map((line) => line.product_id))];
}

/**
 * What stock holds for an order at this moment, after reservations past their time have given back their units and
 * whoever waited for them has them. Emits: inventory.updated, inventory.low_stock.
 */
export async function currentOrderAllocation(
  tx: Tx,
  order_id: number,
  products: readonly number[] | null = null,
): Promise<AllocationLine[]> {
  const { lines } = await lockOrderAllocation(tx, order_id, [], products);
  return lines.map(allocationLine);
}

/** Whether all units that an order's open claim holds are of lots that may leave the house. */
export function mayAllLeave(tx: Tx, order_id: number): boolean {
  const claim = lockOrderAllocations(tx).get(order_id);
  assert(claim, `the claim of order ${order_id} is open`);
  return claim.lines.every(({ product_id, allocations }) =>
    allocations.every(({ stock_item_id }) => isLotGood(itemOf(claim.shelves, product_id, stock_item_id), tx.now)),
  );
}

/**
 * Commits an order's claim as work on the order begins, and plans its unpicked units anew, first expired first.
 * Refuses: invalid_state_transition. Emits: inventory.updated, inventory.low_stock.
 */
export async function commitOrderAllocation(tx: Tx, order_id: number): Promise<AllocationLine[]> {
  const claim = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, shelves } = claim;
  if (isCommitted(reservation.status)) return lines.map(allocationLine);
  const status = transition<ReservationStatus, typeof reservationTransitions>(
    reservationTransitions,
    "commit",
    reservation.status,
  );
  await planAnew(tx, shelves, reservation, lines);
  await change(tx, claim, { status, expires_at: null });
  await fillBackorders(tx, shelves, productsOf(lines));
  return lines.map(allocationLine);
}

/**
 * Changes how an order's stock is to be chosen and how urgent it is, and plans its unpicked units anew; what has been
 * picked stays. Refuses: insufficient_inventory. Emits: inventory.updated, inventory.low_stock.
 */
export async function replanOrderAllocation(tx: Tx, claim: OrderAllocation): Promise<AllocationLine[]> {
  const { order_id, priority, requires_cold_storage, allow_backorder } = claim;
  const open = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, shelves } = open;
  await change(tx, open, { priority, requires_cold_storage });
  // An order on hold that gave its stock back takes none before it is released.
  if (reservation.paused && lines.every((line) => line.reserved === 0)) return lines.map(allocationLine);
  const { wants, missing, options } = await planAnew(tx, shelves, open.reservation, lines);
  if (!allow_backorder && missing.some((units) => units > 0)) throw shortageFault(wants, missing, shelves, options);
  await fillBackorders(tx, shelves, productsOf(lines));
  return lines.map(allocationLine);
}

/** What a choice of stock that was made anew takes from where, and whether it differs from the choice before. */
interface Reallocation {
  readonly allotments: readonly ProductAllotment[];
  readonly changed: boolean;
}

/**
 * Plans an order's unpicked units anew at this moment, also of stock where units were missing before, and tells what
 * was chosen and why other stock was passed over; what has been picked stays.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function reallocateOrder(tx: Tx, order_id: number): Promise<Reallocation> {
  const claim = await lockOrderAllocation(tx, order_id);
  const { lines, shelves } = claim;
  if (claim.reservation.avoids !== null) await setAvoids(tx, claim, null);
  const { wants, options, plan } = planFor(tx, shelves, claim.reservation, lines);
  // Told before the promises move, since they change what was free.
  const allotments = allotmentsOf(wants, plan, shelves, options);
  await assignPlan(tx, shelves, lines, plan.portions);
  await fillBackorders(tx, shelves, productsOf(lines));
  const now = unpickedUnits(shelves, lines);
  const changed = now.size !== options.own.size || [...now].some(([item, units]) => options.own.get(item) !== units);
  return { allotments, changed };
}

/** Plans the unpicked units of a claim anew, of stock that suits it now, and gives its lines what was found. */
async function planAnew(tx: Tx, shelves: LockedStockMap, reservation: Reservation, lines: readonly HeldLine[]) {
  const { wants, options, plan } = planFor(tx, shelves, reservation, lines);
  await assignPlan(tx, shelves, lines, plan.portions);
  return { wants, missing: plan.missing, options };
}

/** What a claim's unpicked units would be of, as stock is now. */
function planFor(
  tx: Tx,
  shelves: LockedStockMap,
  { warehouse_id, requires_cold_storage, avoids }: Reservation,
  lines: readonly HeldLine[],
) {
  const wants = lines.map(({ product_id, wanted, picked }) => ({ product_id, quantity: wanted - picked }));
  const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids, own: unpickedUnits(shelves, lines) };
  return { wants, options, plan: planStock(wants, shelves, options) };
}

/** Gives lines these unpicked units in place of those they hold, and saves their counts. */
async function assignPlan(
  tx: Tx,
  shelves: LockedStockMap,
  lines: readonly HeldLine[],
  portions: readonly (readonly StockPortion[])[],
): Promise<void> {
  await assignUnits(
    tx,
    shelves,
    lines.map((line, at) => ({ line, portions: portions[at] ?? [] })),
  );
  const counted = lines.filter((line, at) => {
    const unpicked = (portions[at] ?? []).reduce((sum, portion) => sum + portion.quantity, 0);
    return count(shelves, line, { reserved: line.picked + unpicked });
  });
  await saveLines(tx, counted);
}

/**
 * Takes units of an order from the shelf to its staging bin; the promise moves with them, also when they are of another
 * lot or bin than planned. Answers what stock holds then, and what was taken where.
 * Refuses: insufficient_inventory, lot_not_pickable. Emits: inventory.updated.
 */
export async function pickAllocatedUnits(
  tx: Tx,
  order_id: number,
  picks: readonly PickedUnits[],
  how: { readonly confirmed: boolean; readonly actor: Actor },
): Promise<{ readonly claims: AllocationLine[]; readonly taken: TakenUnits[] }> {
  const { lines, shelves } = await lockOrderAllocation(tx, order_id);
  const wanted = picks.map((pick) => ({ line: lineOf(lines, pick), pick }));
  const taken = await pickUnits(tx, shelves, { order_id, ...how }, wanted);
  return { claims: lines.map(allocationLine), taken };
}

/**
 * Takes note that planned units of an order were not found: they are written off or given free, and others are planned
 * in their place. Answers what stock holds now, and which units nothing else could be had for.
 * Refuses: insufficient_inventory. Emits: inventory.updated, inventory.low_stock.
 */
export async function reportMissingUnits(
  tx: Tx,
  order_id: number,
  misses: readonly MissingUnits[],
  actor: Actor,
): Promise<{ readonly claims: AllocationLine[]; readonly short: PartUnits[] }> {
  const claim = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, shelves } = claim;
  const { warehouse_id, requires_cold_storage } = reservation;
  const avoided = new Map((reservation.avoids ?? []).map((item): [number, AvoidedItem] => [item.stock_item_id, item]));
  const wants = new Map<HeldLine, number>();
  for (const miss of misses) {
    const line = lineOf(lines, miss);
    const found = await missUnits(tx, shelves, { order_id, actor, confirmed: true }, line, miss);
    for (const item of found) avoided.set(item.stock_item_id, item);
    wants.set(line, (wants.get(line) ?? 0) + miss.quantity);
  }
  const avoids = [...avoided.values()];
  if (avoids.length > 0) await setAvoids(tx, claim, avoids);
  const missed = [...wants].map(([line, quantity]) => ({ line, product_id: line.product_id, quantity }));
  const { portions, missing } = planStock(missed, shelves, {
    now: tx.now,
    warehouse_id,
    requires_cold_storage,
    avoids,
  });
  for (const [at, { line }] of missed.entries()) await addUnits(tx, shelves, line, portions[at] ?? []);
  await fillBackorders(tx, shelves, productsOf(lines));
  const short = missed.flatMap(({ line: { order_line_id, product_id } }, at) => {
    const quantity = missing[at] ?? 0;
    return quantity === 0 ? [] : [{ order_line_id: order_line_id ?? 0, product_id, quantity }];
  });
  return { claims: lines.map(allocationLine), short };
}

/** How units leave, and the products that the claim is for where they are known. */
interface ShippingUnits {
  readonly confirmed: boolean;
  readonly anyway?: boolean;
  readonly products?: readonly number[] | null;
}

/**
 * Hands picked units of an order over: on hand and reserved drop. With `anyway` lots go that may not be shipped, since
 * what a carrier reports is never refused. Refuses: lot_not_pickable. Emits: inventory.updated.
 */
export async function shipAllocatedUnits(
  tx: Tx,
  order_id: number,
  units: readonly AllocationUnits[],
  actor: Actor,
  { confirmed, anyway = false, products = null }: ShippingUnits,
): Promise<AllocationLine[]> {
  const { lines, shelves } = await lockOrderAllocation(tx, order_id, [], products);
  const leaving = units.map((unit) => ({ line: lineOf(lines, unit), quantity: unit.quantity }));
  await handOutUnits(tx, shelves, { order_id, actor, confirmed, anyway }, leaving);
  return lines.map(allocationLine);
}

function lineOf(lines: readonly HeldLine[], units: AllocationUnits): HeldLine {
  const { order_line_id } = units;
  const line = lines.find((line) => isMeant(line, units));
  assert(line, `order line ${order_line_id} has a claim on stock`);
  return line;
}

function isMeant(line: HeldLine, { order_line_id, product_id = line.product_id }: AllocationUnits): boolean {
  return line.order_line_id === order_line_id && line.product_id === product_id;
}

/**
 * Gives units back that an order no longer wants (null: all of them): first those it waits for, then those on the
 * shelf, then picked ones, which go to the put-back bin. Others who wait get what is freed.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function releaseOrderAllocation(
  tx: Tx,
  order_id: number,
  units: readonly AllocationUnits[] | null,
  actor: Actor,
): Promise<AllocationLine[]> {
  const claim = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, shelves } = claim;
  if (isReleased(reservation.status)) return lines.map(allocationLine);
  const given = lines.map((line) => {
    if (units === null) return line.wanted;
    const own = units.filter((unit) => isMeant(line, unit));
    return own.reduce((sum, { quantity }) => sum + quantity, 0);
  });
  const kept = lines.map((line, at) => {
    const { wanted, reserved, picked } = line;
    const back = given[at] ?? 0;
    assert(back <= wanted, "an order gives back no more than it wants");
    const from_shelf = Math.min(Math.max(0, back - (wanted - reserved)), reserved - picked);
    return firstUnits(shelves, line, reserved - picked - from_shelf);
  });
  await assignPlan(tx, shelves, lines, kept);
  for (const [at, line] of lines.entries()) {
    const wanted = line.wanted - (given[at] ?? 0);
    const errand = { order_id, actor, confirmed: true };
    if (line.picked > wanted) await unpickUnits(tx, shelves, errand, line, line.picked - wanted);
    await setCounts(tx, shelves, line, { wanted });
  }
  if (units === null) {
    const act = isCommitted(reservation.status) ? "give_back" : "release";
    const status = transition<ReservationStatus, typeof reservationTransitions>(
      reservationTransitions,
      act,
      reservation.status,
    );
    await change(tx, claim, { status, released_at: tx.now });
  }
  // Another line of the order itself may have waited for what is free now.
  await fillBackorders(tx, shelves, productsOf(lines));
  return lines.map(allocationLine);
}

/** The first so many of a line's unpicked units: they were planned to leave first. */
export function firstUnits(shelves: LockedStockMap, line: HeldLine, count: number): StockPortion[] {
  const { items } = lockedStockOf(shelves, line.product_id);
  let left = count;
  return unpicked(shelves, line).flatMap(({ stock_item_id, quantity }) => {
    const item = items.find(({ id }) => id === stock_item_id);
    const kept = Math.min(left, quantity);
    left -= kept;
    return item !== undefined && kept > 0 ? [{ item, quantity: kept }] : [];
  });
}

/**
 * Sets an order's claim aside while the order is on hold: its backorders are not filled, and with `free` its unpicked
 * units go to others. Emits: inventory.updated, inventory.low_stock.
 */
export async function pauseOrderAllocation(
  tx: Tx,
  order_id: number,
  { free }: { readonly free: boolean },
): Promise<AllocationLine[]> {
  const claim = await lockOrderAllocation(tx, order_id);
  const { lines, shelves } = claim;
  await change(tx, claim, { paused: true });
  if (free) {
    await assignPlan(tx, shelves, lines, []);
    await fillBackorders(tx, shelves, productsOf(lines));
  }
  return lines.map(allocationLine);
}

/**
 * Takes an order's claim up again: it gets its share of what there is, in its turn.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function resumeOrderAllocation(tx: Tx, order_id: number): Promise<AllocationLine[]> {
  const claim = await lockOrderAllocation(tx, order_id);
  await change(tx, claim, { paused: false });
  await fillBackorders(tx, claim.shelves, productsOf(claim.lines));
  return claim.lines.map(allocationLine);
}

/** Changes how urgent an order is when stock is short. */
export async function setAllocationPriority(tx: Tx, order_id: number, priority: number): Promise<void> {
  const open = lockOrderAllocations(tx).get(order_id);
  if (open !== undefined) return change(tx, open, { priority });
  const reservation = await findOrderReservation(tx, order_id);
  assert(reservation, `order ${order_id} has a claim on stock`);
  await saveState(tx, { ...reservation, priority });
}
