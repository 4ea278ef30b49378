import type { BillableFact } from "../../billing/billable_event.ts";
import { iso, isoOrNull } from "../../core/clock.ts";
import { Fault, invalid, ofFields } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import { allowedActions } from "../../core/transitions.ts";
import type { ProductType } from "../../products/product.ts";
import { refuseAmbiguousOwner } from "../../storage/tenant.ts";
import { type CountStatus, countTransitions, type ValueSource } from "../inventory.transitions.ts";

/** A count without its lines. */
export interface CountHeader {
  readonly id: number;
  readonly status: CountStatus;
  readonly warehouse_id: number;
  /** The counted bins, or SKUs; both null for a whole warehouse. */
  readonly bins: readonly string[] | null;
  readonly skus: readonly string[] | null;
  /** Whether the expected units are hidden while counting. */
  readonly blind: boolean;
  readonly notes: string | null;
  readonly opened_by: string;
  readonly posted_by: string | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly reviewed_at: number | null;
  readonly posted_at: number | null;
  readonly cancelled_at: number | null;
}

/** The count of one product and lot in one bin. */
export interface CountLine {
  readonly id: number;
  readonly count_id: number;
  readonly merchant_id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly bin_id: number;
  readonly bin: string;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  /** Units on hand when the line was counted; before that, when the count was opened. */
  readonly expected: number;
  readonly counted: number | null;
  readonly counted_at: number | null;
  readonly counted_by: string | null;
  readonly unit_value_cents: number | null;
  readonly unit_value_currency: string | null;
  readonly value_source: ValueSource | null;
  readonly movement_id: number | null;
}

/** A count with its lines, in the order of the walk. */
export interface InventoryCount extends CountHeader {
  readonly lines: readonly CountLine[];
}

/** The progress of a count. */
export interface CountProgress {
  readonly lines: number;
  readonly counted: number;
}

/** Counted units minus expected units; null before the line is counted. */
function differenceOf({ expected, counted }: CountLine): number | null {
  return counted === null ? null : counted - expected;
}

/** The count as lists show it. */
export function plainCountView(count: CountHeader, { lines, counted }: CountProgress) {
  const { id, status, warehouse_id, bins, skus, blind, notes, opened_by, posted_by, revision } = count;
  return {
    id: wireId("count", id),
    status,
    location: wireId("warehouse", warehouse_id),
    bins,
    skus,
    blind,
    notes,
    items_total: lines,
    items_counted: counted,
    allowed_actions: allowedActions<CountStatus, typeof countTransitions>(countTransitions, status, false),
    opened_by,
    posted_by,
    revision,
    created_at: iso(count.created_at),
    updated_at: iso(count.updated_at),
    reviewed_at: isoOrNull(count.reviewed_at),
    posted_at: isoOrNull(count.posted_at),
    cancelled_at: isoOrNull(count.cancelled_at),
  };
}

/** The count as its detail shows it. While a blind count is open, the expected units are hidden. */
export function countView(count: InventoryCount) {
  const { lines } = count;
  const hidden = count.blind && count.status === "open";
  const counted = lines.filter((line) => line.counted !== null).length;
  return {
    ...plainCountView(count, { lines: lines.length, counted }),
    items: lines.map((line) => lineView(line, hidden)),
    summary: hidden ? null : summaryOf(lines),
  };
}

function lineView(line: CountLine, hidden: boolean) {
  const difference = differenceOf(line);
  const { value_source, movement_id } = line;
  const worth = hidden ? null : worthOf(line);
  return {
    merchant_id: wireId("merchant", line.merchant_id),
    sku: line.sku,
    bin: line.bin,
    lot_number: line.lot_number,
    expected_quantity: hidden ? null : line.expected,
    counted_quantity: line.counted,
    difference: hidden ? null : difference,
    unit_value: worth === null ? null : money(worth.cents, worth.currency),
    unit_value_from: hidden ? null : value_source,
    value: worth === null || difference === null ? null : money(worth.cents * difference, worth.currency),
    currency: worth?.currency ?? null,
    movement_id: movement_id === null ? null : wireId("movement", movement_id),
    counted_at: isoOrNull(line.counted_at),
    counted_by: line.counted_by,
  };
}

function worthOf({ unit_value_cents: cents, unit_value_currency: currency }: CountLine) {
  return cents === null || currency === null ? null : { cents, currency };
}

/**
 * Totals of the differences of all lines: units over, units short, and their value. Values in several currencies cannot
 * be added: then only `values` has them, by currency.
 */
function summaryOf(lines: readonly CountLine[]) {
  const sums = { items_different: 0, units_over: 0, units_short: 0 };
  const values = new Map<string, { over: number; short: number }>();
  for (const line of lines) {
    const difference = differenceOf(line) ?? 0;
    if (difference !== 0) sums.items_different += 1;
    sums.units_over += Math.max(difference, 0);
    sums.units_short += Math.max(-difference, 0);
    const worth = worthOf(line);
    if (worth === null) continue;
    const { over, short } = values.get(worth.currency) ?? { over: 0, short: 0 };
    const cents = worth.cents * difference;
    values.set(worth.currency, { over: over + Math.max(cents, 0), short: short + Math.max(-cents, 0) });
  }
  const codes = [...values.keys()].sort();
  const all = codes.map((code) => valueView(code, values.get(code) ?? { over: 0, short: 0 }));
  const { currency, ...only } = all[0] ?? { ...valueView("", { over: 0, short: 0 }), currency: null };
  const mixed = { value_over: null, value_short: null, value_net: null, currency: null };
  return { ...sums, ...(all.length > 1 ? mixed : { ...only, currency }), values: all };
}

function valueView(currency: string, { over, short }: { readonly over: number; readonly short: number }) {
  return {
    value_over: money(over, currency),
    value_short: money(short, currency),
    value_net: money(over - short, currency),
    currency,
  };
}

/** The fields of a product that counting needs. */
export interface CountedProduct {
  readonly id: number;
  readonly merchant_id: number;
  readonly sku: string;
  readonly type: ProductType;
  readonly lot_tracking: boolean;
}

/** A counted place as a request names it. */
export interface CountPlace {
  readonly sku: string;
  readonly bin: string;
  readonly lot_number?: string | null | undefined;
}

/** Refuses: validation_failed (a place that is not part of the count). */
export function refuseOutside({ bins, skus }: InventoryCount, { sku, bin }: CountPlace, field: string): void {
  if (bins !== null && !bins.includes(bin)) throw invalid(`${field}.bin`, "is not part of this count");
  if (skus !== null && !skus.includes(sku)) throw invalid(`${field}.sku`, "is not part of this count");
}

/**
 * Resolves a SKU that several merchants use, for a bin: the product that is to be counted or is stored there, otherwise
 * the only one to be counted anywhere. Refuses: merchant_required.
 */
export function productCounted<Product extends CountedProduct>(
  products: readonly Product[],
  { sku, bin }: CountPlace,
  { lines }: Pick<InventoryCount, "lines">,
  there: readonly { readonly product_id: number }[],
): Product | undefined {
  if (products.length < 2) return products[0];
  const among = (places: readonly { readonly product_id: number }[]) =>
    products.filter(({ id }) => places.some(({ product_id }) => product_id === id));
  const choices = [among([...there, ...lines.filter((line) => line.bin === bin)]), among(lines), products];
  const [candidates = []] = choices.filter((some) => some.length > 0);
  refuseAmbiguousOwner(candidates, () => sku);
  return candidates[0];
}

/**
 * The lot of a line when the request names none: that of the SKU's only line in the bin, or no lot.
 * Refuses: ambiguous_stock, validation_failed.
 */
export function impliedLot(lines: readonly CountLine[], product: CountedProduct, bin: string, field: string) {
  const own = lines.filter((line) => line.product_id === product.id && line.bin === bin);
  const [first, second] = own;
  if (first !== undefined && second === undefined) return first.lot_id;
  if (second !== undefined && own.every((line) => line.lot_id !== null)) {
    throw new Fault("ambiguous_stock", `Several lots of ${product.sku} are in ${bin}. Specify lot_number.`, {
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
 * Lines whose count differs from the expected units. Lines with more units come first, since those units can serve
 * orders that lose others.
 */
export function differingLines(lines: readonly CountLine[]): DifferingLine[] {
  const isDifferent = (line: CountLine): line is DifferingLine =>
    line.counted !== null && line.counted !== line.expected;
  return lines.filter(isDifferent).sort((a, b) => {
    const rank = Number(a.counted < a.expected) - Number(b.counted < b.expected);
    return rank || a.id - b.id;
  });
}

/** The billable facts of a count: one for each merchant whose goods were counted. */
export function countFacts({ id, lines }: InventoryCount, warehouse: BillableFact["warehouse"]): BillableFact[] {
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
  return new Fault("quantity_conflict", `Stock has moved since it was counted: ${linesText(lines)}.`, {
    items: lines.map(({ sku, bin, lot_number, expected, current }) => ({
      sku,
      bin,
      lot_number,
      expected_quantity: expected,
      current_quantity: current,
    })),
  });
}

/** The first five lines as text, and the number of others. */
function linesText(lines: readonly CountLine[]): string {
  const named = lines.slice(0, 5).map(({ sku, bin }) => `${sku} in ${bin}`);
  const more = lines.length > named.length ? ` and ${lines.length - named.length} more` : "";
  return `${named.join(", ")}${more}`;
}

const closedText = ({ facts }: Fault) => `merchant ${facts["merchant"]} is closed and cannot receive stock`;

/** The refusal to record more units than expected for a closed merchant, which `refused` names. */
export function countedOfClosed(refused: Fault, expected: number, field: string): Fault {
  return ofFields(refused.code, [
    { field, code: refused.code, message: `must be ${expected}: ${closedText(refused)}` },
  ]);
}

/** The refusal to post units found for a closed merchant, which `refused` names, and what to do instead. */
export function foundOfClosed(refused: Fault, lines: readonly DifferingLine[]): Fault {
  const advice = "Record the expected quantity of these lines, then review and post the count again";
  return new Fault(refused.code, `${linesText(lines)}: ${closedText(refused)}. ${advice}.`, {
    ...refused.facts,
    items: lines.map(({ sku, bin, lot_number, expected, counted }) => ({
      sku,
      bin,
      lot_number,
      expected_quantity: expected,
      counted_quantity: counted,
    })),
  });
}
