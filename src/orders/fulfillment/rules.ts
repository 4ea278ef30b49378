import type { LineUnits } from "../../inventory/reservations/claim.ts";
import { Fault, invalid } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { backorderedUnits, type Order, type OrderLine, openUnits } from "../order.ts";

/** Units of each line, those of no units left out. */
export function unitsOf(order: Order, count: (line: OrderLine) => number): LineUnits[] {
  return order.lines
    .map((line) => ({ order_line_id: line.id, quantity: count(line) }))
    .filter(({ quantity }) => quantity > 0);
}

/** Refuses: insufficient_inventory, naming every SKU that waits for stock, unless `partial` leaves it for later. */
export function refuseShort(order: Order, partial: boolean): void {
  if (partial || backorderedUnits(order) === 0) return;
  const short = order.lines.filter((line) => line.reserved < line.wanted);
  throw new Fault(
    "insufficient_inventory",
    `Units of ${short.map(({ sku }) => sku).join(", ")} wait for stock; send partial: true to leave them for later.`,
    { shortages: short.map(({ sku, wanted, reserved }) => ({ sku, requested: wanted, available: reserved })) },
  );
}

/** Units of a line that stand packed and have not left. */
export function packedInHouse(line: OrderLine): number {
  return line.quantity_packed - line.quantity_shipped;
}

/** What must still be packed and picked so that these units stand packed. */
export function missingSteps(order: Order, units: readonly LineUnits[]) {
  const wanted = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const packs = unitsOf(order, (line) => (wanted.get(line.id) ?? 0) - packedInHouse(line));
  return { packs, picks: missingPicks(order, packs) };
}

/** What must still be picked so that these units can be packed beside those that are. */
export function missingPicks(order: Order, packs: readonly LineUnits[]): LineUnits[] {
  const more = new Map(packs.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  return unitsOf(order, (line) =>
    more.has(line.id) ? packedInHouse(line) + (more.get(line.id) ?? 0) - line.picked : 0,
  );
}

/** Units of a line in parcels that are still in the house. */
export function unitsInParcels(order: Order): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  for (const shipment of order.shipments) {
    if (shipment.status !== "pending") continue;
    for (const { order_line_id, quantity } of shipment.lines) {
      units.set(order_line_id, (units.get(order_line_id) ?? 0) + quantity);
    }
  }
  return units;
}

/** Open units that are in no parcel yet. */
export function unitsWithoutParcel(order: Order): LineUnits[] {
  const parcelled = unitsInParcels(order);
  return unitsOf(order, (line) => openUnits(line) - (parcelled.get(line.id) ?? 0));
}

/** Some units as a request names them. */
export interface ItemInput {
  readonly line_id?: string | number | undefined;
  readonly sku?: string | undefined;
  readonly quantity: number;
}

/**
 * The units that a request's items name: of the line with that id, or of the lines with that SKU in their order. `left`
 * says how many units of a line can be named. Refuses: validation_failed, resource_missing.
 */
export function namedUnits<Item extends ItemInput>(
  order: Order,
  items: readonly Item[],
  left: (line: OrderLine) => number,
  field = "items",
): (LineUnits & { readonly item: Item })[] {
  const rest = new Map(order.lines.map((line) => [line.id, left(line)]));
  return items.flatMap((item, at) => {
    const lines = linesNamed(order, item, `${field}[${at}]`);
    let open = item.quantity;
    const taken = lines.flatMap((line) => {
      const quantity = Math.min(open, rest.get(line.id) ?? 0);
      if (quantity <= 0) return [];
      open -= quantity;
      rest.set(line.id, (rest.get(line.id) ?? 0) - quantity);
      return [{ order_line_id: line.id, quantity, item }];
    });
    if (open > 0) {
      throw invalid(`${field}[${at}].quantity`, `is ${open} more than are left`, "too_large");
    }
    return taken;
  });
}

function linesNamed(order: Order, { line_id, sku }: ItemInput, field: string): readonly OrderLine[] {
  if (line_id === undefined && sku === undefined) throw invalid(field, "needs a line_id or a sku", "required");
  const id = line_id === undefined ? null : readId("order_line", line_id);
  const lines = order.lines.filter(
    (line) => (id === null || line.id === id) && (sku === undefined || line.sku === sku),
  );
  if (lines.length > 0) return lines;
  const name = line_id === undefined ? "sku" : "line_id";
  throw new Fault("resource_missing", `Order ${wireId("order", order.id)} has no such line.`, {
    fields: [{ field: `${field}.${name}`, code: "resource_missing", message: "names no line of this order" }],
  });
}

/** Units given several times for a line, added up. */
export function addedUp(units: readonly LineUnits[]): LineUnits[] {
  const sums = new Map<number, number>();
  for (const { order_line_id, quantity } of units) sums.set(order_line_id, (sums.get(order_line_id) ?? 0) + quantity);
  return [...sums].map(([order_line_id, quantity]) => ({ order_line_id, quantity }));
}

/** The order with cancelled units counted as packed and shipped instead, since they have left all the same. */
export function uncancelled(order: Order, units: readonly LineUnits[]): Order {
  const shipped = raised(raised(order, "quantity_packed", units), "quantity_shipped", units);
  return raised(
    shipped,
    "quantity_cancelled",
    units.map(({ order_line_id, quantity }) => ({ order_line_id, quantity: -quantity })),
  );
}

/** The order with one counter of its lines raised by these units. */
export function raised(
  order: Order,
  counter: "quantity_packed" | "quantity_shipped" | "quantity_delivered" | "quantity_cancelled",
  units: readonly LineUnits[],
): Order {
  const more = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const lines = order.lines.map((line) => ({ ...line, [counter]: line[counter] + (more.get(line.id) ?? 0) }));
  return { ...order, lines };
}
