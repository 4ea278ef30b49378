import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../core/actor.ts";
import { Fault, missing } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { centsOf, money, moneyText } from "../core/money.ts";
import { day_ms } from "../core/time.ts";
import { transition } from "../core/transitions.ts";
import { emit } from "../events/emit.ts";
import { noteReturn } from "../orders/fulfillment/order_stock.ts";
import { costOf, type Order, type OrderLine } from "../orders/order.ts";
import type { Tx } from "../storage/database.ts";
import {
  isCancelled,
  isCompleted,
  isPaid,
  type RefundStatus,
  type ReturnStatus,
  refundStarts,
  refundTransitions,
  returnTransitions,
  stands,
} from "./return.transitions.ts";
import {
  acceptedUnits,
  type RefundBreakdown,
  type Return,
  type ReturnRefund,
  refuseUninspected,
  returnEvent,
} from "./return.ts";
import type { RefundReturn, ReportRefund, UpdateReturn } from "./returns.schema.ts";
import { insertRefund, listReturnsOfOrder, saveRefundStatus, saveReturn } from "./returns.sql.ts";
import { begin, changedTerms } from "./returns.ts";

/** The limits on the refunds of a return, in cents. */
export interface RefundTerms {
  readonly currency: string;
  /** The value of the accepted units at the prices paid. */
  readonly accepted_cents: number;
  /** The order's shipping, minus what other returns of the order have refunded of it. */
  readonly shipping_cents: number;
  /** The agreed refund, or null. */
  readonly agreed_cents: number | null;
  readonly refund_shipping: boolean;
  readonly restocking_fee_cents: number;
}

/** The refund in a request, in cents; null to use the return's terms. */
export interface RefundRequest {
  readonly amount_cents: number | null;
  readonly refund_shipping: boolean | null;
  readonly restocking_fee_cents: number | null;
}

/**
 * The value of a return's accepted units, in cents. They are counted after the units that earlier inspections of the
 * order accepted, so that all its returns together are worth exactly what all units cost.
 */
function acceptedCents(current: Return, others: readonly Return[], lines: readonly OrderLine[]): number {
  const own = acceptedOf([current]);
  const earlier = acceptedOf(others.filter((other) => inspectionOrder(other) < inspectionOrder(current)));
  return lines.reduce((sum, line) => sum + costOf(line, own.get(line.id) ?? 0, earlier.get(line.id) ?? 0), 0);
}

/** The position of a return's inspection among all; a return without one comes last. */
function inspectionOrder({ items }: Return): number {
  return Math.min(...items.flatMap(({ inspections }) => inspections.map(({ id }) => id)));
}

function acceptedOf(returns: readonly Return[]): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  for (const item of returns.flatMap(({ items }) => items)) {
    units.set(item.order_line_id, (units.get(item.order_line_id) ?? 0) + acceptedUnits(item));
  }
  return units;
}

interface RefundableCents {
  readonly items_cents: number;
  readonly shipping_cents: number;
  readonly agreed_cents: number | null;
  readonly fee_cents: number;
}

/** The refunds that have not failed: the money is paid or on its way. */
function standing<Refund extends Pick<ReturnRefund, "status">>(refunds: readonly Refund[]): Refund[] {
  return refunds.filter(({ status }) => stands(status));
}

/**
 * Computes the parts of a refund. The default amount is the agreed one, otherwise everything refundable minus the fee.
 * All refunds that have not failed must not exceed the accepted units plus the requested shipping.
 * Refuses: refund_exceeds_amount.
 */
export function planRefund(
  terms: RefundTerms,
  refunds: readonly ReturnRefund[],
  request: RefundRequest,
): RefundBreakdown {
  const remaining = refundableOf(terms, refunds);
  const with_shipping = request.refund_shipping ?? terms.refund_shipping;
  const room = remaining.items_cents + (with_shipping ? remaining.shipping_cents : 0);
  const amount = request.amount_cents ?? remaining.agreed_cents;
  const wanted_fee = request.restocking_fee_cents ?? remaining.fee_cents;
  const exact = request.amount_cents !== null && request.restocking_fee_cents !== null;
  // An agreed amount may already include the fee, so the fee must fit in addition only if both are set explicitly.
  const fee = exact ? wanted_fee : Math.min(wanted_fee, Math.max(0, room - (amount ?? 0)));
  const gross = amount === null ? room : amount + fee;
  const nothing_left = gross - fee === 0 && standing(refunds).length > 0;
  if (gross > room || nothing_left) throw exceeds(exact ? Math.max(0, room - fee) : room, terms.currency);
  const items_cents = Math.min(gross, remaining.items_cents);
  return { items_cents, shipping_cents: gross - items_cents, restocking_fee_cents: fee };
}

/** Returns the amount of a refund, in cents. */
export function amountOf({ items_cents, shipping_cents, restocking_fee_cents }: RefundBreakdown): number {
  return items_cents + shipping_cents - restocking_fee_cents;
}

/** Returns the refund status of a return: that of its most advanced refund, and `refunded` once nothing is left. */
export function refundStatusOf(terms: RefundTerms, refunds: readonly ReturnRefund[]): RefundStatus {
  const stand = standing(refunds);
  if (stand.length === 0) return refunds.length === 0 ? "pending" : "failed";
  if (stand.some(({ status }) => !isPaid(status))) return "processing";
  const remaining = refundableOf(terms, refunds);
  const computed = remaining.items_cents + (terms.refund_shipping ? remaining.shipping_cents : 0) - remaining.fee_cents;
  return (remaining.agreed_cents ?? computed) > 0 ? "partially_refunded" : "refunded";
}

function refundableOf(terms: RefundTerms, refunds: readonly ReturnRefund[]): RefundableCents {
  const valid = standing(refunds);
  const sum = (part: keyof RefundBreakdown) => valid.reduce((total, { breakdown }) => total + breakdown[part], 0);
  const paid = valid.reduce((total, { amount_cents }) => total + amount_cents, 0);
  // After an upgrade that rounded amounts, earlier partial refunds may sum to one unit too much.
  const items_cents = Math.max(0, terms.accepted_cents - sum("items_cents"));
  const shipping_cents = Math.max(0, terms.shipping_cents - sum("shipping_cents"));
  return {
    items_cents,
    shipping_cents,
    agreed_cents: terms.agreed_cents === null ? null : Math.max(0, terms.agreed_cents - paid),
    fee_cents: Math.max(0, terms.restocking_fee_cents - sum("restocking_fee_cents")),
  };
}

function exceeds(refundable_cents: number, currency: string): Fault {
  const refundable = money(refundable_cents, currency);
  const amount = moneyText(refundable_cents, currency);
  const message = refundable === 0 ? "must be zero: nothing is left to refund" : `must be at most ${amount}`;
  return new Fault("refund_exceeds_amount", `At most ${amount} can be refunded.`, {
    refundable,
    fields: [{ field: "amount", code: "refund_exceeds_amount", message }],
  });
}

const refund_days = 7;

/** Returns the date by which a refund should be paid, `YYYY-MM-DD`: seven days later, not counting weekends. */
export function estimatedCompletion(now: number): string {
  let day = Math.floor(now / day_ms);
  for (let counted = 0; counted < refund_days; ) {
    day += 1;
    if (isWeekday(day)) counted += 1;
  }
  return new Date(day * day_ms).toISOString().slice(0, 10);
}

const isWeekday = (day: number) => ![0, 6].includes(new Date(day * day_ms).getUTCDay());

/**
 * Records a refund of an inspected return, which the merchant's system pays out. The first refund completes the return.
 * Refuses: resource_missing, return_not_inspected, invalid_state_transition, refund_exceeds_amount.
 * Emits: return.processed.
 */
export async function refundReturn(tx: Tx, id: string, input: RefundReturn, actor: Actor): Promise<ReturnRefund> {
  const { before, order } = await begin(tx, id);
  refuseUninspected(before, "refunding it");
  const status = transition<ReturnStatus, typeof returnTransitions>(returnTransitions, "refund", before.status);
  const terms = await termsOf(tx, before, order);
  const cents = (amount: string | number | null | undefined, field: string) =>
    amount == null ? null : centsOf(amount, before.currency, field);
  const breakdown = planRefund(terms, before.refunds, {
    amount_cents: cents(input.amount, "amount"),
    refund_shipping: input.refund_shipping ?? null,
    restocking_fee_cents: cents(input.restocking_fee, "restocking_fee"),
  });
  const refund = await insertRefund(tx, {
    return_id: before.id,
    amount_cents: amountOf(breakdown),
    currency: before.currency,
    breakdown,
    method: input.method ?? "original_payment",
    status: refundStarts,
    notes: input.notes ?? null,
    estimated_completion: estimatedCompletion(tx.now),
  });
  const refund_status = refundStatusOf(terms, [...before.refunds, refund]);
  const completed_at = before.completed_at ?? tx.now;
  const after = await saveReturn(tx, before, { status, refund_status, completed_at });
  const amount = `${moneyText(refund.amount_cents, refund.currency)} ${refund.currency}`;
  await noteReturn(tx, order, { event: "refund", actor, note: `${wireId("return", before.id)}: ${amount}` });
  if (!isCompleted(before.status)) await emit(tx, [returnEvent("return.processed", after, before)]);
  return refund;
}

/**
 * Records the status of a refund that the merchant's system reports. A repeated report changes nothing.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function reportRefund(tx: Tx, id: string, refund_id: string, input: ReportRefund): Promise<ReturnRefund> {
  const { before, order } = await begin(tx, id);
  const refund = before.refunds.find((candidate) => candidate.id === readId("refund", refund_id));
  if (refund === undefined) throw missing("refund", refund_id);
  if (refund.status === input.status) return refund;
  const reported = await saveRefundStatus(tx, refund, transition(refundTransitions, input.status, refund.status));
  const terms = await termsOf(tx, before, order);
  const refunds = before.refunds.map((other) => (other === refund ? reported : other));
  await saveReturn(tx, before, { refund_status: refundStatusOf(terms, refunds) });
  return reported;
}

/**
 * Changes the return shipping or the terms. Recorded refunds stay as they are, but the refund status follows the new
 * terms. Without a change the return keeps its revision.
 * Refuses: resource_missing, invalid_state_transition (cancelled), validation_failed.
 */
export async function updateReturn(tx: Tx, id: string, input: UpdateReturn): Promise<Return> {
  const { before, order } = await begin(tx, id);
  const terms = changedTerms(before, before.currency, input);
  if (isDeepStrictEqual(terms, changedTerms(before, before.currency, {}))) return before;
  if (isCancelled(before.status)) {
    const facts = { from: before.status, action: "update", allowed_actions: [] };
    throw new Fault("invalid_state_transition", `Cannot update while ${before.status}.`, facts);
  }
  const refund_terms = await termsOf(tx, { ...before, ...terms }, order);
  return saveReturn(tx, before, { ...terms, refund_status: refundStatusOf(refund_terms, before.refunds) });
}

async function termsOf(tx: Tx, current: Return, order: Order): Promise<RefundTerms> {
  const others = (await listReturnsOfOrder(tx, order.id)).filter((other) => other.id !== current.id);
  const elsewhere = others
    .flatMap(({ refunds }) => standing(refunds))
    .reduce((sum, { breakdown }) => sum + breakdown.shipping_cents, 0);
  return {
    currency: current.currency,
    accepted_cents: acceptedCents(current, others, order.lines),
    shipping_cents: order.shipping_amount_cents - elsewhere,
    agreed_cents: current.refund_amount_cents,
    refund_shipping: current.refund_shipping,
    restocking_fee_cents: current.restocking_fee_cents ?? 0,
  };
}
