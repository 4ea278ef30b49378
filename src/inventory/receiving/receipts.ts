import { billFacts } from "../../billing/bill_facts.ts";
import { packsAttribute } from "../../billing/billable_event.ts";
import type { Actor } from "../../core/actor.ts";
import { invalid, within } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { centsOf, default_currency } from "../../core/money.ts";
import { dayOf, momentIn } from "../../core/time_zone.ts";
import { transition } from "../../core/transitions.ts";
import { emit } from "../../events/emit.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import { refuseWrongPacks } from "../../products/handled_packs.ts";
import { findProducts } from "../../products/products.sql.ts";
import type { Tx } from "../../storage/database.ts";
import {
  type ReceiptAction,
  type ReceiptStatus,
  type ReceivedCondition,
  receiptTransitions,
} from "../inventory.transitions.ts";
import { fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, lockedStockOf, stockEvent } from "../reservations/locked_stock.ts";
import { getStockedProducts } from "../stock/stock.sql.ts";
import { isOutsideHours } from "../warehouses/dispatch_calendar.ts";
import type { ZonedWarehouse } from "../warehouses/warehouse.ts";
import { calendarAt, shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { warehouseNamed } from "../warehouses/warehouses.ts";
import type { CloseReceipt, CreateReceipt, ScanReceipt, UpdateReceipt } from "./receipt.schema.ts";
import type { DeliveryFields, Receipt, ReceiptLine } from "./receipt.ts";
import { countOn, expectedCost, expectedExpiry, expectedLot } from "./receipt.ts";
import {
  countLots,
  endReceiptLines,
  insertReceipt,
  listReceivedPacks,
  lockReceipt,
  saveReceipt,
  saveReceiptLine,
} from "./receipts.sql.ts";
import { receiveUnits } from "./receive_units.ts";

/**
 * Announces a delivery: its units count as incoming until they arrive or the receipt is over.
 * Refuses: resource_missing, validation_failed, merchant_closed.
 */
export async function createReceipt(tx: Tx, input: CreateReceipt): Promise<Receipt> {
  const warehouse_id = await warehouseNamed(tx, input.location, "location");
  const { merchant_id, ids } = await getStockedProducts(tx, input.items, "items");
  await refuseForClosed(tx, merchant_id);
  const { timezone } = await calendarAt(tx, warehouse_id);
  const products = new Map((await findProducts(tx, ids)).map((product) => [product.id, product]));
  const lines = input.items.map(({ quantity, lot_number = null, expiration_date, unit_cost = null }, at) => {
    if (lot_number === null && expiration_date) {
      throw invalid(`items[${at}].lot_number`, "is required with expiration_date", "required");
    }
    const expires_on = expiration_date ? dayOf(expiration_date, timezone) : null;
    const product_id = ids[at] ?? 0;
    const currency = products.get(product_id)?.currency ?? default_currency;
    const [unit_cost_cents, unit_cost_currency] = costOf(unit_cost, currency, `items[${at}].unit_cost`);
    return { product_id, quantity, lot_number, expires_on, unit_cost_cents, unit_cost_currency };
  });
  return insertReceipt(tx, { merchant_id, warehouse_id, ...deliveryOf(input, nothing_known, timezone) }, lines);
}

const nothing_known: DeliveryFields = {
  reference: null,
  supplier: null,
  purchase_order_number: null,
  carrier: null,
  tracking_number: null,
  freight_cents: null,
  freight_currency: null,
  expected_at: null,
};

/** The fields about a delivery after a request. Refuses: validation_failed. */
function deliveryOf(input: UpdateReceipt, before: DeliveryFields, timezone: string): DeliveryFields {
  const { reference = before.reference, supplier = before.supplier, carrier = before.carrier } = input;
  const { purchase_order_number = before.purchase_order_number, tracking_number = before.tracking_number } = input;
  const { freight_cost, expected_at } = input;
  const currency = input.currency ?? before.freight_currency ?? default_currency;
  if (freight_cost === undefined && input.currency != null && currency !== before.freight_currency) {
    throw invalid("freight_cost", "is required with another currency", "required");
  }
  const [freight_cents, freight_currency] =
    freight_cost === undefined
      ? [before.freight_cents, before.freight_currency]
      : costOf(freight_cost, currency, "freight_cost");
  const arrival = expected_at ? momentIn(expected_at, timezone) : null;
  return {
    ...{ reference, supplier, purchase_order_number, carrier, tracking_number, freight_cents, freight_currency },
    expected_at: expected_at === undefined ? before.expected_at : arrival,
  };
}

/** An amount in the minor unit of its currency, and the currency; both null without one. Refuses: validation_failed. */
function costOf(amount: string | number | null, currency: string, field: string): [number, string] | [null, null] {
  return amount === null ? [null, null] : [centsOf(amount, currency, field), currency];
}

/**
 * Changes what is known about a delivery, also after it arrived. Equal values change nothing.
 * Refuses: resource_missing, validation_failed.
 */
export async function updateReceipt(tx: Tx, id: string, input: UpdateReceipt): Promise<Receipt> {
  const before = await lockReceipt(tx, id);
  const { timezone } = await calendarAt(tx, before.warehouse_id);
  const after = deliveryOf(input, before, timezone);
  const isSame = Object.entries(after).every(([field, value]) => before[field as keyof DeliveryFields] === value);
  return isSame ? before : saveReceipt(tx, before, after);
}

type ScannedReceiptItem = ScanReceipt["items"][number];

type ReceivedItem = Awaited<ReturnType<typeof receiveUnits>> & { readonly sku: string };

/**
 * Adds scanned units of a delivery to stock, even more than expected, and fills backorders. Returns the receipt, and
 * where the units of each item are.
 * Refuses: resource_missing, invalid_state_transition, merchant_closed, validation_failed, bin_full,
 * bin_of_other_merchant.
 * Emits: inventory.received (one for each item), inventory.updated.
 */
export async function scanReceipt(
  tx: Tx,
  id: string,
  input: ScanReceipt,
  actor: Actor,
): Promise<Receipt & { readonly received: readonly ReceivedItem[] }> {
  const before = await lockReceipt(tx, id);
  const status = moved("scan", before.status);
  await refuseForClosed(tx, before.merchant_id, "stock");
  const warehouse = await shareWarehouse(tx, before.warehouse_id);
  const { ids } = await getStockedProducts(tx, input.items, "items", before.merchant_id);
  const handled = input.items.map(({ quantity, pack }, at) => ({ product_id: ids[at] ?? 0, quantity, pack }));
  await refuseWrongPacks(tx, handled, (at) => `items[${at}].`);
  const stocks = await lockFreshStock(tx, ids);
  const arrivals: { stock: LockedStock; received: Awaited<ReturnType<typeof receiveUnits>> }[] = [];
  const changed = new Set<ReceiptLine>();
  for (const [at, item] of input.items.entries()) {
    const stock = lockedStockOf(stocks, ids[at] ?? 0);
    const received = await within(`items[${at}]`, async () => {
      for (const line of countItem(before, stock, item)) changed.add(line);
      return takeItem(tx, before, warehouse, stock, item, actor);
    });
    arrivals.push({ stock, received });
  }
  for (const line of changed) await saveReceiptLine(tx, line);
  const after = await saveReceipt(tx, before, { status });
  await fillBackorders(tx, stocks, ids);
  const events = arrivals.map(({ stock, received }) => stockEvent(tx, "inventory.received", stock, { received }));
  await emit(tx, events);
  return { ...after, received: arrivals.map(({ stock, received }) => ({ sku: stock.product.sku, ...received })) };
}

/** Counts scanned units on the lines that expect them. Returns the lines that changed. */
function countItem({ lines }: Receipt, stock: LockedStock, item: ScannedReceiptItem): ReceiptLine[] {
  const { condition = "good" } = item;
  return countOn(lines, { ...item, lot_number: item.lot_number ?? expectedLot(lines, item.sku) }).map(
    ({ line, quantity }) => {
      const awaited = Math.min(quantity, line.outstanding);
      line.outstanding -= awaited;
      stock.incoming -= awaited;
      line.received += quantity;
      if (condition !== "good") line.set_aside += quantity;
      return line;
    },
  );
}

/** The kind of bin for units in this condition. */
const binKindFor: Readonly<Record<ReceivedCondition, "damage" | "quarantine" | null>> = {
  good: null,
  damaged: "damage",
  quarantined: "quarantine",
};

function takeItem(
  tx: Tx,
  receipt: Receipt,
  warehouse: ZonedWarehouse,
  stock: LockedStock,
  item: ScannedReceiptItem,
  actor: Actor,
) {
  const { id, lines } = receipt;
  const { sku, quantity, pack, bin, expiration_date, condition = "good" } = item;
  const lot_number = item.lot_number ?? expectedLot(lines, sku);
  return receiveUnits(tx, stock, {
    warehouse,
    quantity,
    pack,
    bin,
    kind: binKindFor[condition],
    lot_number,
    expires_on: expiration_date ? dayOf(expiration_date, warehouse.timezone) : expectedExpiry(lines, sku, lot_number),
    received_date: tx.now,
    unit_cost: expectedCost(lines, sku, lot_number),
    reason: condition === "damaged" ? "damaged" : condition === "quarantined" ? "quality_hold" : "received",
    reference: { type: "receipt", id: wireId("receipt", id) },
    actor,
  });
}

/**
 * Closes a receipt: units that have not arrived are missing. Closing it again changes nothing.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function closeReceipt(tx: Tx, id: string, input: CloseReceipt = {}): Promise<Receipt> {
  const before = await lockReceipt(tx, id);
  if (before.status === receiptTransitions.close.to) return before;
  const status = moved("close", before.status);
  await endReceiptLines(tx, before.id);
  await bill(tx, before, input);
  return saveReceipt(tx, before, { status, closed_at: tx.now });
}

/** Bills a delivery, unless no units arrived. */
async function bill(tx: Tx, receipt: Receipt, { cartons, pallets, minutes }: CloseReceipt): Promise<void> {
  const arrived = receipt.lines.filter(({ received }) => received > 0);
  if (arrived.length === 0) return;
  const warehouse = await calendarAt(tx, receipt.warehouse_id);
  const attributes = {
    announced: true,
    reference: receipt.reference,
    skus: new Set(arrived.map(({ product_id }) => product_id)).size,
    lots: await countLots(tx, receipt.id),
    cartons: cartons ?? null,
    pallets: pallets ?? null,
    minutes: minutes ?? null,
    outside_working_hours: isOutsideHours(tx.now, warehouse),
    ...packsAttribute(await listReceivedPacks(tx, receipt.id)),
  };
  const quantity = arrived.reduce((sum, { received }) => sum + received, 0);
  const { merchant_id, id } = receipt;
  billFacts(tx, [{ act: "receipt.close", merchant_id, warehouse, quantity, source: { id }, attributes }]);
}

/**
 * Cancels a receipt of which nothing has arrived. Cancelling it again changes nothing.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function cancelReceipt(tx: Tx, id: string): Promise<Receipt> {
  const before = await lockReceipt(tx, id);
  if (before.status === receiptTransitions.cancel.to) return before;
  const status = moved("cancel", before.status);
  await endReceiptLines(tx, before.id);
  return saveReceipt(tx, before, { status, cancelled_at: tx.now });
}

function moved(action: ReceiptAction, status: ReceiptStatus): ReceiptStatus {
  return transition<ReceiptStatus, typeof receiptTransitions>(receiptTransitions, action, status);
}
