import { Fault, invalid, invalidFields } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type {
  AllocationUnits,
  LineUnits,
  MissingUnits,
  PartUnits,
  PickedUnits,
} from "../../inventory/reservations/reservation.ts";
import type { PackKind } from "../../products/product.ts";
import { isGivenUp, isUnshipped, type ShortReason, writeOffReasons } from "../order.transitions.ts";
import {
  backorderedUnits,
  type LinePart,
  loosePicks,
  type Order,
  type OrderLine,
  openUnits,
  partsOf,
  uncancelledUnits,
} from "../order.ts";
import type { Shipment } from "./shipment.ts";

/** Units of each line, without lines that have none. */
export function unitsOf(order: Order, count: (line: OrderLine) => number): LineUnits[] {
  return order.lines
    .map((line) => ({ order_line_id: line.id, quantity: count(line) }))
    .filter(({ quantity }) => quantity > 0);
}

/** Refuses: insufficient_inventory (lists every backordered SKU), unless `partial` leaves these units for later. */
export function refuseShort(order: Order, partial: boolean): void {
  if (partial || backorderedUnits(order) === 0) return;
  const shortages = shortagesOf(order);
  const skus = shortages.map(({ sku }) => sku).join(", ");
  throw new Fault(
    "insufficient_inventory",
    `Units of ${skus} are backordered. Send partial: true to leave them for later.`,
    { shortages },
  );
}

/** The refusal of an act for which no unit of the order is in stock. */
export function nothingToTake(order: Order): Fault {
  return new Fault("insufficient_inventory", "No unit of this order is in stock: all open units are backordered.", {
    shortages: shortagesOf(order),
  });
}

/** As `refuseShort`; also refuses an act for which no unit of the order is in stock. */
export function refuseEmpty(order: Order, partial: boolean): void {
  refuseShort(order, partial);
  if (unitsOf(order, (line) => line.reserved).length === 0) throw nothingToTake(order);
}

function shortagesOf({ lines }: Order) {
  const short = lines.filter((line) => line.reserved < line.wanted);
  return short.map(({ sku, wanted, reserved }) => ({ sku, requested: wanted, available: reserved }));
}

/** Units of a line that are packed and have not shipped. */
export function packedUnshipped(line: OrderLine): number {
  return line.quantity_packed - line.quantity_shipped;
}

/** The picks and packs that are missing before these units are packed. */
export function missingSteps(order: Order, units: readonly LineUnits[]) {
  const wanted = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const packs = unitsOf(order, (line) => (wanted.get(line.id) ?? 0) - packedUnshipped(line));
  return { packs, picks: missingPicks(order, packs) };
}

/** The picks that are missing before these units can be packed in addition to those that are. */
export function missingPicks(order: Order, packs: readonly LineUnits[]): PartUnits[] {
  const more = new Map(packs.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  return order.lines.flatMap((line) =>
    more.has(line.id) ? picksUpTo(line, packedUnshipped(line) + (more.get(line.id) ?? 0)) : [],
  );
}

/** The picks that are missing until `sets` sets of a line are picked, once `first` sets of it are picked. */
export function picksUpTo(line: OrderLine, sets: number, first = 0): PartUnits[] {
  return partsOf(line).flatMap(({ product_id, quantity, picked }) => {
    const missing = Math.max(0, sets * quantity - picked) - Math.max(0, first * quantity - picked);
    return missing > 0 ? [{ order_line_id: line.id, product_id, quantity: missing }] : [];
  });
}

/** The stock that these units are: for a bundle, the components of its sets. */
export function allocationUnits(order: Order, units: readonly LineUnits[]): AllocationUnits[] {
  return units.flatMap(({ order_line_id, quantity: sets }) => {
    const line = order.lines.find(({ id }) => id === order_line_id);
    const parts = line === undefined ? [] : partsOf(line);
    return parts.map(({ product_id, quantity }) => ({ order_line_id, product_id, quantity: sets * quantity }));
  });
}

/** Units of each line in parcels that have not shipped. */
export function unitsInParcels(order: Order): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  for (const shipment of order.shipments) {
    if (!isUnshipped(shipment.status)) continue;
    for (const { order_line_id, quantity } of shipment.lines) {
      units.set(order_line_id, (units.get(order_line_id) ?? 0) + quantity);
    }
  }
  return units;
}

/** Whether nothing of an order is left to ship: no open unit, and no parcel. */
export function isAway({ lines, shipments }: Order): boolean {
  return lines.every((line) => openUnits(line) === 0) && !shipments.some(({ status }) => isUnshipped(status));
}

/** Whether everything that an order wants of the stock is in staging. */
export function isWhollyPicked({ lines }: Order): boolean {
  return lines.every((line) => partsOf(line).every(({ wanted, picked }) => picked === wanted));
}

/** The products of an order's lines; for bundles, their components. */
export function productsOf({ lines }: Order): number[] {
  return [...new Set(lines.flatMap(partsOf).map(({ product_id }) => product_id))];
}

/** Whether every unit that is not cancelled is packed or has shipped. */
export function isPacked({ lines }: Order): boolean {
  return lines.every((line) => line.quantity_packed === uncancelledUnits(line));
}

/** The outcome of shipping a parcel. A carton is an extra one of goods that another parcel counts. */
export function outcomeOfShipping(order: Order, isCarton: boolean) {
  if (isAway(order)) return "ship";
  if (isCarton) return "ship_carton";
  return isPacked(order) ? "ship_parcel" : "ship_part";
}

/** Open units that are in no parcel yet. */
export function unitsWithoutParcel(order: Order): LineUnits[] {
  const parcelled = unitsInParcels(order);
  return unitsOf(order, (line) => openUnits(line) - (parcelled.get(line.id) ?? 0));
}

/** Unreserved units for a new parcel, by SKU. Units in other parcels use up reserved units first. */
export function unreservedUnits(order: Order, units: readonly LineUnits[]): { sku: string; quantity: number }[] {
  const parcelled = unitsInParcels(order);
  return units.flatMap(({ order_line_id, quantity }) => {
    const line = order.lines.find(({ id }) => id === order_line_id);
    if (line === undefined) return [];
    const free = Math.max(0, line.reserved - (parcelled.get(line.id) ?? 0));
    return quantity > free ? [{ sku: line.sku, quantity: quantity - free }] : [];
  });
}

/** The order with this parcel, new or as it is now. */
export function withShipment(order: Order, shipment: Shipment): Order {
  const known = order.shipments.some(({ id }) => id === shipment.id);
  const shipments = known
    ? order.shipments.map((other) => (other.id === shipment.id ? shipment : other))
    : [...order.shipments, shipment];
  return { ...order, shipments };
}

/** The parcel of an order that a request names. Refuses: resource_missing. */
export function chosenShipment(order: Order, id: string | number): Shipment {
  const number = readId("shipment", id);
  const found = order.shipments.find((shipment) => shipment.id === number);
  if (found !== undefined) return found;
  throw new Fault("resource_missing", `Order ${wireId("order", order.id)} has no such parcel: ${id}.`, {
    fields: [{ field: "shipment_id", code: "resource_missing", message: "names no parcel of this order" }],
  });
}

/** The position of a parcel in its order, from 1; `total` is null while more may follow. */
interface ParcelPlace {
  readonly number: number;
  readonly total: number | null;
}

/**
 * The position of a parcel among those of its order that are not voided; null for a voided one. The total is known once
 * every unit is in a parcel; for the newest one, once nothing is left to pack. An extra carton does not show whether
 * more follow, so its total is known only when all parcels have shipped.
 */
export function parcelPlace(order: Order, shipment_id: number): ParcelPlace | null {
  const parcels = order.shipments.filter(({ status }) => !isGivenUp(status)).sort((one, other) => one.id - other.id);
  const at = parcels.findIndex(({ id }) => id === shipment_id);
  if (at < 0) return null;
  const newest = at === parcels.length - 1;
  const ended = isAway(order) || (isPacked(order) && parcels[at]?.lines.length !== 0);
  const known = unitsWithoutParcel(order).length === 0 && (!newest || ended);
  return { number: at + 1, total: known ? parcels.length : null };
}

/** A parcel's position as text: `2 of 6`, or `2` while the total is unknown. */
export function placeText({ number, total }: ParcelPlace): string {
  return total === null ? `${number}` : `${number} of ${total}`;
}

/** Units as a request names them. */
export interface ItemInput {
  readonly line_id?: string | number | undefined;
  readonly sku?: string | undefined;
  readonly quantity: number;
}

/**
 * The units that a request's items name: of the line with that id, or of the lines with that SKU in their order. `left`
 * returns how many units of a line can be named; `field` returns the field of an item by its index.
 * Refuses: validation_failed, resource_missing.
 */
export function namedUnits<Item extends ItemInput>(
  order: Order,
  items: readonly Item[],
  left: (line: OrderLine) => number,
  field = itemField,
): (LineUnits & { readonly item: Item })[] {
  const goods = order.lines.map((line) => ({ line, sku: line.sku, part: null, left: left(line) }));
  return spread(order, goods, items, field).map(({ of: { line }, quantity, item }) => {
    return { order_line_id: line.id, quantity, item };
  });
}

/**
 * The picks that a request's items name: lines (of a bundle, whole sets), or components of bundles by their SKUs.
 * Refuses: validation_failed, resource_missing.
 */
function namedPicks<Item extends ItemInput>(
  order: Order,
  items: readonly Item[],
): readonly (PartUnits & { readonly item: Item })[] {
  const goods = order.lines.flatMap((line): NameableUnits[] => [
    { line, sku: line.sku, part: null, left: line.wanted - line.picked },
    ...(line.components ?? []).map((part) => ({ line, sku: part.sku, part, left: part.wanted - part.picked })),
  ]);
  const picked = new Map(order.lines.map((line) => [line.id, line.picked]));
  return spread(order, goods, items, itemField).flatMap(({ of: { line, part }, quantity, item }) => {
    const first = picked.get(line.id) ?? 0;
    if (part === null) picked.set(line.id, first + quantity);
    const units =
      part === null
        ? picksUpTo(line, first + quantity, first)
        : [{ order_line_id: line.id, product_id: part.product_id, quantity }];
    return units.map((one) => ({ ...one, item }));
  });
}

/**
 * The picked, unpacked units that a request's items name: lines (of a bundle, whole sets), or components of bundles by
 * their SKUs. Refuses: validation_failed, resource_missing.
 */
export function namedLoosePicks(order: Order, items: readonly ItemInput[]): PartUnits[] {
  const loose = loosePicks(order);
  const left = ({ id }: OrderLine, { product_id }: LinePart) =>
    loose.find((one) => one.order_line_id === id && one.product_id === product_id)?.quantity ?? 0;
  const goods = order.lines.flatMap((line): NameableUnits[] => {
    const parts = partsOf(line);
    const sets = Math.min(...parts.map((part) => Math.floor(left(line, part) / part.quantity)));
    return [
      { line, sku: line.sku, part: null, left: sets },
      ...(line.components ?? []).map((part) => ({ line, sku: part.sku, part, left: left(line, part) })),
    ];
  });
  const sums = new Map(loose.map((one) => [one, 0]));
  for (const { of, quantity } of spread(order, goods, items, itemField)) {
    for (const part of of.part === null ? partsOf(of.line) : [of.part]) {
      const one = loose.find((each) => each.order_line_id === of.line.id && each.product_id === part.product_id);
      if (one !== undefined) sums.set(one, (sums.get(one) ?? 0) + quantity * (of.part === null ? part.quantity : 1));
    }
  }
  return [...sums].flatMap(([one, quantity]) => {
    if (quantity > one.quantity)
      throw invalid("items", `exceed what is left by ${quantity - one.quantity}`, "too_large");
    return quantity === 0 ? [] : [{ ...one, quantity }];
  });
}

/** An item of a pick, as a request names it. */
interface PickInput extends ItemInput, Omit<PickedUnits, keyof AllocationUnits> {
  readonly short?: boolean | undefined;
  readonly reason?: ShortReason | undefined;
}

/**
 * The picked units, and those that were not found where they should have been.
 * Refuses: validation_failed (a short pick without a reason, or a reason without one), resource_missing.
 */
export function readPicks(order: Order, items: readonly PickInput[]) {
  const unfit = items.flatMap(({ short = false, reason, pack }, at) => {
    if (short && pack !== undefined)
      return [{ field: `items[${at}].pack`, code: "invalid_value", message: "is only for units that were taken" }];
    if (short === (reason !== undefined)) return [];
    const field = `items[${at}].reason`;
    return short
      ? [{ field, code: "required", message: "is required for a short pick" }]
      : [{ field, code: "invalid_value", message: "is only for items with short: true" }];
  });
  if (unfit.length > 0) throw invalidFields(unfit);
  const packed: (PartUnits & { readonly pack: PackKind; readonly at: number })[] = [];
  const picks: PickedUnits[] = [];
  const misses: (PartUnits & MissingUnits & { readonly reason: ShortReason })[] = [];
  for (const { item, ...units } of namedPicks(order, items)) {
    const { lot_number, bin, pack, reason } = item;
    if (pack !== undefined) packed.push({ ...units, quantity: item.quantity, pack, at: items.indexOf(item) });
    if (reason === undefined) picks.push({ ...units, lot_number, bin, pack });
    else {
      const write_off = writeOffReasons.find((known) => known === reason) ?? null;
      misses.push({ ...units, lot_number, bin, reason, write_off });
    }
  }
  return { picks, misses, packed };
}

/** Units as text; for a bundle, its components. */
export function partsText(order: Order, units: readonly PartUnits[]): string {
  const parts = new Map(order.lines.flatMap(partsOf).map(({ product_id, sku }) => [product_id, sku]));
  const sums = new Map<number, number>();
  for (const { product_id, quantity } of units) sums.set(product_id, (sums.get(product_id) ?? 0) + quantity);
  return [...sums].map(([product_id, quantity]) => `${quantity} of ${parts.get(product_id)}`).join(", ");
}

/** What an item of a request can name: a line, or a component of its bundle, and how many units of it. */
interface NameableUnits {
  readonly line: OrderLine;
  readonly sku: string;
  readonly part: LinePart | null;
  left: number;
}

const itemField = (at: number): string => `items[${at}]`;

/** Assigns the units of items to what they name, in the order of the lines, and reduces `left`. */
function spread<Item extends ItemInput>(
  order: Order,
  goods: readonly NameableUnits[],
  items: readonly Item[],
  field: (at: number) => string,
) {
  return items.flatMap((item, at) => {
    let open = item.quantity;
    const taken = goodsNamed(order, goods, item, field(at)).flatMap((of) => {
      const quantity = Math.min(open, of.left);
      if (quantity <= 0) return [];
      open -= quantity;
      of.left -= quantity;
      return [{ of, quantity, item }];
    });
    if (open > 0) {
      throw invalid(`${field(at)}.quantity`, `exceeds what is left by ${open}`, "too_large");
    }
    return taken;
  });
}

function goodsNamed(
  order: Order,
  goods: readonly NameableUnits[],
  { line_id, sku }: ItemInput,
  field: string,
): readonly NameableUnits[] {
  if (line_id === undefined && sku === undefined) throw invalid(field, "needs a line_id or a sku", "required");
  const id = line_id === undefined ? null : readId("order_line", line_id);
  // A line's id alone means the line, not the components of its bundle.
  const matches = goods.filter(
    (one) => (id === null || one.line.id === id) && (sku === undefined ? one.part === null : one.sku === sku),
  );
  if (matches.length > 0) return matches;
  const name = line_id === undefined ? "sku" : "line_id";
  throw new Fault("resource_missing", `Order ${wireId("order", order.id)} has no such line.`, {
    fields: [{ field: `${field}.${name}`, code: "resource_missing", message: "names no line of this order" }],
  });
}

/** Units as text: `2 of TEA-250, 1 of CUP`. */
export function unitsText(order: Order, units: readonly LineUnits[]): string {
  const skus = new Map(order.lines.map(({ id, sku }) => [id, sku]));
  return units.map(({ order_line_id, quantity }) => `${quantity} of ${skus.get(order_line_id)}`).join(", ");
}

/** Units named several times for a line, added up. */
export function addedUp(units: readonly LineUnits[]): LineUnits[] {
  const sums = new Map<number, number>();
  for (const { order_line_id, quantity } of units) sums.set(order_line_id, (sums.get(order_line_id) ?? 0) + quantity);
  return [...sums].map(([order_line_id, quantity]) => ({ order_line_id, quantity }));
}

/** The order with cancelled units counted as packed and shipped, since they have shipped anyway. */
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
