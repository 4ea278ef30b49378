import type { Order } from "../../api/types.ts";
import type { Values } from "../../kit/fields.tsx";
import { openUnits, unitsOf } from "./counters.ts";
import { type Choosable, choosable, itemsOf } from "./units.tsx";

/** A line with units in no parcel yet, and how many of them stock has reserved. */
export interface LooseLine extends Choosable {
  readonly reserved: number;
}

/** The units of an order that are in no parcel yet. */
export function looseLines(order: Order): LooseLine[] {
  const parcelled = new Map<string, number>();
  for (const { status, items } of order.shipments) {
    if (status !== "pending") continue;
    for (const { line_id, quantity } of items) parcelled.set(line_id, (parcelled.get(line_id) ?? 0) + quantity);
  }
  const taken = (id: string) => parcelled.get(id) ?? 0;
  const reserved = new Map(order.line_items.map((line) => [line.id, unitsOf(line, "reserved") - taken(line.id)]));
  return choosable(order, (line) => openUnits(line) - taken(line.id)).map((line) => {
    return { ...line, reserved: Math.min(line.most, Math.max(0, reserved.get(line.id) ?? 0)) };
  });
}

/** The field value with the units that stock has reserved. */
export const reservedUnits = (lines: readonly LooseLine[]): Values =>
  Object.fromEntries(lines.map(({ id, reserved }) => [id, reserved > 0 ? String(reserved) : ""]));

/** The reserved units as items of a request. */
export const reservedItems = (lines: readonly LooseLine[]) => itemsOf(reservedUnits(lines), lines);

/** Whether more units are chosen than stock has reserved. */
export function exceedsReserved(
  items: readonly { readonly line_id: string; readonly quantity: number }[],
  lines: readonly LooseLine[],
): boolean {
  const reserved = new Map(lines.map((line) => [line.id, line.reserved]));
  return items.some(({ line_id, quantity }) => quantity > (reserved.get(line_id) ?? 0));
}
