import { times } from "../core/decimals.ts";
import { type FieldProblem, invalid, invalidFields } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { WeightUnit } from "../core/weight_units.ts";
import { costOf, type Order, type OrderLine } from "../orders/order.ts";
import { weightOf } from "../orders/order_weight.ts";
import type { Customs } from "../products/product.ts";
import type { ParcelContent, ShipmentEnd, ShipmentRequest } from "./offer.ts";

/** The product data needed to weigh and declare it. */
export interface WeighedProduct {
  readonly id: number;
  readonly sku: string;
  readonly weight: string | null;
  readonly weight_unit: WeightUnit | null;
  readonly customs: Customs | null;
}

/** Units of one order line in a parcel. */
export interface ParcelGoods {
  readonly line: OrderLine;
  readonly quantity: number;
}

/** Returns the goods for these units of an order's lines. */
export function goodsIn(
  { lines }: Order,
  units: readonly { readonly order_line_id: number; readonly quantity: number }[],
): ParcelGoods[] {
  const by_id = new Map(lines.map((line) => [line.id, line]));
  return units.flatMap(({ order_line_id, quantity }) => {
    const line = by_id.get(order_line_id);
    return line === undefined ? [] : [{ line, quantity }];
  });
}

/** Returns the customs contents of goods of an order, valued in its currency. */
export function contentsOf(
  goods: readonly ParcelGoods[],
  products: readonly WeighedProduct[],
  currency: string,
): ParcelContent[] {
  const by_id = new Map(products.map((product) => [product.id, product]));
  return goods.map(({ line, quantity }) => {
    const customs = by_id.get(line.product_id)?.customs ?? null;
    const weight = weightOf(line, by_id);
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

// What customs require, whatever the carrier: every product in a parcel needs an origin and a weight.

/** Military post offices. Their mail needs a declaration although it stays in the country. */
const military: readonly (string | null)[] = ["AA", "AE", "AP"];

/** The European Union and Monaco, whose goods cross no customs border among each other. */
const union = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK".split(" ");
/** Areas of these countries outside the customs union, such as the Canary Islands, by country and postal code. */
const outside_union = /^(?:ES(?:35|38|51|52)|FR9[78]|DE(?:27498|78266)|IT(?:22061|23030|23041))/;

const isInUnion = ({ country, postal_code }: ShipmentEnd) =>
  union.includes(country) && !outside_union.test(country + (postal_code ?? ""));

/** Whether the parcel crosses customs. */
export function needsDeclaration({ from, to }: Pick<ShipmentRequest, "from" | "to">): boolean {
  const crosses = from.country !== to.country && !(isInUnion(from) && isInUnion(to));
  return crosses || (to.country === "US" && military.includes(to.state?.toUpperCase() ?? null));
}

/**
 * Refuses a parcel that crosses customs while a product in it lacks an origin or a weight. The refusal names every
 * product and what it lacks. Refuses: validation_failed.
 */
export function refuseUndeclared(parcel: Pick<ShipmentRequest, "from" | "to" | "contents">): void {
  if (!needsDeclaration(parcel)) return;
  const { contents = [] } = parcel;
  if (contents.length === 0) {
    const message = "is required, because the parcel crosses customs and its contents must be declared";
    throw invalid("items", message, "required");
  }
  const problems = lackingForCustoms(contents);
  if (problems.length > 0) throw invalidFields(problems);
}

/** Lists what products lack for a customs declaration, each product once. */
export function lackingForCustoms(contents: readonly ParcelContent[]): FieldProblem[] {
  const products = new Map(contents.map((content) => [content.product_id, content]));
  return [...products.values()].flatMap(({ product_id, sku, weight, country_of_origin }) => {
    const remedy = `set it on product ${wireId("product", product_id)}`;
    const missing = (field: string): FieldProblem => ({
      field: `products[${sku}].${field}`,
      code: "required",
      message: `is required, because the parcel crosses customs: ${remedy}`,
    });
    return [
      ...(country_of_origin === null ? [missing("customs.country_of_origin")] : []),
      ...(weight === null ? [missing("weight")] : []),
    ];
  });
}
