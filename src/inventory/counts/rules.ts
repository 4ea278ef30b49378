import type { Fact } from "../../billing/fact.ts";
import { Fault, invalid, ofFields } from "../../kit/fault.ts";
import { refuseShared } from "../../owners/rules.ts";
import type { ProductType } from "../../products/status.ts";
import type { Count, CountLine } from "./count.ts";

/** The fields of a product that counting needs. */
export interface CountedProduct {
  readonly id: number;
  readonly merchant_id: number;
  readonly sku: string;
  readonly type: ProductType;
  readonly lot_tracking: boolean;
}

/** The place of a counted line, by the names in a request. */
export interface NamedPlace {
  readonly sku: string;
  readonly bin: string;
  readonly lot_number?: string | null | undefined;
}

/** Refuses: validation_failed, for a place that is not part of the count. */
export function refuseOutside({ bins, skus }: Count, { sku, bin }: NamedPlace, field: string): void {
  if (bins !== null && !bins.includes(bin)) throw invalid(`${field}.bin`, "is not part of this count");
  if (skus !== null && !skus.includes(sku)) throw invalid(`${field}.sku`, "is not part of this count");
}

/**
 * The product that a SKU means in a bin, of those of several merchants: the one that is to be counted there, or lies
 * there, or else the only one that is to be counted anywhere. Refuses: merchant_required.
 */
export function productCounted<Product extends CountedProduct>(
  products: readonly Product[],
  { sku, bin }: NamedPlace,
  { lines }: Pick<Count, "lines">,
  there: readonly { readonly product_id: number }[],
): Product | undefined {
  if (products.length < 2) return products[0];
  const among = (places: readonly { readonly product_id: number }[]) =>
    products.filter(({ id }) => places.some(({ product_id }) => product_id === id));
  const found = [among([...there, ...lines.filter((line) => line.bin === bin)]), among(lines), products];
  const [meant = []] = found.filter((some) => some.length > 0);
  refuseShared(meant, () => sku);
  return meant[0];
}

/**
 * The lot of a line for which the request names none: that of the SKU's only line in the bin, or no lot. Refuses:
 * ambiguous_stock, validation_failed.
 */
export function impliedLot(lines: readonly CountLine[], product: CountedProduct, bin: string, field: string) {
  const own = lines.filter((line) => line.product_id === product.id && line.bin === bin);
  const [first, second] = own;
  if (first !== undefined && second === undefined) return first.lot_id;
  if (second !== undefined && own.every((line) => line.lot_id !== null)) {
    throw new Fault("ambiguous_stock", `Several lots of ${product.sku} are in ${bin}. Name the lot_number.`, {
      candidates: own.map(({ lot_number }) => ({ bin, lot_number })),
    });
  }
  if (own.length === 0 && product.lot_tracking) {
    throw invalid(`${field}.lot_number`, `is required: ${product.sku} tracks lots`, "required");
  }
  return null;
}

/** A line that was counted and found to differ from what was expected. */
export type DifferingLine = CountLine & { readonly counted: number };

/**
 * The lines whose count differs from the expected units; first those with more units, which then serve orders that lose
 * others.
 */
export function differingLines(lines: readonly CountLine[]): DifferingLine[] {
  const isDifferent = (line: CountLine): line is DifferingLine =>
    line.counted !== null && line.counted !== line.expected;
  return lines.filter(isDifferent).sort((a, b) => {
    const rank = Number(a.counted < a.expected) - Number(b.counted < b.expected);
    return rank || a.id - b.id;
  });
}

/** What a count is billed as: one fact for each merchant whose goods were looked for. */
export function countFacts({ id, lines }: Count, warehouse: Fact["warehouse"]): Fact[] {
  const counted = lines.filter((line) => line.counted !== null);
  return [...Map.groupBy(counted, ({ merchant_id }) => merchant_id)].map(([merchant_id, own]) => ({
    act: "count.post",
    merchant_id,
    warehouse,
    quantity: own.length,
    source: { id },
    attributes: {
      units: own.reduce((sum, line) => sum + (line.counted ?? 0), 0),
      bins: new Set(own.map(({ bin_id }) => bin_id)).size,
      skus: new Set(own.map(({ product_id }) => product_id)).size,
      differences: differingLines(own).length,
    },
  }));
}

/** The refusal to post lines whose stock has moved since they were counted. */
export function outOfDate(lines: readonly (CountLine & { readonly current: number })[]): Fault {
  return new Fault("quantity_conflict", `Stock has moved since it was counted: ${inWords(lines)}.`, {
    lines: lines.map(({ sku, bin, lot_number, expected, current }) => ({
      sku,
      bin,
      lot_number,
      expected_quantity: expected,
      current_quantity: current,
    })),
  });
}

/** Lines by their names; of many the first ones. */
function inWords(lines: readonly CountLine[]): string {
  const named = lines.slice(0, 5).map(({ sku, bin }) => `${sku} in ${bin}`);
  const more = lines.length > named.length ? ` and ${lines.length - named.length} more` : "";
  return `${named.join(", ")}${more}`;
}

const closedWords = ({ facts }: Fault) =>
  `the merchant ${facts["merchant"]} is closed, and no units of it can come into stock`;

/** The refusal to record more units than are expected of a closed merchant; `refused` says of which. */
export function countedOfClosed(refused: Fault, expected: number, field: string): Fault {
  return ofFields(refused.code, [
    { field, code: refused.code, message: `must be ${expected}: ${closedWords(refused)}` },
  ]);
}

/** The refusal to post units that were found of a closed merchant, and what to do instead; `refused` says of which. */
export function foundOfClosed(refused: Fault, lines: readonly DifferingLine[]): Fault {
  const way = "Record what is expected of these lines, and review and post the count again";
  return new Fault(refused.code, `${inWords(lines)}: ${closedWords(refused)}. ${way}.`, {
    ...refused.facts,
    lines: lines.map(({ sku, bin, lot_number, expected, counted }) => ({
      sku,
      bin,
      lot_number,
      expected_quantity: expected,
      counted_quantity: counted,
    })),
  });
}
