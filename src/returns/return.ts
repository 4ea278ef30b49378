import { iso, isoOrNull } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import { money } from "../core/money.ts";
import { allowedActions } from "../core/transitions.ts";
import { type DomainEvent, type EventType, previousOf } from "../events/event_types.ts";
import {
  awaitsInspection,
  type Disposition,
  isCalledOff,
  type RefundMethod,
  type RefundStatus,
  type ReturnCondition,
  type ReturnReason,
  type ReturnShippingStatus,
  type ReturnStatus,
  returnTransitions,
} from "./return.transitions.ts";

/** The parts of an amount: items + shipping − fee. */
export interface RefundBreakdown {
  readonly items_cents: number;
  readonly shipping_cents: number;
  readonly restocking_fee_cents: number;
}

/** A refund, which the merchant's own system pays out. */
export interface ReturnRefund {
  readonly id: number;
  readonly return_id: number;
  readonly amount_cents: number;
  readonly currency: string;
  readonly breakdown: RefundBreakdown;
  readonly method: RefundMethod;
  readonly status: RefundStatus;
  readonly notes: string | null;
  /** `YYYY-MM-DD`. */
  readonly estimated_completion: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The refund as the API shows it. */
export function refundView(refund: ReturnRefund) {
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

/** How the goods come back. */
export interface ReturnShipping {
  readonly carrier: string | null;
  readonly tracking_number: string | null;
  readonly label_url: string | null;
  readonly tracking_url: string | null;
  readonly status: ReturnShippingStatus;
}

/** The result of inspecting some units of an item, and where they went. */
interface Inspection {
  readonly id: number;
  readonly quantity: number;
  readonly condition: ReturnCondition;
  readonly disposition: Disposition;
  readonly lot_number: string | null;
  readonly notes: string | null;
}

/** Returned units of one order line. */
export interface ReturnItem {
  readonly id: number;
  readonly order_line_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly quantity_received: number;
  /** The condition as the customer states it. */
  readonly condition: ReturnCondition | null;
  readonly notes: string | null;
  readonly inspections: readonly Inspection[];
}

/** The fields of a return in a request, besides its items, as the tables keep them. */
export interface ReturnTerms {
  readonly return_shipping: ReturnShipping;
  /** The agreed refund; null to compute it from the accepted units. */
  readonly refund_amount_cents: number | null;
  readonly refund_shipping: boolean;
  readonly restocking_fee_cents: number | null;
  readonly customer_email: string | null;
}

export interface Return extends ReturnTerms {
  readonly id: number;
  readonly merchant_id: number;
  readonly order_id: number;
  readonly status: ReturnStatus;
  readonly reason: ReturnReason;
  readonly refund_status: RefundStatus;
  readonly currency: string;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** When the carrier brought the goods to the dock, according to tracking; null before. */
  readonly arrived_at: number | null;
  readonly received_at: number | null;
  readonly inspected_at: number | null;
  readonly completed_at: number | null;
  readonly items: readonly ReturnItem[];
  /** Oldest first. */
  readonly refunds: readonly ReturnRefund[];
}

/** The accepted units of an item: inspected, and not sent back to the customer. */
export function acceptedUnits({ inspections }: ReturnItem): number {
  const accepted = inspections.filter(({ disposition }) => disposition !== "return_to_sender");
  return accepted.reduce((sum, { quantity }) => sum + quantity, 0);
}

/**
 * The units of an item that no other return may claim: all of them until the inspection, then the accepted ones. A
 * cancelled return claims none.
 */
export function claimedUnits({ status }: Return, item: ReturnItem): number {
  if (isCalledOff(status)) return 0;
  return awaitsInspection(status) ? item.quantity : acceptedUnits(item);
}

/** The return as the API shows it. */
export function returnView(found: Return) {
  const { refund_amount_cents, restocking_fee_cents } = found;
  return {
    id: wireId("return", found.id),
    merchant_id: wireId("merchant", found.merchant_id),
    order_id: wireId("order", found.order_id),
    status: found.status,
    reason: found.reason,
    items: itemViews(found.items),
    return_shipping: found.return_shipping,
    refund_status: found.refund_status,
    refund_amount: refund_amount_cents === null ? null : money(refund_amount_cents, found.currency),
    refund_shipping: found.refund_shipping,
    restocking_fee: restocking_fee_cents === null ? null : money(restocking_fee_cents, found.currency),
    currency: found.currency,
    customer_email: found.customer_email,
    refunds: found.refunds.map(refundView),
    allowed_actions: allowedActions<ReturnStatus, typeof returnTransitions>(returnTransitions, found.status, false),
    version: found.version,
    created_at: iso(found.created_at),
    updated_at: iso(found.updated_at),
    arrived_at: isoOrNull(found.arrived_at),
    received_at: isoOrNull(found.received_at),
    inspected_at: isoOrNull(found.inspected_at),
    completed_at: isoOrNull(found.completed_at),
  };
}

interface ReturnItemView extends Pick<ReturnItem, "sku" | "quantity" | "quantity_received" | "condition" | "notes"> {
  readonly inspections: readonly Omit<Inspection, "id">[];
}

/** The items as the client gave them: units of one item on several order lines are added up. */
function itemViews(items: readonly ReturnItem[]): ReturnItemView[] {
  const views = new Map<string, ReturnItemView>();
  for (const { sku, quantity, quantity_received, condition, notes, inspections } of items) {
    const key = JSON.stringify([sku, condition, notes]);
    const before = views.get(key);
    views.set(key, {
      sku,
      quantity: quantity + (before?.quantity ?? 0),
      quantity_received: quantity_received + (before?.quantity_received ?? 0),
      condition,
      notes,
      inspections: [...(before?.inspections ?? []), ...inspections.map(({ id: _id, ...found }) => found)],
    });
  }
  return [...views.values()];
}

/** An event of a return: all that its GET answers, with the old values of `before` unless it is new. */
export function returnEvent(type: EventType, found: Return, before?: Return): DomainEvent {
  const data = { object: "return", ...returnView(found) };
  const { merchant_id } = found;
  if (before === undefined) return { type, merchant_id, data };
  const { status, refund_status } = before;
  return { type, merchant_id, data, previous: previousOf({ status, refund_status }, found) };
}
