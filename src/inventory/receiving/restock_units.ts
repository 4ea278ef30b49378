import { isRecalled } from "../inventory.transitions.ts";
// Units that go back to the shelf. Those that an order released wait in the `putback` bin, those of an inspected return
// in the returns bin, and picked ones of a lot that cannot be shipped are still in staging.

import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { assert, Fault, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { listHeldLines } from "../reservations/allocations.sql.ts";
import { lockedLines, setCounts, withdraw } from "../reservations/allocations.ts";
import { fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import {
  adjustReserved,
  type LockedStock,
  type LockedStockMap,
  lockedStockOf,
  moveUnits,
} from "../reservations/locked_stock.ts";
import { byWarehouseThenAge, type WantedUnits } from "../reservations/plan_stock.ts";
import type { Allocation, HeldLine } from "../reservations/reservation.ts";
import { findOrderReservation } from "../reservations/reservations.sql.ts";
import { isLotGood, isSellable, missingSku } from "../stock/product_stock.ts";
import { findNamedProducts } from "../stock/stock.sql.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor } from "../warehouses/warehouses.ts";
import type { RestockInput } from "./restock_task.schema.ts";
import type { RestockOrigin } from "./restock_task.ts";
import { findOwner, listUnitsToRestock } from "./restock_tasks.sql.ts";

/** The number of picked units of a product for an order line that are not packed. */
export type LooseUnits = (order_line_id: number, product_id: number) => number;

/**
 * Units that may be restocked: where they are, and the lines for which they were picked, if an order still holds them.
 */
interface RestockableUnits {
  readonly item: StockItem;
  readonly waits: number;
  readonly picks: readonly { readonly line: HeldLine; readonly allocation: Allocation; readonly units: number }[];
}

/**
 * Restocks units of an order into a bin of the same warehouse: first units that it released, which can then be sold
 * again; otherwise picked units of a lot that cannot be shipped, for which the order gets other units or is
 * backordered. `loose` returns the picked units of a product for an order line that are not packed.
 * Refuses: resource_missing, validation_failed, ambiguous_stock, bin_full, bin_of_other_merchant,
 * insufficient_inventory.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function restock(tx: Tx, order_id: number, input: RestockInput, loose: LooseUnits, actor: Actor) {
  const origin = { type: "order", id: wireId("order", order_id) } as const;
  return shelve(tx, origin, input, (stock) => unshippablePicks(tx, stock, order_id, loose), actor);
}

/**
 * Restocks units of an inspected return that are to be sold again into a bin of the same warehouse.
 * Refuses: resource_missing, validation_failed, ambiguous_stock, bin_full, bin_of_other_merchant,
 * insufficient_inventory.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function restockReturned(tx: Tx, return_id: number, input: RestockInput, actor: Actor) {
  return shelve(tx, { type: "return", id: wireId("return", return_id) }, input, async () => [], actor);
}

/** Restocks units of an order or a return: first those that wait, otherwise those that `others` finds. */
async function shelve(
  tx: Tx,
  origin: RestockOrigin,
  input: RestockInput,
  others: (stock: LockedStock) => Promise<RestockableUnits[]>,
  actor: Actor,
) {
  const { sku, quantity } = input;
  const product_id = await productOf(tx, origin, sku);
  if (product_id === null) throw missingSku(sku);
  const stocks = await lockFreshStock(tx, [product_id]);
  const stock = lockedStockOf(stocks, product_id);
  const source = namedSource(await releasedUnits(tx, stock, origin), input) ?? namedSource(await others(stock), input);
  if (source === null || quantity > source.waits) throw tooFew(sku, quantity, source?.waits ?? 0);
  const { item, waits, picks } = source;
  const warehouse = await shareWarehouse(tx, item.warehouse_id);
  const bin = await binFor(tx, warehouse, stock.product, input.bin, quantity);
  if (bin.kind === "putback" || bin.id === item.bin_id) throw invalid("bin", "is a bin for units to restock");
  await unpick(tx, stocks, source, quantity);
  const { id } = await moveUnits(tx, stock, {
    type: "transfer",
    quantity,
    from: item,
    to: { ...item, ...binSpot(warehouse, bin) },
    to_place: null,
    promised: false,
    reason: "put_back",
    reference: origin,
    confirmed: true,
    actor,
  });
  await fillBackorders(tx, stocks, [product_id]);
  billFacts(tx, [
    {
      act: picks.length > 0 ? "order.put_back" : "stock.put_away",
      merchant_id: stock.product.merchant_id,
      warehouse,
      quantity,
      source: { id },
      attributes: { [`${origin.type}_id`]: origin.id, sku, from_bin: item.bin, to_bin: bin.code },
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

/** The id of the product that a SKU means for the owner of the order or return, or null. */
async function productOf(tx: Tx, origin: RestockOrigin, sku: string): Promise<number | null> {
  const named = await findNamedProducts(tx, [sku]);
  const all = named.get(sku) ?? [];
  if (all.length < 2) return all[0]?.id ?? null;
  const owner = await findOwner(tx, origin);
  return all.find(({ merchant_id }) => merchant_id === owner)?.id ?? null;
}

/** Units of the order or return that wait in `putback` or returns bins. */
async function releasedUnits(
  tx: Tx,
  { product, items }: LockedStock,
  origin: RestockOrigin,
): Promise<RestockableUnits[]> {
  return (await listUnitsToRestock(tx, origin, product.id)).flatMap((row) => {
    const item = items.find(({ id }) => id === row.stock_item_id);
    // Some may have been written off while they waited.
    return item === undefined ? [] : [{ item, waits: Math.min(row.quantity, item.on_hand), picks: [] }];
  });
}

/** Unpacked units in staging for the order, of lots that cannot be shipped. */
async function unshippablePicks(
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
    .map((line) => lockedLines(tx).get(line.id) ?? line);
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

/** The source that the request names, or null. Refuses: ambiguous_stock. */
function namedSource(
  sources: readonly RestockableUnits[],
  { sku, lot_number, location }: RestockInput,
): RestockableUnits | null {
  const warehouse_id = location === undefined ? null : (readId("warehouse", location) ?? 0);
  const [first, ...others] = sources.filter(
    ({ item }) =>
      (lot_number === undefined || item.lot_number === lot_number) &&
      (warehouse_id === null || item.warehouse_id === warehouse_id),
  );
  if (first === undefined) return null;
  if (others.length === 0) return first;
  throw new Fault(
    "ambiguous_stock",
    `Units of ${sku} wait in several lots or warehouses. Specify lot_number and location.`,
    {
      candidates: [first, ...others].map(({ item, waits }) => ({
        location: wireId("warehouse", item.warehouse_id),
        lot_number: item.lot_number,
        quantity: waits,
      })),
    },
  );
}

/** Releases picked units, so that their lines need others. */
async function unpick(
  tx: Tx,
  stocks: LockedStockMap,
  { item, picks }: RestockableUnits,
  quantity: number,
): Promise<void> {
  let left = picks.length === 0 ? 0 : quantity;
  for (const { line, allocation, units: most } of picks) {
    const units = Math.min(left, most);
    if (units === 0) continue;
    left -= units;
    await withdraw(tx, line, allocation, units);
    await adjustReserved(tx, item, -units);
    await setCounts(tx, stocks, line, { reserved: line.reserved - units, picked: line.picked - units });
  }
  assert(left === 0, "no more units are restocked than were picked");
  if (isRecalled(item.lot_status)) tx.wake("orders.hold_recalled", tx.now);
}

/** A cancelled order whose units leave anyway, and the only warehouse they may come from, if it names one. */
interface CancelledOrder {
  readonly order_id: number;
  readonly warehouse_id: number | null;
}

/** Sets of goods: their number, and the units of each product in one set. */
interface BundleSets {
  readonly sets: number;
  readonly parts: readonly WantedUnits[];
}

/**
 * Removes whole sets of a cancelled order from stock, since a carrier has them anyway: first units that wait to be
 * restocked, then free units for sale, as far as there are any. Nobody saw which units they were. Returns how many of
 * each left. Emits: inventory.updated, inventory.low_stock.
 */
export async function takeReleasedUnits(
  tx: Tx,
  { order_id, warehouse_id }: CancelledOrder,
  wanted: readonly BundleSets[],
  actor: Actor,
): Promise<number[]> {
  const products = wanted.flatMap(({ parts }) => parts.map(({ product_id }) => product_id));
  const stocks = await lockFreshStock(tx, products);
  const order = wireId("order", order_id);
  const taken: number[] = [];
  for (const { sets, parts } of wanted) {
    let whole = sets;
    const sources: { readonly of: WantedUnits; readonly from: Pick<RestockableUnits, "item" | "waits">[] }[] = [];
    for (const of of parts) {
      const stock = lockedStockOf(stocks, of.product_id);
      const from = [
        ...(await releasedUnits(tx, stock, { type: "order", id: order })),
        ...freeUnits(stock, warehouse_id, tx.now),
      ];
      const there = from.reduce((sum, { waits }) => sum + waits, 0);
      whole = Math.min(whole, Math.floor(there / of.quantity));
      sources.push({ of, from });
    }
    for (const { of, from } of sources) {
      await takeOut(tx, lockedStockOf(stocks, of.product_id), from, whole * of.quantity, order, actor);
    }
    taken.push(whole);
  }
  return taken;
}

/** Removes units from stock, source by source. */
async function takeOut(
  tx: Tx,
  stock: LockedStock,
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
    await moveUnits(tx, stock, {
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
  assert(left === 0, "no more units ship than exist");
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
  return new Fault("insufficient_inventory", `Only ${available} of ${sku} are waiting to be restocked there.`, {
    shortages: [{ sku, requested, available }],
  });
}
