import { add, times } from "../kit/fraction.ts";
import type { WeightUnit } from "../kit/weight_unit.ts";
import { costOf, type Order, type OrderLine, partsOf } from "../orders/order.ts";
import type { Customs } from "../products/product.ts";
import type { Content } from "./offer.ts";
import { readWeight, type Weight } from "./weight.ts";

/** What must be known of a product to weigh and declare it. */
export interface Weighed {
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
export interface Goods {
  readonly line: OrderLine;
  readonly quantity: number;
}

/** The goods of these units of an order's lines. */
export function goodsIn(
  { lines }: Order,
  units: readonly { readonly order_line_id: number; readonly quantity: number }[],
): Goods[] {
  const known = new Map(lines.map((line) => [line.id, line]));
  return units.flatMap(({ order_line_id, quantity }) => {
    const line = known.get(order_line_id);
    return line === undefined ? [] : [{ line, quantity }];
  });
}

/** The weight of one unit of a line: of its product, or of all components of the bundle; null when unknown. */
export function weightOf(line: OrderLine, products: ReadonlyMap<number, Weighed>): Weight | null {
  const own = productWeight(products.get(line.product_id));
  if (own !== null || line.components === null) return own;
  const parts = line.components.map(({ product_id, quantity }) => {
    const weight = productWeight(products.get(product_id));
    return weight === null ? null : times(weight, quantity);
  });
  return parts.reduce((sum, weight) => (sum === null || weight === null ? null : add(sum, weight)));
}

function productWeight(product: Weighed | undefined): Weight | null {
  if (product?.weight == null) return null;
  return readWeight(product.weight, product.weight_unit ?? "lb");
}

/** The customs contents of goods of an order, valued in its currency. */
export function contentsOf(goods: readonly Goods[], products: readonly Weighed[], currency: string): Content[] {
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
