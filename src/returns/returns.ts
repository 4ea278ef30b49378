import { billFacts } from "../billing/bill_facts.ts";
import type { Actor } from "../core/actor.ts";
import { assert, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { centsOf } from "../core/money.ts";
import { transition } from "../core/transitions.ts";
import { emit } from "../events/emit.ts";
import { lotsShipped, type ShippedUnits } from "../inventory/ledger/ledger.sql.ts";
import type { RestockInput } from "../inventory/receiving/restock_task.schema.ts";
import { restockReturned } from "../inventory/receiving/restock_units.ts";
import {
  type DisposedUnits,
  moveInspected,
  type ReturnMoves,
  receiveReturned,
} from "../inventory/receiving/returned_units.ts";
import { findLot } from "../inventory/stock/lots.sql.ts";
import { calendarAt, listPlainWarehouses } from "../inventory/warehouses/warehouses.sql.ts";
import { refuseForClosed } from "../merchants/directory.sql.ts";
import { settleHoldsOf } from "../orders/changes/holds.ts";
import { noteReturn, noteReturned, restockOrderUnits, restockText } from "../orders/fulfillment/order_stock.ts";
import { carrierPage, givenTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import { resolveOrder } from "../orders/lifecycle/order_lookup.sql.ts";
import { type Order, type OrderLine, partsOf } from "../orders/order.ts";
import { lockOrder, noteInHistory } from "../orders/orders.sql.ts";
import { findProducts } from "../products/products.sql.ts";
import type { Tx } from "../storage/database.ts";
import { returnShippingStarts, returnTransitions } from "./return.transitions.ts";
import {
  type Return,
  type ReturnItem,
  type ReturnShipping,
  type ReturnTerms,
  refuseUninspected,
  returnEvent,
} from "./return.ts";
import {
  arriving,
  checkReason,
  coldest,
  type InspectedUnits,
  type ItemUnits,
  inspectedFact,
  inspectedGoods,
  planInspection,
  planItems,
  planReceipt,
  type ReturnedGoods,
  receivedFact,
} from "./return_items.ts";
import type { CreateReturn, InspectReturn, ReceiveReturn, UpdateReturn } from "./returns.schema.ts";
import {
  getReturn,
  insertInspections,
  insertReturn,
  listReturnsOfOrder,
  receiveItems,
  saveReturn,
} from "./returns.sql.ts";

const no_terms: ReturnTerms = {
  return_shipping: {
    carrier: null,
    tracking_number: null,
    label_url: null,
    tracking_url: null,
    status: returnShippingStarts,
  },
  refund_amount_cents: null,
  refund_shipping: false,
  restocking_fee_cents: null,
  customer_email: null,
};

/**
 * Creates a return of units of an order; without `items`, of all shipped units that are in no return.
 * Refuses: resource_missing, ambiguous_identifier, merchant_closed, nothing_to_return, validation_failed.
 * Emits: return.created.
 */
export async function createReturn(tx: Tx, input: CreateReturn, actor: Actor): Promise<Return> {
  const order = await lockOrder(tx, await resolveOrder(tx, input.order_id));
  await refuseForClosed(tx, order.merchant_id);
  const earlier = await listReturnsOfOrder(tx, order.id);
  const stated = input.items?.map((item) => ({
    ...item,
    condition: item.condition ?? null,
    notes: item.notes ?? null,
  }));
  const items = planItems(order.lines, earlier, stated);
  checkReason(input.reason, items);
  const { merchant_id, currency, customer_email } = order;
  const terms = changedTerms({ ...no_terms, customer_email }, currency, input);
  const fields = { merchant_id, order_id: order.id, reason: input.reason, currency, ...terms };
  const created = await insertReturn(tx, fields, items);
  await emit(tx, [returnEvent("return.created", created)]);
  await noteReturn(tx, order, { event: "return_created", actor, reason: input.reason, note: returnInWords(created) });
  return created;
}

/**
 * Receives units into the returns bin, from which they cannot be sold yet; without `items`, all outstanding units. If
 * none are outstanding, nothing happens.
 * Refuses: resource_missing, invalid_state_transition, merchant_closed, validation_failed.
 * Emits: return.received, inventory.updated.
 */
export async function receiveReturn(tx: Tx, id: string, input: ReceiveReturn, actor: Actor): Promise<Return> {
  const { before, order } = await begin(tx, id);
  const status = transition(returnTransitions, "receive", before.status);
  await refuseForClosed(tx, before.merchant_id, "stock");
  const arrived = planReceipt(before.items, input.items);
  if (arrived.length === 0) return before;
  await receiveItems(tx, arrived);
  await addArrived(tx, before, order, arrived, actor);
  const after = await saveReturn(tx, before, { status, received_at: before.received_at ?? tx.now });
  await emit(tx, [returnEvent("return.received", after, before)]);
  await noteReturn(tx, order, { event: "return_received", actor, note: wireId("return", after.id) });
  const warehouse = await calendarAt(tx, await warehouseOf(tx, order));
  billFacts(tx, [receivedFact(after, arrived, warehouse, input.announced ?? true)]);
  return after;
}

/**
 * Inspects received units and moves them from the returns bin to their destination: sale, quarantine, disposal, or back
 * to the customer.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, bin_full, bin_of_other_merchant,
 * merchant_closed (units that had been written off).
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function inspectReturn(tx: Tx, id: string, input: InspectReturn, actor: Actor): Promise<Return> {
  const { before, order } = await begin(tx, id);
  const status = transition(returnTransitions, "inspect", before.status);
  const findings = input.items.map((item) => ({ ...default_finding, ...item }));
  const inspected = planInspection(before.items, findings, await goodsOf(tx, order, findings));
  await insertInspections(tx, inspected);
  await noteReturn(tx, order, { event: "return_inspected", actor, note: findingsInWords(before, inspected) });
  for (const { item, quantity, disposition } of inspected) {
    if (disposition !== "return_to_sender") await noteReturned(tx, item.order_line_id, quantity);
  }
  await moveFindings(tx, before, order, inspected, actor);
  // This may bring back a parcel of a cancelled order that its carrier had taken.
  if (order.held) await settleHoldsOf(tx, order.id, actor);
  const after = await saveReturn(tx, before, { status, inspected_at: tx.now });
  billFacts(tx, [inspectedFact(after, inspected, await calendarAt(tx, await warehouseOf(tx, order)))]);
  return after;
}

/** The warehouse that an order's goods return to: the one that shipped them, if by_id. */
async function warehouseOf(tx: Tx, order: Order): Promise<number> {
  const [left] = await lotsShipped(tx, order.id);
  return left?.warehouse_id ?? defaultWarehouse(tx, order);
}

const default_finding = { condition: null, disposition: null, lot_number: null, bin: null, notes: null };

/** Closes a return without a refund. Refuses: resource_missing, invalid_state_transition. Emits: return.processed. */
export async function closeReturn(tx: Tx, id: string, actor: Actor): Promise<Return> {
  const { before, order } = await begin(tx, id);
  const status = transition(returnTransitions, "close", before.status);
  const after = await saveReturn(tx, before, { status, completed_at: tx.now });
  await emit(tx, [returnEvent("return.processed", after, before)]);
  await noteReturn(tx, order, { event: "return_closed", actor, note: wireId("return", after.id) });
  return after;
}

/** Cancels a return before anything has arrived. Refuses: resource_missing, invalid_state_transition. */
export async function cancelReturn(tx: Tx, id: string, actor: Actor): Promise<Return> {
  const { before, order } = await begin(tx, id);
  const after = await saveReturn(tx, before, { status: transition(returnTransitions, "cancel", before.status) });
  await noteReturn(tx, order, { event: "return_cancelled", actor, note: wireId("return", after.id) });
  return after;
}

/** A summary of a return for its order's history, such as `ret_1001: 2 of TEA-250`. */
function returnInWords({ id, items }: Return): string {
  return `${wireId("return", id)}: ${items.map(({ quantity, sku }) => `${quantity} of ${sku}`).join(", ")}`;
}

function findingsInWords({ id }: Return, inspected: readonly InspectedUnits[]): string {
  const words = inspected.map(({ item, quantity, disposition }) => `${quantity} of ${item.sku}: ${disposition}`);
  return `${wireId("return", id)}: ${words.join(", ")}`;
}

/** Locks the order of a return, and with it all returns of the order. Refuses: resource_missing. */
export async function begin(tx: Tx, id: string): Promise<{ before: Return; order: Order }> {
  const { order_id } = await getReturn(tx, id);
  const order = await lockOrder(tx, order_id);
  return { order, before: await getReturn(tx, id) };
}

/** Applies a client's changes to the terms. In `return_shipping`, too, omitted fields stay. */
export function changedTerms(before: ReturnTerms, currency: string, input: UpdateReturn): ReturnTerms {
  const { return_shipping, refund_amount, refund_shipping, restocking_fee, customer_email } = input;
  const cents = (amount: string | number | null | undefined, field: string, current: number | null) =>
    amount === undefined ? current : amount === null ? null : centsOf(amount, currency, field);
  return {
    return_shipping: changedShipping(before.return_shipping, return_shipping),
    refund_amount_cents: cents(refund_amount, "refund_amount", before.refund_amount_cents),
    refund_shipping: refund_shipping ?? before.refund_shipping,
    restocking_fee_cents: cents(restocking_fee, "restocking_fee", before.restocking_fee_cents),
    customer_email: customer_email === undefined ? before.customer_email : customer_email,
  };
}

function changedShipping(before: ReturnShipping, input: UpdateReturn["return_shipping"]): ReturnShipping {
  if (input === undefined) return before;
  if (input === null) return no_terms.return_shipping;
  const { carrier = before.carrier, label_url = before.label_url, status = before.status } = input;
  const number = input.tracking_number;
  const tracking_number =
    number === undefined ? before.tracking_number : givenTrackingNumber("return_shipping.tracking_number", number);
  return { carrier, tracking_number, label_url, tracking_url: carrierPage(carrier, tracking_number), status };
}

/**
 * Returns the facts about the goods of an order's items: their temperature zone, and the lots that were shipped; for an
 * imported past order, the lots that the inspection names.
 */
async function goodsOf(
  tx: Tx,
  order: Order,
  findings: readonly { readonly sku: string; readonly lot_number: string | null }[],
): Promise<(item: ReturnItem) => ReturnedGoods> {
  const { id, lines, imported } = order;
  const products = await findProducts(tx, [
    ...new Set(lines.flatMap((line) => partsOf(line).map(({ product_id }) => product_id))),
  ]);
  const by_id = new Map(products.map((product) => [product.id, product]));
  const left = imported ? await namedLots(tx, order, findings) : await lotsShipped(tx, id);
  const shipped = Map.groupBy(left, ({ product_id }) => product_id);
  return (item) => {
    const line = lineOf(lines, item);
    return {
      temperature_zone: coldest(
        partsOf(line).map(({ product_id }) => by_id.get(product_id)?.temperature_zone ?? "ambient"),
      ),
      lot_tracking: by_id.get(line.product_id)?.lot_tracking ?? false,
      lots_known: !imported,
      shipped: shipped.get(line.product_id) ?? [],
    };
  };
}

type ReturnedLotUnits = Pick<ShippedUnits, "product_id" | "lot_id" | "lot_number">;

/** The lots that an inspection names, as if they had been shipped. */
async function namedLots(
  tx: Tx,
  { lines }: Order,
  findings: readonly { readonly sku: string; readonly lot_number: string | null }[],
): Promise<ReturnedLotUnits[]> {
  const named: ReturnedLotUnits[] = [];
  for (const { sku, lot_number } of findings) {
    const product_id = lines.find((line) => line.sku === sku)?.product_id;
    if (lot_number === null || product_id === undefined) continue;
    const lot = await findLot(tx, product_id, lot_number);
    if (lot !== null) named.push({ product_id, lot_id: lot.id, lot_number });
  }
  return named;
}

/** The warehouse for goods of unknown origin: the order's warehouse, or the first one. */
async function defaultWarehouse(tx: Tx, { warehouse_id }: Order): Promise<number> {
  return warehouse_id ?? (await listPlainWarehouses(tx))[0]?.id ?? 0;
}

function lineOf(lines: Order["lines"], item: ReturnItem): OrderLine {
  const line = lines.find(({ id }) => id === item.order_line_id);
  assert(line, `return item ${item.id} belongs to a line of its order`);
  return line;
}

/**
 * How the units of a return move. An imported past order never took units out of stock, so its returned units enter the
 * ledger as adjustments.
 */
function movesOf({ id }: Return, { imported }: Order, actor: Actor): ReturnMoves {
  const reference = { type: "return", id: wireId("return", id) } as const;
  return { reference, actor, type: imported ? "adjustment" : "return" };
}

/** Adds units that have arrived to the returns bin. */
async function addArrived(
  tx: Tx,
  record: Return,
  order: Order,
  arrived: readonly ItemUnits[],
  actor: Actor,
): Promise<void> {
  // Units that left without a movement (in a parcel that its carrier had already taken) return to the order's
  // warehouse.
  const warehouse_id = await defaultWarehouse(tx, order);
  const shipped = await lotsShipped(tx, order.id);
  const units = arrived.flatMap(({ item, quantity }) =>
    arriving(lineOf(order.lines, item), quantity, shipped, warehouse_id),
  );
  await receiveReturned(tx, units, movesOf(record, order, actor));
}

/** Moves inspected units out of the returns bin. */
async function moveFindings(
  tx: Tx,
  record: Return,
  order: Order,
  inspected: readonly InspectedUnits[],
  actor: Actor,
): Promise<void> {
  const bundled = order.lines.some(({ components }) => components !== null);
  const shipped = bundled ? await lotsShipped(tx, order.id) : [];
  const units = inspected.flatMap((part) => inspectedGoods(lineOf(order.lines, part.item), part, shipped));
  const certain = order.imported ? await quarantineUnknownLots(tx, units) : units;
  await moveInspected(tx, certain, movesOf(record, order, actor));
}

/** Quarantines components with lots if the returned lot is unknown. */
async function quarantineUnknownLots(tx: Tx, units: readonly DisposedUnits[]): Promise<DisposedUnits[]> {
  const products = await findProducts(tx, [...new Set(units.map(({ product_id }) => product_id))]);
  const tracked = new Set(products.flatMap((product) => (product.lot_tracking ? product.id : [])));
  return units.map((unit) => {
    const is_unknown = unit.disposition === "restock" && unit.lot_id === null && tracked.has(unit.product_id);
    return is_unknown ? { ...unit, disposition: "quarantine", bin: null } : unit;
  });
}

/**
 * Restocks units of cancelled orders, or units returned for restocking.
 * Refuses: resource_missing, ambiguous_identifier, return_not_inspected, validation_failed, ambiguous_stock, bin_full,
 * insufficient_inventory.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function shelveUnits(tx: Tx, input: RestockInput, actor: Actor) {
  const { order_id, return_id } = input;
  if (order_id !== undefined && return_id !== undefined) throw invalid("return_id", "cannot be combined with order_id");
  if (order_id !== undefined) return restockOrderUnits(tx, { ...input, order_id }, actor);
  if (return_id === undefined) throw invalid("order_id", "is required without return_id", "required");
  const { before, order } = await begin(tx, String(return_id));
  refuseUninspected(before, "restocking its units");
  const done = await restockReturned(tx, before.id, input, actor);
  const returned = wireId("return", before.id);
  await noteInHistory(tx, order.id, { event: "put_back", actor, note: `${returned}: ${restockText(done)}` });
  return { order_id: wireId("order", order.id), return_id: returned, ...done };
}
