import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { money } from "../../kit/money.ts";
import { allowedActions } from "../../kit/moves.ts";
import { type CountStatus, countMoves, type ValueSource } from "./status.ts";

/** A count without its lines. */
export interface PlainCount {
  readonly id: number;
  readonly status: CountStatus;
  readonly warehouse_id: number;
  /** The counted bins, or SKUs; both null for a whole warehouse. */
  readonly bins: readonly string[] | null;
  readonly skus: readonly string[] | null;
  /** True if those who count do not see what is expected. */
  readonly blind: boolean;
  readonly notes: string | null;
  readonly opened_by: string;
  readonly posted_by: string | null;
  readonly version: number;
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
export interface Count extends PlainCount {
  readonly lines: readonly CountLine[];
}

/** The progress of a count. */
export interface Progress {
  readonly lines: number;
  readonly counted: number;
}

/** The counted units less the expected ones; null before the line is counted. */
function differenceOf({ expected, counted }: CountLine): number | null {
  return counted === null ? null : counted - expected;
}

/** The count as lists show it. */
export function plainCountView(count: PlainCount, { lines, counted }: Progress) {
  const { id, status, warehouse_id, bins, skus, blind, notes, opened_by, posted_by, version } = count;
  return {
    id: wireId("count", id),
    status,
    location: wireId("warehouse", warehouse_id),
    bins,
    skus,
    blind,
    notes,
    lines_total: lines,
    lines_counted: counted,
    allowed_actions: allowedActions<CountStatus, typeof countMoves>(countMoves, status, false),
    opened_by,
    posted_by,
    version,
    created_at: iso(count.created_at),
    updated_at: iso(count.updated_at),
    reviewed_at: isoOrNull(count.reviewed_at),
    posted_at: isoOrNull(count.posted_at),
    cancelled_at: isoOrNull(count.cancelled_at),
  };
}

/** The count as its detail shows it. While a blind count is open, nothing shows what is expected. */
export function countView(count: Count) {
  const { lines } = count;
  const hidden = count.blind && count.status === "open";
  const counted = lines.filter((line) => line.counted !== null).length;
  return {
    ...plainCountView(count, { lines: lines.length, counted }),
    lines: lines.map((line) => lineView(line, hidden)),
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
 * The sum of the differences of all lines: units too many, units missing, and their value. Amounts of several
 * currencies have no sum: then only `values` has them, each by itself.
 */
function summaryOf(lines: readonly CountLine[]) {
  const sums = { lines_different: 0, units_over: 0, units_short: 0 };
  const values = new Map<string, { over: number; short: number }>();
  for (const line of lines) {
    const difference = differenceOf(line) ?? 0;
    if (difference !== 0) sums.lines_different += 1;
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
  const [value_over, value_short, value_net] = [over, short, over - short].map((cents) => money(cents, currency));
  return { value_over, value_short, value_net, currency };
}
