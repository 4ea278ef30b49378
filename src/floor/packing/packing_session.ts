// A packing session is one parcel that is being packed. What it needs follows from its order; scans are stored.
import type { ActorType } from "../../core/actor.ts";
import { add, compare, decimalText, type Fraction, times } from "../../core/decimals.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { unitNanograms, type WeightUnit } from "../../core/weight_units.ts";
import type { LineUnits } from "../../inventory/reservations/reservation.ts";
import { packedUnshipped, unitsInParcels } from "../../orders/fulfillment/order_units.ts";
import type { Shipment } from "../../orders/fulfillment/shipment.ts";
import { isUnshipped } from "../../orders/order.transitions.ts";
import { type LinePart, type Order, type OrderLine, openUnits, partsOf } from "../../orders/order.ts";
import { weightOf } from "../../orders/order_weight.ts";
import type { PackingStatus } from "../floor.transitions.ts";

/** Scanned units of a line; for a bundle, of one of its components. */
export interface ScannedUnits {
  readonly line_id: number;
  readonly product_id: number;
  readonly lot_number: string | null;
  readonly quantity: number;
}

/** One parcel that is being packed, or was. */
export interface PackingSession {
  readonly id: number;
  readonly merchant_id: number;
  readonly order_id: number;
  readonly warehouse_id: number;
  readonly station_id: number | null;
  readonly status: PackingStatus;
  readonly units: readonly ScannedUnits[];
  readonly carton_id: number | null;
  /** The typed weight, as decimal text. */
  readonly weight: string | null;
  readonly weight_unit: WeightUnit | null;
  readonly weight_reason: string | null;
  /** The service that a person chose; null for that of the order. */
  readonly carrier: string | null;
  readonly service: string | null;
  readonly shipment_id: number | null;
  readonly label_id: number | null;
  /** When the job buys the label, or the end of a server's claim to buy it; null when finished. */
  readonly label_due_at: number | null;
  readonly label_error: string | null;
  readonly device: string;
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
}

/** Units of a line's product, or of a component of its bundle, that the parcel needs, and those that were scanned. */
export interface PackingPart {
  readonly line: OrderLine;
  readonly part: LinePart;
  readonly needed: number;
  readonly scanned: number;
}

/** An order with the units of its parcels that were packed with scans and wait for their label. */
export interface PackableOrder extends Order {
  readonly waiting: readonly LineUnits[];
}

/**
 * Units of each line that are in stock and not in a packed parcel: unpacked ones, whether or not their label was bought
 * in advance, and those of a parcel whose label was voided.
 */
export function unitsToPack(order: PackableOrder): LineUnits[] {
  const parcelled = unitsInParcels(order);
  return order.lines.flatMap((line) => {
    const done = Math.min(parcelled.get(line.id) ?? 0, packedUnshipped(line)) + waitingUnits(order, line);
    const quantity = Math.min(openUnits(line), line.reserved) - done;
    return quantity > 0 ? [{ order_line_id: line.id, quantity }] : [];
  });
}

/** Units of a line that are packed and in no parcel, nor wait for a label. */
export function packedLoosely(order: PackableOrder, line_id: number): number {
  const line = order.lines.find(({ id }) => id === line_id);
  return line === undefined ? 0 : withoutParcel(order, line) - waitingUnits(order, line);
}

const withoutParcel = (order: Order, line: OrderLine): number =>
  Math.max(0, packedUnshipped(line) - (unitsInParcels(order).get(line.id) ?? 0));

/** Units of a line that wait for a label. Someone may have unpacked them. */
function waitingUnits(order: PackableOrder, line: OrderLine): number {
  const own = order.waiting.filter(({ order_line_id }) => order_line_id === line.id);
  const sum = own.reduce((all, { quantity }) => all + quantity, 0);
  return Math.min(sum, withoutParcel(order, line));
}

/** Scanned units as whole sets of lines. */
export function lineUnitsOf(order: Order, units: readonly ScannedUnits[]): LineUnits[] {
  return order.lines.flatMap((line) => {
    const own = units.filter(({ line_id }) => line_id === line.id);
    const [first] = own;
    if (first === undefined) return [];
    const in_set = line.components?.find(({ product_id }) => product_id === first.product_id)?.quantity ?? 1;
    const count = own
      .filter(({ product_id }) => product_id === first.product_id)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const quantity = Math.floor(count / in_set);
    return quantity > 0 ? [{ order_line_id: line.id, quantity }] : [];
  });
}

/** What a session needs and has, in the order of the lines. */
export function partsToPack(order: PackableOrder, units: readonly ScannedUnits[]): PackingPart[] {
  const sets = new Map(unitsToPack(order).map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  return order.lines.flatMap((line) =>
    partsOf(line).flatMap((part) => {
      const needed = (sets.get(line.id) ?? 0) * part.quantity;
      const scanned = scannedOf(units, line.id, part.product_id);
      return needed === 0 && scanned === 0 ? [] : [{ line, part, needed, scanned }];
    }),
  );
}

function scannedOf(units: readonly ScannedUnits[], line_id: number, product_id: number): number {
  const own = units.filter((one) => one.line_id === line_id && one.product_id === product_id);
  return own.reduce((sum, { quantity }) => sum + quantity, 0);
}

/** Whether every needed unit was scanned, and no other. */
export function isComplete(parts: readonly PackingPart[]): boolean {
  return parts.length > 0 && parts.every(({ needed, scanned }) => needed === scanned);
}

/**
 * The scanned units as units of lines. Refuses: bundle_incomplete (only a part of a set was scanned), surplus_item (the
 * order needs fewer units than before).
 */
export function scannedLines(order: PackableOrder, units: readonly ScannedUnits[]): LineUnits[] {
  const parts = Map.groupBy(partsToPack(order, units), ({ line }) => line.id);
  return [...parts].flatMap(([order_line_id, own]) => {
    const sets = own.map(({ part, scanned }) => scanned / part.quantity);
    const quantity = Math.min(...sets);
    const [first] = own;
    if (sets.some((count) => count !== quantity || !Number.isInteger(count))) {
      const message = `A set of ${first?.line.sku} goes into one parcel. Scan the rest of it, or take it out.`;
      throw new Fault("bundle_incomplete", message, { sku: first?.line.sku });
    }
    const surplus = own.find(({ needed, scanned }) => scanned > needed);
    if (surplus !== undefined) throw surplusOf(order, surplus, surplus.scanned - surplus.needed);
    return quantity === 0 ? [] : [{ order_line_id, quantity }];
  });
}

/** The refusal of units that an order does not need any more. */
function surplusOf(order: Order, { part, needed, scanned }: PackingPart, surplus: number): Fault {
  const message = `Order ${order.order_number} needs ${needed} of ${part.sku} in this parcel: put ${surplus} back.`;
  return new Fault("surplus_item", message, { sku: part.sku, needed, scanned });
}

/** The parcel with exactly these units whose label was bought before they were packed; null if there is none. */
export function labelledParcel(order: Order, units: readonly LineUnits[], taken: ReadonlySet<number>): Shipment | null {
  const wanted = new Map(units.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const parcels = order.shipments.filter(({ id, status }) => isUnshipped(status) && !taken.has(id));
  const same = ({ lines }: Shipment) =>
    lines.length === wanted.size && lines.every((line) => wanted.get(line.order_line_id) === line.quantity);
  return parcels.find(same) ?? null;
}

type WeighedProducts = Parameters<typeof weightOf>[1];

/** The weight of units of an order, and the SKUs whose weight is unknown. */
export function goodsWeight(
  order: Order,
  units: readonly LineUnits[],
  products: WeighedProducts,
): { readonly weight: Fraction | null; readonly unknown: readonly string[] } {
  const parts = units.flatMap(({ order_line_id, quantity }) => {
    const line = order.lines.find(({ id }) => id === order_line_id);
    return line === undefined ? [] : [{ sku: line.sku, quantity, one: weightOf(line, products) }];
  });
  const unknown = parts.flatMap(({ sku, one }) => (one === null ? [sku] : []));
  const weights = parts.flatMap(({ one, quantity }) => (one === null ? [] : [times(one, quantity)]));
  return { weight: unknown.length > 0 || weights.length === 0 ? null : weights.reduce(add), unknown };
}

/** The weight of goods in a carton. */
export const parcelWeight = (goods: Fraction | null, tare: Fraction | null): Fraction | null =>
  goods === null || tare === null ? goods : add(goods, tare);

const tolerance: Fraction = { numerator: 50n * unitNanograms.g, denominator: 1n };

/** Whether a typed weight differs from the calculated one by more than 50 g and more than 3 %. */
export function differs(typed: Fraction, calculated: Fraction): boolean {
  const [heavier, lighter] = compare(typed, calculated) >= 0 ? [typed, calculated] : [calculated, typed];
  // heavier - lighter > 0.03 × calculated. Fractions cannot be below zero, so both sides gain `lighter`.
  const share = add(lighter, { numerator: calculated.numerator * 3n, denominator: calculated.denominator * 100n });
  return compare(heavier, add(lighter, tolerance)) > 0 && compare(heavier, share) > 0;
}

/** A weight in grams, as exact decimal text. */
export const gramsText = (weight: Fraction): string => decimalText(weight, unitNanograms.g) ?? "";

/** What the order of a session is called in messages. */
export const orderText = ({ id, order_number }: Order): string => `${order_number} (${wireId("order", id)})`;
