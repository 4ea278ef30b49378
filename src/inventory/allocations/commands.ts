// How promises change: allocations, the counts of their lines and `reserved` of the stock items, always together.

import type { Tx } from "../../database/store.ts";
import type { StockItem } from "../ledger/spot.ts";
import type { Allocation, HeldLine, ReservationLine } from "../reservations/reservation.ts";
import type { Plan, Portion, Want } from "../reservations/rules.ts";
import { deleteLines, insertLines, saveLine } from "../reservations/store.ts";
import { promise, type Shelves, shelfOf } from "../shelves/commands.ts";
import { addAllocation, insertAllocations, saveAllocation } from "./store.ts";

/**
 * The lines of the claims that are open in this transaction, by id. They are read once, and whoever changes a line or
 * what is promised to it changes it here as well as in the database.
 */
export function openLines(tx: Tx): Map<number, HeldLine> {
  return tx.memo("inventory.lines", () => new Map<number, HeldLine>());
}

/** Promises units of an item to a line. */
export async function allot(
  tx: Tx,
  line: ReservationLine | HeldLine,
  item: StockItem,
  quantity: number,
): Promise<void> {
  const allocation = await addAllocation(tx, line.id, item.id, quantity);
  if (!("allocations" in line)) return;
  const known = line.allocations.find(({ id }) => id === allocation.id);
  if (known === undefined) line.allocations.push(allocation);
  else known.quantity = allocation.quantity;
}

/** Takes units of an allocation away from its line. */
export async function withdraw(tx: Tx, line: HeldLine, allocation: Allocation, quantity: number): Promise<void> {
  allocation.quantity -= quantity;
  await saveAllocation(tx, allocation);
  line.allocations = line.allocations.filter(({ quantity }) => quantity > 0);
}

/** What a line is to hold of unpicked units from now on. */
interface Assignment {
  readonly line: HeldLine;
  readonly portions: readonly Portion[];
}

/** Gives lines exactly these unpicked units, in place of what they hold. Their counts are for the caller to save. */
export async function assignUnits(tx: Tx, shelves: Shelves, assignments: readonly Assignment[]): Promise<void> {
  const changes = new Map<StockItem, number>();
  const change = (item: StockItem, by: number) => changes.set(item, (changes.get(item) ?? 0) + by);
  const added: { readonly line: HeldLine; readonly row: Omit<Allocation, "id"> }[] = [];
  for (const { line, portions } of assignments) {
    const wanted = new Map(portions.map(({ item, quantity }) => [item.id, quantity]));
    for (const allocation of unpicked(shelves, line)) {
      const quantity = wanted.get(allocation.stock_item_id) ?? 0;
      wanted.delete(allocation.stock_item_id);
      if (quantity === allocation.quantity) continue;
      change(itemOf(shelves, line.product_id, allocation.stock_item_id), quantity - allocation.quantity);
      allocation.quantity = quantity;
      await saveAllocation(tx, allocation);
    }
    line.allocations = line.allocations.filter(({ quantity }) => quantity > 0);
    for (const { item, quantity } of portions) {
      if (!wanted.has(item.id)) continue;
      change(item, quantity);
      added.push({ line, row: { reservation_line_id: line.id, stock_item_id: item.id, quantity } });
    }
  }
  // What is given back comes first, so that no item is promised twice on the way; then in one order for all.
  const ordered = [...changes].sort(([a, more], [b, less]) => Math.sign(more) - Math.sign(less) || a.id - b.id);
  for (const [item, by] of ordered) if (by !== 0) await promise(tx, item, by);
  const ids = await insertAllocations(
    tx,
    added.map(({ row }) => row),
  );
  for (const [at, { line, row }] of added.entries()) line.allocations.push({ id: ids[at] ?? 0, ...row });
}

/** Promises portions to a line, whose other allocations need not be known, and saves its counts. */
export async function addUnits(
  tx: Tx,
  shelves: Shelves,
  row: ReservationLine,
  portions: readonly Portion[],
): Promise<void> {
  const line = openLines(tx).get(row.id) ?? row;
  let added = 0;
  for (const { item, quantity } of portions) {
    await promise(tx, item, quantity);
    await allot(tx, line, item, quantity);
    added += quantity;
  }
  await setCounts(tx, shelves, line, { reserved: line.reserved + added });
}

/** Saves a line's counts where they change, and the demand that waits for its product with them. */
export async function setCounts(
  tx: Tx,
  shelves: Shelves,
  line: ReservationLine,
  counts: Partial<Pick<ReservationLine, "wanted" | "reserved" | "picked">>,
): Promise<void> {
  const { wanted = line.wanted, reserved = line.reserved, picked = line.picked } = counts;
  if (wanted === line.wanted && reserved === line.reserved && picked === line.picked) return;
  shelfOf(shelves, line.product_id).backordered += wanted - reserved - (line.wanted - line.reserved);
  Object.assign(line, { wanted, reserved, picked });
  await saveLine(tx, line);
}

/** What a reservation is to want of one product from now on. */
interface HoldLine extends Want {
  readonly order_line_id: number | null;
}

/**
 * Gives a reservation new lines with these portions, in place of the lines it had, whose units may be among them.
 * Answers the new lines.
 */
export async function replaceLines(
  tx: Tx,
  shelves: Shelves,
  reservation_id: number,
  old: readonly HeldLine[],
  wants: readonly HoldLine[],
  portions: Plan["portions"],
): Promise<HeldLine[]> {
  const rows = wants.map(({ product_id, order_line_id, quantity }, at) => {
    const reserved = (portions[at] ?? []).reduce((sum, portion) => sum + portion.quantity, 0);
    return { reservation_id, product_id, order_line_id, quantity, wanted: quantity, reserved, picked: 0 };
  });
  const ids = await insertLines(tx, rows);
  const lines: HeldLine[] = rows.map((row, at) => ({ ...row, id: ids[at] ?? 0, allocations: [] }));
  await assignUnits(tx, shelves, [
    ...old.map((line) => ({ line, portions: [] })),
    ...lines.map((line, at) => ({ line, portions: portions[at] ?? [] })),
  ]);
  for (const { product_id, wanted, reserved } of old) shelfOf(shelves, product_id).backordered -= wanted - reserved;
  for (const { product_id, wanted, reserved } of lines) shelfOf(shelves, product_id).backordered += wanted - reserved;
  for (const { id } of old) openLines(tx).delete(id);
  await deleteLines(
    tx,
    old.map((line) => line.id),
  );
  return lines;
}

/** Units by stock item that lines hold and have not picked. */
export function unpickedUnits(shelves: Shelves, lines: readonly HeldLine[]): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  for (const line of lines) {
    for (const { stock_item_id, quantity } of unpicked(shelves, line)) {
      units.set(stock_item_id, (units.get(stock_item_id) ?? 0) + quantity);
    }
  }
  return units;
}

/** A line's allocations that still lie on the shelf. */
export function unpicked(shelves: Shelves, line: HeldLine) {
  return line.allocations.filter(
    ({ stock_item_id }) => itemOf(shelves, line.product_id, stock_item_id).bin_kind !== "staging",
  );
}

/** A line's allocations that lie in staging. */
export function picked(shelves: Shelves, line: HeldLine) {
  return line.allocations.filter(
    ({ stock_item_id }) => itemOf(shelves, line.product_id, stock_item_id).bin_kind === "staging",
  );
}

/** A stock item on an open shelf. What is promised is on hand, so it lies there. */
export function itemOf(shelves: Shelves, product_id: number, id: number): StockItem {
  const item = shelfOf(shelves, product_id).items.find((item) => item.id === id);
  if (item === undefined) throw new Error(`stock item ${id} is promised, so it must be on the shelf`);
  return item;
}
