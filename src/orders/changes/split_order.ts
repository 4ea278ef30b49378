import type { Actor } from "../../core/actor.ts";
import { assert, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { emit } from "../../events/emit.ts";
import type { LineUnits } from "../../inventory/reservations/reservation.ts";
import { splitOrderAllocation } from "../../inventory/reservations/split_order_allocation.ts";
import type { Tx } from "../../storage/database.ts";
import { saveRest } from "../fulfillment/deliver_order.ts";
import { addedUp, type ItemInput, namedUnits, unitsInParcels, unitsText } from "../fulfillment/order_units.ts";
import { dispatchOf } from "../fulfillment/ship_dates.sql.ts";
import { newOrder, takenNumber } from "../lifecycle/draft_orders.ts";
import { findOrderByNumber } from "../lifecycle/order_lookup.sql.ts";
import type { SplitOrder } from "../order.schema.ts";
import { initialOrderStatus } from "../order.transitions.ts";
import {
  costOf,
  type LineAmounts,
  lineTotal,
  looseUnits,
  type Order,
  type OrderLine,
  openUnits,
  orderEvent,
  partsOf,
  uncancelledUnits,
} from "../order.ts";
import { deleteLines, insertLines } from "../order_lines.sql.ts";
import { allocationOf, refuseForbidden, subtotalOf, withAllocations } from "../order_lines.ts";
import { findOrdersByNumber, getOrder, insertOrder, lockOrder, type NewOrder } from "../orders.sql.ts";
import { insertFirstHistory } from "../search/order_history.sql.ts";
import { applyRulesAgain } from "../shipping_rules/apply_rules.ts";

/** A line that loses units to another order: the amounts that stay (null for none) and those that move. */
interface SplitLine {
  readonly line: OrderLine;
  readonly stays: LineAmounts | null;
  readonly moves: LineAmounts;
}

/**
 * The lines to split off an order. Only units that are neither picked, in a parcel nor shipped can move. A line's price
 * is divided so that both parts together cost the same.
 * Refuses: validation_failed (too many units, or all of them), resource_missing.
 */
function splitLines(order: Order, items: readonly ItemInput[]): SplitLine[] {
  const parcelled = unitsInParcels(order);
  const units = addedUp(
    namedUnits(order, items, (line) => Math.min(looseUnits(line), openUnits(line) - (parcelled.get(line.id) ?? 0))),
  );
  const of = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  if (order.lines.every((line) => uncancelledUnits(line) === (of.get(line.id) ?? 0))) {
    throw invalid("items", "are all units of the order; at least one must stay", "too_large");
  }
  return order.lines.flatMap((line) => {
    const quantity = of.get(line.id) ?? 0;
    return quantity === 0 ? [] : { line, ...dividedAmounts(line, quantity) };
  });
}

/** The amounts of a line, divided: its last units move. */
function dividedAmounts(line: OrderLine, quantity: number): Omit<SplitLine, "line"> {
  const { unit_price_cents } = line;
  const left = line.quantity - quantity;
  const cost = costOf(line, quantity, left);
  const amounts = (units: number, total: number): LineAmounts => {
    return { quantity: units, unit_price_cents, discount_cents: units * unit_price_cents - total };
  };
  return {
    stays: left === 0 ? null : amounts(left, lineTotal(line) - cost),
    moves: amounts(quantity, cost),
  };
}

/** The order without the units that move. */
function withoutSplit(order: Order, split: readonly SplitLine[]): Order {
  const of = new Map(split.map((part) => [part.line.id, part.stays]));
  const lines = order.lines.flatMap((line) => {
    const stays = of.get(line.id);
    return stays === null ? [] : { ...line, ...stays };
  });
  return { ...order, lines };
}

/** The units that move, in the order of the lines. */
function movedUnits(split: readonly SplitLine[]): LineUnits[] {
  return split.map(({ line, moves }) => ({ order_line_id: line.id, quantity: moves.quantity }));
}

const number_max = 100;

/** The number of an order that is split off: the first of `N-2`, `N-3` and so on that is not taken. */
function nextNumber(order_number: string, taken: ReadonlySet<string>): string {
  for (let at = 2; ; at += 1) {
    const end = `-${at}`;
    const name = `${order_number.slice(0, number_max - end.length).trimEnd()}${end}`;
    if (!taken.has(name)) return name;
  }
}

const numbers_tried = 100;

/**
 * Moves some open units of an order to a new, pending order for the same customer and address. Their allocation moves
 * with them, backordered units of each line first. The shipping amount stays.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, duplicate_order_number.
 * Emits: order.created, and order.fulfilled, order.shipped, order.delivered (when the rest has come so far).
 */
export async function splitOrder(
  tx: Tx,
  id: string,
  input: SplitOrder,
  actor: Actor,
): Promise<{ readonly order: Order; readonly split_off: Order }> {
  const before = await lockOrder(tx, id);
  refuseForbidden(before, "split");
  const split = splitLines(before, input.items);
  const fresh = await storeNew(tx, before, split, input.order_number ?? (await freeNumber(tx, before)));
  const { left, gone } = await splitOrderAllocation(tx, before.id, allocationOf(fresh), movesOf(split, fresh));
  const words = unitsText(before, movedUnits(split));
  const nameOf = (order: Order) => `${wireId("order", order.id)} (${order.order_number})`;
  const note = `${words} from ${nameOf(before)}`;
  await insertFirstHistory(tx, [{ id: fresh.id, status: initialOrderStatus, event: "split", actor, note }]);
  const split_off = await applyRulesAgain(tx, withAllocations(fresh, gone), actor);
  await emit(tx, [orderEvent("order.created", split_off, tx.now)]);
  const reduced = withAllocations(withoutSplit(before, split), left);
  const order = await saveRest(tx, before, reduced, { event: "split", actor, note: `${words} to ${nameOf(fresh)}` });
  await deleteLines(
    tx,
    split.flatMap(({ line, stays }) => (stays === null ? line.id : [])),
  );
  return { order: await applyRulesAgain(tx, await getOrder(tx, wireId("order", order.id)), actor), split_off };
}

/** An unused number for the new order. */
async function freeNumber(tx: Tx, { order_number }: Order): Promise<string> {
  const taken = new Set<string>();
  for (let tried = 0; tried < numbers_tried; tried += 1) {
    const name = nextNumber(order_number, taken);
    if (!(await findOrdersByNumber(tx, [name])).has(name)) return name;
    taken.add(name);
  }
  throw takenNumber(nextNumber(order_number, new Set()), null);
}

async function storeNew(tx: Tx, before: Order, split: readonly SplitLine[], order_number: string): Promise<Order> {
  const lines = split.map(({ line: { product_id, sku, name, components }, moves }) => {
    return { product_id, sku, name, components, ...moves };
  });
  const fields = { ...fieldsOf(before), order_number, subtotal_cents: subtotalOf(lines) };
  const id = await insertOrder(tx, fields);
  if (id === null) throw takenNumber(order_number, await findOrderByNumber(tx, order_number));
  const stored = await insertLines(tx, { id, merchant_id: before.merchant_id }, lines);
  const plain = newOrder(tx, id, { fields, suspended: before.suspended }, stored);
  const [dispatch] = await dispatchOf(tx, [plain]);
  return { ...plain, ...dispatch };
}

/** The fields of the new order: those of the old one when it was created. */
function fieldsOf(before: Order): Omit<NewOrder, "created_at"> {
  const { id: _id, revision: _revision, created_at: _at, updated_at: _now, ...rest } = before;
  const { lines: _lines, holds: _holds, shipments: _parcels, returns: _returns, calendars: _days, ...fields } = rest;
  return { ...fields, status: initialOrderStatus, held: false, shipping_amount_cents: 0, processing_at: null };
}

/** The units of the old order's allocation that move to the new order's lines; for a bundle, its components. */
function movesOf(split: readonly SplitLine[], fresh: Order) {
  return split.flatMap(({ line, stays, moves }, at) => {
    const to = fresh.lines[at];
    assert(to !== undefined, "each line that is split has its line in the new order");
    return partsOf(line).map(({ product_id, quantity }) => ({
      order_line_id: line.id,
      product_id,
      quantity: quantity * moves.quantity,
      to_line_id: to.id,
      whole: stays === null,
    }));
  });
}
