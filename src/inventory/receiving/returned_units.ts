// Returned units: they arrive in a returns bin, where they cannot be sold, and leave it by their inspection.

import type { Actor } from "../../core/actor.ts";
import { assert } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import type { Posting } from "../ledger/ledger.sql.ts";
import type { StockItem, StockSpot } from "../ledger/stock_item.ts";
import { fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, lockedStockOf, moveEach, moveUnits } from "../reservations/locked_stock.ts";
import { lotSpot } from "../stock/lot.ts";
import { findLotById } from "../stock/lots.sql.ts";
import { ownSpot, refuseBundle } from "../stock/product_stock.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor, transitSpot } from "../warehouses/warehouses.ts";
import { listReturnedUnits, type UnitsOfReturn } from "./restock_tasks.sql.ts";

/** The return that units came with, its actor, and the type of the movements between its customer and the stock. */
export interface ReturnMoves {
  readonly reference: NonNullable<Posting["reference"]>;
  readonly actor: Actor;
  /** `adjustment` for units that never left this stock. */
  readonly type: "return" | "adjustment";
}

/** Returned units of a product that arrive in a warehouse. */
interface ArrivingUnits {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly quantity: number;
  /** Null for goods without lots, and until the inspection for those whose lot is not certain. */
  readonly lot_id: number | null;
}

/**
 * Adds returned units to stock, in the returns bin of their warehouse. Refuses: validation_failed, merchant_closed.
 * Emits: inventory.updated.
 */
export async function receiveReturned(tx: Tx, units: readonly ArrivingUnits[], moves: ReturnMoves): Promise<void> {
  const { reference, actor, type } = moves;
  const products = units.map(({ product_id }) => product_id);
  const stocks = await lockFreshStock(tx, products);
  const postings: Posting[] = [];
  for (const { product_id, warehouse_id, quantity, lot_id } of units) {
    const { product } = lockedStockOf(stocks, product_id);
    refuseBundle(product);
    const to = await returnsSpot(tx, product, warehouse_id, lot_id);
    const posting = { type, quantity, from: null, to, to_place: null, promised: false, reference, confirmed: true };
    postings.push({ ...posting, reason: "return_received", actor });
  }
  await moveEach(tx, stocks, postings);
}

/** A spot in the returns bin of a warehouse. */
async function returnsSpot(
  tx: Tx,
  product: LockedStock["product"],
  warehouse_id: number,
  lot_id: number | null,
): Promise<StockSpot> {
  const lot = lot_id === null ? null : await findLotById(tx, lot_id);
  const place = await transitSpot(tx, warehouse_id, "returns", product.merchant_id);
  return { ...ownSpot(product), ...lotSpot(lot), received_at: tx.now, ...place };
}

/** Inspected units of a product and their disposition. */
export interface DisposedUnits {
  readonly product_id: number;
  readonly quantity: number;
  readonly disposition: "restock" | "quarantine" | "dispose" | "return_to_sender";
  /** The lot that the inspection found; null to leave the units in the lot with which they were received. */
  readonly lot_id: number | null;
  /** The bin to restock to; by default they stay in the returns bin. */
  readonly bin: string | null;
}

/**
 * Moves inspected units of a return out of the returns bin: to the bin to restock to, or to quarantine. Disposed units
 * are written off, and those that go back to the customer leave. Units to restock without a bin stay.
 * Refuses: validation_failed, bin_full, bin_of_other_merchant, merchant_closed (units that had been written off).
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function moveInspected(tx: Tx, units: readonly DisposedUnits[], moves: ReturnMoves): Promise<void> {
  const by_product = Map.groupBy(units, ({ product_id }) => product_id);
  const products = [...by_product.keys()];
  const stocks = await lockFreshStock(tx, products);
  for (const [product_id, own] of by_product) {
    const stock = lockedStockOf(stocks, product_id);
    const received: ReceivedUnits[] = [];
    for (const units of await listReturnedUnits(tx, moves.reference.id, product_id)) {
      received.push({ item: await presentItem(tx, stock, units, moves), left: units.quantity });
    }
    for (const unit of own) {
      for (const { item, quantity } of take(received, unit)) {
        await moveOut(tx, stock, item, { ...unit, quantity }, moves);
      }
    }
  }
  await fillBackorders(tx, stocks, products);
}

/** Received units of one stock item, and how many of them are left to be moved. */
interface ReceivedUnits {
  readonly item: StockItem;
  left: number;
}

/** Takes units from those received: first of the lot found, then of no lot. Reduces what is left. */
function take(received: readonly ReceivedUnits[], { quantity, lot_id }: DisposedUnits) {
  const rank = ({ item }: ReceivedUnits) => (item.lot_id === lot_id ? 0 : item.lot_id === null ? 1 : 2);
  let open = quantity;
  const taken = [...received]
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((from) => {
      const units = Math.min(open, from.left);
      open -= units;
      from.left -= units;
      return units === 0 ? [] : [{ item: from.item, quantity: units }];
    });
  assert(open === 0, "no more units are inspected than were received");
  return taken;
}

/**
 * The stock item that holds received units. Units that were written off while they waited were there after all, since
 * the inspection saw them, so an adjustment adds them again.
 */
async function presentItem(
  tx: Tx,
  stock: LockedStock,
  { stock_item_id, warehouse_id, lot_id, quantity }: UnitsOfReturn,
  { reference, actor }: ReturnMoves,
): Promise<StockItem> {
  const item = stock.items.find(({ id }) => id === stock_item_id) ?? null;
  const missing = quantity - (item?.on_hand ?? 0);
  if (item !== null && missing <= 0) return item;
  const { to } = await moveUnits(tx, stock, {
    type: "adjustment",
    quantity: missing,
    from: null,
    to: item ?? (await returnsSpot(tx, stock.product, warehouse_id, lot_id)),
    to_place: null,
    promised: false,
    reason: "found",
    notes: `Seen at the inspection of ${reference.id}`,
    reference: null,
    confirmed: true,
    actor,
  });
  assert(to, "units that are found are somewhere");
  return to;
}

/** Moves units of one stock item to where their disposition says. */
async function moveOut(
  tx: Tx,
  stock: LockedStock,
  from: StockItem,
  unit: DisposedUnits,
  { reference, actor, type }: ReturnMoves,
): Promise<void> {
  const { quantity, disposition } = unit;
  const common = { quantity, from, promised: false, reference, confirmed: true, actor };
  switch (disposition) {
    case "return_to_sender":
      await moveUnits(tx, stock, { ...common, type, to: null, to_place: "customer", reason: "return_to_sender" });
      return;
    case "dispose": {
      const reason = "return_dispose";
      await moveUnits(tx, stock, { ...common, type: "adjustment", to: null, to_place: "write_off", reason });
      return;
    }
    case "restock":
    case "quarantine": {
      const to = await inspectedSpot(tx, stock, from, unit);
      if (to.bin_id === from.bin_id && to.lot_id === from.lot_id) return;
      const reason = `return_${disposition}`;
      await moveUnits(tx, stock, { ...common, type: "transfer", to, to_place: null, reason });
    }
  }
}

/** The spot for units that stay in stock, in the lot that the inspection found. */
async function inspectedSpot(
  tx: Tx,
  { product }: LockedStock,
  from: StockItem,
  { disposition, bin, lot_id, quantity }: DisposedUnits,
): Promise<StockSpot> {
  const lot = lot_id === null || lot_id === from.lot_id ? null : await findLotById(tx, lot_id);
  const own = { ...from, ...(lot === null ? {} : lotSpot(lot)) };
  if (disposition === "quarantine") {
    return { ...own, ...(await transitSpot(tx, from.warehouse_id, "quarantine", product.merchant_id)) };
  }
  if (!bin || bin === from.bin) return own;
  const warehouse = await shareWarehouse(tx, from.warehouse_id);
  return { ...own, ...binSpot(warehouse, await binFor(tx, warehouse, product, bin, quantity)) };
}
