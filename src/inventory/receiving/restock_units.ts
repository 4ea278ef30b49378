import { isRecalled } from "../inventory.transitions.ts";
// Units that go back to the shelf: those that an order gave up wait in the put-back bin, those that came back with a
// return in the returns bin, and those of a lot that may not leave lie in staging still.

import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { assert, Fault, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { listHeldLines } from "../reservations/allocations.sql.ts";
import { openLines, setCounts, withdraw } from "../reservations/allocations.ts";
import { fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import {
  type LockedStock,
  type LockedStockMap,
  lockedStockOf,
  moveUnits,
  promise,
} from "../reservations/locked_stock.ts";
import { byWarehouseThenAge, type WantedUnits } from "../reservations/plan_stock.ts";
import type { Allocation, HeldLine } from "../reservations/reservation.ts";
import { findOrderReservation } from "../reservations/reservations.sql.ts";
import { isLotGood, isSellable } from "../stock/product_stock.ts";
import { findNamedProducts } from "../stock/stock.sql.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor } from "../warehouses/warehouses.ts";
import type { RestockInput } from "./restock_task.schema.ts";
import type { RestockOrigin } from "./restock_task.ts";
import { findOwner, listUnitsToRestock } from "./restock_tasks.sql.ts";

/** How many picked units of a product for an order's line are not packed. */
export type LooseUnits = (order_line_id: number, product_id: number) => number;

/**
 * Units that may be put back: where they are, and the lines for which they were picked, if an order still holds them.
 */
interface RestockableUnits {
  readonly item: StockItem;
  readonly waits: number;
  readonly picks: readonly { readonly line: HeldLine; readonly allocation: Allocation; readonly units: number }[];
}

/**
 * Puts units of an order into a bin of the same warehouse: first those it gave up, which then are for sale again; else
 * picked units of a lot that may not be shipped, for which the order gets others or waits. `loose` gives the picked
 * units of a product for one of its lines that are not packed. Refuses: resource_missing, validation_failed,
 * ambiguous_stock, bin_full, bin_of_other_merchant, insufficient_inventory.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function restock(tx: Tx, order_id: number, input: RestockInput, loose: LooseUnits, actor: Actor) {
  const giver = { type: "order", id: wireId("order", order_id) } as const;
  return shelve(tx, giver, input, (shelf) => pickedInVain(tx, shelf, order_id, loose), actor);
}

/**
 * Puts returned units that are to be sold again into a bin of the same warehouse. Refuses: resource_missing,
 * validation_failed, ambiguous_stock, bin_full, bin_of_other_merchant, insufficient_inventory.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function restockReturned(tx: Tx, return_id: number, input: RestockInput, actor: Actor) {
  return shelve(tx, { type: "return", id: wireId("return", return_id) }, input, async () => [], actor);
}

/** Puts units of an order or a return into a bin: first those that wait, else those that `others` finds. */
async function shelve(
  tx: Tx,
  giver: RestockOrigin,
  input: RestockInput,
  others: (shelf: LockedStock) => Promise<RestockableUnits[]>,
  actor: Actor,
) {
  const { sku, quantity } = input;
  const product_id = await productOf(tx, giver, sku);
  if (product_id === null) {
    throw new Fault("resource_missing", `No such SKU: ${sku}.`, {
      fields: [{ field: "sku", code: "resource_missing", message: "is not the SKU of a product" }],
    });
  }
  const shelves = await lockFreshStock(tx, [product_id]);
  const shelf = lockedStockOf(shelves, product_id);
  const source = theOne(await givenUp(tx, shelf, giver), input) ?? theOne(await others(shelf), input);
  if (source === null || quantity > source.waits) throw tooFew(sku, quantity, source?.waits ?? 0);
  const { item, waits, picks } = source;
  const warehouse = await shareWarehouse(tx, item.warehouse_id);
  const bin = await binFor(tx, warehouse, shelf.product, input.bin, quantity);
  if (bin.kind === "putback" || bin.id === item.bin_id) throw invalid("bin", "is a bin for units to put back");
  await unpick(tx, shelves, source, quantity);
  const { id } = await moveUnits(tx, shelf, {
    type: "transfer",
    quantity,
    from: item,
    to: { ...item, ...binSpot(warehouse, bin) },
    to_place: null,
    promised: false,
    reason: "put_back",
    reference: giver,
    confirmed: true,
    actor,
  });
  await fillBackorders(tx, shelves, [product_id]);
  billFacts(tx, [
    {
      act: picks.length > 0 ? "order.put_back" : "stock.put_away",
      merchant_id: shelf.product.merchant_id,
      warehouse,
      quantity,
      source: { id },
      attributes: { [`${giver.type}_id`]: giver.id, sku, from_bin: item.bin, to_bin: bin.code },
    },
  ]);
  return {
    sku,
    quantity,
    lot_number: item.lot_number,
    location: wireId("warehouse", warehouse.id),
    from_bin: item.bin,
    bin: bin.code,
    was_picked: picks.length > 0,
    movement_id: wireId("movement", id),
    remaining: waits - quantity,
    put_back_at: iso(tx.now),
    put_back_by: actor.id,
  };
}

/** The id of the product that a SKU means to whose order or return it is, or null. Refuses: merchant_required. */
async function productOf(tx: Tx, giver: RestockOrigin, sku: string): Promise<number | null> {
  const named = await findNamedProducts(tx, [sku]);
  const all = named.get(sku) ?? [];
  if (all.length < 2) return all[0]?.id ?? null;
  const owner = await findOwner(tx, giver);
  return all.find(({ merchant_id }) => merchant_id === owner)?.id ?? null;
}

/** Units of the order or return that wait in put-back or returns bins. */
async function givenUp(tx: Tx, { product, items }: LockedStock, giver: RestockOrigin): Promise<RestockableUnits[]> {
  return (await listUnitsToRestock(tx, giver, product.id)).flatMap((row) => {
    const item = items.find(({ id }) => id === row.stock_item_id);
    // Some may have been written off while they waited.
    return item === undefined ? [] : [{ item, waits: Math.min(row.quantity, item.on_hand), picks: [] }];
  });
}

/** Unpacked units in staging for the order, of lots that may not be shipped. */
async function pickedInVain(
  tx: Tx,
  { product, items }: LockedStock,
  order_id: number,
  loose: LooseUnits,
): Promise<RestockableUnits[]> {
  const reservation = await findOrderReservation(tx, order_id);
  if (reservation === null) return [];
  const stored = await listHeldLines(tx, reservation.id);
  const lines = stored
    .filter((line) => line.product_id === product.id)
    .map((line) => openLines(tx).get(line.id) ?? line);
  return items
    .filter((item) => item.bin_kind === "staging" && !isLotGood(item, tx.now))
    .map((item) => {
      const picks = lines.flatMap((line) =>
        line.allocations
          .filter((allocation) => allocation.stock_item_id === item.id)
          .map((allocation) => {
            const free = Math.max(0, loose(line.order_line_id ?? 0, product.id));
            return { line, allocation, units: Math.min(allocation.quantity, free) };
          }),
      );
      return { item, picks, waits: picks.reduce((sum, { units }) => sum + units, 0) };
    })
    .filter(({ waits }) => waits > 0);
}

/** The one of these that the request names, or null. Refuses: ambiguous_stock. */
function theOne(
  sources: readonly RestockableUnits[],
  { sku, lot_number, location }: RestockInput,
): RestockableUnits | null {
  const warehouse_id = location === undefined ? null : (readId("warehouse", location) ?? 0);
  const [found, ...others] = sources.filter(
    ({ item }) =>
      (lot_number === undefined || item.lot_number === lot_number) &&
      (warehouse_id === null || item.warehouse_id === warehouse_id),
  );
  if (found === undefined) return null;
  if (others.length === 0) return found;
  throw new Fault("ambiguous_stock", `Units of ${sku} wait in several lots or warehouses. Name one.`, {
    candidates: [found, ...others].map(({ item, waits }) => ({
      location: wireId("warehouse", item.warehouse_id),
      lot_number: item.lot_number,
      quantity: waits,
    })),
  });
}

/** Releases picked units, so that their lines need others. */
async function unpick(
  tx: Tx,
  shelves: LockedStockMap,
  { item, picks }: RestockableUnits,
  quantity: number,
): Promise<void> {
  let left = picks.length === 0 ? 0 : quantity;
  for (const { line, allocation, units: most } of picks) {
    const units = Math.min(left, most);
    if (units === 0) continue;
    left -= units;
    await withdraw(tx, line, allocation, units);
    await promise(tx, item, -units);
    await setCounts(tx, shelves, line, { reserved: line.reserved - units, picked: line.picked - units });
  }
  assert(left === 0, "no more units are put back than were picked");
  if (isRecalled(item.lot_status)) tx.wake("orders.hold_recalled", tx.now);
}

/** An order whose units leave although it is cancelled, and the only warehouse they may come from, if it names one. */
interface CancelledOrder {
  readonly order_id: number;
  readonly warehouse_id: number | null;
}

/** Sets of goods: how many, and the units of each product in one set. */
interface BundleSets {
  readonly sets: number;
  readonly parts: readonly WantedUnits[];
}

/**
 * Removes whole sets of a cancelled order from stock because a carrier has them all the same: first units that wait to
 * be put back, then free ones for sale, as far as there are any. Nobody saw which units they were. Answers how many of
 * each left. Emits: inventory.updated, inventory.low_stock.
 */
export async function takeReleasedUnits(
  tx: Tx,
  { order_id, warehouse_id }: CancelledOrder,
  wanted: readonly BundleSets[],
  actor: Actor,
): Promise<number[]> {
  const products = wanted.flatMap(({ parts }) => parts.map(({ product_id }) => product_id));
  const shelves = await lockFreshStock(tx, products);
  const order = wireId("order", order_id);
  const taken: number[] = [];
  for (const { sets, parts } of wanted) {
    let whole = sets;
    const sources: { readonly of: WantedUnits; readonly from: Pick<RestockableUnits, "item" | "waits">[] }[] = [];
    for (const of of parts) {
      const shelf = lockedStockOf(shelves, of.product_id);
      const from = [
        ...(await givenUp(tx, shelf, { type: "order", id: order })),
        ...freeUnits(shelf, warehouse_id, tx.now),
      ];
      const there = from.reduce((sum, { waits }) => sum + waits, 0);
      whole = Math.min(whole, Math.floor(there / of.quantity));
      sources.push({ of, from });
    }
    for (const { of, from } of sources) {
      await takeOut(tx, lockedStockOf(shelves, of.product_id), from, whole * of.quantity, order, actor);
    }
    taken.push(whole);
  }
  return taken;
}

/** Removes units of the sources from stock, in their order. */
async function takeOut(
  tx: Tx,
  shelf: LockedStock,
  sources: readonly Pick<RestockableUnits, "item" | "waits">[],
  count: number,
  order: string,
  actor: Actor,
): Promise<void> {
  let left = count;
  for (const { item, waits } of sources) {
    const units = Math.min(left, waits);
    if (units === 0) continue;
    left -= units;
    await moveUnits(tx, shelf, {
      type: "sale",
      quantity: units,
      from: item,
      to: null,
      to_place: "customer",
      promised: false,
      reason: "shipped",
      reference: { type: "order", id: order },
      confirmed: false,
      actor,
    });
  }
  assert(left === 0, "no more units leave than there are");
}

/** Unreserved units for sale, in the order in which a pick would take them. */
function freeUnits(
  { items }: LockedStock,
  warehouse_id: number | null,
  now: number,
): Pick<RestockableUnits, "item" | "waits">[] {
  return items
    .filter((item) => isSellable(item, now) && (warehouse_id === null || item.warehouse_id === warehouse_id))
    .map((item) => ({ item, free: item.on_hand - item.reserved }))
    .sort(byWarehouseThenAge)
    .map(({ item, free }) => ({ item, waits: free }));
}

function tooFew(sku: string, requested: number, available: number): Fault {
  return new Fault("insufficient_inventory", `Only ${available} of ${sku} wait to be put back there.`, {
    shortages: [{ sku, requested, available }],
  });
}
