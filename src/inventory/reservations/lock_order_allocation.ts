// The order allocations that a transaction has locked. Each is read once, and its lines change in step with the
// database.

import { assert } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { findAllocatedReservations } from "./allocations.sql.ts";
import { lockedLines } from "./allocations.ts";
import { lockFreshStock } from "./backorders.ts";
import type { LockedStockMap } from "./locked_stock.ts";
import type { AvoidedItem, HeldLine, Reservation } from "./reservation.ts";
import { deleteLines, listReservedProducts, type ReservationState, saveAvoids, saveState } from "./reservations.sql.ts";

/** An order's allocation with its stock locked. */
interface LockedAllocation {
  reservation: Reservation;
  lines: HeldLine[];
  readonly stocks: LockedStockMap;
}

/** The order allocations that are locked in a transaction, by order id. */
export const lockOrderAllocations = (tx: Tx) =>
  tx.memo("inventory.allocations", () => new Map<number, LockedAllocation>());

/**
 * Locks the allocation of an order and its stock, and the stock of `more_products`. It is read once per transaction:
 * all acts on the order get the same object, as earlier acts left it. `own_products` saves looking up the allocation's
 * products.
 */
export async function lockOrderAllocation(
  tx: Tx,
  order_id: number,
  more_products: readonly number[] = [],
  own_products: readonly number[] | null = null,
): Promise<LockedAllocation> {
  const known = lockOrderAllocations(tx).get(order_id);
  if (known !== undefined) {
    await lockFreshStock(tx, more_products);
    return known;
  }
  const products = own_products ?? (await listReservedProducts(tx, order_id));
  await lockAll(tx, [order_id], [...products, ...more_products]);
  const allocation = lockOrderAllocations(tx).get(order_id);
  assert(allocation, `order ${order_id} has an allocation`);
  return allocation;
}

/** Locks the allocations of several orders at once, each with the products it is for. */
export async function lockEachOrderAllocation(
  tx: Tx,
  wanted: readonly { readonly order_id: number; readonly products: readonly number[] }[],
): Promise<void> {
  const closed = wanted.filter(({ order_id }) => !lockOrderAllocations(tx).has(order_id));
  if (closed.length === 0) return;
  await lockAll(
    tx,
    closed.map(({ order_id }) => order_id),
    closed.flatMap(({ products }) => products),
  );
}

async function lockAll(tx: Tx, order_ids: readonly number[], products: readonly number[]): Promise<void> {
  const stocks = await lockFreshStock(tx, products);
  // Backorders may have been filled before the stock was locked, so the lines are read under the lock.
  for (const [order_id, { reservation, lines }] of await findAllocatedReservations(tx, order_ids)) {
    const allocation: LockedAllocation = { reservation, lines: [], stocks };
    holdLines(tx, allocation, lines);
    lockOrderAllocations(tx).set(order_id, allocation);
  }
}

/** Stores the stock items that a locked allocation must not use; null for none. */
export async function setAvoids(
  tx: Tx,
  allocation: LockedAllocation,
  avoids: readonly AvoidedItem[] | null,
): Promise<void> {
  allocation.reservation = { ...allocation.reservation, avoids };
  await saveAvoids(tx, allocation.reservation.id, avoids);
}

/** Sets the lines of a locked allocation. */
export function holdLines(tx: Tx, allocation: LockedAllocation, lines: HeldLine[]): void {
  allocation.lines = lines;
  for (const line of lines) lockedLines(tx).set(line.id, line);
}

/** Stores changed fields of a locked allocation's reservation. */
export async function change(tx: Tx, allocation: LockedAllocation, fields: Partial<ReservationState>): Promise<void> {
  allocation.reservation = { ...allocation.reservation, ...fields };
  await saveState(tx, allocation.reservation);
}

/** Deletes lines of a locked allocation that have nothing allocated any more. */
export async function dropLines(tx: Tx, allocation: LockedAllocation, ids: readonly number[]): Promise<void> {
  for (const id of ids) lockedLines(tx).delete(id);
  allocation.lines = allocation.lines.filter(({ id }) => !ids.includes(id));
  await deleteLines(tx, ids);
}
