// Which carton goods are packed in. Pure.
import { add, compare, type Fraction, times } from "../../core/decimals.ts";
import type { Product } from "../../products/product.ts";
import { readSide, readWeight, type Sides, sidesOf } from "../../shipping/parcel.ts";
import type { Carton } from "../printing/carton.ts";

/** Units of one product to pack. */
interface GoodsToPack {
  readonly sku: string;
  readonly dimensions: Product["dimensions"];
  readonly quantity: number;
}

export const cartonSources = ["chosen", "order", "last_choice", "smallest_fit"] as const;
export const cartonGaps = ["no_dimensions", "none_fits", "no_cartons", "nothing_to_pack"] as const;

/** The carton that fits, or why there is none; `skus` are the products without dimensions. */
export type CartonFit =
  | { readonly carton: Carton; readonly gap: null }
  | { readonly carton: null; readonly gap: (typeof cartonGaps)[number]; readonly skus: readonly string[] };

// Several kinds of boxes never fill a carton. By hand, people reach 70 to 80 percent of its volume.
const fill: Fraction = { numerator: 3n, denominator: 4n };

/**
 * The smallest active carton that fits all units: every unit has an orientation that fits, the weight is allowed, and
 * all of them together fill at most three quarters of it. Equal units may fill it as far as they stand in rows.
 * `weight` is that of the goods without the carton; null if unknown.
 */
export function smallestFit(
  goods: readonly GoodsToPack[],
  cartons: readonly Carton[],
  weight: Fraction | null,
): CartonFit {
  const none = (gap: (typeof cartonGaps)[number], skus: readonly string[] = []) => ({ carton: null, gap, skus });
  if (goods.length === 0) return none("nothing_to_pack");
  const active = cartons.filter((carton) => carton.active);
  if (active.length === 0) return none("no_cartons");
  const boxes = goods.map(({ dimensions, quantity, sku }) => ({ sku, quantity, sides: unitSides(dimensions) }));
  const unknown = boxes.flatMap(({ sku, sides }) => (sides === null ? [sku] : []));
  if (unknown.length > 0) return none("no_dimensions", unknown);
  const known = boxes as readonly Boxes[];
  const [carton] = active
    .filter((one) => isLightEnough(one, weight) && fits(known, one))
    .sort((a, b) => compare(volumeOf(sidesOfCarton(a)), volumeOf(sidesOfCarton(b))) || a.id - b.id);
  return carton === undefined ? none("none_fits") : { carton, gap: null };
}

/** Units of one size. */
interface Boxes {
  readonly quantity: number;
  readonly sides: Sides;
}

function unitSides(dimensions: GoodsToPack["dimensions"]): Sides | null {
  if (dimensions === null) return null;
  const { length, width, height, unit } = dimensions;
  const [a, b, c] = [readSide(length, unit), readSide(width, unit), readSide(height, unit)];
  return a === null || b === null || c === null ? null : sidesOf(a, b, c);
}

const micrometers = (mm: number): Fraction => ({ numerator: BigInt(mm) * 1000n, denominator: 1n });

const sidesOfCarton = ({ length_mm, width_mm, height_mm }: Carton): Sides =>
  sidesOf(micrometers(length_mm), micrometers(width_mm), micrometers(height_mm));

/** Whether a carton may hold goods of this weight. */
export function isLightEnough({ max_weight_grams }: Carton, weight: Fraction | null): boolean {
  const most = max_weight_grams === null ? null : readWeight(max_weight_grams, "g");
  return most === null || weight === null || compare(weight, most) <= 0;
}

const product = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

const volumeOf = ([a, b, c]: Sides): Fraction => product(product(a, b), c);

function fits(boxes: readonly Boxes[], carton: Carton): boolean {
  const inner = sidesOfCarton(carton);
  if (!boxes.every(({ sides }) => sides.every((side, at) => compare(side, inner[at] as Fraction) <= 0))) return false;
  const [first, ...others] = boxes;
  if (others.length === 0 && first !== undefined && inRows(first.sides, inner) >= first.quantity) return true;
  const volume = boxes.map(({ sides, quantity }) => times(volumeOf(sides), quantity)).reduce(add);
  return compare(volume, product(volumeOf(inner), fill)) <= 0;
}

/** How many equal boxes stand in rows in a carton, all turned the same way. */
function inRows([a, b, c]: Sides, [long, middle, short]: Sides): number {
  const along = (room: Fraction, side: Fraction) =>
    Number((room.numerator * side.denominator) / (room.denominator * side.numerator));
  const turns = [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [b, c, a],
    [c, a, b],
    [c, b, a],
  ] as const;
  return Math.max(...turns.map(([x, y, z]) => along(long, x) * along(middle, y) * along(short, z)));
}

/** Goods as one text, equal for equal products and quantities. */
export function goodsKey(goods: readonly { readonly product_id: number; readonly quantity: number }[]): string {
  const sums = new Map<number, number>();
  for (const { product_id, quantity } of goods) sums.set(product_id, (sums.get(product_id) ?? 0) + quantity);
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([product_id, quantity]) => `${product_id}x${quantity}`)
    .join(" ");
}
