import type { BillableFact } from "../billing/billable_event.ts";
import { Fault, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { type TemperatureZone, temperatureZones } from "../products/product.ts";
import type { TrackingStatus } from "../shipping/carriers/tracking.transitions.ts";
import type { Disposition, ReturnCondition, ReturnReason, ReturnShippingStatus } from "./return.transitions.ts";
import { claimedUnits, type Return, type ReturnItem } from "./return.ts";

/** The fields of an order line that a return needs. */
interface ShippedLine {
  readonly id: number;
  readonly sku: string;
  readonly quantity_shipped: number;
}

/** Returned units in a request. */
interface RequestedItem {
  readonly sku: string;
  readonly quantity: number;
  readonly condition: ReturnCondition | null;
  readonly notes: string | null;
}

/** Units of one order line to be returned. */
export interface PlannedItem extends RequestedItem {
  readonly order_line_id: number;
}

/**
 * Distributes returned units over the order's lines in sequence; without `requested`, all shipped units that are in no
 * return. Refuses: nothing_to_return, validation_failed.
 */
export function planItems(
  lines: readonly ShippedLine[],
  earlier: readonly Return[],
  requested: readonly RequestedItem[] | undefined,
): PlannedItem[] {
  const left = returnableUnits(lines, earlier);
  if (lines.every((line) => left.get(line.id) === 0)) {
    throw new Fault("nothing_to_return", "Nothing to return: no units have shipped, or all are in a return already.");
  }
  if (requested === undefined) {
    return lines.flatMap(({ id, sku }) => {
      const quantity = left.get(id) ?? 0;
      return quantity === 0 ? [] : [{ order_line_id: id, sku, quantity, condition: null, notes: null }];
    });
  }
  return requested.flatMap((item, index) => {
    const own = lines.filter((line) => line.sku === item.sku);
    if (own.length === 0) throw invalid(`items[${index}].sku`, "is not in this order");
    return take(own, left, item.quantity, `items[${index}].quantity`).map(({ pool, quantity }) => ({
      ...item,
      order_line_id: pool.id,
      quantity,
    }));
  });
}

function returnableUnits(lines: readonly ShippedLine[], earlier: readonly Return[]): Map<number, number> {
  const left = new Map(lines.map((line) => [line.id, line.quantity_shipped]));
  for (const record of earlier) {
    for (const item of record.items) {
      left.set(item.order_line_id, (left.get(item.order_line_id) ?? 0) - claimedUnits(record, item));
    }
  }
  return left;
}

interface TakenPool<Pool> {
  readonly pool: Pool;
  readonly quantity: number;
}

/** Takes units from pools in sequence and reduces `left`. Refuses: validation_failed, for too many. */
function take<Pool extends { readonly id: number }>(
  pools: readonly Pool[],
  left: Map<number, number>,
  quantity: number,
  field: string,
): TakenPool<Pool>[] {
  const all = pools.reduce((sum, { id }) => sum + (left.get(id) ?? 0), 0);
  if (quantity > all) throw invalid(field, `must be at most ${all}`, "too_large");
  let open = quantity;
  return pools.flatMap((pool) => {
    const units = Math.min(open, left.get(pool.id) ?? 0);
    if (units === 0) return [];
    open -= units;
    left.set(pool.id, (left.get(pool.id) ?? 0) - units);
    return [{ pool, quantity: units }];
  });
}

/** Requires a note if the reason is `other`. Refuses: validation_failed. */
export function checkReason(reason: ReturnReason, items: readonly RequestedItem[]): void {
  if (reason !== "other" || items.some(({ notes }) => notes !== null && notes.trim() !== "")) return;
  throw invalid("items[0].notes", "is required on at least one item when the reason is other", "required");
}

/** Some units of a returned item. */
export interface ItemUnits {
  readonly item: ReturnItem;
  readonly quantity: number;
}

/** Returns the items that have arrived; without `requested`, all outstanding ones. Refuses: validation_failed. */
export function planReceipt(
  items: readonly ReturnItem[],
  requested: readonly { readonly sku: string; readonly quantity: number }[] | undefined,
): ItemUnits[] {
  const left = new Map(items.map((item) => [item.id, item.quantity - item.quantity_received]));
  if (requested !== undefined) return spread(items, left, requested);
  return items.flatMap((item) => {
    const quantity = left.get(item.id) ?? 0;
    return quantity === 0 ? [] : [{ item, quantity }];
  });
}

function spread<Requested extends { readonly sku: string; readonly quantity: number }>(
  items: readonly ReturnItem[],
  left: Map<number, number>,
  requested: readonly Requested[],
): (ItemUnits & { readonly index: number })[] {
  return requested.flatMap(({ sku, quantity }, index) => {
    const own = items.filter((item) => item.sku === sku);
    if (own.length === 0) throw invalid(`items[${index}].sku`, "is not in this return");
    const taken = take(own, left, quantity, `items[${index}].quantity`);
    return taken.map((part) => ({ item: part.pool, quantity: part.quantity, index }));
  });
}

/** The result of inspecting units of a SKU. Null fields use the defaults. */
export interface InspectionFinding {
  readonly sku: string;
  readonly quantity: number;
  readonly condition: ReturnCondition | null;
  readonly disposition: Disposition | null;
  readonly lot_number: string | null;
  readonly bin: string | null;
  readonly notes: string | null;
}

/** The facts about an item's goods: their storage, and the lots that were shipped. */
export interface ReturnedGoods {
  readonly temperature_zone: TemperatureZone;
  /**
   * False for an imported past order, whose lots are unknown. Then `shipped` has the lots that the inspection names.
   */
  readonly lots_known: boolean;
  readonly lot_tracking: boolean;
  readonly shipped: readonly {
    readonly lot_id: number | null;
    readonly lot_number: string | null;
  }[];
}

/** Units of one item with the result and destination of their inspection. */
export interface InspectedUnits extends ItemUnits {
  readonly condition: ReturnCondition;
  readonly disposition: Disposition;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  readonly bin: string | null;
  readonly notes: string | null;
}

/**
 * Distributes the findings of an inspection over the returned items in sequence. Defaults are the disposition for the
 * condition, and the only lot. Every received unit must be covered. Refuses: validation_failed.
 */
export function planInspection(
  items: readonly ReturnItem[],
  findings: readonly InspectionFinding[],
  goodsOf: (item: ReturnItem) => ReturnedGoods,
): InspectedUnits[] {
  const left = new Map(items.map((item) => [item.id, item.quantity_received]));
  const inspected = spread(items, left, findings).map(({ item, quantity, index }) => {
    const finding = findings[index] as InspectionFinding;
    const goods = goodsOf(item);
    const condition = finding.condition ?? item.condition;
    if (condition === null) throw invalid(`items[${index}].condition`, "is required", "required");
    const disposition = finding.disposition ?? defaultDisposition(condition, goods.temperature_zone);
    const lot = lotOf(goods, finding.lot_number, disposition, `items[${index}].lot_number`);
    return { item, quantity, condition, disposition, ...lot, bin: finding.bin, notes: finding.notes };
  });
  const open = items.find((item) => left.get(item.id) !== 0);
  if (open !== undefined) {
    throw invalid("items", `must cover every unit received (missing: ${left.get(open.id)} of ${open.sku})`);
  }
  return inspected;
}

const dispositionBy: Readonly<Record<ReturnCondition, Disposition>> = {
  unopened: "restock",
  opened: "quarantine",
  damaged: "dispose",
  defective: "dispose",
  expired: "dispose",
  missing_parts: "quarantine",
  wrong_item: "quarantine",
};

/** Returns the default destination of units. Goods that need cooling are never restocked by default. */
export function defaultDisposition(condition: ReturnCondition, zone: TemperatureZone): Disposition {
  const disposition = dispositionBy[condition];
  return disposition === "restock" && zone !== "ambient" ? "quarantine" : disposition;
}

/** Returns the coldest of several temperature zones, which suits all goods. */
export function coldest(zones: readonly TemperatureZone[]): TemperatureZone {
  return zones.reduce((cold, zone) => (zoneOrder(zone) > zoneOrder(cold) ? zone : cold), "ambient");
}

const zoneOrder = (zone: TemperatureZone) => temperatureZones.indexOf(zone);

/** A line of the order: the product itself, or the components of a bundle. */
interface LineGoods {
  readonly product_id: number;
  readonly components: readonly { readonly product_id: number; readonly quantity: number }[] | null;
}

/** Units of a product that were shipped from a warehouse and a lot. */
interface ShippedPart {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly lot_id: number | null;
}

/**
 * Returns the stock that received units add: for a bundle, its components. They return to the warehouse that shipped
 * most of the product, in the lot that was shipped. If there were several lots, the inspection finds out which.
 */
export function arriving(
  { product_id, components }: LineGoods,
  quantity: number,
  shipped: readonly ShippedPart[],
  default_warehouse_id: number,
) {
  return (components ?? [{ product_id, quantity: 1 }]).map((part) => {
    const origins = shipped.filter((origin) => origin.product_id === part.product_id);
    return {
      product_id: part.product_id,
      quantity: quantity * part.quantity,
      lot_id: isOfOneLot(origins) ? (origins[0]?.lot_id ?? null) : null,
      warehouse_id: origins[0]?.warehouse_id ?? default_warehouse_id,
    };
  });
}

const isOfOneLot = (origins: readonly { readonly lot_id: number | null }[]) =>
  new Set(origins.map(({ lot_id }) => lot_id)).size <= 1;

/**
 * Returns the stock that an inspection disposes of: for a bundle, its components. Components that shipped from several
 * lots are quarantined instead of restocked, since their lot is unknown.
 */
export function inspectedGoods(
  { product_id, components }: LineGoods,
  { quantity, disposition, lot_id, bin }: InspectedUnits,
  shipped: readonly ShippedPart[],
) {
  if (components === null) return [{ product_id, quantity, disposition, lot_id, bin }];
  return components.map((part) => {
    const origins = shipped.filter((origin) => origin.product_id === part.product_id);
    const isSure = isOfOneLot(origins);
    return {
      product_id: part.product_id,
      quantity: quantity * part.quantity,
      disposition: isSure || disposition !== "restock" ? disposition : ("quarantine" as const),
      lot_id: isSure ? (origins[0]?.lot_id ?? null) : null,
      bin: isSure ? bin : null,
    };
  });
}

type ShippedLot = ReturnedGoods["shipped"][number];

/** The lot that came back. */
function lotOf(
  { shipped, lots_known, lot_tracking }: ReturnedGoods,
  lot_number: string | null,
  disposition: Disposition,
  field: string,
): ShippedLot {
  // Copied field by field, since the objects may have more fields, such as the shipped quantity.
  const lot = (source: ShippedLot | undefined) => ({
    lot_id: source?.lot_id ?? null,
    lot_number: source?.lot_number ?? null,
  });
  if (lot_number !== null) {
    const match = shipped.find((candidate) => candidate.lot_number === lot_number);
    if (match !== undefined) return lot(match);
    throw invalid(field, lots_known ? "is not a lot that was shipped with this order" : "is not a lot of this product");
  }
  if (!lots_known && lot_tracking && disposition === "restock") {
    throw invalid(field, "is required, because the lots of an imported past order are unknown", "required");
  }
  if (!lots_known) return lot(undefined);
  const lots = new Map(shipped.map((one) => [one.lot_id, one.lot_number ?? "none"]));
  if (lots.size <= 1) return lot(shipped[0]);
  if (disposition === "return_to_sender") return lot(undefined);
  throw invalid(field, `is required, because several lots were shipped: ${[...lots.values()].join(", ")}`, "required");
}

const shippingStatusBy: Readonly<Record<TrackingStatus, ReturnShippingStatus>> = {
  pending: "pending",
  picked_up: "in_transit",
  in_transit: "in_transit",
  out_for_delivery: "in_transit",
  delivered: "delivered",
  exception: "exception",
  returned: "exception",
};

/** Returns a return's shipping status for a tracking status. */
export function shippingStatus(status: TrackingStatus): ReturnShippingStatus {
  return shippingStatusBy[status];
}

/** Returns the billable fact of received units. */
export function receivedFact(
  received: Return,
  units: readonly ItemUnits[],
  warehouse: BillableFact["warehouse"],
  announced: boolean,
): BillableFact {
  const attributes = { ...attributesOf(received, units), announced };
  return { act: "return.receive", warehouse, ...commonOf(received, units), attributes };
}

/** Returns the billable fact of an inspection. */
export function inspectedFact(
  after: Return,
  units: readonly InspectedUnits[],
  warehouse: BillableFact["warehouse"],
): BillableFact {
  const findings = units.map(({ item: { sku }, quantity, condition, disposition }) => {
    return { sku, quantity, condition, disposition };
  });
  const attributes = { ...attributesOf(after, units), findings };
  return { act: "return.inspect", warehouse, ...commonOf(after, units), attributes };
}

function commonOf({ id, merchant_id, revision }: Return, units: readonly ItemUnits[]) {
  const quantity = units.reduce((sum, unit) => sum + unit.quantity, 0);
  return { merchant_id, quantity, source: { id, revision } };
}

function attributesOf({ order_id }: Return, units: readonly ItemUnits[]) {
  const skus = new Set(units.map(({ item: { sku } }) => sku)).size;
  return { order_id: wireId("order", order_id), skus };
}
