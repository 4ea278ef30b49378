// The claims that a transaction has open: of each order one, read once, whose lines change in step with the database.

import { assert } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { findAllocatedReservations } from "./allocations.sql.ts";
import { openLines } from "./allocations.ts";
import { lockFreshStock } from "./backorders.ts";
import type { LockedStockMap } from "./locked_stock.ts";
import type { AvoidedItem, HeldLine, Reservation } from "./reservation.ts";
import { deleteLines, listReservedProducts, type ReservationState, saveAvoids, saveState } from "./reservations.sql.ts";

/** An order's claim with its stock locked. Its lines change in step with the database. */
interface LockedAllocation {
  reservation: Reservation;
  lines: HeldLine[];
  readonly shelves: LockedStockMap;
}

/** The claims that are open in a transaction, by order. */
export const lockOrderAllocations = (tx: Tx) => tx.memo("inventory.claims", () => new Map<number, LockedAllocation>());

/**
 * The claim of an order, with its stock locked; of more products where those are told. It is opened once in a
 * transaction: all acts on the order are handed the same one, as those before left it. Whoever knows what products the
 * claim is for tells them, so that they need not be looked up.
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
  await openAll(tx, [order_id], [...products, ...more_products]);
  const claim = lockOrderAllocations(tx).get(order_id);
  assert(claim, `order ${order_id} has a claim on stock`);
  return claim;
}

/** Opens the claims of several orders at once, each of which is for these products. */
export async function openEach(
  tx: Tx,
  wanted: readonly { readonly order_id: number; readonly products: readonly number[] }[],
): Promise<void> {
  const closed = wanted.filter(({ order_id }) => !lockOrderAllocations(tx).has(order_id));
  if (closed.length === 0) return;
  await openAll(
    tx,
    closed.map(({ order_id }) => order_id),
    closed.flatMap(({ products }) => products),
  );
}

async function openAll(tx: Tx, order_ids: readonly number[], products: readonly number[]): Promise<void> {
  const shelves = await lockFreshStock(tx, products);
  // Backorders may have been filled before the stock was locked, so the lines are read under the lock.
  for (const [order_id, { reservation, lines }] of await findAllocatedReservations(tx, order_ids)) {
    const claim: LockedAllocation = { reservation, lines: [], shelves };
    holdLines(tx, claim, lines);
    lockOrderAllocations(tx).set(order_id, claim);
  }
}

/** Stores the stock items that an open claim is to get nothing of, or that there are none. */
export async function setAvoids(tx: Tx, claim: LockedAllocation, avoids: readonly AvoidedItem[] | null): Promise<void> {
  claim.reservation = { ...claim.reservation, avoids };
  await saveAvoids(tx, claim.reservation.id, avoids);
}

/** Gives an open claim its lines. */
export function holdLines(tx: Tx, claim: LockedAllocation, lines: HeldLine[]): void {
  claim.lines = lines;
  for (const line of lines) openLines(tx).set(line.id, line);
}

/** Stores what changes of an open claim's reservation. */
export async function change(tx: Tx, claim: LockedAllocation, fields: Partial<ReservationState>): Promise<void> {
  claim.reservation = { ...claim.reservation, ...fields };
  await saveState(tx, claim.reservation);
}

/** Takes lines out of an open claim to which nothing is promised any more. */
export async function dropLines(tx: Tx, claim: LockedAllocation, ids: readonly number[]): Promise<void> {
  for (const id of ids) openLines(tx).delete(id);
  claim.lines = claim.lines.filter(({ id }) => !ids.includes(id));
  await deleteLines(tx, ids);
}
