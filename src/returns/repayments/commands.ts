import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { Fault, missing } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { centsOf, moneyText } from "../../kit/money.ts";
import { move } from "../../kit/moves.ts";
import { noteReturn } from "../../orders/commands.ts";
import type { Order } from "../../orders/order.ts";
import { emit } from "../../outbox/emit.ts";
import { begin } from "../commands.ts";
import { returnEvent } from "../events.ts";
import type { Refund } from "../refunds/refund.ts";
import type { RefundReturn, ReportRefund } from "../refunds/schemas.ts";
import { refundMoves, refundStarts } from "../refunds/status.ts";
import { insertRefund, saveRefundStatus } from "../refunds/store.ts";
import type { Return } from "../return.ts";
import { awaitsInspection, isCompleted, type ReturnStatus, returnMoves } from "../status.ts";
import { listReturnsOfOrder, saveReturn } from "../store.ts";
import {
  acceptedCents,
  amountOf,
  estimatedCompletion,
  planRefund,
  type RefundTerms,
  refundStatusOf,
  standing,
} from "./rules.ts";

/**
 * Records a refund of an inspected return, which the merchant's system pays out; the first one completes the return.
 * Refuses: resource_missing, return_not_inspected, invalid_state_transition, refund_exceeds_amount. Emits:
 * return.processed (once).
 */
export async function refundReturn(tx: Tx, id: string, input: RefundReturn, actor: Actor): Promise<Refund> {
  const { before, order } = await begin(tx, id);
  if (awaitsInspection(before.status)) {
    throw new Fault("return_not_inspected", "The return has to be received and inspected before it can be refunded.", {
      status: before.status,
    });
  }
  const status = move<ReturnStatus, typeof returnMoves>(returnMoves, "refund", before.status);
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
 * Records what the merchant's system reports of a refund; a repeated report changes nothing. Refuses: resource_missing,
 * invalid_state_transition.
 */
export async function reportRefund(tx: Tx, id: string, refund_id: string, input: ReportRefund): Promise<Refund> {
  const { before, order } = await begin(tx, id);
  const refund = before.refunds.find((one) => one.id === readId("refund", refund_id));
  if (refund === undefined) throw missing("refund", refund_id);
  if (refund.status === input.status) return refund;
  const reported = await saveRefundStatus(tx, refund, move(refundMoves, input.status, refund.status));
  const terms = await termsOf(tx, before, order);
  const refunds = before.refunds.map((one) => (one === refund ? reported : one));
  await saveReturn(tx, before, { refund_status: refundStatusOf(terms, refunds) });
  return reported;
}

async function termsOf(tx: Tx, found: Return, order: Order): Promise<RefundTerms> {
  const others = (await listReturnsOfOrder(tx, order.id)).filter((one) => one.id !== found.id);
  const elsewhere = others
    .flatMap(({ refunds }) => standing(refunds))
    .reduce((sum, { breakdown }) => sum + breakdown.shipping_cents, 0);
  return {
    currency: found.currency,
    accepted_cents: acceptedCents(found, others, order.lines),
    shipping_cents: order.shipping_amount_cents - elsewhere,
    agreed_cents: found.refund_amount_cents,
    refund_shipping: found.refund_shipping,
    restocking_fee_cents: found.restocking_fee_cents ?? 0,
  };
}
