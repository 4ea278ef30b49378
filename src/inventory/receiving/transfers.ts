import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { assert, Fault, invalid, within } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import type { Tx } from "../../storage/database.ts";
import { type TransferAction, type TransferStatus, transferTransitions } from "../inventory.transitions.ts";
import type { BinSpot, StockItem } from "../ledger/stock_item.ts";
import { fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, lockedStockOf, moveUnits } from "../reservations/locked_stock.ts";
import { lotSpot } from "../stock/lot.ts";
import { findLotById } from "../stock/lots.sql.ts";
import { ownSpot, refuseTooMuch } from "../stock/product_stock.ts";
import { getStockedProducts } from "../stock/stock.sql.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { calendarAt, shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor, transitSpot, warehouseNamed } from "../warehouses/warehouses.ts";
import type { CloseTransfer, CreateTransfer, ReceiveTransfer } from "./transfer.schema.ts";
import {
  type ArrivedUnits,
  chooseUnits,
  loadsOf,
  planArrival,
  type Transfer,
  type TransferLine,
  type TransferLoad,
} from "./transfer.ts";
import { insertLoads, insertTransfer, lockTransfer, type NewLoad, saveLoad, saveTransfer } from "./transfers.sql.ts";

/**
 * Plans a transfer of units from one warehouse to another. Nothing moves yet.
 * Refuses: resource_missing, validation_failed.
 */
export async function createTransfer(tx: Tx, input: CreateTransfer): Promise<Transfer> {
  const from_warehouse_id = await warehouseNamed(tx, input.from_location, "from_location");
  const to_warehouse_id = await warehouseNamed(tx, input.to_location, "to_location");
  if (from_warehouse_id === to_warehouse_id) throw invalid("to_location", "must be another warehouse");
  const { merchant_id, ids } = await getStockedProducts(tx, input.items, "items");
  const lines = input.items.map(({ quantity, lot_number = null, bin = null }, at) => {
    return { product_id: ids[at] ?? 0, quantity, lot_number, bin };
  });
  const fields = { merchant_id, reference: input.reference ?? null, from_warehouse_id, to_warehouse_id };
  return insertTransfer(tx, fields, lines);
}

/**
 * Ships the units of a transfer: they are no longer on hand and are in transit.
 * Refuses: resource_missing, invalid_state_transition, insufficient_inventory (reserved units stay).
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function shipTransfer(tx: Tx, id: string, actor: Actor): Promise<Transfer> {
  const before = await lockTransfer(tx, id);
  const status = moved("ship", before.status);
  const { lines, from_warehouse_id: warehouse_id } = before;
  const stocks = await lockFreshStock(tx, productsOf(lines));
  const shortages: TransferShortage[] = [];
  for (const line of lines) {
    const stock = lockedStockOf(stocks, line.product_id);
    const { min_shelf_life_days } = stock.product;
    const source = { warehouse_id, now: tx.now, crowded: stock.crowded, min_shelf_life_days };
    const portions = chooseUnits(line, stock.items, source);
    const available = portions.reduce((units, portion) => units + portion.quantity, 0);
    if (available < line.quantity) shortages.push({ line, available });
    const loads = new Map<number | null, NewLoad>();
    for (const { item, quantity } of portions) {
      addLoad(loads, line, item, quantity);
      await moveUnits(tx, stock, {
        ...postingOf(before, quantity, actor),
        from: item,
        to: null,
        to_place: "in_transit",
      });
      stock.incoming += quantity;
    }
    await insertLoads(tx, [...loads.values()]);
  }
  if (shortages.length > 0) throw shortage(before, shortages);
  const after = await saveTransfer(tx, before, { status, shipped_at: tx.now });
  await bill(tx, "transfer.ship", after, lines);
  return after;
}

function productsOf(rows: readonly { readonly product_id: number }[]): number[] {
  return [...new Set(rows.map(({ product_id }) => product_id))];
}

/** Adds units of an item to a line's loads: one load for each lot. */
function addLoad(loads: Map<number | null, NewLoad>, line: TransferLine, item: StockItem, quantity: number): void {
  const { lot_id, received_at } = item;
  const load = loads.get(lot_id);
  loads.set(lot_id, {
    transfer_line_id: line.id,
    product_id: line.product_id,
    lot_id,
    stocked_at: Math.min(received_at, load?.stocked_at ?? received_at),
    quantity: quantity + (load?.quantity ?? 0),
  });
}

/** A line without enough units. */
interface TransferShortage {
  readonly line: TransferLine;
  readonly available: number;
}

function shortage({ from_warehouse_id }: Transfer, short: readonly TransferShortage[]): Fault {
  const named = short.map(({ line: { sku, lot_number, bin, quantity }, available }) => {
    const what = lot_number === null ? sku : `lot ${lot_number} of ${sku}`;
    return `${what}${bin === null ? "" : ` in bin ${bin}`} (${quantity} requested, ${available} available)`;
  });
  const shortages = short.map(({ line: { sku, quantity }, available }) => ({ sku, requested: quantity, available }));
  const place = wireId("warehouse", from_warehouse_id);
  const message = `Not enough stock in ${place}: ${named.join(", ")}. Reserved units are not moved.`;
  return new Fault("insufficient_inventory", message, { shortages });
}

/** The posting of a transfer's units, without its two ends. */
function postingOf({ id }: Transfer, quantity: number, actor: Actor) {
  const reference = { type: "transfer" as const, id: wireId("transfer", id) };
  const common = { quantity, promised: false, reference, confirmed: true, actor };
  return { type: "transfer", reason: "transferred", ...common } as const;
}

/** Units of a transfer that have arrived, and their bin. */
interface ShelvedUnits {
  readonly sku: string;
  readonly lot_number: string | null;
  readonly quantity: number;
  readonly bin: string;
}

/**
 * Receives units of a transfer; without `items`, everything in transit. Backorders are filled at once. The transfer is
 * received once nothing is in transit. Returns the transfer, and where the units are.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, bin_full, bin_of_other_merchant. Emits:
 * inventory.updated.
 */
export async function receiveTransfer(
  tx: Tx,
  id: string,
  input: ReceiveTransfer,
  actor: Actor,
): Promise<Transfer & { readonly received: readonly ShelvedUnits[] }> {
  const before = await lockTransfer(tx, id);
  moved("receive", before.status);
  const loads = loadsOf(before);
  const arrived = planArrival(loads, input.items);
  const products = productsOf(arrived.map(({ load }) => load));
  const stocks = await lockFreshStock(tx, products);
  const warehouse = await shareWarehouse(tx, before.to_warehouse_id);
  const shelved: ShelvedUnits[] = [];
  for (const units of arrived) {
    const stock = lockedStockOf(stocks, units.load.product_id);
    await within(input.items === undefined ? null : `items[${units.item}]`, async () => {
      const place = binSpot(warehouse, await binFor(tx, warehouse, stock.product, units.bin, units.quantity));
      const { lot_number, bin } = await takeLoad(tx, before, stock, units, place, actor);
      shelved.push({ sku: stock.product.sku, lot_number, quantity: units.quantity, bin });
    });
    units.load.received += units.quantity;
    await saveLoad(tx, units.load);
  }
  const after = await saveTransfer(
    tx,
    before,
    hasEnded(loads) ? received(tx, "receive", before) : { status: moved("receive_part", before.status) },
  );
  await fillBackorders(tx, stocks, products);
  await bill(
    tx,
    "transfer.receive",
    after,
    arrived.map(({ load: { product_id }, quantity }) => ({ product_id, quantity })),
  );
  return { ...after, received: shelved };
}

/** Bills units that leave or arrive with a transfer. */
async function bill(
  tx: Tx,
  act: "transfer.ship" | "transfer.receive",
  { id, merchant_id, revision, from_warehouse_id, to_warehouse_id }: Transfer,
  units: readonly { readonly product_id: number; readonly quantity: number }[],
): Promise<void> {
  const here = act === "transfer.ship" ? from_warehouse_id : to_warehouse_id;
  const attributes = {
    from_warehouse_id: wireId("warehouse", from_warehouse_id),
    to_warehouse_id: wireId("warehouse", to_warehouse_id),
    skus: productsOf(units).length,
  };
  const quantity = units.reduce((sum, unit) => sum + unit.quantity, 0);
  const warehouse = await calendarAt(tx, here);
  billFacts(tx, [{ act, merchant_id, warehouse, quantity, source: { id, revision }, attributes }]);
}

const hasEnded = (loads: readonly TransferLoad[]) => loads.every((load) => load.in_transit === 0);

const received = (tx: Tx, action: "receive" | "close", { status }: Transfer) => ({
  status: moved(action, status),
  received_at: tx.now,
});

/** Puts units that were in transit into a bin. Returns the stock item that holds them. */
async function takeLoad(
  tx: Tx,
  transfer: Transfer,
  stock: LockedStock,
  { load, quantity }: Pick<ArrivedUnits, "load" | "quantity">,
  place: BinSpot,
  actor: Actor,
): Promise<StockItem> {
  const lot = load.lot_id === null ? null : await findLotById(tx, load.lot_id);
  const spot = { ...ownSpot(stock.product), ...place, ...lotSpot(lot), received_at: load.stocked_at };
  refuseTooMuch(stock, spot, quantity, "quantity");
  const posting = { ...postingOf(transfer, quantity, actor), from: null, to: spot, to_place: null };
  const { to } = await moveUnits(tx, stock, posting);
  assert(to, "units that arrived have a stock item");
  load.in_transit -= quantity;
  stock.incoming -= quantity;
  return to;
}

/**
 * Closes a transfer: units still in transit never arrived. They are written off through the destination's quarantine,
 * so that the ledger shows them. Closing it again changes nothing.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function closeTransfer(tx: Tx, id: string, input: CloseTransfer, actor: Actor): Promise<Transfer> {
  const before = await lockTransfer(tx, id);
  if (before.status === transferTransitions.close.to) return before;
  moved("close", before.status);
  const { reason = "lost", notes } = input;
  const open = planArrival(loadsOf(before), undefined);
  const stocks = await lockFreshStock(tx, productsOf(open.map(({ load }) => load)));
  const place = await transitSpot(tx, before.to_warehouse_id, "quarantine", before.merchant_id);
  for (const { load, quantity } of open) {
    const stock = lockedStockOf(stocks, load.product_id);
    const from = await takeLoad(tx, before, stock, { load, quantity }, place, actor);
    const posting = { ...postingOf(before, quantity, actor), type: "adjustment", reason, notes } as const;
    await moveUnits(tx, stock, { ...posting, from, to: null, to_place: "write_off" });
    load.written_off += quantity;
    await saveLoad(tx, load);
  }
  return saveTransfer(tx, before, received(tx, "close", before));
}

/**
 * Cancels a transfer that has not been shipped. Cancelling it again changes nothing.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function cancelTransfer(tx: Tx, id: string): Promise<Transfer> {
  const before = await lockTransfer(tx, id);
  if (before.status === transferTransitions.cancel.to) return before;
  return saveTransfer(tx, before, { status: moved("cancel", before.status), cancelled_at: tx.now });
}

function moved(action: TransferAction, status: TransferStatus): TransferStatus {
  return transition<TransferStatus, typeof transferTransitions>(transferTransitions, action, status);
}
