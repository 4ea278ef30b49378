// Units on their way through staging: picked from the shelf, handed over, or brought back.

import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { assert, Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import { isAvailable, isRecalled, lotTransitions } from "../inventory.transitions.ts";
import type { Posting } from "../ledger/ledger.sql.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { isLotGood, isPromisable, isSellable } from "../stock/product_stock.ts";
import { calendarAt } from "../warehouses/warehouses.sql.ts";
import { stagingBin, transitSpot } from "../warehouses/warehouses.ts";
import { saveAllocations } from "./allocations.sql.ts";
import { allocateAll, count, itemOf, liftOut, picked, setCounts, takeAway, unpicked, withdraw } from "./allocations.ts";
import { type LockedStockMap, lockedStockOf, moveAll, moveUnits, promise } from "./locked_stock.ts";
import type { Allocation, AvoidedItem, HeldLine, MissingUnits, PickedUnits, TakenUnits } from "./reservation.ts";
import { saveLines } from "./reservations.sql.ts";

/** Who moves units for which order, and whether somebody saw them move. */
interface PickContext {
  readonly order_id: number;
  readonly actor: Actor;
  readonly confirmed: boolean;
}

/** Some units that a line holds, and where they lie. */
interface PickableUnits {
  readonly line: HeldLine;
  readonly item: StockItem;
  readonly quantity: number;
  /** The allocation that they are, where all of it was taken. */
  readonly moved: Allocation | null;
}

/** What an act changes of promises, stored at its end: one statement a table, however many lines it is about. */
interface PickChanges {
  readonly allocations: Set<Allocation>;
  readonly lines: Set<HeldLine>;
}

const noChanges = (): PickChanges => ({ allocations: new Set(), lines: new Set() });

function takeFrom(changes: PickChanges, line: HeldLine, allocation: Allocation, quantity: number): void {
  takeAway(line, allocation, quantity);
  changes.allocations.add(allocation);
}

async function saveChanges(tx: Tx, { allocations, lines }: PickChanges): Promise<void> {
  await saveAllocations(tx, [...allocations]);
  await saveLines(tx, [...lines]);
}

/**
 * Takes units of lines to the order's staging bin, as planned or from the lot and bin named: the promise moves along.
 * Answers what was taken where. Refuses: insufficient_inventory, lot_not_pickable.
 */
export async function pickUnits(
  tx: Tx,
  shelves: LockedStockMap,
  errand: PickContext,
  picks: readonly { readonly line: HeldLine; readonly pick: PickedUnits }[],
): Promise<TakenUnits[]> {
  const changes = noChanges();
  const taken: PickableUnits[] = [];
  for (const { line, pick } of picks) {
    const { product } = lockedStockOf(shelves, line.product_id);
    const open = line.reserved - line.picked;
    if (pick.quantity > open) {
      const shortages = [{ sku: product.sku, requested: pick.quantity, available: open }];
      const few = open === 1 ? `1 unit of ${product.sku} is` : `${open} units of ${product.sku} are`;
      const message = `Only ${few} left to pick, not ${pick.quantity}.`;
      throw new Fault("insufficient_inventory", message, { shortages });
    }
    const isMeant = namedBy(pick);
    let left = pick.quantity;
    for (const allocation of unpicked(shelves, line)) {
      const item = itemOf(shelves, line.product_id, allocation.stock_item_id);
      const quantity = Math.min(left, allocation.quantity);
      if (quantity === 0 || !isMeant(item)) continue;
      if (!isLotGood(item, tx.now)) throw notPickable(item);
      left -= quantity;
      const isWhole = quantity === allocation.quantity;
      if (isWhole) liftOut(line, allocation);
      else takeFrom(changes, line, allocation, quantity);
      taken.push({ line, item, quantity, moved: isWhole ? allocation : null });
    }
    if (left > 0) taken.push(...(await takeOthers(tx, shelves, changes, line, isMeant, left)));
    if (count(shelves, line, { picked: line.picked + pick.quantity })) changes.lines.add(line);
  }
  await saveChanges(tx, changes);
  await stage(tx, shelves, errand, taken);
  return taken.map(({ line: { order_line_id, product_id }, item: { warehouse_id }, quantity }) => {
    const { product } = lockedStockOf(shelves, product_id);
    return { order_line_id: order_line_id ?? 0, product, warehouse_id, quantity };
  });
}

const namedBy = (pick: PickedUnits) => (item: StockItem) =>
  (pick.lot_number === undefined || pick.lot_number === item.lot_number) &&
  (pick.bin === undefined || pick.bin === item.bin);

/**
 * Takes the promise of planned units away that were not found on the shelf: they are written off, or given free and
 * their item answered, to be left alone from now on. Refuses: insufficient_inventory (no so many are planned there).
 */
export async function missUnits(
  tx: Tx,
  shelves: LockedStockMap,
  { order_id, actor, confirmed }: PickContext,
  line: HeldLine,
  miss: MissingUnits,
): Promise<AvoidedItem[]> {
  const shelf = lockedStockOf(shelves, line.product_id);
  const isMeant = namedBy(miss);
  const planned = unpicked(shelves, line).map((allocation) => ({
    allocation,
    item: itemOf(shelves, line.product_id, allocation.stock_item_id),
  }));
  const avoided: AvoidedItem[] = [];
  let left = miss.quantity;
  for (const { allocation, item } of planned) {
    const units = isMeant(item) ? Math.min(left, allocation.quantity) : 0;
    if (units === 0) continue;
    left -= units;
    await withdraw(tx, line, allocation, units);
    await promise(tx, item, -units);
    if (miss.write_off === null) avoided.push({ stock_item_id: item.id, on_hand: item.on_hand });
    else {
      await moveUnits(tx, shelf, {
        type: "adjustment",
        quantity: units,
        from: item,
        to: null,
        to_place: "write_off",
        promised: false,
        reason: miss.write_off,
        reference: { type: "order", id: wireId("order", order_id) },
        confirmed,
        actor,
      });
    }
  }
  if (left > 0) {
    const { sku } = shelf.product;
    const available = miss.quantity - left;
    throw new Fault("insufficient_inventory", `Of ${sku} only ${available} are planned to be picked there.`, {
      shortages: [{ sku, requested: miss.quantity, available }],
    });
  }
  await setCounts(tx, shelves, line, { reserved: line.reserved - miss.quantity });
  return avoided;
}

/** Takes units that were not planned for the line: it gives up as many of those that were. */
async function takeOthers(
  tx: Tx,
  shelves: LockedStockMap,
  changes: PickChanges,
  line: HeldLine,
  isMeant: (item: StockItem) => boolean,
  units: number,
): Promise<PickableUnits[]> {
  const { product, items } = lockedStockOf(shelves, line.product_id);
  const planned = unpicked(shelves, line);
  const warehouses = new Set(
    planned.map(({ stock_item_id }) => itemOf(shelves, line.product_id, stock_item_id).warehouse_id),
  );
  const meant = items.filter(
    (item) => item.bin_kind === "storage" && warehouses.has(item.warehouse_id) && isMeant(item),
  );
  const bad = meant.find((item) => item.on_hand > 0 && !isSellable(item, tx.now));
  if (bad !== undefined) throw notPickable(bad);
  const taken: PickableUnits[] = [];
  let left = units;
  for (const item of meant) {
    const keeps = isPromisable(item, product, tx.now);
    const quantity = keeps ? Math.min(left, item.on_hand - item.reserved) : 0;
    if (quantity === 0) continue;
    left -= quantity;
    await giveUp(tx, shelves, changes, line, quantity);
    await promise(tx, item, quantity);
    taken.push({ line, item, quantity, moved: null });
  }
  if (left === 0) return taken;
  const shortages = [{ sku: product.sku, requested: units, available: units - left }];
  const few = left === 1 ? `1 unit of ${product.sku} is` : `${left} units of ${product.sku} are`;
  const message = `${few} missing in the lot or bin named, promised to other orders, or too close to expiry.`;
  throw new Fault("insufficient_inventory", message, { shortages });
}

/** Gives up units of a line that were planned last. */
async function giveUp(
  tx: Tx,
  shelves: LockedStockMap,
  changes: PickChanges,
  line: HeldLine,
  units: number,
): Promise<void> {
  let left = units;
  for (const allocation of unpicked(shelves, line).reverse()) {
    const quantity = Math.min(left, allocation.quantity);
    if (quantity === 0) continue;
    left -= quantity;
    takeFrom(changes, line, allocation, quantity);
    await promise(tx, itemOf(shelves, line.product_id, allocation.stock_item_id), -quantity);
  }
  assert(left === 0, "a line gives up no more than it holds");
}

/** Moves units that were taken from the shelf to the order's staging bin, where they are promised to their lines. */
async function stage(
  tx: Tx,
  shelves: LockedStockMap,
  { order_id, actor, confirmed }: PickContext,
  taken: readonly PickableUnits[],
): Promise<void> {
  const order = wireId("order", order_id);
  const outside = { bin_kind: "staging", pick_order: 0, temperature_zone: null, temperature_range: null } as const;
  const common = { to_place: null, promised: true, reason: "picked", confirmed, actor } as const;
  const postings: Posting[] = [];
  for (const { item, quantity } of taken) {
    const { id: bin_id, code: bin } = await tx.memo(`inventory.staging:${item.warehouse_id}:${order}`, () =>
      stagingBin(tx, item.warehouse_id, order),
    );
    const to = { ...item, bin_id, bin, ...outside };
    postings.push({ type: "transfer", quantity, from: item, to, reference: { type: "order", id: order }, ...common });
  }
  const came = await moveAll(tx, shelves, postings);
  const allotments = taken.map(({ line, quantity, moved }, at) => {
    const item = came[at];
    assert(item, "picked units lie in staging");
    return { line, item, quantity, moved };
  });
  await allocateAll(tx, allotments);
}

/**
 * Hands picked units of lines over: they leave the house. With `anyway` even those of a lot that should not go.
 * Refuses: lot_not_pickable.
 */
export async function handOutUnits(
  tx: Tx,
  shelves: LockedStockMap,
  errand: PickContext & { readonly anyway: boolean },
  leaving: readonly { readonly line: HeldLine; readonly quantity: number }[],
): Promise<void> {
  const { order_id, actor, confirmed, anyway } = errand;
  const reference = { type: "order", id: wireId("order", order_id) } as const;
  const common = { to: null, to_place: "customer", promised: true, reason: "shipped", confirmed, actor } as const;
  const changes = noChanges();
  const postings: Posting[] = [];
  for (const { line, quantity: units } of leaving) {
    assert(units <= line.picked, "only picked units are handed over");
    let left = units;
    for (const allocation of picked(shelves, line)) {
      const from = itemOf(shelves, line.product_id, allocation.stock_item_id);
      const quantity = Math.min(left, allocation.quantity);
      if (quantity === 0) continue;
      if (!anyway && !isLotGood(from, tx.now)) throw notPickable(from);
      // A carrier took what was recalled: the order need not be held for it any more.
      if (isRecalled(from.lot_status)) tx.wake("orders.hold_recalled", tx.now);
      left -= quantity;
      takeFrom(changes, line, allocation, quantity);
      postings.push({ type: "sale", quantity, from, reference, ...common });
    }
    const { wanted, reserved } = line;
    const now = { wanted: wanted - units, reserved: reserved - units, picked: line.picked - units };
    if (count(shelves, line, now)) changes.lines.add(line);
  }
  await saveChanges(tx, changes);
  await moveAll(tx, shelves, postings);
}

/** Takes picked units of a line out of staging, to be put back on the shelf: they are promised to nobody any more. */
export async function unpickUnits(
  tx: Tx,
  shelves: LockedStockMap,
  { order_id, actor, confirmed }: PickContext,
  line: HeldLine,
  quantity: number,
): Promise<void> {
  let left = quantity;
  for (const allocation of picked(shelves, line).reverse()) {
    const item = itemOf(shelves, line.product_id, allocation.stock_item_id);
    const units = Math.min(left, allocation.quantity);
    if (units === 0) continue;
    if (isRecalled(item.lot_status)) tx.wake("orders.hold_recalled", tx.now);
    left -= units;
    await withdraw(tx, line, allocation, units);
    await promise(tx, item, -units);
    const { product } = lockedStockOf(shelves, line.product_id);
    const { id } = await moveUnits(tx, lockedStockOf(shelves, line.product_id), {
      type: "transfer",
      quantity: units,
      from: item,
      to: { ...item, ...(await transitSpot(tx, item.warehouse_id, "putback", item.merchant_id)) },
      to_place: null,
      promised: false,
      reason: "cancelled",
      reference: { type: "order", id: wireId("order", order_id) },
      confirmed,
      actor,
    });
    billFacts(tx, [
      {
        act: "order.give_up",
        merchant_id: product.merchant_id,
        warehouse: await calendarAt(tx, item.warehouse_id),
        quantity: units,
        source: { id },
        attributes: { order_id: wireId("order", order_id), sku: product.sku },
      },
    ]);
  }
  assert(left === 0, "no more units are put back than were picked");
  await setCounts(tx, shelves, line, { reserved: line.reserved - quantity, picked: line.picked - quantity });
}

function notPickable({ lot_id, lot_number, lot_status }: StockItem): Fault {
  const lot = lot_id === null ? null : wireId("lot", lot_id);
  const status = lot_status !== null && isAvailable(lot_status) ? lotTransitions.expire.to : lot_status;
  return new Fault("lot_not_pickable", `Lot ${lot_number} may not leave the house: it is ${status}.`, {
    lot_id: lot,
    lot_number,
    lot_status: status,
  });
}
