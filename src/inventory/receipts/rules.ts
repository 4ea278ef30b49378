import { invalid } from "../../kit/fault.ts";
import type { ReceiptLine } from "./receipt.ts";

/** Units of one SKU that were scanned. */
interface Scan {
  readonly sku: string;
  readonly quantity: number;
  readonly lot_number?: string | undefined;
}

/** Scanned units as a line counts them. */
interface CountedUnits {
  readonly line: ReceiptLine;
  readonly quantity: number;
}

/**
 * The lines on which scanned units count: first that of their lot, then one that takes any lot, then the others, each
 * up to its outstanding units. More than expected counts on the first of them. Refuses: validation_failed, for a SKU
 * that is not expected in the delivery.
 */
export function countOn(lines: readonly ReceiptLine[], { sku, quantity, lot_number }: Scan): CountedUnits[] {
  const distance = ({ lot_number: own }: ReceiptLine) => (own === null ? 1 : own === lot_number ? 0 : 2);
  const fitting = lines.filter((line) => line.sku === sku).sort((a, b) => distance(a) - distance(b) || a.id - b.id);
  const [first] = fitting;
  if (first === undefined) {
    throw invalid("sku", "is not expected in this delivery; receive its units as stock", "unexpected");
  }
  const counted = new Map<ReceiptLine, number>();
  let left = quantity;
  for (const line of fitting) {
    const units = Math.min(left, line.outstanding);
    left -= units;
    if (units > 0) counted.set(line, units);
  }
  if (left > 0) counted.set(first, (counted.get(first) ?? 0) + left);
  return [...counted].map(([line, quantity]) => ({ line, quantity }));
}

/** The lot when a scan names none: the only one expected of its SKU. */
export function expectedLot(lines: readonly ReceiptLine[], sku: string): string | undefined {
  const [lot, ...others] = new Set(lines.filter((line) => line.sku === sku).map((line) => line.lot_number));
  return others.length === 0 ? (lot ?? undefined) : undefined;
}

/** The announced expiry of a lot; null if none was. */
export function expectedExpiry(lines: readonly ReceiptLine[], sku: string, lot_number: string | undefined) {
  const line = lines.find((line) => line.sku === sku && line.lot_number === lot_number);
  return line?.expires_on ?? null;
}
