import { iso } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { minute_ms } from "../../core/time.ts";
import type { DomainEvent } from "../../events/event_types.ts";
import type { Tx } from "../../storage/database.ts";
import { insertAttempts } from "../deliveries/attempts.sql.ts";
import { insertDelivery, saveProgress } from "../deliveries/deliveries.sql.ts";
import { afterAttempt, budget, deliveryBody, formOf } from "../deliveries/delivery.ts";
import { attemptOf, type DeliveryClaim, type FinishedAttempt } from "../deliveries/delivery_claim.ts";
import { testDeliveryStarts } from "../webhooks.transitions.ts";
import { listTestMoments, lockSubscription } from "./subscriptions.sql.ts";

const tests_in_a_minute_max = 10;

/**
 * Creates a test event for a subscription in any status, claimed for the caller to send. Its only attempt counts as
 * spent at once: it is never tried again. Refuses: resource_missing, rate_limited.
 */
export async function beginTest(tx: Tx, id: string, example: DomainEvent): Promise<DeliveryClaim> {
  const subscription = await lockSubscription(tx, id);
  const { type, data, previous = {} } = example;
  const { merchant_id: own, merchants } = subscription;
  const merchant_id = wireId("merchant", own ?? merchants?.[0] ?? example.merchant_id);
  const sent_at = await listTestMoments(tx, subscription.id, tx.now - minute_ms, tests_in_a_minute_max);
  const oldest = sent_at[tests_in_a_minute_max - 1];
  if (oldest !== undefined) {
    throw new Fault("rate_limited", `A subscription accepts at most ${tests_in_a_minute_max} test events per minute.`, {
      retry_after_seconds: Math.ceil((oldest + minute_ms - tx.now) / 1000),
    });
  }
  const event_id = tx.newId("evt_test");
  // As in the merchant's own events.
  const told = "merchant_id" in data ? { ...data, merchant_id } : data;
  const event_body = JSON.stringify({ id: event_id, type, created_at: iso(tx.now), merchant_id, data: told });
  const content = { body: event_body, previous: JSON.stringify(previous) };
  const form = formOf(subscription);
  const to = { merchant_id: subscription.merchant_id, form, sequence: 0 };
  const body = deliveryBody(to, content);
  const delivery = await insertDelivery(tx, {
    ...to,
    subscription_id: subscription.id,
    event_id,
    event_type: type,
    status: testDeliveryStarts,
    body,
    trigger: "test",
    recovery_id: null,
    restored: null,
    attempts: 0,
    ...budget(0, 0),
    next_at: null,
    leased_until: null,
    created_at: tx.now,
    finished_at: tx.now,
  });
  return { delivery, subscription, body, probe: false };
}

/** Records the result of a test event. It does not change the receiver's health. */
export async function endTest(tx: Tx, finished: FinishedAttempt): Promise<void> {
  const { delivery } = finished.claim;
  const step = afterAttempt(delivery, finished.result, { ...finished, now: tx.now });
  await saveProgress(tx, [delivery.id], { ...delivery, ...step });
  await insertAttempts(tx, [attemptOf(finished, null)]);
}
