import { isDeepStrictEqual } from "node:util";
import { takeTurn } from "../../database/lease.ts";
import type { Tx } from "../../database/store.ts";
import { Fault } from "../../kit/fault.ts";
import { findEventContents, lastPosition, type PlacedEvent, placeEvents } from "../../outbox/store.ts";
import { type Attempt, attemptOf } from "../logs/log.ts";
import { insertAttempts } from "../logs/store.ts";
import { type Entered, notify } from "../notices/commands.ts";
import { subscriptionMeanings } from "../status.ts";
import { endSome, subscribing_turn } from "../subscriptions/commands.ts";
import { afterAnswer, healthOf, type SubscriptionHealth } from "../subscriptions/rules.ts";
import {
  countSubscriptions,
  lockSubscription,
  lockSubscriptions,
  lockSubscriptionsById,
  saveEnding,
  saveHealth,
  saveSequence,
} from "../subscriptions/store.ts";
import { refuseInactive, type Subscription } from "../subscriptions/subscription.ts";
import { type Delivery, type Finished, formOf, payload_turn } from "./delivery.ts";
import { afterAttempt, budget, type DeliveryStep, requeued } from "./rules.ts";
import { insertDeliveries, lockDeliveries, lockDelivery, saveProgress, saveRequeued } from "./store.ts";

const fan_out_events_max = 200;
const fan_out_deliveries_max = 2000;

/**
 * Gives the oldest new events their place in the order of events, and records a delivery for each subscription that
 * chose them. Answers whether more may wait. One transaction at a time does this.
 */
export async function fanOut(tx: Tx): Promise<boolean> {
  await takeTurn(tx, "webhooks.fan_out");
  const events_max = Math.floor(fan_out_deliveries_max / Math.max(1, await countSubscriptions(tx)));
  const limit = Math.min(fan_out_events_max, events_max);
  const events = await placeEvents(tx, limit);
  // Read after the events, so that every subscription is seen that was there before one of them.
  const subscriptions = await lockSubscriptions(tx);
  if (events.length > 0 && subscriptions.length > 0) await recordDeliveries(tx, events, subscriptions);
  return events.length === limit;
}

/**
 * Hands out every event that was committed until now, and answers the last place in the order of events. Who subscribes
 * in this transaction is told of all that come later: until it ends nobody else gives events their places, however late
 * those are committed whose numbers are lower.
 */
export async function fanOutAll(tx: Tx): Promise<number> {
  // First, as whoever changes a subscription takes it: in another order the two would wait for each other.
  await takeTurn(tx, subscribing_turn);
  while (await fanOut(tx));
  return lastPosition(tx);
}

async function recordDeliveries(tx: Tx, events: readonly PlacedEvent[], subscriptions: readonly Subscription[]) {
  const chosen = (event: PlacedEvent, { events: types, begins_after }: Subscription) =>
    types.includes(event.type) && event.position > begins_after;
  const rows: Omit<Delivery, "id">[] = [];
  for (const subscription of subscriptions) {
    let { sequence } = subscription;
    const status = subscriptionMeanings[subscription.status].new_delivery;
    const pending = status === "pending";
    for (const event of events) {
      if (!chosen(event, subscription)) continue;
      sequence += 1;
      rows.push({
        ...{ subscription_id: subscription.id, event_id: event.id, event_type: event.type, sequence, status },
        ...{ attempts: 0, ...budget(0, subscription.retry_limit) },
        ...{ next_at: pending ? tx.now : null, leased_until: null },
        ...{ form: formOf(subscription), body: null },
        ...{ trigger: "scheduled", recovery_id: null },
        ...{ created_at: tx.now, finished_at: pending ? null : tx.now },
      });
    }
    if (sequence > subscription.sequence) await saveSequence(tx, subscription.id, sequence);
  }
  if (rows.length === 0) return;
  await insertDeliveries(tx, rows);
  tx.wake("webhooks.deliver", tx.now);
}

/**
 * Records attempts that have ended, in the order they ended: the log, where each delivery stands, and what they tell of
 * each receiver. Answers which subscriptions entered another status; of some the operator is told once, by e-mail too
 * where there is a mail server (`mails`).
 */
export async function recordAttempts(tx: Tx, finished: readonly Finished[], mails = false): Promise<Entered[]> {
  const subscription_ids = new Set(finished.map(({ claim }) => claim.subscription.id));
  tx.changed("attempts");
  const subscriptions = await lockSubscriptionsById(tx, [...subscription_ids]);
  const deliveries = await lockDeliveries(
    tx,
    finished.map(({ claim }) => claim.delivery.id),
  );
  const healths = new Map<number, SubscriptionHealth>();
  const moved = new Map<number, Delivery>();
  const entered: Entered[] = [];
  const log: Omit<Attempt, "id">[] = [];
  for (const attempt of finished) {
    const { claim, result, real_now, random } = attempt;
    const delivery = moved.get(claim.delivery.id) ?? deliveries.get(claim.delivery.id);
    const subscription = subscriptions.get(claim.subscription.id);
    if (delivery === undefined || subscription === undefined) continue;
    const moment = { now: tx.now, real_now, random };
    // Another server has claimed it meanwhile and decides; but what was accepted is delivered.
    const overtaken = delivery.leased_until !== claim.delivery.leased_until && result.error !== null;
    const after = overtaken ? null : stepped(delivery, afterAttempt(delivery, result, moment), tx.now);
    if (after !== null) moved.set(after.id, after);
    log.push(attemptOf(attempt, after?.next_at ?? null));
    const before = healths.get(subscription.id) ?? subscription;
    const { health, entered: status } = afterAnswer(before, result, moment, claim.probe);
    healths.set(subscription.id, health);
    if (status !== null) entered.push({ subscription: { ...subscription, ...health }, status });
  }
  await insertAttempts(tx, log);
  await saveMoved(tx, [...moved.values()]);
  for (const [id, subscription] of subscriptions) {
    const after = healths.get(id) ?? subscription;
    if (!isDeepStrictEqual(healthOf(after), healthOf(subscription))) await saveHealth(tx, id, after);
  }
  for (const { subscription, status } of entered) {
    if (!subscriptionMeanings[status].active) await saveEnding(tx, subscription.id, await endSome(tx, subscription));
  }
  await notify(tx, entered, mails);
  return entered;
}

function stepped(delivery: Delivery, step: DeliveryStep, now: number): Delivery {
  const finished_at = step.status === "pending" ? null : (delivery.finished_at ?? now);
  return { ...delivery, ...step, finished_at, leased_until: null };
}

/** Saves deliveries; most have come to the same end and are saved together. */
async function saveMoved(tx: Tx, moved: readonly Delivery[]): Promise<void> {
  const alike = ({ status, attempts, next_at, finished_at }: Delivery) =>
    `${status} ${attempts} ${next_at} ${finished_at}`;
  for (const [first, ...others] of Map.groupBy(moved, alike).values()) {
    if (first === undefined) continue;
    const ids = [first, ...others].map(({ id }) => id);
    await saveProgress(tx, ids, first);
    if (first.next_at !== null) tx.wake("webhooks.deliver", first.next_at);
  }
}

/**
 * Queues one delivery again, whatever became of it, with a fresh budget of retries; event id and bytes stay the same.
 * Refuses: resource_missing, subscription_disabled, payload_expired (it was forgotten in its time).
 */
export async function redeliver(tx: Tx, subscription_id: string, delivery_id: string): Promise<Delivery> {
  await takeTurn(tx, payload_turn);
  const subscription = await lockSubscription(tx, subscription_id);
  const before = await lockDelivery(tx, subscription.id, delivery_id);
  refuseInactive(subscription);
  const body = before.body ?? (await findEventContents(tx, [before.event_id])).get(before.event_id)?.body ?? "";
  if (body === "") throw new Fault("payload_expired", "The payload of this delivery is not kept any more.");
  // An attempt under way goes on and counts for the new budget.
  const underWay = before.status === "pending" && before.leased_until !== null && (before.next_at ?? 0) > tx.now;
  const after: Delivery = {
    ...requeued(before, "redeliver", subscription.retry_limit),
    ...{ trigger: "manual", finished_at: null },
    ...(underWay ? {} : { next_at: tx.now, leased_until: null }),
  };
  await saveRequeued(tx, after);
  tx.wake("webhooks.deliver", tx.now);
  return after;
}
