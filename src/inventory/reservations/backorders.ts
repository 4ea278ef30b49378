import { assert } from "../../core/faults.ts";
import type { Product } from "../../products/product.ts";
import type { Tx } from "../../storage/database.ts";
import { type AllocationChangeKind, isAvailable, lotTransitions } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { markLotsExpired } from "../stock/lots.sql.ts";
import { availableOf, isLotGood, lastAvailableOf } from "../stock/product_stock.ts";
import { deleteAllocations, listHeld } from "./allocations.sql.ts";
import { addUnits, allocateUnits, itemOf, lockedLines, setCounts, withdraw } from "./allocations.ts";
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
  adjustReserved,
  emitSetsChange,
  type LockedStock,
  type LockedStockMap,
  lockedStockOf,
  lockStock,
} from "./locked_stock.ts";
import { planStock } from "./plan_stock.ts";
import type { HeldLine, ReservationLine, Shortfall } from "./reservation.ts";
import { closeLines, listOverdueLines } from "./reservations.sql.ts";

// Fills backorders, applies what time has changed, and moves reserved units to other stock.

const lines_max = 500;

/**
 * Locks stock and brings it up to date: expired lots go off sale, overdue reservations release their units, and these
 * fill backorders before newer demand. `overdue_max` limits the released lines. Only the job that ends reservations in
 * slices passes it.
 */
export async function lockFreshStock(
  tx: Tx,
  product_ids: readonly number[],
  overdue_max = Number.MAX_SAFE_INTEGER,
): Promise<LockedStockMap> {
  const fresh = tx.memo("inventory.fresh", () => new Set<number>());
  const stocks = await lockStock(tx, product_ids);
  const opened = [...new Set(product_ids)].filter((id) => !fresh.has(id));
  for (const id of opened) {
    fresh.add(id);
    const stock = stocks.get(id);
    if (stock !== undefined) await takeExpiredLotsOffSale(tx, stocks, stock);
  }
  if (opened.some((id) => stocks.get(id)?.overdue)) {
    await endLines(tx, stocks, await listOverdueLines(tx, opened, overdue_max));
    tx.wake("inventory.expire_reservations", tx.now);
  }
  await fillBackorders(tx, stocks, opened);
  return stocks;
}

/**
 * Ends lines of reservations that are over: they want and hold nothing any more. It takes a few statements plus one per
 * stock item, however many lines there are, so that others do not wait long.
 */
export async function endLines(tx: Tx, stocks: LockedStockMap, lines: readonly ReservationLine[]): Promise<void> {
  const ids = lines.map((line) => line.id);
  assert(!ids.some((id) => lockedLines(tx).has(id)), "lines of a locked order allocation are released through it");
  const held = await listHeld(tx, ids);
  await deleteAllocations(tx, ids);
  await closeLines(tx, ids);
  for (const { product_id, wanted, reserved } of lines)
    lockedStockOf(stocks, product_id).backordered -= wanted - reserved;
  for (const { product_id, stock_item_id, units } of held) {
    const item = itemOf(stocks, product_id, stock_item_id);
    assert(item.bin_kind !== "staging", "a line with picked units is not ended");
    await adjustReserved(tx, item, -units);
  }
}

/** Fills the backorders of these products from available stock: highest priority first, then oldest. */
export async function fillBackorders(tx: Tx, stocks: LockedStockMap, product_ids: readonly number[]): Promise<void> {
  for (const id of new Set(product_ids)) {
    const stock = stocks.get(id);
    if (stock === undefined) continue;
    stock.crowded = (await fillProductBackorders(tx, stocks, stock, null)) !== null;
    // The job fills the rest. Nothing is reserved for newer demand before that.
    if (stock.crowded) tx.wake("inventory.fill_backorders", tx.now);
  }
}

/**
 * Fills backorders of one product after a place in the queue. Returns where to go on, or null when no stock is left
 * that suits the remaining lines.
 */
export async function fillProductBackorders(
  tx: Tx,
  stocks: LockedStockMap,
  stock: LockedStock,
  after: BackorderRank | null,
): Promise<BackorderRank | null> {
  if (stock.backordered === 0 || availableOf(stock, tx.now) === 0) return null;
  const product_id = stock.product.id;
  const open = new Map([[product_id, { ...stock, crowded: false }]]);
  const portionsFor = (quantity: number, { warehouse_id, requires_cold_storage, avoids }: BackorderChoice) => {
    const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids };
    return planStock([{ product_id, quantity }], open, options).portions[0] ?? [];
  };
  // No stock arrives during the loop, so lines are skipped once their constraints have found nothing.
  const empty = new Set<string>();
  const lines = await listBackorderedLines(tx, product_id, after, lines_max + 1);
  for (const line of lines.slice(0, lines_max)) {
    const choice = JSON.stringify([line.warehouse_id, line.requires_cold_storage, line.avoids]);
    if (empty.has(choice)) continue;
    const portions = portionsFor(line.wanted - line.reserved, line);
    if (portions.length === 0) empty.add(choice);
    else {
      await addUnits(tx, stocks, line, portions);
      await recordAllocationChange(tx, line, "filled", portions);
    }
    if (availableOf(stock, tx.now) === 0) return null;
  }
  const last = lines.length > lines_max ? lines[lines_max - 1] : undefined;
  if (last === undefined) return null;
  const place = { priority: last.priority, created_at: last.created_at, line_id: last.id };
  const others = await listBackorderChoices(tx, product_id, place);
  return others.some((choice) => portionsFor(1, choice).length > 0) ? place : null;
}

/** Records what happened to an order's allocation, and wakes the job that handles it. */
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
 * Moves the reservations of unpicked expired units to other stock, and marks lots as expired that are past their last
 * day in every warehouse.
 */
async function takeExpiredLotsOffSale(tx: Tx, stocks: LockedStockMap, stock: LockedStock): Promise<void> {
  const past = stock.items.filter(
    (item) => item.lot_status !== null && isAvailable(item.lot_status) && !isLotGood(item, tx.now),
  );
  if (past.length === 0) return;
  // A lot may be in warehouses of several time zones, where its last day ends at different times.
  const good = new Set(stock.items.filter((item) => isLotGood(item, tx.now)).map(({ lot_id }) => lot_id));
  const over = past.flatMap(({ lot_id }) => (lot_id === null || good.has(lot_id) ? [] : lot_id));
  const marked = over.length > 0 ? await markLotsExpired(tx, over) : new Set<number>();
  for (const item of past) {
    const at = stock.items.indexOf(item);
    const expired = marked.has(item.lot_id ?? 0) ? { ...item, lot_status: lotTransitions.expire.to } : item;
    stock.items[at] = expired;
    if (item.bin_kind !== "staging") await displaceReserved(tx, stocks, stock, expired, item.reserved);
  }
}

/**
 * Takes reserved units of an item away from the lines that hold them, lowest priority and youngest first, and moves the
 * lines to other stock. Returns the orders that found none and are backordered.
 */
export async function displaceReserved(
  tx: Tx,
  stocks: LockedStockMap,
  stock: LockedStock,
  item: StockItem,
  units: number,
): Promise<Shortfall[]> {
  const shortfalls: Shortfall[] = [];
  let left = units;
  while (left > 0) {
    // Each holder has at least one unit, and none once it is served, so the next query returns the following ones.
    const holders = await listAllocationHolders(tx, item.id, Math.min(left, lines_max));
    assert(holders.length > 0, `reserved units of stock item ${item.id} are allocated`);
    for (const holder of holders) {
      const quantity = Math.min(left, holder.held);
      left -= quantity;
      const missing = await moveHolder(tx, stocks, stock, item, holder, quantity);
      const { order_id, order_ref } = holder;
      if (missing > 0) shortfalls.push({ order_id, order_ref, quantity: missing });
      if (left === 0) break;
    }
  }
  return shortfalls;
}

async function moveHolder(
  tx: Tx,
  stocks: LockedStockMap,
  stock: LockedStock,
  item: StockItem,
  holder: AllocationHolder,
  quantity: number,
): Promise<number> {
  const { allocation_id, held, warehouse_id, requires_cold_storage, avoids, ...row } = holder;
  const { merchant_id, id: stock_item_id } = item;
  const allocation = { id: allocation_id, merchant_id, reservation_line_id: row.id, stock_item_id, quantity: held };
  const line: HeldLine = lockedLines(tx).get(row.id) ?? { ...row, allocations: [allocation] };
  const { id: product_id } = stock.product;
  const options = { now: tx.now, warehouse_id, requires_cold_storage, avoids, except: new Set([item.id]) };
  const open = new Map([[product_id, { ...stock, crowded: false }]]);
  const { portions, missing } = planStock([{ product_id, quantity }], open, options);
  await adjustReserved(tx, item, -quantity);
  await withdraw(tx, line, line.allocations.find(({ id }) => id === allocation_id) ?? allocation, quantity);
  for (const portion of portions[0] ?? []) {
    await adjustReserved(tx, portion.item, portion.quantity);
    await allocateUnits(tx, line, portion.item, portion.quantity);
  }
  const short = missing[0] ?? 0;
  await setCounts(tx, stocks, line, { reserved: line.reserved - short });
  await recordAllocationChange(tx, holder, "moved", portions[0] ?? []);
  await recordAllocationChange(tx, holder, "lost", [{ quantity: short }]);
  return short;
}

/**
 * Applies a product change to its stock: other components make more or fewer sets, a longer minimum shelf life makes
 * units unavailable, and a shorter one frees units for backorders. Existing reservations stay.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function noteProductChange(tx: Tx, before: Product, after: Product): Promise<void> {
  await emitSetsChange(tx, before, after);
  if (before.min_shelf_life_days === after.min_shelf_life_days) return;
  const stock = (await lockStock(tx, [after.id])).get(after.id);
  if (stock === undefined) return;
  // The figures reported last were based on the shelf life required then.
  stock.reported = { ...stock.reported, available: lastAvailableOf({ product: before, items: stock.items }) };
  await lockFreshStock(tx, [after.id]);
}
