import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { allowedActions } from "../../kit/moves.ts";
import { dayEndTextOrNull } from "../../kit/zone.ts";
import { type ReceiptStatus, receiptMoves } from "./status.ts";

/** The expected units of one product, perhaps of one lot. The counts change while a transaction works on them. */
export interface ReceiptLine {
  readonly id: number;
  readonly receipt_id: number;
  readonly product_id: number;
  readonly sku: string;
  /** Null when any lot may come. */
  readonly lot_number: string | null;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  /** Units expected. */
  readonly quantity: number;
  /** Units that came, perhaps more than expected. */
  received: number;
  /** Of these, units that were not good and are kept apart. */
  set_aside: number;
  /** Units that may still come: none once the receipt is over. */
  outstanding: number;
}

/** An expected delivery, without its lines. */
export interface PlainReceipt {
  readonly id: number;
  readonly merchant_id: number;
  readonly status: ReceiptStatus;
  readonly reference: string | null;
  readonly supplier: string | null;
  readonly warehouse_id: number;
  readonly expected_at: number | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
  readonly cancelled_at: number | null;
}

/** An expected delivery, and what has come of it. */
export interface Receipt extends PlainReceipt {
  readonly lines: readonly ReceiptLine[];
}

/** Units that a delivery should still bring. */
export interface AwaitedDelivery {
  readonly receipt_id: number;
  readonly reference: string | null;
  readonly warehouse_id: number;
  readonly expected_at: number | null;
  readonly units: number;
}

/** The receipt as the API shows it. Once it is closed, units are missing; before, they are outstanding. */
export function receiptView(receipt: Receipt) {
  const { id, status, reference, supplier, warehouse_id, expected_at, lines, version } = receipt;
  return {
    id: wireId("receipt", id),
    merchant_id: wireId("merchant", receipt.merchant_id),
    status,
    reference,
    supplier,
    location: wireId("warehouse", warehouse_id),
    expected_at: isoOrNull(expected_at),
    lines: lines.map((line) => ({
      sku: line.sku,
      lot_number: line.lot_number,
      expiration_date: dayEndTextOrNull(line.expires_on),
      quantity: line.quantity,
      quantity_received: line.received,
      quantity_set_aside: line.set_aside,
      quantity_outstanding: line.outstanding,
      quantity_over: Math.max(0, line.received - line.quantity),
      quantity_missing: status === "closed" ? Math.max(0, line.quantity - line.received) : 0,
    })),
    allowed_actions: allowedActions<ReceiptStatus, typeof receiptMoves>(receiptMoves, status, false),
    version,
    created_at: iso(receipt.created_at),
    updated_at: iso(receipt.updated_at),
    closed_at: isoOrNull(receipt.closed_at),
    cancelled_at: isoOrNull(receipt.cancelled_at),
  };
}
