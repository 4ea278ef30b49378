import { Fault } from "../../core/faults.ts";
import { day_ms } from "../../core/time.ts";
import {
  assignPositions,
  deleteEventBodies,
  dropEventBodies,
  findEventContents,
  lastPosition,
  type PositionedEvent,
} from "../../events/events.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import type { Retention } from "../../storage/retention.ts";
import { deleteNotices } from "../notices.sql.ts";
import {
  coversMerchant,
  refuseInactive,
  type Subscription,
  subscriptions_lock,
} from "../subscriptions/subscription.ts";
import {
  lockEnding,
  lockSubscription,
  lockSubscriptions,
  saveEnding,
  saveSequence,
  subscriptionList,
} from "../subscriptions/subscriptions.sql.ts";
import { deliveryTransitions, isUnsent, subscriptionMeanings } from "../webhooks.transitions.ts";
import { deleteAttempts, forgetResponses, forgetResponsesTo } from "./attempts.sql.ts";
import {
  cancelDeliveriesOf,
  endPending,
  forgetDeliveryBodies,
  hasNoPendingDelivery,
  insertDeliveries,
  lockDelivery,
  saveRequeued,
} from "./deliveries.sql.ts";
import { budget, formOf, isHeld, payload_turn, requeued, type WebhookDelivery } from "./delivery.ts";
import { deleteRecoveries } from "./recoveries.sql.ts";

const fan_out_events_max = 200;
const fan_out_deliveries_max = 2000;

/**
 * Gives the oldest new events their position in the order of events, and creates a delivery for each subscription.
 * Only one transaction at a time does this. Returns whether more events may be new.
 */
export async function fanOut(tx: Tx): Promise<boolean> {
  await takeTurn(tx, "webhooks.fan_out");
  const events_max = Math.floor(fan_out_deliveries_max / Math.max(1, await subscriptionList.count(tx, {})));
  const limit = Math.min(fan_out_events_max, events_max);
  const events = await assignPositions(tx, limit);
  // Read after the events, so that no subscription created before one of them is missed.
  const subscriptions = await lockSubscriptions(tx);
  if (events.length > 0 && subscriptions.length > 0) await recordDeliveries(tx, events, subscriptions);
  return events.length === limit;
}

/**
 * Fans out all committed events, and returns the last position. A subscription created in this transaction receives all
 * later events: until it ends, no other transaction can position events, even ones committed late with lower numbers.
 */
export async function fanOutAll(tx: Tx): Promise<number> {
  // Locked first, as in every change of subscriptions. Another order could deadlock.
  await takeTurn(tx, subscriptions_lock);
  while (await fanOut(tx));
  return lastPosition(tx);
}

async function recordDeliveries(tx: Tx, events: readonly PositionedEvent[], subscriptions: readonly Subscription[]) {
  const chosen = (event: PositionedEvent, subscription: Subscription) =>
    subscription.events.includes(event.type) &&
    event.position > subscription.begins_after &&
    coversMerchant(subscription, event.merchant_id);
  const rows: Omit<WebhookDelivery, "id">[] = [];
  for (const subscription of subscriptions) {
    let { sequence } = subscription;
    const form = formOf(subscription);
    const { new_delivery } = subscriptionMeanings[subscription.status];
    for (const event of events) {
      if (!chosen(event, subscription)) continue;
      sequence += 1;
      const status = event.is_dropped ? deliveryTransitions.cancel.to : new_delivery;
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
 * Queues a delivery again, whatever its status, with new retries. Event id and body stay the same. It is refused if the
 * payload was deleted, or if the subscription no longer covers the event's merchant.
 * Refuses: resource_missing, subscription_disabled, payload_expired, invalid_state_transition.
 */
export async function redeliver(tx: Tx, subscription_id: string, delivery_id: string): Promise<WebhookDelivery> {
  await takeTurn(tx, payload_turn);
  const subscription = await lockSubscription(tx, subscription_id);
  const before = await lockDelivery(tx, subscription.id, delivery_id);
  refuseInactive(subscription);
  const content = (await findEventContents(tx, [before.event_id])).get(before.event_id);
  if (content !== undefined && !coversMerchant(subscription, content.merchant_id)) {
    const message = "The subscription no longer covers this event's merchant. Add the merchant to `merchants` first.";
    throw new Fault("invalid_state_transition", message, { event_id: before.event_id });
  }
  const body = before.body ?? content?.body ?? "";
  if (body === "") throw new Fault("payload_expired", "The payload of this delivery was deleted.");
  // An attempt in progress continues and counts as one of the new retries.
  const is_in_progress = isUnsent(before.status) && before.leased_until !== null && (before.next_at ?? 0) > tx.now;
  const after: WebhookDelivery = {
    ...requeued(before, "redeliver", subscription.retry_limit),
    trigger: "manual",
    finished_at: null,
    // This request decides about the delivery, even if others are still held after a restore.
    ...(isHeld(before) ? { restored: "sent" } : {}),
    ...(is_in_progress ? {} : { next_at: tx.now, leased_until: null }),
  };
  await saveRequeued(tx, after);
  tx.wake("webhooks.deliver", tx.now);
  return after;
}

const batch_size = 500;

/**
 * Skips some pending deliveries of a disabled subscription, or cancels those of a deleted one. Returns whether more may
 * be left, which a job ends.
 */
export async function endSome(tx: Tx, { id, deleted_at }: Pick<Subscription, "id" | "deleted_at">): Promise<boolean> {
  const action = deleted_at === null ? "skip" : "cancel";
  const more = (await endPending(tx, id, action, batch_size)) === batch_size;
  if (more) tx.wake("webhooks.end_waiting", tx.now);
  return more;
}

/** Like `endSome`, for the first subscription with deliveries to end. Returns whether there is one. */
export async function endNext(tx: Tx): Promise<boolean> {
  const subscription = await lockEnding(tx);
  if (subscription === null) return false;
  if (!(await endSome(tx, subscription))) await saveEnding(tx, subscription.id, false);
  return true;
}

/** The retention of webhook data, in days. */
type WebhookRetention = Pick<Retention, "event_payloads" | "delivery_log" | "webhook_responses">;

/**
 * Deletes up to `limit` each of payloads (with the responses to them), log entries, finished recoveries, notices and
 * response bodies that are older than their retention. Pending deliveries stay. Returns whether more may be left.
 */
export async function deleteOldWebhookData(tx: Tx, retention: WebhookRetention, limit: number): Promise<boolean> {
  await takeTurn(tx, payload_turn);
  const moment = (days: number) => tx.now - days * day_ms;
  const before = moment(retention.delivery_log);
  const events = await deleteEventBodies(tx, moment(retention.event_payloads), limit, hasNoPendingDelivery);
  // A response may repeat the event, and without the payload nobody could tell what it was about.
  await forgetResponsesTo(tx, events);
  const deliveries = await forgetDeliveryBodies(tx, before, limit);
  const attempts = await deleteAttempts(tx, before, limit);
  const responses = await forgetResponses(tx, moment(retention.webhook_responses), limit);
  const recoveries = await deleteRecoveries(tx, before, limit);
  const notices = await deleteNotices(tx, before, limit);
  return Math.max(events.length, deliveries, attempts, responses, recoveries, notices) === limit;
}

/** The effects of dropping payloads. */
interface Dropped {
  /** The number of log entries that lost a response. */
  readonly responses: number;
  /** The ids of the subscriptions that received any of the events. */
  readonly receivers: readonly number[];
}

/**
 * Deletes the payloads of events and the responses to them, and cancels their pending deliveries. The events and log
 * entries stay. The response to an attempt in progress is not recorded.
 */
export async function dropPayloads(tx: Tx, event_ids: readonly string[]): Promise<Dropped> {
  if (event_ids.length === 0) return { responses: 0, receivers: [] };
  await takeTurn(tx, payload_turn);
  await dropEventBodies(tx, event_ids);
  const receivers = await cancelDeliveriesOf(tx, event_ids);
  return { responses: await forgetResponsesTo(tx, event_ids), receivers };
}
