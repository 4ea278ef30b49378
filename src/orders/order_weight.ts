// The weight of an order: that of its products.
import { add, type Fraction, readFraction, times } from "../core/decimals.ts";
import { unitNanograms, type WeightUnit } from "../core/weight_units.ts";
import type { OrderLine } from "./order.ts";

/** The weight of a product, as it is stored. */
interface ProductWeight {
  readonly weight: string | null;
  readonly weight_unit: WeightUnit | null;
}

/** An order line, or one that is about to be stored. */
type WeighedLine = Pick<OrderLine, "product_id"> & {
  readonly components: readonly { readonly product_id: number; readonly quantity: number }[] | null;
};

/** The products whose weights make up lines: their own, and the components of bundles. */
export function productsToWeigh({ lines }: { readonly lines: readonly WeighedLine[] }): number[] {
  return [
    ...new Set(
      lines.flatMap(({ product_id, components }) => [
        product_id,
        ...(components ?? []).map((component) => component.product_id),
      ]),
    ),
  ];
}

/**
 * The weight of one unit of a line, in nanograms: of its product, or of all components of a bundle; null when
 * unknown.
 */
export function weightOf(line: WeighedLine, products: ReadonlyMap<number, ProductWeight>): Fraction | null {
  const own = productWeight(products.get(line.product_id));
  if (own !== null || line.components === null) return own;
  const parts = line.components.map(({ product_id, quantity }) => {
    const weight = productWeight(products.get(product_id));
    return weight === null ? null : times(weight, quantity);
  });
  return parts.reduce((sum, weight) => (sum === null || weight === null ? null : add(sum, weight)));
}

function productWeight(product: ProductWeight | undefined): Fraction | null {
  if (product?.weight == null) return null;
  return readFraction(product.weight, unitNanograms[product.weight_unit ?? "lb"]);
}
