import { iso, isoOrNull } from "../../core/clock.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { allowedActions } from "../../core/transitions.ts";
import { type ReceiptStatus, receiptTransitions } from "../inventory.transitions.ts";

/** Expected units of one product, optionally of one lot. The counts change while a transaction works on them. */
export interface ReceiptLine {
  readonly id: number;
  readonly receipt_id: number;
  readonly product_id: number;
  readonly sku: string;
  /** Null for any lot. */
  readonly lot_number: string | null;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  /** Units expected. */
  readonly quantity: number;
  /** What one unit costs, in the minor unit of its currency; both null if unknown. */
  readonly unit_cost_cents: number | null;
  readonly unit_cost_currency: string | null;
  /** Units that arrived, possibly more than expected. */
  received: number;
  /** Of these, units that were not good and are set aside. */
  set_aside: number;
  /** Units that may still arrive: none once the receipt is over. */
  outstanding: number;
}

/** An expected delivery, without its lines. */
export interface PlainReceipt {
  readonly id: number;
  readonly merchant_id: number;
  readonly status: ReceiptStatus;
  readonly reference: string | null;
  readonly supplier: string | null;
  readonly purchase_order_number: string | null;
  readonly carrier: string | null;
  readonly tracking_number: string | null;
  /** What the transport costs, in the minor unit of its currency; both null if unknown. */
  readonly freight_cents: number | null;
  readonly freight_currency: string | null;
  readonly warehouse_id: number;
  readonly expected_at: number | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
  readonly cancelled_at: number | null;
}

/** An expected delivery, and what has arrived. */
export interface Receipt extends PlainReceipt {
  readonly lines: readonly ReceiptLine[];
}

/** What the client knows about a delivery as a whole. */
export type DeliveryFields = Pick<
  PlainReceipt,
  | "reference"
  | "supplier"
  | "purchase_order_number"
  | "carrier"
  | "tracking_number"
  | "freight_cents"
  | "freight_currency"
  | "expected_at"
>;

/** Units that a delivery has yet to bring. */
export interface AwaitedDelivery {
  readonly receipt_id: number;
  readonly reference: string | null;
  readonly warehouse_id: number;
  readonly expected_at: number | null;
  readonly units: number;
}

/** The receipt as the API shows it. Once it is closed, units are missing; before, they are outstanding. */
export function receiptView(receipt: Receipt) {
  const { id, status, reference, supplier, warehouse_id, expected_at, lines, revision } = receipt;
  const { purchase_order_number, carrier, tracking_number, freight_cents, freight_currency } = receipt;
  return {
    id: wireId("receipt", id),
    merchant_id: wireId("merchant", receipt.merchant_id),
    status,
    reference,
    supplier,
    purchase_order_number,
    carrier,
    tracking_number,
    freight_cost: amountOrNull(freight_cents, freight_currency),
    currency: freight_currency,
    location: wireId("warehouse", warehouse_id),
    expected_at: isoOrNull(expected_at),
    items: lines.map((line) => ({
      sku: line.sku,
      lot_number: line.lot_number,
      expiration_date: dayEndTextOrNull(line.expires_on),
      quantity: line.quantity,
      unit_cost: amountOrNull(line.unit_cost_cents, line.unit_cost_currency),
      currency: line.unit_cost_currency,
      quantity_received: line.received,
      quantity_set_aside: line.set_aside,
      quantity_outstanding: line.outstanding,
      quantity_over: Math.max(0, line.received - line.quantity),
      quantity_missing: status === "closed" ? Math.max(0, line.quantity - line.received) : 0,
    })),
    allowed_actions: allowedActions<ReceiptStatus, typeof receiptTransitions>(receiptTransitions, status, false),
    revision,
    created_at: iso(receipt.created_at),
    updated_at: iso(receipt.updated_at),
    closed_at: isoOrNull(receipt.closed_at),
    cancelled_at: isoOrNull(receipt.cancelled_at),
  };
}

const amountOrNull = (cents: number | null, currency: string | null) =>
  cents === null || currency === null ? null : money(cents, currency);

/** Units of one SKU that were scanned. */
interface Scan {
  readonly sku: string;
  readonly quantity: number;
  readonly lot_number?: string | undefined;
}

/** Scanned units that count on a line. */
interface CountedUnits {
  readonly line: ReceiptLine;
  readonly quantity: number;
}

/**
 * The lines on which scanned units count: first lines of their lot, then lines for any lot, then the others, each up to
 * its outstanding units. Surplus units count on the first line.
 * Refuses: validation_failed (a SKU that the delivery does not expect).
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

/** The lot of a scan without a lot number: the only one expected of its SKU, if there is only one. */
export function expectedLot(lines: readonly ReceiptLine[], sku: string): string | undefined {
  const [lot, ...others] = new Set(lines.filter((line) => line.sku === sku).map((line) => line.lot_number));
  return others.length === 0 ? (lot ?? undefined) : undefined;
}

/** The announced expiry of a lot, or null. */
export function expectedExpiry(lines: readonly ReceiptLine[], sku: string, lot_number: string | undefined) {
  const line = lines.find((line) => line.sku === sku && line.lot_number === lot_number);
  return line?.expires_on ?? null;
}

/** What one unit of a SKU costs, by the lines that expect it, this lot first; null if unknown. */
export function expectedCost(lines: readonly ReceiptLine[], sku: string, lot_number: string | undefined) {
  const own = lines.filter((line) => line.sku === sku && line.unit_cost_cents !== null);
  const line = own.find((one) => one.lot_number === lot_number) ?? own.find((one) => one.lot_number === null) ?? own[0];
  if (line?.unit_cost_cents == null || line.unit_cost_currency === null) return null;
  return { cents: line.unit_cost_cents, currency: line.unit_cost_currency };
}
