// How promises change: allocations, the counts of their lines and `reserved` of the stock items, always together.

import type { Tx } from "../../storage/database.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { addAllocation, insertAllocations, moveAllocations, saveAllocations } from "./allocations.sql.ts";
import { type LockedStockMap, lockedStockOf, promise, promiseAll } from "./locked_stock.ts";
import type { StockPlan, StockPortion, WantedUnits } from "./plan_stock.ts";
import type { Allocation, HeldLine, Reservation, ReservationLine } from "./reservation.ts";
import { deleteLines, insertLines, saveLines } from "./reservations.sql.ts";

/**
 * The lines of the claims that are open in this transaction, by id. They are read once, and whoever changes a line or
 * what is promised to it changes it here as well as in the database.
 */
export function openLines(tx: Tx): Map<number, HeldLine> {
  return tx.memo("inventory.lines", () => new Map<number, HeldLine>());
}

/** Promises units of an item to a line. */
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

/** Takes units of an allocation away from its line. */
export async function withdraw(tx: Tx, line: HeldLine, allocation: Allocation, quantity: number): Promise<void> {
  takeAway(line, allocation, quantity);
  await saveAllocations(tx, [allocation]);
}

/** As `withdraw`, to be stored by the caller. */
export function takeAway(line: HeldLine, allocation: Allocation, quantity: number): void {
  allocation.quantity -= quantity;
  line.allocations = line.allocations.filter(({ quantity }) => quantity > 0);
}

/** Units of an item that a line is promised. */
interface AllocatedUnits extends StockPortion {
  readonly line: HeldLine;
  /** The allocation of the line that moves to the item as a whole, taken out of the line before. */
  readonly moved?: Allocation | null;
}

/** Takes an allocation out of its line, to be moved as a whole by `allotAll`. */
export function liftOut(line: HeldLine, allocation: Allocation): void {
  line.allocations = line.allocations.filter((one) => one !== allocation);
}

/** Promises units of items to lines of which all is known that is promised to them. */
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
  await insertPromises(tx, fresh);
}

/** Stores what lines are promised of items of which they were promised nothing. */
async function insertPromises(
  tx: Tx,
  added: readonly { readonly line: HeldLine; readonly row: Omit<Allocation, "id"> }[],
): Promise<void> {
  const ids = await insertAllocations(
    tx,
    added.map(({ row }) => row),
  );
  for (const [at, { line, row }] of added.entries()) line.allocations.push({ id: ids[at] ?? 0, ...row });
}

/** What a line is to hold of unpicked units from now on. */
interface UnitAssignment {
  readonly line: HeldLine;
  readonly portions: readonly StockPortion[];
}

/** Gives lines exactly these unpicked units, in place of what they hold. Their counts are for the caller to save. */
export async function assignUnits(
  tx: Tx,
  shelves: LockedStockMap,
  assignments: readonly UnitAssignment[],
): Promise<void> {
  const changes = new Map<StockItem, number>();
  const change = (item: StockItem, by: number) => changes.set(item, (changes.get(item) ?? 0) + by);
  const added: { readonly line: HeldLine; readonly row: Omit<Allocation, "id"> }[] = [];
  const changed: Allocation[] = [];
  for (const { line, portions } of assignments) {
    const wanted = new Map(portions.map(({ item, quantity }) => [item.id, quantity]));
    for (const allocation of unpicked(shelves, line)) {
      const quantity = wanted.get(allocation.stock_item_id) ?? 0;
      wanted.delete(allocation.stock_item_id);
      if (quantity === allocation.quantity) continue;
      change(itemOf(shelves, line.product_id, allocation.stock_item_id), quantity - allocation.quantity);
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
  await saveAllocations(tx, changed);
  await promiseAll(tx, changes);
  await insertPromises(tx, added);
}

/** Promises portions to a line, whose other allocations need not be known, and saves its counts. */
export async function addUnits(
  tx: Tx,
  shelves: LockedStockMap,
  row: ReservationLine,
  portions: readonly StockPortion[],
): Promise<void> {
  const line = openLines(tx).get(row.id) ?? row;
  let added = 0;
  for (const { item, quantity } of portions) {
    await promise(tx, item, quantity);
    await allocateUnits(tx, line, item, quantity);
    added += quantity;
  }
  await setCounts(tx, shelves, line, { reserved: line.reserved + added });
}

type LineCounts = Partial<Pick<ReservationLine, "wanted" | "reserved" | "picked">>;

/** Saves a line's counts where they change, and the demand that waits for its product with them. */
export async function setCounts(
  tx: Tx,
  shelves: LockedStockMap,
  line: ReservationLine,
  counts: LineCounts,
): Promise<void> {
  if (count(shelves, line, counts)) await saveLines(tx, [line]);
}

/** As `setCounts`, to be stored by the caller; answers whether anything changes. */
export function count(shelves: LockedStockMap, line: ReservationLine, counts: LineCounts): boolean {
  const { wanted = line.wanted, reserved = line.reserved, picked = line.picked } = counts;
  if (wanted === line.wanted && reserved === line.reserved && picked === line.picked) return false;
  lockedStockOf(shelves, line.product_id).backordered += wanted - reserved - (line.wanted - line.reserved);
  Object.assign(line, { wanted, reserved, picked });
  return true;
}

/** What a reservation is to want of one product from now on. */
interface HoldLines extends WantedUnits {
  readonly order_line_id: number | null;
}

/**
 * Gives a reservation new lines with these portions, in place of the lines it had, whose units may be among them.
 * Answers the new lines.
 */
export async function replaceLines(
  tx: Tx,
  shelves: LockedStockMap,
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
  await assignUnits(tx, shelves, [
    ...old.map((line) => ({ line, portions: [] })),
    ...lines.map((line, at) => ({ line, portions: portions[at] ?? [] })),
  ]);
  for (const { product_id, wanted, reserved } of old)
    lockedStockOf(shelves, product_id).backordered -= wanted - reserved;
  for (const { product_id, wanted, reserved } of lines)
    lockedStockOf(shelves, product_id).backordered += wanted - reserved;
  for (const { id } of old) openLines(tx).delete(id);
  await deleteLines(
    tx,
    old.map((line) => line.id),
  );
  return lines;
}

/** Units by stock item that lines hold and have not picked. */
export function unpickedUnits(shelves: LockedStockMap, lines: readonly HeldLine[]): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  for (const line of lines) {
    for (const { stock_item_id, quantity } of unpicked(shelves, line)) {
      units.set(stock_item_id, (units.get(stock_item_id) ?? 0) + quantity);
    }
  }
  return units;
}

/** A line's allocations that still lie on the shelf. */
export function unpicked(shelves: LockedStockMap, line: HeldLine) {
  return line.allocations.filter(
    ({ stock_item_id }) => itemOf(shelves, line.product_id, stock_item_id).bin_kind !== "staging",
  );
}

/** A line's allocations that lie in staging. */
export function picked(shelves: LockedStockMap, line: HeldLine) {
  return line.allocations.filter(
    ({ stock_item_id }) => itemOf(shelves, line.product_id, stock_item_id).bin_kind === "staging",
  );
}

/** A stock item on an open shelf. What is promised is on hand, so it lies there. */
export function itemOf(shelves: LockedStockMap, product_id: number, id: number): StockItem {
  const item = lockedStockOf(shelves, product_id).items.find((item) => item.id === id);
  if (item === undefined) throw new Error(`stock item ${id} is promised, so it must be on the shelf`);
  return item;
}
