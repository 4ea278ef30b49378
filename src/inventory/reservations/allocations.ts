// Changes allocations, the counts of their lines and `reserved` of the stock items, always together.

import type { Tx } from "../../storage/database.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { addAllocation, insertAllocations, moveAllocations, saveAllocations } from "./allocations.sql.ts";
import { adjustReserved, adjustReservedOfEach, type LockedStockMap, lockedStockOf } from "./locked_stock.ts";
import type { StockPlan, StockPortion, WantedUnits } from "./plan_stock.ts";
import type { Allocation, HeldLine, Reservation, ReservationLine } from "./reservation.ts";
import { deleteLines, insertLines, saveLines } from "./reservations.sql.ts";

/**
 * The lines of the order allocations that this transaction has locked, by id. They are read once. A change to a line or
 * its allocations is made here as well as in the database.
 */
export function lockedLines(tx: Tx): Map<number, HeldLine> {
  return tx.memo("inventory.lines", () => new Map<number, HeldLine>());
}

/** Allocates units of an item to a line. The caller changes `reserved` of the item. */
export async function allocateUnits(
  tx: Tx,
  line: ReservationLine | HeldLine,
  item: StockItem,
  quantity: number,
): Promise<void> {
  const allocation = await addAllocation(tx, allocationOf(line, item, quantity));
  if (!("allocations" in line)) return;
  const known = line.allocations.find(({ id }) => id === allocation.id);
  if (known === undefined) line.allocations.push(allocation);
  else known.quantity = allocation.quantity;
}

const allocationOf = (line: ReservationLine, { id, merchant_id }: StockItem, quantity: number) => ({
  merchant_id,
  reservation_line_id: line.id,
  stock_item_id: id,
  quantity,
});

/** Takes units of an allocation away from its line, and stores that. */
export async function withdraw(tx: Tx, line: HeldLine, allocation: Allocation, quantity: number): Promise<void> {
  takeAway(line, allocation, quantity);
  await saveAllocations(tx, [allocation]);
}

/** As `withdraw`, for the caller to store. */
export function takeAway(line: HeldLine, allocation: Allocation, quantity: number): void {
  allocation.quantity -= quantity;
  line.allocations = line.allocations.filter(({ quantity }) => quantity > 0);
}

/** Units of an item to allocate to a line. */
interface AllocatedUnits extends StockPortion {
  readonly line: HeldLine;
  /** The line's allocation that moves to the item as a whole, taken out of the line before. */
  readonly moved?: Allocation | null;
}

/** Takes an allocation out of its line, to be moved as a whole by `allocateAll`. */
export function liftOut(line: HeldLine, allocation: Allocation): void {
  line.allocations = line.allocations.filter((one) => one !== allocation);
}

/** Allocates units of items to lines whose allocations are all known. */
export async function allocateAll(tx: Tx, allotments: readonly AllocatedUnits[]): Promise<void> {
  const fresh: { readonly line: HeldLine; readonly row: Omit<Allocation, "id"> }[] = [];
  const changed = new Set<Allocation>();
  const moves = new Set<Allocation>();
  for (const { line, item, quantity, moved = null } of allotments) {
    const known = line.allocations.find(({ stock_item_id }) => stock_item_id === item.id);
    const added = fresh.find((one) => one.line === line && one.row.stock_item_id === item.id);
    if (moved !== null && known === undefined && added === undefined) {
      moved.stock_item_id = item.id;
      line.allocations.push(moved);
      moves.add(moved);
      continue;
    }
    if (moved !== null) changed.add(Object.assign(moved, { quantity: 0 }));
    if (known !== undefined) {
      known.quantity += quantity;
      if (!moves.has(known)) changed.add(known);
    } else if (added !== undefined) added.row.quantity += quantity;
    else fresh.push({ line, row: allocationOf(line, item, quantity) });
  }
  await saveAllocations(tx, [...changed]);
  await moveAllocations(tx, [...moves]);
  await insertNewAllocations(tx, fresh);
}

/** Stores allocations of items of which the lines had none. */
async function insertNewAllocations(
  tx: Tx,
  added: readonly { readonly line: HeldLine; readonly row: Omit<Allocation, "id"> }[],
): Promise<void> {
  const ids = await insertAllocations(
    tx,
    added.map(({ row }) => row),
  );
  for (const [at, { line, row }] of added.entries()) line.allocations.push({ id: ids[at] ?? 0, ...row });
}

/** The unpicked units that a line is to hold. */
interface UnitAssignment {
  readonly line: HeldLine;
  readonly portions: readonly StockPortion[];
}

/** Replaces the unpicked units of lines by these. The caller saves the lines' counts. */
export async function assignUnits(
  tx: Tx,
  stocks: LockedStockMap,
  assignments: readonly UnitAssignment[],
): Promise<void> {
  const changes = new Map<StockItem, number>();
  const change = (item: StockItem, by: number) => changes.set(item, (changes.get(item) ?? 0) + by);
  const added: { readonly line: HeldLine; readonly row: Omit<Allocation, "id"> }[] = [];
  const changed: Allocation[] = [];
  for (const { line, portions } of assignments) {
    const wanted = new Map(portions.map(({ item, quantity }) => [item.id, quantity]));
    for (const allocation of unpicked(stocks, line)) {
      const quantity = wanted.get(allocation.stock_item_id) ?? 0;
      wanted.delete(allocation.stock_item_id);
      if (quantity === allocation.quantity) continue;
      change(itemOf(stocks, line.product_id, allocation.stock_item_id), quantity - allocation.quantity);
      allocation.quantity = quantity;
      changed.push(allocation);
    }
    line.allocations = line.allocations.filter(({ quantity }) => quantity > 0);
    for (const { item, quantity } of portions) {
      if (!wanted.has(item.id)) continue;
      change(item, quantity);
      added.push({ line, row: allocationOf(line, item, quantity) });
    }
  }
  noteOtherWarehouses(stocks, changes);
  await saveAllocations(tx, changed);
  await adjustReservedOfEach(tx, changes);
  await insertNewAllocations(tx, added);
}

/** Has products announced whose reserved units change warehouses: their totals may stay the same. */
function noteOtherWarehouses(stocks: LockedStockMap, changes: ReadonlyMap<StockItem, number>): void {
  if (changes.size < 2) return;
  for (const [product_id, own] of Map.groupBy(changes, ([item]) => item.product_id)) {
    const by_warehouse = new Map<number, number>();
    for (const [{ warehouse_id }, by] of own)
      by_warehouse.set(warehouse_id, (by_warehouse.get(warehouse_id) ?? 0) + by);
    const grown = [...by_warehouse.values()].filter((by) => by > 0);
    const shrunk = [...by_warehouse.values()].filter((by) => by < 0);
    if (grown.length > 0 && shrunk.length > 0) lockedStockOf(stocks, product_id).details_changed = true;
  }
}

/** Reserves portions for a line, whose other allocations need not be known, and saves its counts. */
export async function addUnits(
  tx: Tx,
  stocks: LockedStockMap,
  row: ReservationLine,
  portions: readonly StockPortion[],
): Promise<void> {
  const line = lockedLines(tx).get(row.id) ?? row;
  let added = 0;
  for (const { item, quantity } of portions) {
    await adjustReserved(tx, item, quantity);
    await allocateUnits(tx, line, item, quantity);
    added += quantity;
  }
  await setCounts(tx, stocks, line, { reserved: line.reserved + added });
}

type LineCounts = Partial<Pick<ReservationLine, "wanted" | "reserved" | "picked">>;

/** Saves a line's counts if they change, and updates the backordered units of its product. */
export async function setCounts(
  tx: Tx,
  stocks: LockedStockMap,
  line: ReservationLine,
  counts: LineCounts,
): Promise<void> {
  if (count(stocks, line, counts)) await saveLines(tx, [line]);
}

/** As `setCounts`, for the caller to store. Returns whether anything changes. */
export function count(stocks: LockedStockMap, line: ReservationLine, counts: LineCounts): boolean {
  const { wanted = line.wanted, reserved = line.reserved, picked = line.picked } = counts;
  if (wanted === line.wanted && reserved === line.reserved && picked === line.picked) return false;
  lockedStockOf(stocks, line.product_id).backordered += wanted - reserved - (line.wanted - line.reserved);
  Object.assign(line, { wanted, reserved, picked });
  return true;
}

/** What a reservation is to want of one product. */
interface HoldLines extends WantedUnits {
  readonly order_line_id: number | null;
}

/**
 * Replaces a reservation's lines by new ones with these portions, which may include units of the old lines. Returns the
 * new lines.
 */
export async function replaceLines(
  tx: Tx,
  stocks: LockedStockMap,
  { id: reservation_id, merchant_id }: Pick<Reservation, "id" | "merchant_id">,
  old: readonly HeldLine[],
  wants: readonly HoldLines[],
  portions: StockPlan["portions"],
): Promise<HeldLine[]> {
  const rows = wants.map(({ product_id, order_line_id, quantity }, at) => {
    const reserved = (portions[at] ?? []).reduce((sum, portion) => sum + portion.quantity, 0);
    const counts = { quantity, wanted: quantity, reserved, picked: 0 };
    return { merchant_id, reservation_id, product_id, order_line_id, ...counts };
  });
  const ids = await insertLines(tx, rows);
  const lines: HeldLine[] = rows.map((row, at) => ({ ...row, id: ids[at] ?? 0, allocations: [] }));
  await assignUnits(tx, stocks, [
    ...old.map((line) => ({ line, portions: [] })),
    ...lines.map((line, at) => ({ line, portions: portions[at] ?? [] })),
  ]);
  for (const { product_id, wanted, reserved } of old)
    lockedStockOf(stocks, product_id).backordered -= wanted - reserved;
  for (const { product_id, wanted, reserved } of lines)
    lockedStockOf(stocks, product_id).backordered += wanted - reserved;
  for (const { id } of old) lockedLines(tx).delete(id);
  await deleteLines(
    tx,
    old.map((line) => line.id),
  );
  return lines;
}

/** Units by stock item that lines hold and have not picked. */
export function unpickedUnits(stocks: LockedStockMap, lines: readonly HeldLine[]): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  for (const line of lines) {
    for (const { stock_item_id, quantity } of unpicked(stocks, line)) {
      units.set(stock_item_id, (units.get(stock_item_id) ?? 0) + quantity);
    }
  }
  return units;
}

/** A line's allocations that are not picked yet. */
export function unpicked(stocks: LockedStockMap, line: HeldLine) {
  return line.allocations.filter(
    ({ stock_item_id }) => itemOf(stocks, line.product_id, stock_item_id).bin_kind !== "staging",
  );
}

/** A line's allocations that are in staging. */
export function picked(stocks: LockedStockMap, line: HeldLine) {
  return line.allocations.filter(
    ({ stock_item_id }) => itemOf(stocks, line.product_id, stock_item_id).bin_kind === "staging",
  );
}

/** A stock item among a product's locked stock. Allocated units are on hand, so it is there. */
export function itemOf(stocks: LockedStockMap, product_id: number, id: number): StockItem {
  const item = lockedStockOf(stocks, product_id).items.find((item) => item.id === id);
  if (item === undefined) throw new Error(`stock item ${id} is allocated, so it must be among the locked stock`);
  return item;
}
