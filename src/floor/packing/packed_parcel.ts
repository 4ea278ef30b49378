// What a session's parcel is like: its carton and its weight.
import type { Fraction } from "../../core/decimals.ts";
import { type Fault, invalid } from "../../core/faults.ts";
import type { WeightUnit } from "../../core/weight_units.ts";
import type { LineUnits, PlannedUnits } from "../../inventory/reservations/reservation.ts";
import { plansOf } from "../../inventory/reservations/reservations.sql.ts";
import { allocationUnits } from "../../orders/fulfillment/order_units.ts";
import { isPickup } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import { productsToWeigh } from "../../orders/order_weight.ts";
import { getOrder } from "../../orders/orders.sql.ts";
import type { RuleCarton } from "../../orders/shipping_rules/shipping_rule.ts";
import { findProducts } from "../../products/products.sql.ts";
import { type ParcelDimensions, readWeight } from "../../shipping/parcel.ts";
import type { Db } from "../../storage/database.ts";
import { isBeingPacked } from "../floor.transitions.ts";
import type { Carton } from "../printing/carton.ts";
import {
  differs,
  goodsWeight,
  gramsText,
  lineUnitsOf,
  type PackableOrder,
  type PackingSession,
  parcelWeight,
  unitsToPack,
} from "./packing_session.ts";
import { findCartonChoice, listCartons, listUnlabelled } from "./packing_sessions.sql.ts";
import { type CartonFit, type cartonSources, goodsKey, isLightEnough, smallestFit } from "./suggest_carton.ts";

/** A session with everything that decides about its parcel. */
export interface PackingFacts {
  readonly session: PackingSession;
  readonly order: PackableOrder;
  readonly products: ReadonlyMap<number, Awaited<ReturnType<typeof findProducts>>[number]>;
  /** The units allocated to the order, with their lots. */
  readonly plans: readonly PlannedUnits[];
  readonly cartons: readonly Carton[];
  /** The carton that someone last chose for goods, by `goodsKey`. */
  readonly last_choice: { readonly goods: string; readonly carton_id: number } | null;
}

/** An order with its parcels that wait for their label, except that of a session. */
export async function packable(db: Db, order: Order, except = 0): Promise<PackableOrder> {
  const sessions = await listUnlabelled(db, order.id);
  const waiting = sessions.flatMap(({ id, units }) => (id === except ? [] : lineUnitsOf(order, units)));
  return { ...order, waiting };
}

/** Reads everything that decides about the parcel of a session. `order` is its order, if it has been read. */
export async function packingFacts(db: Db, session: PackingSession, order?: PackableOrder): Promise<PackingFacts> {
  const known = order ?? (await packable(db, await getOrder(db, session.order_id)));
  const products = await findProducts(db, productsToWeigh(known));
  const goods = keyOf(known, parcelUnits(known, session));
  const carton_id = goods === "" ? null : await findCartonChoice(db, known.merchant_id, goods);
  return {
    session,
    order: known,
    products: new Map(products.map((product) => [product.id, product])),
    plans: await plansOf(db, [known.id]),
    cartons: await listCartons(db),
    last_choice: carton_id === null ? null : { goods, carton_id },
  };
}

/** Goods as `carton_choices` names them. */
export function keyOf(order: Order, units: readonly LineUnits[]): string {
  return goodsKey(allocationUnits(order, units).map(({ product_id = 0, quantity }) => ({ product_id, quantity })));
}

/** The units that a session's parcel is expected to have: those that it needs; once it is closed, those in it. */
function parcelUnits(order: PackableOrder, { status, units }: PackingSession): LineUnits[] {
  return isBeingPacked(status) ? unitsToPack(order) : lineUnitsOf(order, units);
}

/** The carton of a parcel, and what chose it. */
interface ParcelCarton {
  readonly carton: Carton | null;
  readonly source: (typeof cartonSources)[number];
  readonly dimensions: ParcelDimensions;
  readonly tare: Fraction | null;
  readonly name: string | null;
}

/** A parcel's carton and weight, as far as they are known. */
interface ParcelDescription {
  readonly carton: ParcelCarton | null;
  readonly gap: CartonFit["gap"];
  /** SKUs without dimensions. */
  readonly unsized: readonly string[];
  readonly calculated: Fraction | null;
  /** SKUs without a weight. */
  readonly unweighed: readonly string[];
  readonly weight: { readonly text: string; readonly unit: WeightUnit; readonly source: "typed" | "calculated" } | null;
  /** Whether the typed weight differs so much from the calculated one that someone must say why. */
  readonly differs: boolean;
}

/** The carton and the weight of a parcel with these units of the order; by default those that the session needs. */
export function describeParcel(
  facts: PackingFacts,
  units: readonly LineUnits[] = parcelUnits(facts.order, facts.session),
): ParcelDescription {
  const { session, order, products } = facts;
  const { weight: goods, unknown } = goodsWeight(order, units, products);
  const { carton, gap, skus } = cartonOf(facts, units, goods);
  const calculated = parcelWeight(goods, carton?.tare ?? null);
  const typed =
    session.weight === null || session.weight_unit === null
      ? null
      : { text: session.weight, unit: session.weight_unit, source: "typed" as const };
  const typed_weight = typed && readWeight(typed.text, typed.unit);
  return {
    carton,
    gap,
    unsized: skus,
    calculated,
    unweighed: unknown,
    weight: typed ?? (calculated && { text: gramsText(calculated), unit: "g" as const, source: "calculated" as const }),
    differs: typed_weight !== null && calculated !== null && differs(typed_weight, calculated),
  };
}

function cartonOf(
  { session, order, products, cartons, last_choice }: PackingFacts,
  units: readonly LineUnits[],
  weight: Fraction | null,
): { readonly carton: ParcelCarton | null; readonly gap: CartonFit["gap"]; readonly skus: readonly string[] } {
  const chosen = cartons.find(({ id }) => id === session.carton_id);
  if (chosen !== undefined) return { carton: asParcel(chosen, "chosen"), gap: null, skus: [] };
  const named = order.shipping_choice?.carton ?? null;
  if (named !== null) return { carton: ofOrder(named), gap: null, skus: [] };
  const last = cartons.find(({ id }) => id === last_choice?.carton_id && last_choice.goods === keyOf(order, units));
  if (last?.active === true && isLightEnough(last, weight)) {
    return { carton: asParcel(last, "last_choice"), gap: null, skus: [] };
  }
  const goods = allocationUnits(order, units).flatMap(({ product_id = 0, quantity }) => {
    const product = products.get(product_id);
    return product === undefined ? [] : [{ sku: product.sku, dimensions: product.dimensions, quantity }];
  });
  const fit = smallestFit(goods, cartons, weight);
  if (fit.carton === null) return { carton: null, gap: fit.gap, skus: fit.skus };
  return { carton: asParcel(fit.carton, "smallest_fit"), gap: null, skus: [] };
}

function asParcel(carton: Carton, source: ParcelCarton["source"]): ParcelCarton {
  const { length, width, height, unit, weight, weight_unit } = carton.described;
  const dimensions = { length, width, height, unit };
  return { carton, source, dimensions, tare: readWeight(weight, weight_unit), name: carton.code };
}

function ofOrder({ length, width, height, unit, weight, weight_unit }: RuleCarton): ParcelCarton {
  const tare = weight === null ? null : readWeight(weight, weight_unit ?? "lb");
  return { carton: null, source: "order", dimensions: { length, width, height, unit }, tare, name: null };
}

/**
 * Refuses to close a parcel whose weight is unknown, or differs from the calculated one without a reason.
 * Refuses: validation_failed.
 */
export function refuseUnweighed({ session, order }: PackingFacts, described: ParcelDescription): void {
  const { weight, unweighed, calculated } = described;
  if (weight === null && !isPickup(order)) {
    const names = unweighed.slice(0, 20).join(", ");
    throw invalid("weight", `is required, because these products have no weight: ${names}`, "required");
  }
  if (!described.differs || session.weight_reason !== null || calculated === null) return;
  const expected = `${Math.round(Number(gramsText(calculated)))} g`;
  throw invalid("weight_reason", `is required: the weight should be about ${expected}`, "required");
}

/** The refusal as a session shows it. */
export function blockView(fault: Fault) {
  return { code: fault.code, field: fault.facts.fields?.[0]?.field ?? null, message: fault.message };
}
