// Units on their way through staging: picked, shipped, or taken back.

import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { assert, Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { type PackKind, wholePacks } from "../../products/product.ts";
import type { Tx } from "../../storage/database.ts";
import { isAvailable, isRecalled, lotTransitions } from "../inventory.transitions.ts";
import type { Posting } from "../ledger/ledger.sql.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { isLotGood, isPromisable, isSellable } from "../stock/product_stock.ts";
import { calendarAt } from "../warehouses/warehouses.sql.ts";
import { stagingBin, transitSpot } from "../warehouses/warehouses.ts";
import { saveAllocations } from "./allocations.sql.ts";
import { allocateAll, count, itemOf, liftOut, picked, setCounts, takeAway, unpicked, withdraw } from "./allocations.ts";
import { adjustReserved, type LockedStockMap, lockedStockOf, moveAll, moveUnits } from "./locked_stock.ts";
import type { Allocation, AvoidedItem, HeldLine, MissingUnits, PickedUnits, TakenUnits } from "./reservation.ts";
import { saveLines } from "./reservations.sql.ts";

/** The actor and the order of a pick, and whether a scan confirmed it. */
interface PickContext {
  readonly order_id: number;
  readonly actor: Actor;
  readonly confirmed: boolean;
}

/** Units that a line holds, and their stock item. */
interface PickableUnits {
  readonly line: HeldLine;
  readonly item: StockItem;
  readonly quantity: number;
  /** Their allocation, if all of it was taken. */
  readonly moved: Allocation | null;
  /** The pack in which they were taken, alone or with others; null for single units. */
  readonly pack: PackKind | null;
}

/** The changes of an act, stored at its end: one statement per table, however many lines there are. */
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
 * Moves units of lines to the order's staging bin, as planned or from the named lot and bin. They stay reserved.
 * Returns the units taken.
 * Refuses: insufficient_inventory, lot_not_pickable.
 */
export async function pickUnits(
  tx: Tx,
  stocks: LockedStockMap,
  context: PickContext,
  picks: readonly { readonly line: HeldLine; readonly pick: PickedUnits }[],
): Promise<TakenUnits[]> {
  const changes = noChanges();
  const taken: PickableUnits[] = [];
  for (const { line, pick } of picks) {
    const { product } = lockedStockOf(stocks, line.product_id);
    const open = line.reserved - line.picked;
    if (pick.quantity > open) {
      const shortages = [{ sku: product.sku, requested: pick.quantity, available: open }];
      const few = open === 1 ? `1 unit of ${product.sku} is` : `${open} units of ${product.sku} are`;
      const message = `Only ${few} left to pick, not ${pick.quantity}.`;
      throw new Fault("insufficient_inventory", message, { shortages });
    }
    const isMeant = namedBy(pick);
    const { pack = null } = pick;
    let left = pick.quantity;
    for (const allocation of unpicked(stocks, line)) {
      const item = itemOf(stocks, line.product_id, allocation.stock_item_id);
      const quantity = Math.min(left, allocation.quantity);
      if (quantity === 0 || !isMeant(item)) continue;
      if (!isLotGood(item, tx.now)) throw notPickable(item);
      left -= quantity;
      const isWhole = quantity === allocation.quantity;
      if (isWhole) liftOut(line, allocation);
      else takeFrom(changes, line, allocation, quantity);
      taken.push({ line, item, quantity, moved: isWhole ? allocation : null, pack });
    }
    if (left > 0) {
      const others = await takeOthers(tx, stocks, changes, line, isMeant, left);
      taken.push(...others.map((one) => ({ ...one, pack })));
    }
    if (count(stocks, line, { picked: line.picked + pick.quantity })) changes.lines.add(line);
  }
  await saveChanges(tx, changes);
  await stage(tx, stocks, context, taken);
  return taken.map(({ line: { order_line_id, product_id }, item: { warehouse_id }, quantity, pack }) => {
    const { product } = lockedStockOf(stocks, product_id);
    return { order_line_id: order_line_id ?? 0, product, warehouse_id, quantity, pack };
  });
}

const namedBy = (pick: PickedUnits) => (item: StockItem) =>
  (pick.lot_number === undefined || pick.lot_number === item.lot_number) &&
  (pick.bin === undefined || pick.bin === item.bin);

/**
 * Takes planned units that were not found away from a line. They are written off; or they are released, and their items
 * are returned, to be avoided from now on.
 * Refuses: insufficient_inventory (fewer are planned there).
 */
export async function missUnits(
  tx: Tx,
  stocks: LockedStockMap,
  { order_id, actor, confirmed }: PickContext,
  line: HeldLine,
  miss: MissingUnits,
): Promise<AvoidedItem[]> {
  const stock = lockedStockOf(stocks, line.product_id);
  const isMeant = namedBy(miss);
  const planned = unpicked(stocks, line).map((allocation) => ({
    allocation,
    item: itemOf(stocks, line.product_id, allocation.stock_item_id),
  }));
  const avoided: AvoidedItem[] = [];
  let left = miss.quantity;
  for (const { allocation, item } of planned) {
    const units = isMeant(item) ? Math.min(left, allocation.quantity) : 0;
    if (units === 0) continue;
    left -= units;
    await withdraw(tx, line, allocation, units);
    await adjustReserved(tx, item, -units);
    if (miss.write_off === null) avoided.push({ stock_item_id: item.id, on_hand: item.on_hand });
    else {
      await moveUnits(tx, stock, {
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
    const { sku } = stock.product;
    const available = miss.quantity - left;
    throw new Fault("insufficient_inventory", `Only ${available} of ${sku} are planned to be picked there.`, {
      shortages: [{ sku, requested: miss.quantity, available }],
    });
  }
  await setCounts(tx, stocks, line, { reserved: line.reserved - miss.quantity });
  return avoided;
}

/** Takes units that were not planned for the line, which gives up as many planned ones. */
async function takeOthers(
  tx: Tx,
  stocks: LockedStockMap,
  changes: PickChanges,
  line: HeldLine,
  isMeant: (item: StockItem) => boolean,
  units: number,
): Promise<Omit<PickableUnits, "pack">[]> {
  const { product, items } = lockedStockOf(stocks, line.product_id);
  const planned = unpicked(stocks, line);
  const warehouses = new Set(
    planned.map(({ stock_item_id }) => itemOf(stocks, line.product_id, stock_item_id).warehouse_id),
  );
  const meant = items.filter(
    (item) => item.bin_kind === "storage" && warehouses.has(item.warehouse_id) && isMeant(item),
  );
  const bad = meant.find((item) => item.on_hand > 0 && !isSellable(item, tx.now));
  if (bad !== undefined) throw notPickable(bad);
  const taken: Omit<PickableUnits, "pack">[] = [];
  let left = units;
  for (const item of meant) {
    const keeps = isPromisable(item, product, tx.now);
    const quantity = keeps ? Math.min(left, item.on_hand - item.reserved) : 0;
    if (quantity === 0) continue;
    left -= quantity;
    await giveUp(tx, stocks, changes, line, quantity);
    await adjustReserved(tx, item, quantity);
    taken.push({ line, item, quantity, moved: null });
  }
  if (left === 0) return taken;
  const shortages = [{ sku: product.sku, requested: units, available: units - left }];
  const few = left === 1 ? `1 unit of ${product.sku} is` : `${left} units of ${product.sku} are`;
  const message = `${few} not in that lot or bin, reserved for other orders, or too close to expiry.`;
  throw new Fault("insufficient_inventory", message, { shortages });
}

/** Gives up units of a line, starting with those planned last. */
async function giveUp(
  tx: Tx,
  stocks: LockedStockMap,
  changes: PickChanges,
  line: HeldLine,
  units: number,
): Promise<void> {
  let left = units;
  for (const allocation of unpicked(stocks, line).reverse()) {
    const quantity = Math.min(left, allocation.quantity);
    if (quantity === 0) continue;
    left -= quantity;
    takeFrom(changes, line, allocation, quantity);
    await adjustReserved(tx, itemOf(stocks, line.product_id, allocation.stock_item_id), -quantity);
  }
  assert(left === 0, "a line gives up no more than it holds");
}

/** Moves picked units to the order's staging bin, where they are allocated to their lines. */
async function stage(
  tx: Tx,
  stocks: LockedStockMap,
  { order_id, actor, confirmed }: PickContext,
  taken: readonly PickableUnits[],
): Promise<void> {
  const order = wireId("order", order_id);
  const outside = { bin_kind: "staging", pick_order: 0, temperature_zone: null, temperature_range: null } as const;
  const common = { to_place: null, promised: true, reason: "picked", confirmed, actor } as const;
  const postings: Posting[] = [];
  for (const { item, quantity, pack } of taken) {
    const { id: bin_id, code: bin } = await tx.memo(`inventory.staging:${item.warehouse_id}:${order}`, () =>
      stagingBin(tx, item.warehouse_id, order),
    );
    const to = { ...item, bin_id, bin, ...outside };
    const units = { quantity, pack: wholePacks(pack, quantity) };
    postings.push({ type: "transfer", ...units, from: item, to, reference: { type: "order", id: order }, ...common });
  }
  const came = await moveAll(tx, stocks, postings);
  const allotments = taken.map(({ line, quantity, moved }, at) => {
    const item = came[at];
    assert(item, "picked units lie in staging");
    return { line, item, quantity, moved };
  });
  await allocateAll(tx, allotments);
}

/**
 * Ships picked units of lines. With `anyway`, units of lots that may not be shipped go too.
 * Refuses: lot_not_pickable.
 */
export async function handOutUnits(
  tx: Tx,
  stocks: LockedStockMap,
  context: PickContext & { readonly anyway: boolean },
  leaving: readonly { readonly line: HeldLine; readonly quantity: number }[],
): Promise<void> {
  const { order_id, actor, confirmed, anyway } = context;
  const reference = { type: "order", id: wireId("order", order_id) } as const;
  const common = { to: null, to_place: "customer", promised: true, reason: "shipped", confirmed, actor } as const;
  const changes = noChanges();
  const postings: Posting[] = [];
  for (const { line, quantity: units } of leaving) {
    assert(units <= line.picked, "only picked units are handed over");
    let left = units;
    for (const allocation of picked(stocks, line)) {
      const from = itemOf(stocks, line.product_id, allocation.stock_item_id);
      const quantity = Math.min(left, allocation.quantity);
      if (quantity === 0) continue;
      if (!anyway && !isLotGood(from, tx.now)) throw notPickable(from);
      // A carrier took recalled units, so the recall no longer holds the order.
      if (isRecalled(from.lot_status)) tx.wake("orders.hold_recalled", tx.now);
      left -= quantity;
      takeFrom(changes, line, allocation, quantity);
      postings.push({ type: "sale", quantity, from, reference, ...common });
    }
    const { wanted, reserved } = line;
    const now = { wanted: wanted - units, reserved: reserved - units, picked: line.picked - units };
    if (count(stocks, line, now)) changes.lines.add(line);
  }
  await saveChanges(tx, changes);
  await moveAll(tx, stocks, postings);
}

/** Takes picked units of a line out of staging, to be restocked. They are no longer reserved. */
export async function unpickUnits(
  tx: Tx,
  stocks: LockedStockMap,
  { order_id, actor, confirmed }: PickContext,
  line: HeldLine,
  quantity: number,
): Promise<void> {
  let left = quantity;
  for (const allocation of picked(stocks, line).reverse()) {
    const item = itemOf(stocks, line.product_id, allocation.stock_item_id);
    const units = Math.min(left, allocation.quantity);
    if (units === 0) continue;
    if (isRecalled(item.lot_status)) tx.wake("orders.hold_recalled", tx.now);
    left -= units;
    await withdraw(tx, line, allocation, units);
    await adjustReserved(tx, item, -units);
    const { product } = lockedStockOf(stocks, line.product_id);
    const { id } = await moveUnits(tx, lockedStockOf(stocks, line.product_id), {
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
  await setCounts(tx, stocks, line, { reserved: line.reserved - quantity, picked: line.picked - quantity });
}

function notPickable({ lot_id, lot_number, lot_status }: StockItem): Fault {
  const lot = lot_id === null ? null : wireId("lot", lot_id);
  const status = lot_status !== null && isAvailable(lot_status) ? lotTransitions.expire.to : lot_status;
  return new Fault("lot_not_pickable", `Lot ${lot_number} cannot be shipped: it is ${status}.`, {
    lot_id: lot,
    lot_number,
    lot_status: status,
  });
}
