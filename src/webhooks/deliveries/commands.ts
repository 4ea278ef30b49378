import { takeTurn } from "../../database/lease.ts";
import type { Tx } from "../../database/store.ts";
import { Fault } from "../../kit/fault.ts";
import { findEventContents, lastPosition, type PlacedEvent, placeEvents } from "../../outbox/store.ts";
import { deliveryMoves, isUnsent, subscriptionMeanings } from "../status.ts";
import {
  countSubscriptions,
  lockEnding,
  lockSubscription,
  lockSubscriptions,
  saveEnding,
  saveSequence,
} from "../subscriptions/store.ts";
import { isToldOf, refuseInactive, type Subscription, subscribing_turn } from "../subscriptions/subscription.ts";
import { type Delivery, formOf, isHeld, payload_turn } from "./delivery.ts";
import { budget, requeued } from "./rules.ts";
import { endPending, insertDeliveries, lockDelivery, saveRequeued } from "./store.ts";

const fan_out_events_max = 200;
const fan_out_deliveries_max = 2000;

/**
 * Gives the oldest new events their place in the order of events, and creates a delivery for each subscription to them.
 * Answers whether more may wait. Only one transaction at a time does this.
 */
export async function fanOut(tx: Tx): Promise<boolean> {
  await takeTurn(tx, "webhooks.fan_out");
  const events_max = Math.floor(fan_out_deliveries_max / Math.max(1, await countSubscriptions(tx)));
  const limit = Math.min(fan_out_events_max, events_max);
  const events = await placeEvents(tx, limit);
  // Read after the events, so that no subscription is missed that existed before one of them.
  const subscriptions = await lockSubscriptions(tx);
  if (events.length > 0 && subscriptions.length > 0) await recordDeliveries(tx, events, subscriptions);
  return events.length === limit;
}

/**
 * Fans out every event committed until now, and answers the last place in the order of events. A subscription created
 * in this transaction receives all later events: until it ends no other transaction places events, even those committed
 * late with lower numbers.
 */
export async function fanOutAll(tx: Tx): Promise<number> {
  // Locked first, as in every change of subscriptions: in another order the two could deadlock.
  await takeTurn(tx, subscribing_turn);
  while (await fanOut(tx));
  return lastPosition(tx);
}

async function recordDeliveries(tx: Tx, events: readonly PlacedEvent[], subscriptions: readonly Subscription[]) {
  const chosen = (event: PlacedEvent, subscription: Subscription) =>
    subscription.events.includes(event.type) &&
    event.position > subscription.begins_after &&
    isToldOf(subscription, event.merchant_id);
  const rows: Omit<Delivery, "id">[] = [];
  for (const subscription of subscriptions) {
    let { sequence } = subscription;
    const form = formOf(subscription);
    const { new_delivery } = subscriptionMeanings[subscription.status];
    for (const event of events) {
      if (!chosen(event, subscription)) continue;
      sequence += 1;
      const status = event.is_dropped ? deliveryMoves.cancel.to : new_delivery;
      const waits = isUnsent(status);
      rows.push({
        merchant_id: subscription.merchant_id,
        subscription_id: subscription.id,
        event_id: event.id,
        event_type: event.type,
        sequence,
        status,
        attempts: 0,
        ...budget(0, subscription.retry_limit),
        next_at: waits ? tx.now : null,
        leased_until: null,
        form,
        body: null,
        trigger: "scheduled",
        recovery_id: null,
        restored: null,
        created_at: tx.now,
        finished_at: waits ? null : tx.now,
      });
    }
    if (sequence > subscription.sequence) await saveSequence(tx, subscription.id, sequence);
  }
  if (rows.length === 0) return;
  await insertDeliveries(tx, rows);
  tx.wake("webhooks.deliver", tx.now);
}

/**
 * Queues one delivery again, in any status, with a new budget of retries; event id and bytes stay the same. Refuses:
 * resource_missing, subscription_disabled, payload_expired (its payload was deleted), invalid_state_transition (the
 * subscription is not told of the event's merchant any more).
 */
export async function redeliver(tx: Tx, subscription_id: string, delivery_id: string): Promise<Delivery> {
  await takeTurn(tx, payload_turn);
  const subscription = await lockSubscription(tx, subscription_id);
  const before = await lockDelivery(tx, subscription.id, delivery_id);
  refuseInactive(subscription);
  const content = (await findEventContents(tx, [before.event_id])).get(before.event_id);
  if (content !== undefined && !isToldOf(subscription, content.merchant_id)) {
    const message = "The subscription is not told of this event's merchant any more: name it in merchants first.";
    throw new Fault("invalid_state_transition", message, { event_id: before.event_id });
  }
  const body = before.body ?? content?.body ?? "";
  if (body === "") throw new Fault("payload_expired", "The payload of this delivery was deleted.");
  // An attempt in progress goes on and counts for the new budget.
  const underWay = isUnsent(before.status) && before.leased_until !== null && (before.next_at ?? 0) > tx.now;
  const after: Delivery = {
    ...requeued(before, "redeliver", subscription.retry_limit),
    trigger: "manual",
    finished_at: null,
    // Whoever asks for this one has decided about it, also where the others still wait after a restore.
    ...(isHeld(before) ? { restored: "sent" } : {}),
    ...(underWay ? {} : { next_at: tx.now, leased_until: null }),
  };
  await saveRequeued(tx, after);
  tx.wake("webhooks.deliver", tx.now);
  return after;
}

const ended_together_max = 500;

/**
 * Skips some waiting deliveries of a subscription that is off, or cancels them if it was deleted. Answers whether more
 * may be left: a job ends those.
 */
export async function endSome(tx: Tx, { id, deleted_at }: Pick<Subscription, "id" | "deleted_at">): Promise<boolean> {
  const action = deleted_at === null ? "skip" : "cancel";
  const more = (await endPending(tx, id, action, ended_together_max)) === ended_together_max;
  if (more) tx.wake("webhooks.end_waiting", tx.now);
  return more;
}

/** As `endSome`, for the first subscription with deliveries to end. Answers whether there is one. */
export async function endNext(tx: Tx): Promise<boolean> {
  const subscription = await lockEnding(tx);
  if (subscription === null) return false;
  if (!(await endSome(tx, subscription))) await saveEnding(tx, subscription.id, false);
  return true;
}
