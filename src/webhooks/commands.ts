import { lead, takeTurn } from "../database/lease.ts";
import type { Tx } from "../database/store.ts";
import { iso } from "../kit/clock.ts";
import { Fault, invalid } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import { type DomainEvent, type EventType, eventTypes } from "../outbox/catalog.ts";
import { findEventBodies, type PlacedEvent, placeEvents } from "../outbox/store.ts";
import { attemptStatus } from "./attempt.ts";
import { type Attempt, type Claim, type Delivery, deliveryBody, type Finished } from "./delivery.ts";
import {
  afterAnswer,
  afterAttempt,
  budget,
  type DeliveryStep,
  freshHealth,
  type SubscriptionHealth,
  switched,
} from "./rules.ts";
import type { CreateSubscription } from "./schemas.ts";
import { type AttemptTrigger, type SubscriptionStatus, subscriptionMeanings } from "./status.ts";
import {
  countTests,
  deleteAttempts,
  findSubscriptions,
  forgetDeliveryBodies,
  forgetEventBodies,
  insertAttempts,
  insertDeliveries,
  insertDelivery,
  insertSubscription,
  leaseDeliveries,
  listWaiting,
  lockAttempted,
  lockDue,
  lockSubscription,
  lockSubscriptions,
  saveHealth,
  saveProgress,
  saveSequence,
  skipPending,
} from "./store.ts";
import { isSame, type Subscription, subscriptions_max } from "./subscription.ts";

const minute_ms = 60_000;
const tests_in_a_minute_max = 10;
const lease_ms = 30_000;
const fan_out_events_max = 200;
const fan_out_deliveries_max = 2000;

/**
 * Subscribes a receiver, whose address the caller has checked, with a secret the caller has sealed.
 * Refuses: validation_failed, duplicate_subscription, subscription_limit.
 */
export async function createSubscription(
  tx: Tx,
  input: CreateSubscription,
  sealed_secret: string,
): Promise<Subscription> {
  const { url, description = null, active = true, version = "v1", payload = "full", retry_limit = 5 } = input;
  if (payload === "thin" && version === "v1") throw invalid("payload", "can be thin in version v2 only");
  const events = eventTypes.filter((type) => input.events.includes(type));
  await takeTurn(tx, "webhooks.subscribe");
  const others = await lockSubscriptions(tx);
  const same = others.find((other) => isSame(other, { url, version, events }));
  if (same !== undefined) {
    throw new Fault("duplicate_subscription", "There is a subscription of these events to this address already.", {
      existing_id: wireId("subscription", same.id),
    });
  }
  if (others.length >= subscriptions_max) {
    throw new Fault("subscription_limit", `There may be at most ${subscriptions_max} subscriptions.`);
  }
  return insertSubscription(tx, {
    ...{ url, events, description, version, payload, retry_limit },
    ...(active ? freshHealth : switched(freshHealth, false)),
    ...{ secret: sealed_secret, previous_secret: null, previous_secret_expires_at: null, sequence: 0 },
    ...{ created_at: tx.now, updated_at: tx.now },
  });
}

/**
 * Records a test event with the given data for a subscription in any status, and claims it for the caller to send.
 * Its one attempt counts as spent at once: it is not tried again, whatever happens.
 * Refuses: resource_missing, rate_limited.
 */
export async function beginTest(tx: Tx, id: string, type: EventType, data: DomainEvent["data"]): Promise<Claim> {
  const subscription = await lockSubscription(tx, id);
  if ((await countTests(tx, subscription.id, tx.now - minute_ms)) >= tests_in_a_minute_max) {
    throw new Fault("rate_limited", `A subscription takes ${tests_in_a_minute_max} test events a minute.`);
  }
  const event_id = tx.newId("evt_test");
  const event_body = JSON.stringify({ id: event_id, type, created_at: iso(tx.now), data });
  const body = deliveryBody(subscription, event_body, 0) ?? event_body;
  const delivery = await insertDelivery(tx, {
    ...{ subscription_id: subscription.id, event_id, event_type: type, sequence: 0, status: "exhausted", body },
    ...{ attempts: 0, ...budget(0, 0), next_at: null, leased_until: null },
    ...{ created_at: tx.now, finished_at: tx.now },
  });
  return { delivery, subscription, body };
}

/** Records what came of a test event. It tells nothing of the receiver's health. */
export async function endTest(tx: Tx, finished: Finished): Promise<void> {
  const { delivery } = finished.claim;
  const step = afterAttempt(delivery, finished.result, { ...finished, now: tx.now });
  await saveProgress(tx, [delivery.id], { ...delivery, ...step });
  await insertAttempts(tx, [attemptOf(finished, "test", null)]);
}

/**
 * Gives the oldest new events their place in the order of events, and records a delivery for each subscription that
 * chose them. Answers whether more may wait. One transaction at a time does this: the row of the lease is locked until
 * the commit, so the lease itself need not last.
 */
export async function fanOut(tx: Tx, owner: string): Promise<boolean> {
  if (!(await lead(tx, "webhooks.fan_out", owner, 0))) return true;
  const subscriptions = await lockSubscriptions(tx);
  const events_max = Math.floor(fan_out_deliveries_max / Math.max(1, subscriptions.length));
  const limit = Math.min(fan_out_events_max, events_max);
  const events = await placeEvents(tx, limit);
  if (events.length > 0 && subscriptions.length > 0) await recordDeliveries(tx, events, subscriptions);
  return events.length === limit;
}

async function recordDeliveries(tx: Tx, events: readonly PlacedEvent[], subscriptions: readonly Subscription[]) {
  const chosen = (event: PlacedEvent, { events: types, created_at }: Subscription) =>
    types.includes(event.type) && event.created_at >= created_at;
  const second = subscriptions.filter(({ version }) => version === "v2");
  const read = events.filter((event) => second.some((subscription) => chosen(event, subscription)));
  const bodies = await findEventBodies(
    tx,
    read.map(({ id }) => id),
  );
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
        body: deliveryBody(subscription, bodies.get(event.id) ?? "", sequence),
        ...{ created_at: tx.now, finished_at: pending ? null : tx.now },
      });
    }
    if (sequence > subscription.sequence) await saveSequence(tx, subscription.id, sequence);
  }
  if (rows.length === 0) return;
  await insertDeliveries(tx, rows);
  tx.wake("webhooks.deliver", tx.now);
}

/** How many more deliveries may be sent at once. */
export interface Room {
  readonly in_all: number;
  /** For one subscription, by its id. */
  readonly of: (subscription_id: number) => number;
  /** The subscription that was served last: the one after it comes first now. */
  readonly last_id: number;
}

/** What was claimed, and when there will be more to claim unless something else happens first. */
export interface Claimed {
  readonly claims: readonly Claim[];
  readonly next_at: number | null;
}

/**
 * Claims deliveries that are due, in turn from every subscription, for 30 seconds. A claim that was not recorded until
 * then is due again.
 */
export async function claimDeliveries(tx: Tx, room: Room): Promise<Claimed> {
  const waiting = await dueTimes(tx);
  const ready = waiting.filter(({ at }) => at <= tx.now).map(({ id }) => id);
  const inTurn = [...ready.filter((id) => id > room.last_id), ...ready.filter((id) => id <= room.last_id)];
  const claimed: Delivery[] = [];
  for (const id of inTurn) {
    const limit = Math.min(room.of(id), room.in_all - claimed.length);
    if (limit > 0) claimed.push(...(await lockDue(tx, id, limit)));
  }
  if (claimed.length === 0) return { claims: [], next_at: nextAt(waiting, tx.now) };
  const leased_until = tx.now + lease_ms;
  await leaseDeliveries(
    tx,
    claimed.map(({ id }) => id),
    leased_until,
  );
  const claims = await withBodies(
    tx,
    claimed.map((delivery) => ({ ...delivery, leased_until })),
  );
  return { claims, next_at: nextAt(await dueTimes(tx), tx.now) };
}

interface DueTime {
  readonly id: number;
  /** When the subscription's first delivery is due and it is not paused. */
  readonly at: number;
}

async function dueTimes(tx: Tx): Promise<DueTime[]> {
  return (await listWaiting(tx)).flatMap(({ id, first_at, paused_until }) =>
    first_at === null ? [] : [{ id, at: Math.max(first_at, paused_until ?? 0) }],
  );
}

/** The next moment that something becomes due. What is due already waits for room, which an ending attempt makes. */
function nextAt(times: readonly DueTime[], now: number): number | null {
  const later = times.flatMap(({ at }) => (at > now ? [at] : []));
  return later.length === 0 ? null : Math.min(...later);
}

async function withBodies(tx: Tx, deliveries: readonly Delivery[]): Promise<Claim[]> {
  const ids = [...new Set(deliveries.map(({ subscription_id }) => subscription_id))];
  const subscriptions = new Map((await findSubscriptions(tx, ids)).map((row) => [row.id, row]));
  const own = deliveries.filter(({ body }) => body === null).map(({ event_id }) => event_id);
  const bodies = await findEventBodies(tx, own);
  return deliveries.flatMap((delivery) => {
    const subscription = subscriptions.get(delivery.subscription_id);
    const body = delivery.body ?? bodies.get(delivery.event_id);
    return subscription === undefined || body === undefined ? [] : [{ delivery, subscription, body }];
  });
}

/** A status that a subscription entered because of an attempt. */
export interface Entered {
  readonly subscription_id: number;
  readonly status: SubscriptionStatus;
}

/**
 * Records attempts that have ended, in the order they ended: the log, where each delivery stands, and what they tell of
 * each receiver. Answers which subscriptions entered another status.
 */
export async function recordAttempts(tx: Tx, finished: readonly Finished[]): Promise<Entered[]> {
  const { subscriptions, deliveries } = await lockAttempted(
    tx,
    finished.map(({ claim }) => claim.delivery.id),
    finished.map(({ claim }) => claim.subscription.id),
  );
  const before = new Map(subscriptions);
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
    log.push(attemptOf(attempt, "scheduled", after?.next_at ?? null));
    const { health, entered: status } = afterAnswer(subscription, result, moment);
    subscriptions.set(subscription.id, { ...subscription, ...health });
    if (status !== null) entered.push({ subscription_id: subscription.id, status });
  }
  await insertAttempts(tx, log);
  await saveMoved(tx, [...moved.values()]);
  for (const [id, after] of subscriptions) {
    if (JSON.stringify(healthOf(after)) !== JSON.stringify(healthOf(before.get(id) ?? after))) {
      await saveHealth(tx, id, after);
    }
  }
  for (const { subscription_id, status } of entered) {
    if (!subscriptionMeanings[status].active) await skipPending(tx, subscription_id);
  }
  // There is room for more.
  tx.wake("webhooks.deliver", tx.now);
  return entered;
}

function stepped(delivery: Delivery, step: DeliveryStep, now: number): Delivery {
  const finished_at = step.status === "pending" ? null : (delivery.finished_at ?? now);
  return { ...delivery, ...step, finished_at, leased_until: null };
}

/** Saves deliveries; most have come to the same end and are saved together. */
async function saveMoved(tx: Tx, moved: readonly Delivery[]): Promise<void> {
  const alike = ({ status, attempts, next_at, finished_at }: Delivery) =>
    JSON.stringify([status, attempts, next_at, finished_at]);
  for (const [first, ...others] of Map.groupBy(moved, alike).values()) {
    if (first === undefined) continue;
    const ids = [first, ...others].map(({ id }) => id);
    await saveProgress(tx, ids, first);
    if (first.next_at !== null) tx.wake("webhooks.deliver", first.next_at);
  }
}

function healthOf(health: SubscriptionHealth): SubscriptionHealth {
  const { status, disabled_reason, consecutive_failures, first_failure_at, failing_since, paused_until } = health;
  return { status, disabled_reason, consecutive_failures, first_failure_at, failing_since, paused_until };
}

function attemptOf(finished: Finished, trigger: AttemptTrigger, next_at: number | null): Omit<Attempt, "id"> {
  const { claim, request_headers, result, started_at } = finished;
  const { delivery, subscription } = claim;
  return {
    ...{ delivery_id: delivery.id, subscription_id: subscription.id },
    ...{ event_id: delivery.event_id, event_type: delivery.event_type },
    ...{ attempt: delivery.attempts + 1, max_attempts: delivery.max_attempts, trigger },
    ...{ status: attemptStatus(result), url: subscription.url, request_headers },
    ...{ status_code: result.status_code, response_headers: result.status_code === null ? null : result.headers },
    ...{ response_body: result.body, truncated: result.truncated },
    ...{ error_code: result.error?.code ?? null, error_message: result.error?.message ?? null },
    ...{ ip_address: result.ip_address, duration_ms: result.duration_ms, started_at, next_attempt_at: next_at },
  };
}

/** Forgets some of what is older than a moment: payloads and log lines. Answers whether more may be left. */
export async function forgetOld(tx: Tx, before: number, limit: number): Promise<boolean> {
  const events = await forgetEventBodies(tx, before, limit);
  const deliveries = await forgetDeliveryBodies(tx, before, limit);
  const attempts = await deleteAttempts(tx, before, limit);
  return Math.max(events, deliveries, attempts) === limit;
}
