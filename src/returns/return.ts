import { iso, isoOrNull } from "../core/clock.ts";
import { Fault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { money } from "../core/money.ts";
import { allowedActions } from "../core/transitions.ts";
import { type DomainEvent, type EventType, previousOf } from "../events/event_types.ts";
import {
  awaitsInspection,
  type Disposition,
  isCancelled,
  type RefundMethod,
  type RefundStatus,
  type ReturnCondition,
  type ReturnReason,
  type ReturnShippingStatus,
  type ReturnStatus,
  returnTransitions,
} from "./return.transitions.ts";

/** The parts of a refund's amount: items + shipping − fee. */
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

/** Returns the refund as the API shows it. */
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

/** The shipment that brings the goods back. */
export interface ReturnShipping {
  readonly carrier: string | null;
  readonly tracking_number: string | null;
  readonly label_url: string | null;
  readonly tracking_url: string | null;
  readonly status: ReturnShippingStatus;
}

/** The result of inspecting some units of an item, and their destination. */
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
  /** The condition that the customer reported. */
  readonly condition: ReturnCondition | null;
  readonly notes: string | null;
  readonly inspections: readonly Inspection[];
}

/** The fields of a return that a request can change. */
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
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** When the carrier delivered the parcel to the dock, according to tracking (ms); null before. */
  readonly arrived_at: number | null;
  readonly received_at: number | null;
  readonly inspected_at: number | null;
  readonly completed_at: number | null;
  readonly items: readonly ReturnItem[];
  /** Oldest first. */
  readonly refunds: readonly ReturnRefund[];
}

/** Refuses: return_not_inspected. `before` describes what needs an inspected return, such as `refunding it`. */
export function refuseUninspected({ status }: Pick<Return, "status">, before: string): void {
  if (!awaitsInspection(status)) return;
  throw new Fault("return_not_inspected", `Receive and inspect the return before ${before}.`, { status });
}

/** Returns the accepted units of an item: inspected and not returned to the customer. */
export function acceptedUnits({ inspections }: ReturnItem): number {
  const accepted = inspections.filter(({ disposition }) => disposition !== "return_to_sender");
  return accepted.reduce((sum, { quantity }) => sum + quantity, 0);
}

/**
 * Returns the units of an item that no other return can include: all of them until the inspection, then the accepted
 * ones. A cancelled return has none.
 */
export function claimedUnits({ status }: Return, item: ReturnItem): number {
  if (isCancelled(status)) return 0;
  return awaitsInspection(status) ? item.quantity : acceptedUnits(item);
}

/** Returns the return as the API shows it. */
export function returnView(record: Return) {
  const { refund_amount_cents, restocking_fee_cents } = record;
  return {
    id: wireId("return", record.id),
    merchant_id: wireId("merchant", record.merchant_id),
    order_id: wireId("order", record.order_id),
    status: record.status,
    reason: record.reason,
    items: itemViews(record.items),
    return_shipping: record.return_shipping,
    refund_status: record.refund_status,
    refund_amount: refund_amount_cents === null ? null : money(refund_amount_cents, record.currency),
    refund_shipping: record.refund_shipping,
    restocking_fee: restocking_fee_cents === null ? null : money(restocking_fee_cents, record.currency),
    currency: record.currency,
    customer_email: record.customer_email,
    refunds: record.refunds.map(refundView),
    allowed_actions: allowedActions<ReturnStatus, typeof returnTransitions>(returnTransitions, record.status, false),
    revision: record.revision,
    created_at: iso(record.created_at),
    updated_at: iso(record.updated_at),
    arrived_at: isoOrNull(record.arrived_at),
    received_at: isoOrNull(record.received_at),
    inspected_at: isoOrNull(record.inspected_at),
    completed_at: isoOrNull(record.completed_at),
  };
}

interface ReturnItemView extends Pick<ReturnItem, "sku" | "quantity" | "quantity_received" | "condition" | "notes"> {
  readonly inspections: readonly Omit<Inspection, "id">[];
}

/** The items as the client sent them: units of one item on several order lines are summed. */
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
      inspections: [...(before?.inspections ?? []), ...inspections.map(({ id: _id, ...record }) => record)],
    });
  }
  return [...views.values()];
}

/** Creates an event of a return with its full view, and the previous statuses if `before` is set. */
export function returnEvent(type: EventType, record: Return, before?: Return): DomainEvent {
  const data = { object: "return", ...returnView(record) };
  const { merchant_id } = record;
  if (before === undefined) return { type, merchant_id, data };
  const { status, refund_status } = before;
  return { type, merchant_id, data, previous: previousOf({ status, refund_status }, record) };
}
