import { iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { money } from "../../kit/money.ts";
import type { RefundMethod, RefundStatus } from "./status.ts";

/** The parts of an amount: items + shipping − fee. */
export interface Breakdown {
  readonly items_cents: number;
  readonly shipping_cents: number;
  readonly restocking_fee_cents: number;
}

/** A refund, which the merchant's own system pays out. */
export interface Refund {
  readonly id: number;
  readonly return_id: number;
  readonly amount_cents: number;
  readonly currency: string;
  readonly breakdown: Breakdown;
  readonly method: RefundMethod;
  readonly status: RefundStatus;
  readonly notes: string | null;
  /** `YYYY-MM-DD`. */
  readonly estimated_completion: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The refund as the API shows it. */
export function refundView(refund: Refund) {
  const { currency } = refund;
  const { items_cents, shipping_cents, restocking_fee_cents } = refund.breakdown;
  return {
    refund_id: wireId("refund", refund.id),
    return_id: wireId("return", refund.return_id),
    amount: money(refund.amount_cents, currency),
    currency,
    breakdown: {
      items: money(items_cents, currency),
      shipping: money(shipping_cents, currency),
      restocking_fee: money(restocking_fee_cents, currency),
    },
    method: refund.method,
    refund_status: refund.status,
    notes: refund.notes,
    estimated_completion: refund.estimated_completion,
    created_at: iso(refund.created_at),
    updated_at: iso(refund.updated_at),
  };
}
