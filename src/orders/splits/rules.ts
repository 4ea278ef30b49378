import type { LineUnits } from "../../inventory/reservations/claim.ts";
import { invalid } from "../../kit/fault.ts";
import { addedUp, type ItemInput, namedUnits, unitsInParcels } from "../fulfillment/rules.ts";
import {
  costOf,
  keptUnits,
  type LineAmounts,
  lineTotal,
  looseUnits,
  type Order,
  type OrderLine,
  openUnits,
} from "../order.ts";

/** A line of which units become a line of another order: what stays, null for nothing, and what goes. */
export interface SplitLine {
  readonly line: OrderLine;
  readonly stays: LineAmounts | null;
  readonly goes: LineAmounts;
}

/**
 * What of an order becomes an order of its own. Only units can that are neither picked, nor in a parcel, nor gone; the
 * price of a line is spread over both so that together they cost what it did.
 * Refuses: validation_failed (too many units, or all that there are), resource_missing.
 */
export function splitLines(order: Order, items: readonly ItemInput[]): SplitLine[] {
  const parcelled = unitsInParcels(order);
  const units = addedUp(
    namedUnits(order, items, (line) => Math.min(looseUnits(line), openUnits(line) - (parcelled.get(line.id) ?? 0))),
  );
  const of = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  if (order.lines.every((line) => keptUnits(line) === (of.get(line.id) ?? 0))) {
    throw invalid("items", "are all units of the order: nothing would be left of it", "too_large");
  }
  return order.lines.flatMap((line) => {
    const quantity = of.get(line.id) ?? 0;
    return quantity === 0 ? [] : { line, ...apart(line, quantity) };
  });
}

/** The amounts of a line taken apart: its last units go. */
function apart(line: OrderLine, quantity: number): Omit<SplitLine, "line"> {
  const { unit_price_cents } = line;
  const left = line.quantity - quantity;
  const cost = costOf(line, quantity, left);
  const amounts = (units: number, total: number): LineAmounts => {
    return { quantity: units, unit_price_cents, discount_cents: units * unit_price_cents - total };
  };
  return {
    stays: left === 0 ? null : amounts(left, lineTotal(line) - cost),
    goes: amounts(quantity, cost),
  };
}

/** The order without the units that go. */
export function withoutSplit(order: Order, split: readonly SplitLine[]): Order {
  const of = new Map(split.map((one) => [one.line.id, one.stays]));
  const lines = order.lines.flatMap((line) => {
    const stays = of.get(line.id);
    return stays === null ? [] : { ...line, ...stays };
  });
  return { ...order, lines };
}

/** The units of lines that go, in the order of the lines. */
export function unitsThatGo(split: readonly SplitLine[]): LineUnits[] {
  return split.map(({ line, goes }) => ({ order_line_id: line.id, quantity: goes.quantity }));
}

const number_max = 100;

/** The number of an order that is split off: the first of `N-2`, `N-3` and so on that is not taken. */
export function nextNumber(order_number: string, taken: ReadonlySet<string>): string {
  for (let at = 2; ; at += 1) {
    const end = `-${at}`;
    const name = `${order_number.slice(0, number_max - end.length).trimEnd()}${end}`;
    if (!taken.has(name)) return name;
  }
}
