// The billable facts of picking and packing.
import { type BillableFact, packsAttribute } from "../../billing/billable_event.ts";
import { add, decimalText, readFraction, times } from "../../core/decimals.ts";
import { wireId } from "../../core/ids.ts";
import { unitNanograms, weightUnit } from "../../core/weight_units.ts";
import type { TakenUnits } from "../../inventory/reservations/reservation.ts";
import { isUnshipped } from "../order.transitions.ts";
import { type Order, type OrderLine, partsOf } from "../order.ts";
import type { PackingShare, PackParcelInput } from "./packing.ts";

interface PickedContext {
  readonly calendars: readonly BillableFact["warehouse"][];
  /** False for units that are assumed to have been picked as planned. */
  readonly confirmed: boolean;
}

/** The billable facts of picked units: one for each line and each warehouse that its units were taken from. */
export function pickFacts(
  before: Order,
  { id, merchant_id, revision }: Order,
  taken: readonly TakenUnits[],
  { calendars, confirmed }: PickedContext,
): BillableFact[] {
  const skus = new Set(before.lines.flatMap(partsOf).map(({ product_id }) => product_id)).size;
  const isFirst = before.lines.every(isUntouched);
  const groups = Map.groupBy(taken, ({ order_line_id, warehouse_id }) => `${order_line_id} ${warehouse_id}`);
  const picked = new Map<number, TakenUnits[]>();
  return [...groups.values()].flatMap((units, at) => {
    const [first] = units;
    const warehouse = calendars.find((one) => one.id === first?.warehouse_id);
    const line = before.lines.find((one) => one.id === first?.order_line_id);
    if (first === undefined || warehouse === undefined || line === undefined) return [];
    const quantity = units.reduce((sum, one) => sum + one.quantity, 0);
    const source = { id, line: line.id, revision };
    const attributes = {
      order_id: wireId("order", id),
      sku: line.sku,
      skus_of_order: skus,
      first_of_order: isFirst && at === 0,
      confirmed,
      ...contentsOf(line, picked.get(line.id) ?? [], units),
    };
    picked.set(line.id, [...(picked.get(line.id) ?? []), ...units]);
    return [{ act: "order.pick", merchant_id, warehouse, quantity, source, attributes }];
  });
}

/**
 * The weight and the packs of units of a line; for a bundle, the units of each component, and the sets that they
 * complete. `earlier` are units that the same act took in other warehouses.
 */
function contentsOf({ components }: OrderLine, earlier: readonly TakenUnits[], units: readonly TakenUnits[]) {
  if (components === null) {
    const { weight = null, weight_unit = null } = units[0]?.product ?? {};
    return { unit_weight: weight, weight_unit, ...packsAttribute(units) };
  }
  const wholeSets = (all: readonly TakenUnits[]) => {
    const sets = components.map(({ product_id, quantity, picked }) => (picked + sumOf(all, product_id)) / quantity);
    return Math.floor(Math.min(...sets));
  };
  return {
    sets: wholeSets([...earlier, ...units]) - wholeSets(earlier),
    components: components.map(({ product_id, sku, quantity: in_set }) => {
      const own = units.filter(({ product }) => product.id === product_id);
      const { weight = null, weight_unit = null } = own[0]?.product ?? {};
      return {
        sku,
        in_set,
        quantity: sumOf(own, product_id),
        unit_weight: weight,
        weight_unit,
      };
    }),
  };
}

function sumOf(units: readonly TakenUnits[], product_id: number): number {
  return units.reduce((sum, { product, quantity }) => sum + (product.id === product_id ? quantity : 0), 0);
}

/** Whether nothing of a line has been picked before. */
function isUntouched(line: OrderLine): boolean {
  return line.quantity_shipped === 0 && partsOf(line).every(({ picked }) => picked === 0);
}

/**
 * The billable facts of packed units: one for each warehouse that its units were taken from. `taken` is what the act
 * itself took from stock; only these units have a known weight.
 */
export function packFacts(
  before: Order,
  { id, merchant_id, revision }: Order,
  { shares, parcels, taken }: PackedGoods,
  calendars: readonly BillableFact["warehouse"][],
): BillableFact[] {
  const weights = new Map(taken.map(({ product }) => [product.id, product]));
  const places = [...Map.groupBy(shares, ({ warehouse_id }) => warehouse_id)];
  return places.flatMap(([warehouse_id, own], at) => {
    const warehouse = calendars.find((one) => one.id === warehouse_id);
    if (warehouse === undefined) return [];
    const packed = own.flatMap(({ units }) => units);
    const lines = new Set(packed.map(({ order_line_id }) => order_line_id));
    // Units of two warehouses do not share a parcel.
    const unsaid = at === 0 ? Math.max(1, (parcels ?? 1) - places.length + 1) : 1;
    const attributes = {
      order_id: wireId("order", id),
      parcels: parcels === null ? own.length : unsaid,
      skus: new Set(before.lines.flatMap((line) => (lines.has(line.id) ? line.sku : []))).size,
      packages: own.map((share) => packageOf(share, weights)),
    };
    const quantity = packed.reduce((sum, one) => sum + one.quantity, 0);
    return { act: "order.pack", merchant_id, warehouse, quantity, source: { id, revision }, attributes };
  });
}

/** What an act packed. */
interface PackedGoods {
  readonly shares: readonly PackingShare[];
  /** The number of the order's parcels that have not shipped; null if the request describes each parcel. */
  readonly parcels: number | null;
  readonly taken: readonly TakenUnits[];
}

type PackedProduct = TakenUnits["product"];

/**
 * The description of a parcel. It does not apply to the parts of a parcel with units from several warehouses.
 */
function packageOf({ parcel, units }: PackingShare, products: ReadonlyMap<number, PackedProduct>) {
  if (parcel === null) return { name: null, dimensions: null, ...no_weight };
  const { name = null, dimensions = null } = parcel;
  return { name, dimensions, ...weightOf(parcel, units, products) };
}

const no_weight = { weight: null, weight_unit: null, weight_is: null } as const;

/** The weight of a parcel, measured or calculated from its units; nulls if unknown. */
function weightOf(
  { weight, weight_unit }: Pick<PackParcelInput, "weight" | "weight_unit">,
  units: PackingShare["units"],
  products: ReadonlyMap<number, PackedProduct>,
) {
  if (weight != null) {
    const unit = weightUnit(weight_unit ?? "lb");
    return { weight: String(weight), weight_unit: unit, weight_is: "measured" };
  }
  const parts = units.map(({ product_id, quantity }) => {
    const { weight: one = null, weight_unit: unit = null } = products.get(product_id) ?? {};
    const known = one === null || unit === null ? null : readFraction(one, unitNanograms[unit]);
    return known === null ? null : times(known, quantity);
  });
  const sum = parts.reduce((all, part) => (all === null || part === null ? null : add(all, part)));
  const grams = sum === null ? null : decimalText(sum, unitNanograms.g);
  return grams === null ? no_weight : { weight: grams, weight_unit: "g", weight_is: "calculated" };
}

/** The number of an order's parcels that have not shipped, including extra cartons of the same goods. */
export function unshippedParcels({ shipments }: Order): number {
  return shipments.filter(({ status }) => isUnshipped(status)).length;
}
