import { Fault } from "../../core/faults.ts";
import {
  dropEventBodies,
  findEventContents,
  forgetEventBodies,
  lastPosition,
  type PlacedEvent,
  placeEvents,
} from "../../events/events.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import type { Retention } from "../../storage/retention.ts";
import { deleteNotices } from "../notices.sql.ts";
import { isToldOf, refuseInactive, type Subscription, subscribing_turn } from "../subscriptions/subscription.ts";
import {
  countSubscriptions,
  lockEnding,
  lockSubscription,
  lockSubscriptions,
  saveEnding,
  saveSequence,
} from "../subscriptions/subscriptions.sql.ts";
import { deliveryTransitions, isUnsent, subscriptionMeanings } from "../webhooks.transitions.ts";
import { deleteAttempts, forgetResponses, forgetResponsesTo } from "./attempts.sql.ts";
import {
  cancelDeliveriesOf,
  endPending,
  forgetDeliveryBodies,
  insertDeliveries,
  lockDelivery,
  nothingWaits,
  saveRequeued,
} from "./deliveries.sql.ts";
import { budget, formOf, isHeld, payload_turn, requeued, type WebhookDelivery } from "./delivery.ts";
import { deleteRecoveries } from "./recoveries.sql.ts";

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
 * Queues one delivery again, in any status, with a new budget of retries; event id and bytes stay the same. Refuses:
 * resource_missing, subscription_disabled, payload_expired (its payload was deleted), invalid_state_transition (the
 * subscription is not told of the event's merchant any more).
 */
export async function redeliver(tx: Tx, subscription_id: string, delivery_id: string): Promise<WebhookDelivery> {
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
  const after: WebhookDelivery = {
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

const day_ms = 24 * 3_600_000;

/** For how many days each is kept. */
type KeptDays = Pick<Retention, "event_payloads" | "delivery_log" | "receiver_answers">;

/**
 * Deletes up to `limit` each of payloads (with what receivers answered to them), log entries, finished recoveries,
 * notices and receivers' answers that are older than they are kept. Deliveries that wait to be sent are kept. Answers
 * whether more may be left.
 */
export async function forgetOld(tx: Tx, kept: KeptDays, limit: number): Promise<boolean> {
  await takeTurn(tx, payload_turn);
  const moment = (days: number) => tx.now - days * day_ms;
  const before = moment(kept.delivery_log);
  const events = await forgetEventBodies(tx, moment(kept.event_payloads), limit, nothingWaits);
  // What receivers answered may repeat the event, and nothing would tell any more what it was about.
  await forgetResponsesTo(tx, events);
  const deliveries = await forgetDeliveryBodies(tx, before, limit);
  const attempts = await deleteAttempts(tx, before, limit);
  const responses = await forgetResponses(tx, moment(kept.receiver_answers), limit);
  const recoveries = await deleteRecoveries(tx, before, limit);
  const notices = await deleteNotices(tx, before, limit);
  return Math.max(events.length, deliveries, attempts, responses, recoveries, notices) === limit;
}

/** What the payloads of some events took with them. */
interface Dropped {
  /** How many entries of the delivery log lost a response. */
  readonly responses: number;
  /** The subscriptions that were sent any of the events, by id. */
  readonly receivers: readonly number[];
}

/**
 * Deletes the payloads of these events, by id, and the responses to them, and cancels their pending deliveries. The
 * events and the entries of the log stay. The response to an attempt that is under way is not recorded.
 */
export async function dropPayloads(tx: Tx, event_ids: readonly string[]): Promise<Dropped> {
  if (event_ids.length === 0) return { responses: 0, receivers: [] };
  await takeTurn(tx, payload_turn);
  await dropEventBodies(tx, event_ids);
  const receivers = await cancelDeliveriesOf(tx, event_ids);
  return { responses: await forgetResponsesTo(tx, event_ids), receivers };
}
