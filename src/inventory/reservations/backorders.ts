import { assert } from "../../core/faults.ts";
import type { Product } from "../../products/product.ts";
import type { Tx } from "../../storage/database.ts";
import { type AllocationChangeKind, isAvailable, lotTransitions } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { markLotsExpired } from "../stock/lots.sql.ts";
import { availableOf, isLotGood, lastAvailableOf } from "../stock/product_stock.ts";
import { deleteAllocations, listHeld } from "./allocations.sql.ts";
import { addUnits, allocateUnits, itemOf, openLines, setCounts, withdraw } from "./allocations.ts";
import {
  type AllocationHolder,
  type BackorderChoice,
  type BackorderedLine,
  type BackorderRank,
  insertAllocationChange,
  listAllocationHolders,
  listBackorderChoices,
  listBackorderedLines,
} from "./backorders.sql.ts";
import {
  emitSetsChange,
  type LockedStock,
  type LockedStockMap,
  lockedStockOf,
  lockStock,
  promise,
} from "./locked_stock.ts";
import { planStock } from "./plan_stock.ts";
import type { HeldLine, ReservationLine, Shortfall } from "./reservation.ts";
import { closeLines, listOverdueLines } from "./reservations.sql.ts";

// Who waits for stock and who loses it: filling backorders, what time undoes, and promises that must move.

const lines_max = 500;

/**
 * Opens shelves as they truly are at this moment: lots past their expiry are put aside, reservations past their time
 * give back what they held, and whoever waits for these units gets them before anyone newer. Only the job that ends
 * reservations anyway, a slice at a time, lets no more than `overdue_max` lines go.
 */
export async function lockFreshStock(
  tx: Tx,
  product_ids: readonly number[],
  overdue_max = Number.MAX_SAFE_INTEGER,
): Promise<LockedStockMap> {
  const fresh = tx.memo("inventory.fresh", () => new Set<number>());
  const shelves = await lockStock(tx, product_ids);
  const opened = [...new Set(product_ids)].filter((id) => !fresh.has(id));
  for (const id of opened) {
    fresh.add(id);
    const shelf = shelves.get(id);
    if (shelf !== undefined) await putExpiredLotsAside(tx, shelves, shelf);
  }
  if (opened.some((id) => shelves.get(id)?.overdue)) {
    await endLines(tx, shelves, await listOverdueLines(tx, opened, overdue_max));
    tx.wake("inventory.expire_reservations", tx.now);
  }
  await fillBackorders(tx, shelves, opened);
  return shelves;
}

/**
 * Lets lines go whose reservation is over: they want nothing any more and hold nothing. However many they are, it takes
 * a handful of statements and one for each stock item, so that others need not wait long.
 */
export async function endLines(tx: Tx, shelves: LockedStockMap, lines: readonly ReservationLine[]): Promise<void> {
  const ids = lines.map((line) => line.id);
  assert(!ids.some((id) => openLines(tx).has(id)), "the lines of an open claim are let go by the claim");
  const held = await listHeld(tx, ids);
  await deleteAllocations(tx, ids);
  await closeLines(tx, ids);
  for (const { product_id, wanted, reserved } of lines)
    lockedStockOf(shelves, product_id).backordered -= wanted - reserved;
  for (const { product_id, stock_item_id, units } of held) {
    const item = itemOf(shelves, product_id, stock_item_id);
    assert(item.bin_kind !== "staging", "a line with picked units is not let go");
    await promise(tx, item, -units);
  }
}

/** Gives what these products have available to those who wait for it, the most urgent first, then the oldest. */
export async function fillBackorders(tx: Tx, shelves: LockedStockMap, product_ids: readonly number[]): Promise<void> {
  for (const id of new Set(product_ids)) {
    const shelf = shelves.get(id);
    if (shelf === undefined) continue;
    shelf.crowded = (await fillProductBackorders(tx, shelves, shelf, null)) !== null;
    // The rest waits for the job, and nothing is promised to newer demand before it is done.
    if (shelf.crowded) tx.wake("inventory.fill_backorders", tx.now);
  }
}

/**
 * Serves some of those who wait for a product, after a place in the queue; answers where to go on, or null when nothing
 * is left that suits any of the others.
 */
export async function fillProductBackorders(
  tx: Tx,
  shelves: LockedStockMap,
  shelf: LockedStock,
  after: BackorderRank | null,
): Promise<BackorderRank | null> {
  if (shelf.backordered === 0 || availableOf(shelf, tx.now) === 0) return null;
  const product_id = shelf.product.id;
  const open = new Map([[product_id, { ...shelf, crowded: false }]]);
  const found = (quantity: number, { warehouse_id, requires_cold_storage, avoids }: BackorderChoice) => {
    const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids };
    return planStock([{ product_id, quantity }], open, options).portions[0] ?? [];
  };
  // Nothing comes while the queue is served, so who wants what was not there is passed over from then on.
  const empty = new Set<string>();
  const lines = await listBackorderedLines(tx, product_id, after, lines_max + 1);
  for (const line of lines.slice(0, lines_max)) {
    const choice = JSON.stringify([line.warehouse_id, line.requires_cold_storage, line.avoids]);
    if (empty.has(choice)) continue;
    const portions = found(line.wanted - line.reserved, line);
    if (portions.length === 0) empty.add(choice);
    else {
      await addUnits(tx, shelves, line, portions);
      await recordAllocationChange(tx, line, "filled", portions);
    }
    if (availableOf(shelf, tx.now) === 0) return null;
  }
  const last = lines.length > lines_max ? lines[lines_max - 1] : undefined;
  if (last === undefined) return null;
  const place = { priority: last.priority, created_at: last.created_at, line_id: last.id };
  const others = await listBackorderChoices(tx, product_id, place);
  return others.some((choice) => found(1, choice).length > 0) ? place : null;
}

/** Lets an order know, by its own job, what became of its claim. */
async function recordAllocationChange(
  tx: Tx,
  { order_id, product_id }: Pick<BackorderedLine, "order_id" | "product_id">,
  kind: AllocationChangeKind,
  portions: readonly { readonly quantity: number }[],
): Promise<void> {
  const quantity = portions.reduce((sum, portion) => sum + portion.quantity, 0);
  if (order_id === null || quantity === 0) return;
  await insertAllocationChange(tx, { order_id, product_id, kind, quantity });
  tx.wake("orders.note_claims", tx.now);
}

/**
 * Moves the promises of unpicked units whose last day is over to other stock, and marks their lots as expired that are
 * good nowhere any more.
 */
async function putExpiredLotsAside(tx: Tx, shelves: LockedStockMap, shelf: LockedStock): Promise<void> {
  const past = shelf.items.filter(
    (item) => item.lot_status !== null && isAvailable(item.lot_status) && !isLotGood(item, tx.now),
  );
  if (past.length === 0) return;
  // A lot may lie in warehouses of several zones, where its last day ends at different times.
  const good = new Set(shelf.items.filter((item) => isLotGood(item, tx.now)).map(({ lot_id }) => lot_id));
  const over = past.flatMap(({ lot_id }) => (lot_id === null || good.has(lot_id) ? [] : lot_id));
  const marked = over.length > 0 ? await markLotsExpired(tx, over) : new Set<number>();
  for (const item of past) {
    const at = shelf.items.indexOf(item);
    const expired = marked.has(item.lot_id ?? 0) ? { ...item, lot_status: lotTransitions.expire.to } : item;
    shelf.items[at] = expired;
    if (item.bin_kind !== "staging") await displacePromises(tx, shelves, shelf, expired, item.reserved);
  }
}

/**
 * Takes promises of an item's units away from those who hold them, the least urgent and youngest first, and moves them
 * to other stock; answers who found none and waits now.
 */
export async function displacePromises(
  tx: Tx,
  shelves: LockedStockMap,
  shelf: LockedStock,
  item: StockItem,
  units: number,
): Promise<Shortfall[]> {
  const shortfalls: Shortfall[] = [];
  let left = units;
  while (left > 0) {
    // Each holds a unit at least, and none any more once it is served, so that the next ones come first then.
    const holders = await listAllocationHolders(tx, item.id, Math.min(left, lines_max));
    assert(holders.length > 0, `what is promised of stock item ${item.id} is promised to somebody`);
    for (const holder of holders) {
      const quantity = Math.min(left, holder.held);
      left -= quantity;
      const missing = await moveHolder(tx, shelves, shelf, item, holder, quantity);
      const { order_id, order_ref } = holder;
      if (missing > 0) shortfalls.push({ order_id, order_ref, quantity: missing });
      if (left === 0) break;
    }
  }
  return shortfalls;
}

async function moveHolder(
  tx: Tx,
  shelves: LockedStockMap,
  shelf: LockedStock,
  item: StockItem,
  holder: AllocationHolder,
  quantity: number,
): Promise<number> {
  const { allocation_id, held, warehouse_id, requires_cold_storage, avoids, ...row } = holder;
  const { merchant_id, id: stock_item_id } = item;
  const allocation = { id: allocation_id, merchant_id, reservation_line_id: row.id, stock_item_id, quantity: held };
  const line: HeldLine = openLines(tx).get(row.id) ?? { ...row, allocations: [allocation] };
  const { id: product_id } = shelf.product;
  const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids, except: new Set([item.id]) };
  const open = new Map([[product_id, { ...shelf, crowded: false }]]);
  const { portions, missing } = planStock([{ product_id, quantity }], open, options);
  await promise(tx, item, -quantity);
  await withdraw(tx, line, line.allocations.find(({ id }) => id === allocation_id) ?? allocation, quantity);
  for (const portion of portions[0] ?? []) {
    await promise(tx, portion.item, portion.quantity);
    await allocateUnits(tx, line, portion.item, portion.quantity);
  }
  const short = missing[0] ?? 0;
  await setCounts(tx, shelves, line, { reserved: line.reserved - short });
  await recordAllocationChange(tx, holder, "moved", portions[0] ?? []);
  await recordAllocationChange(tx, holder, "lost", [{ quantity: short }]);
  return short;
}

// What a change of a product does to its stock.

/**
 * Reports what a change of a product does to its stock: other components make more or fewer sets, and units that must
 * keep for longer can no longer be promised, while those that need not are for waiting orders. Promises stay.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function noteProductChange(tx: Tx, before: Product, after: Product): Promise<void> {
  await emitSetsChange(tx, before, after);
  if (before.min_shelf_life_days === after.min_shelf_life_days) return;
  const shelf = (await lockStock(tx, [after.id])).get(after.id);
  if (shelf === undefined) return;
  // What was told last is what could be promised by the days that were required then.
  shelf.told = { ...shelf.told, available: lastAvailableOf({ product: before, items: shelf.items }) };
  await lockFreshStock(tx, [after.id]);
}
