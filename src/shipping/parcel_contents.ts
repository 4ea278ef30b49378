import { add, times } from "../core/decimals.ts";
import { type FieldProblem, invalid, invalidFields } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { WeightUnit } from "../core/weight_units.ts";
import { costOf, type Order, type OrderLine, partsOf } from "../orders/order.ts";
import type { Customs } from "../products/product.ts";
import type { ParcelContent, ShipmentEnd, ShipmentRequest } from "./offer.ts";
import { readWeight, type Weight } from "./parcel.ts";

/** What must be known of a product to weigh and declare it. */
export interface WeighedProduct {
  readonly id: number;
  readonly sku: string;
  readonly weight: string | null;
  readonly weight_unit: WeightUnit | null;
  readonly customs: Customs | null;
}

/** The products whose weights make up an order's weight: those of its lines, and the components of bundles. */
export function productsToWeigh({ lines }: Order): number[] {
  return [...new Set(lines.flatMap((line) => [line.product_id, ...partsOf(line).map(({ product_id }) => product_id)]))];
}

/** Goods of one line in a parcel. */
export interface ParcelGoods {
  readonly line: OrderLine;
  readonly quantity: number;
}

/** The goods of these units of an order's lines. */
export function goodsIn(
  { lines }: Order,
  units: readonly { readonly order_line_id: number; readonly quantity: number }[],
): ParcelGoods[] {
  const known = new Map(lines.map((line) => [line.id, line]));
  return units.flatMap(({ order_line_id, quantity }) => {
    const line = known.get(order_line_id);
    return line === undefined ? [] : [{ line, quantity }];
  });
}

/** The weight of one unit of a line: of its product, or of all components of the bundle; null when unknown. */
export function weightOf(line: OrderLine, products: ReadonlyMap<number, WeighedProduct>): Weight | null {
  const own = productWeight(products.get(line.product_id));
  if (own !== null || line.components === null) return own;
  const parts = line.components.map(({ product_id, quantity }) => {
    const weight = productWeight(products.get(product_id));
    return weight === null ? null : times(weight, quantity);
  });
  return parts.reduce((sum, weight) => (sum === null || weight === null ? null : add(sum, weight)));
}

function productWeight(product: WeighedProduct | undefined): Weight | null {
  if (product?.weight == null) return null;
  return readWeight(product.weight, product.weight_unit ?? "lb");
}

/** The customs contents of goods of an order, valued in its currency. */
export function contentsOf(
  goods: readonly ParcelGoods[],
  products: readonly WeighedProduct[],
  currency: string,
): ParcelContent[] {
  const known = new Map(products.map((product) => [product.id, product]));
  return goods.map(({ line, quantity }) => {
    const customs = known.get(line.product_id)?.customs ?? null;
    const weight = weightOf(line, known);
    return {
      product_id: line.product_id,
      sku: line.sku,
      description: customs?.description ?? line.name,
      quantity,
      value_cents: costOf(line, quantity),
      currency,
      weight: weight === null ? null : times(weight, quantity),
      hs_code: customs?.hs_code ?? null,
      country_of_origin: customs?.country_of_origin ?? null,
    };
  });
}

// What customs ask of a parcel, whoever carries it: every product in it needs an origin and a weight of its own.

/** Military post offices. The mail asks for a declaration for them although the parcel stays in the country. */
const military: readonly (string | null)[] = ["AA", "AE", "AP"];

/** The European Union and Monaco, whose goods cross no customs border among each other. */
const union = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK".split(" ");
/** Places of these countries beyond that border, such as the Canary Islands, by country and postal code. */
const beyond = /^(?:ES(?:35|38|51|52)|FR9[78]|DE(?:27498|78266)|IT(?:22061|23030|23041))/;

const isInUnion = ({ country, postal_code }: ShipmentEnd) =>
  union.includes(country) && !beyond.test(country + (postal_code ?? ""));

/** Whether the parcel passes customs. */
export function needsDeclaration({ from, to }: Pick<ShipmentRequest, "from" | "to">): boolean {
  const crosses = from.country !== to.country && !(isInUnion(from) && isInUnion(to));
  return crosses || (to.country === "US" && military.includes(to.state?.toUpperCase() ?? null));
}

/**
 * Refuses a label for a parcel that passes customs while a product in it has no origin or no weight of its own.
 * Refuses: validation_failed, naming every product and what it lacks.
 */
export function refuseUndeclared(parcel: Pick<ShipmentRequest, "from" | "to" | "contents">): void {
  if (!needsDeclaration(parcel)) return;
  const { contents = [] } = parcel;
  if (contents.length === 0) {
    const message = "is required, because the parcel passes customs and its goods have to be declared";
    throw invalid("items", message, "required");
  }
  const problems = lackingForCustoms(contents);
  if (problems.length > 0) throw invalidFields(problems);
}

/** What products lack to be declared, each product once. */
export function lackingForCustoms(contents: readonly ParcelContent[]): FieldProblem[] {
  const products = new Map(contents.map((one) => [one.product_id, one]));
  return [...products.values()].flatMap(({ product_id, sku, weight, country_of_origin }) => {
    const remedy = `set it on product ${wireId("product", product_id)}`;
    const lacking = (field: string): FieldProblem => ({
      field: `products[${sku}].${field}`,
      code: "required",
      message: `is required, because the parcel passes customs: ${remedy}`,
    });
    return [
      ...(country_of_origin === null ? [lacking("customs.country_of_origin")] : []),
      ...(weight === null ? [lacking("weight")] : []),
    ];
  });
}
