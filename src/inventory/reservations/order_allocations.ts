// The stock of an order: its allocation is a reservation. The features above inventory call these functions.

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
 * Reserves the units of an order as far as there is stock, and backorders the rest. An earlier reservation for it
 * is adopted and its surplus released.
 * Refuses: insufficient_inventory (the order allows no backorder), resource_missing, reservation_closed,
 * reservation_committed.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function allocateForOrder(tx: Tx, allocation: OrderAllocation): Promise<AllocationLine[]> {
  // Read before the stock is locked, so that all of it is locked at once, in the one order that every transaction uses.
  const seen = (await adoptedBy(tx, allocation)).map(({ id }) => id);
  const theirs = seen.length === 0 ? [] : await listLines(tx, seen);
  const stocks = await lockFreshStock(tx, productsOf([...allocation.lines, ...theirs]));
  // Read again under the lock: a reservation made at the same time has taken its units by now, or will find none.
  const earlier = await adoptedBy(tx, allocation);
  if (earlier.length === 0) return allocateNew(tx, stocks, allocation);
  const adopted = await withLockedStock(tx, stocks, allocation, earlier);
  const old = await withAllocations(
    tx,
    await listLines(
      tx,
      adopted.map(({ id }) => id),
    ),
  );
  const [first, ...others] = adopted;
  if (first === undefined) return allocateNew(tx, stocks, allocation);
  const { lines } = await saveOrderAllocation(tx, stocks, allocation, first, old);
  for (const other of others) {
    const status = transition<ReservationStatus, typeof reservationTransitions>(
      reservationTransitions,
      "release",
      other.status,
    );
    await saveState(tx, { ...other, status, released_at: tx.now });
  }
  await fillBackorders(tx, stocks, productsOf(old));
  return lines.map(allocationLine);
}

/** Allocates stock for an order that adopts no reservation. */
async function allocateNew(tx: Tx, stocks: LockedStockMap, allocation: OrderAllocation): Promise<AllocationLine[]> {
  const [portions = []] = planOrderAllocations(tx, stocks, [allocation]);
  if (portions instanceof Fault) throw portions;
  const [stored] = await storeOrderAllocations(tx, stocks, [plannedAllocation(tx, allocation, portions)]);
  return (stored?.lines ?? []).map(allocationLine);
}

/** Locks the remaining stock of an order's earlier reservations. Returns those that can still be adopted. */
async function withLockedStock(
  tx: Tx,
  stocks: LockedStockMap,
  allocation: OrderAllocation,
  earlier: readonly Reservation[],
): Promise<readonly Reservation[]> {
  const ids = earlier.map(({ id }) => id);
  const more = productsOf(await listLines(tx, ids)).filter((product_id) => !stocks.has(product_id));
  if (more.length === 0) return earlier;
  await lockFreshStock(tx, more);
  // They may have been released or adopted before this stock was locked.
  return (await adoptedBy(tx, allocation)).filter(({ id }) => ids.includes(id));
}

function noSuchReservation(id: string): Fault {
  const fields = [{ field: "reservation_id", code: "resource_missing", message: "names no reservation" }];
  return new Fault("resource_missing", `No such reservation: ${id}.`, { resource: "reservation", fields });
}

/** The reservations that an order adopts: the one it names, or those made for its number. */
async function adoptedBy(tx: Tx, allocation: OrderAllocation): Promise<Reservation[]> {
  const { reservation_id, order_number, source, merchant_id } = allocation;
  if (reservation_id === null) return findAdoptable(tx, order_number, source, merchant_id);
  const named = await findReservation(tx, reservation_id);
  if (named === null || named.merchant_id !== merchant_id)
    throw noSuchReservation(wireId("reservation", reservation_id));
  if (named.order_id !== null) {
    throw new Fault("reservation_committed", `${wireId("reservation", named.id)} belongs to another order.`);
  }
  if (!isReserved(named.status) || isOverdue(named, tx.now)) {
    throw new Fault("reservation_closed", `${wireId("reservation", named.id)} is no longer open.`);
  }
  return [named];
}

/**
 * Changes the units of an order: units no longer wanted are released, and new ones are reserved as far as there is
 * stock. Nothing of the order may have been picked.
 * Refuses: insufficient_inventory. Emits: inventory.updated, inventory.low_stock.
 */
export async function reviseOrderAllocation(tx: Tx, allocation: OrderAllocation): Promise<AllocationLine[]> {
  const products = productsOf(allocation.lines);
  const open = await lockOrderAllocation(tx, allocation.order_id, products);
  const { reservation, lines, stocks } = open;
  assert(
    lines.every((line) => line.picked === 0),
    "an order is revised before anything is picked",
  );
  const revised = await saveOrderAllocation(tx, stocks, allocation, reservation, lines);
  open.reservation = revised.reservation;
  holdLines(tx, open, revised.lines);
  await fillBackorders(tx, stocks, productsOf(lines));
  return open.lines.map(allocationLine);
}

/** Plans an allocation, including the units it already holds, and stores the reservation with its new lines. */
async function saveOrderAllocation(
  tx: Tx,
  stocks: LockedStockMap,
  allocation: OrderAllocation,
  before: Reservation,
  old: readonly HeldLine[],
): Promise<{ readonly reservation: Reservation; readonly lines: HeldLine[] }> {
  const { order_id, order_number: order_ref, source, priority, warehouse_id, requires_cold_storage } = allocation;
  // An order on hold that gave its stock back reserves none until it is released.
  const waits = before.paused && old.length > 0 && old.every((line) => line.reserved === 0);
  const own = unpickedUnits(stocks, old);
  const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids: before.avoids, own };
  const { portions, missing } = waits ? noPlan(allocation) : planStock(allocation.lines, stocks, options);
  const isShort = !waits && missing.some((units) => units > 0);
  if (isShort && !allocation.allow_backorder) throw shortageFault(allocation.lines, missing, stocks, options);
  const row = { order_id, order_ref, source, priority, warehouse_id, requires_cold_storage };
  const reservation = { ...before, ...row, expires_at: null };
  await saveReservation(tx, reservation);
  return { reservation, lines: await replaceLines(tx, stocks, before, old, allocation.lines, portions) };
}

function noPlan({ lines }: OrderAllocation): StockPlan {
  return { portions: lines.map(() => []), missing: lines.map((line) => line.quantity) };
}

function productsOf(lines: readonly { readonly product_id: number }[]): number[] {
  return [...new Set(lines.map((line) => line.product_id))];
}

/**
 * The current allocation of an order, after overdue reservations have released their units to backorders.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function currentOrderAllocation(
  tx: Tx,
  order_id: number,
  products: readonly number[] | null = null,
): Promise<AllocationLine[]> {
  const { lines } = await lockOrderAllocation(tx, order_id, [], products);
  return lines.map(allocationLine);
}

/** Whether all units of an order's locked allocation are of lots that may be shipped. */
export function mayAllLeave(tx: Tx, order_id: number): boolean {
  const allocation = lockOrderAllocations(tx).get(order_id);
  assert(allocation, `the allocation of order ${order_id} is locked`);
  return allocation.lines.every(({ product_id, allocations }) =>
    allocations.every(({ stock_item_id }) => isLotGood(itemOf(allocation.stocks, product_id, stock_item_id), tx.now)),
  );
}

/**
 * Commits an order's allocation when work on the order begins, and plans its unpicked units again, first expired first.
 * Refuses: invalid_state_transition. Emits: inventory.updated, inventory.low_stock.
 */
export async function commitOrderAllocation(tx: Tx, order_id: number): Promise<AllocationLine[]> {
  const allocation = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, stocks } = allocation;
  if (isCommitted(reservation.status)) return lines.map(allocationLine);
  const status = transition<ReservationStatus, typeof reservationTransitions>(
    reservationTransitions,
    "commit",
    reservation.status,
  );
  await replan(tx, stocks, reservation, lines);
  await change(tx, allocation, { status, expires_at: null });
  await fillBackorders(tx, stocks, productsOf(lines));
  return lines.map(allocationLine);
}

/**
 * Changes an order's priority and its constraints on the stock, and plans its unpicked units again. Picked units stay.
 * Refuses: insufficient_inventory. Emits: inventory.updated, inventory.low_stock.
 */
export async function replanOrderAllocation(tx: Tx, allocation: OrderAllocation): Promise<AllocationLine[]> {
  const { order_id, priority, requires_cold_storage, allow_backorder } = allocation;
  const open = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, stocks } = open;
  await change(tx, open, { priority, requires_cold_storage });
  // An order on hold that gave its stock back reserves none until it is released.
  if (reservation.paused && lines.every((line) => line.reserved === 0)) return lines.map(allocationLine);
  const { wants, missing, options } = await replan(tx, stocks, open.reservation, lines);
  if (!allow_backorder && missing.some((units) => units > 0)) throw shortageFault(wants, missing, stocks, options);
  await fillBackorders(tx, stocks, productsOf(lines));
  return lines.map(allocationLine);
}

/** The portions of a new plan, and whether it differs from the previous one. */
interface Reallocation {
  readonly allotments: readonly ProductAllotment[];
  readonly changed: boolean;
}

/**
 * Plans an order's unpicked units again, including those that were missing before, and explains what was chosen and why
 * other stock was passed over. Picked units stay.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function reallocateOrder(tx: Tx, order_id: number): Promise<Reallocation> {
  const allocation = await lockOrderAllocation(tx, order_id);
  const { lines, stocks } = allocation;
  if (allocation.reservation.avoids !== null) await setAvoids(tx, allocation, null);
  const { wants, options, plan } = planFor(tx, stocks, allocation.reservation, lines);
  // Explained before the plan is stored, since storing it changes what is free.
  const allotments = allotmentsOf(wants, plan, stocks, options);
  await assignPlan(tx, stocks, lines, plan.portions);
  await fillBackorders(tx, stocks, productsOf(lines));
  const now = unpickedUnits(stocks, lines);
  const changed = now.size !== options.own.size || [...now].some(([item, units]) => options.own.get(item) !== units);
  return { allotments, changed };
}

/** Plans the unpicked units of an allocation again, and assigns the result to its lines. */
async function replan(tx: Tx, stocks: LockedStockMap, reservation: Reservation, lines: readonly HeldLine[]) {
  const { wants, options, plan } = planFor(tx, stocks, reservation, lines);
  await assignPlan(tx, stocks, lines, plan.portions);
  return { wants, missing: plan.missing, options };
}

/** The plan for an allocation's unpicked units, with the stock as it is now. */
function planFor(
  tx: Tx,
  stocks: LockedStockMap,
  { warehouse_id, requires_cold_storage, avoids }: Reservation,
  lines: readonly HeldLine[],
) {
  const wants = lines.map(({ product_id, wanted, picked }) => ({ product_id, quantity: wanted - picked }));
  const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids, own: unpickedUnits(stocks, lines) };
  return { wants, options, plan: planStock(wants, stocks, options) };
}

/** Replaces the unpicked units of lines, and saves their counts. */
async function assignPlan(
  tx: Tx,
  stocks: LockedStockMap,
  lines: readonly HeldLine[],
  portions: readonly (readonly StockPortion[])[],
): Promise<void> {
  await assignUnits(
    tx,
    stocks,
    lines.map((line, at) => ({ line, portions: portions[at] ?? [] })),
  );
  const counted = lines.filter((line, at) => {
    const unpicked = (portions[at] ?? []).reduce((sum, portion) => sum + portion.quantity, 0);
    return count(stocks, line, { reserved: line.picked + unpicked });
  });
  await saveLines(tx, counted);
}

/**
 * Moves units of an order from the shelf to its staging bin. They stay reserved, even when they are of another lot or
 * bin than planned. Returns the order's allocation and the units taken.
 * Refuses: insufficient_inventory, lot_not_pickable. Emits: inventory.updated.
 */
export async function pickAllocatedUnits(
  tx: Tx,
  order_id: number,
  picks: readonly PickedUnits[],
  how: { readonly confirmed: boolean; readonly actor: Actor },
): Promise<{ readonly claims: AllocationLine[]; readonly taken: TakenUnits[] }> {
  const { lines, stocks } = await lockOrderAllocation(tx, order_id);
  const wanted = picks.map((pick) => ({ line: lineOf(lines, pick), pick }));
  const taken = await pickUnits(tx, stocks, { order_id, ...how }, wanted);
  return { claims: lines.map(allocationLine), taken };
}

/**
 * Records that planned units of an order were not found: they are written off or released, and others are planned in
 * their place. Returns the order's allocation, and the units that could not be replaced.
 * Refuses: insufficient_inventory. Emits: inventory.updated, inventory.low_stock.
 */
export async function reportMissingUnits(
  tx: Tx,
  order_id: number,
  misses: readonly MissingUnits[],
  actor: Actor,
): Promise<{ readonly claims: AllocationLine[]; readonly short: PartUnits[] }> {
  const allocation = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, stocks } = allocation;
  const { warehouse_id, requires_cold_storage } = reservation;
  const avoided = new Map((reservation.avoids ?? []).map((item): [number, AvoidedItem] => [item.stock_item_id, item]));
  const wants = new Map<HeldLine, number>();
  for (const miss of misses) {
    const line = lineOf(lines, miss);
    const missed_items = await missUnits(tx, stocks, { order_id, actor, confirmed: true }, line, miss);
    for (const item of missed_items) avoided.set(item.stock_item_id, item);
    wants.set(line, (wants.get(line) ?? 0) + miss.quantity);
  }
  const avoids = [...avoided.values()];
  if (avoids.length > 0) await setAvoids(tx, allocation, avoids);
  const missed = [...wants].map(([line, quantity]) => ({ line, product_id: line.product_id, quantity }));
  const { portions, missing } = planStock(missed, stocks, {
    now: tx.now,
    warehouse_id,
    requires_cold_storage,
    avoids,
  });
  for (const [at, { line }] of missed.entries()) await addUnits(tx, stocks, line, portions[at] ?? []);
  await fillBackorders(tx, stocks, productsOf(lines));
  const short = missed.flatMap(({ line: { order_line_id, product_id } }, at) => {
    const quantity = missing[at] ?? 0;
    return quantity === 0 ? [] : [{ order_line_id: order_line_id ?? 0, product_id, quantity }];
  });
  return { claims: lines.map(allocationLine), short };
}

/** How units leave, and the products of the allocation where they are known. */
interface ShippingUnits {
  readonly confirmed: boolean;
  readonly anyway?: boolean;
  readonly products?: readonly number[] | null;
}

/**
 * Ships picked units of an order: on hand and reserved drop. With `anyway`, lots that may not be shipped go too, since
 * a carrier's report is never refused.
 * Refuses: lot_not_pickable. Emits: inventory.updated.
 */
export async function shipAllocatedUnits(
  tx: Tx,
  order_id: number,
  units: readonly AllocationUnits[],
  actor: Actor,
  { confirmed, anyway = false, products = null }: ShippingUnits,
): Promise<AllocationLine[]> {
  const { lines, stocks } = await lockOrderAllocation(tx, order_id, [], products);
  const leaving = units.map((unit) => ({ line: lineOf(lines, unit), quantity: unit.quantity }));
  await handOutUnits(tx, stocks, { order_id, actor, confirmed, anyway }, leaving);
  return lines.map(allocationLine);
}

function lineOf(lines: readonly HeldLine[], units: AllocationUnits): HeldLine {
  const { order_line_id } = units;
  const line = lines.find((line) => isMeant(line, units));
  assert(line, `order line ${order_line_id} has an allocation`);
  return line;
}

function isMeant(line: HeldLine, { order_line_id, product_id = line.product_id }: AllocationUnits): boolean {
  return line.order_line_id === order_line_id && line.product_id === product_id;
}

/**
 * Releases units that an order no longer wants (null: all of them): first backordered units, then those on the shelf,
 * then picked ones, which go to the `putback` bin. Freed units go to backorders.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function releaseOrderAllocation(
  tx: Tx,
  order_id: number,
  units: readonly AllocationUnits[] | null,
  actor: Actor,
): Promise<AllocationLine[]> {
  const allocation = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, stocks } = allocation;
  if (isReleased(reservation.status)) return lines.map(allocationLine);
  const released = lines.map((line) => {
    if (units === null) return line.wanted;
    const own = units.filter((unit) => isMeant(line, unit));
    return own.reduce((sum, { quantity }) => sum + quantity, 0);
  });
  const remaining = lines.map((line, at) => {
    const { wanted, reserved, picked } = line;
    const back = released[at] ?? 0;
    assert(back <= wanted, "an order releases no more than it wants");
    const from_shelf = Math.min(Math.max(0, back - (wanted - reserved)), reserved - picked);
    return firstUnits(stocks, line, reserved - picked - from_shelf);
  });
  await assignPlan(tx, stocks, lines, remaining);
  for (const [at, line] of lines.entries()) {
    const wanted = line.wanted - (released[at] ?? 0);
    const errand = { order_id, actor, confirmed: true };
    if (line.picked > wanted) await unpickUnits(tx, stocks, errand, line, line.picked - wanted);
    await setCounts(tx, stocks, line, { wanted });
  }
  if (units === null) {
    const act = isCommitted(reservation.status) ? "give_back" : "release";
    const status = transition<ReservationStatus, typeof reservationTransitions>(
      reservationTransitions,
      act,
      reservation.status,
    );
    await change(tx, allocation, { status, released_at: tx.now });
  }
  // Another line of the same order may have waited for what is free now.
  await fillBackorders(tx, stocks, productsOf(lines));
  return lines.map(allocationLine);
}

/** The first `count` of a line's unpicked units, which were planned to leave first. */
export function firstUnits(stocks: LockedStockMap, line: HeldLine, count: number): StockPortion[] {
  const { items } = lockedStockOf(stocks, line.product_id);
  let left = count;
  return unpicked(stocks, line).flatMap(({ stock_item_id, quantity }) => {
    const item = items.find(({ id }) => id === stock_item_id);
    const taken = Math.min(left, quantity);
    left -= taken;
    return item !== undefined && taken > 0 ? [{ item, quantity: taken }] : [];
  });
}

/**
 * Pauses an order's allocation while the order is on hold: its backorders are not filled. With `free`, its unpicked
 * units go to others.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function pauseOrderAllocation(
  tx: Tx,
  order_id: number,
  { free }: { readonly free: boolean },
): Promise<AllocationLine[]> {
  const allocation = await lockOrderAllocation(tx, order_id);
  const { lines, stocks } = allocation;
  await change(tx, allocation, { paused: true });
  if (free) {
    await assignPlan(tx, stocks, lines, []);
    await fillBackorders(tx, stocks, productsOf(lines));
  }
  return lines.map(allocationLine);
}

/**
 * Resumes an order's paused allocation: it gets stock according to its place in the queue.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function resumeOrderAllocation(tx: Tx, order_id: number): Promise<AllocationLine[]> {
  const allocation = await lockOrderAllocation(tx, order_id);
  await change(tx, allocation, { paused: false });
  await fillBackorders(tx, allocation.stocks, productsOf(allocation.lines));
  return allocation.lines.map(allocationLine);
}

/** Sets an order's priority when stock is short. */
export async function setAllocationPriority(tx: Tx, order_id: number, priority: number): Promise<void> {
  const open = lockOrderAllocations(tx).get(order_id);
  if (open !== undefined) return change(tx, open, { priority });
  const reservation = await findOrderReservation(tx, order_id);
  assert(reservation, `order ${order_id} has an allocation`);
  await saveState(tx, { ...reservation, priority });
}
