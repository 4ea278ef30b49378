import { isDeepStrictEqual } from "node:util";
import { transition } from "../../core/transitions.ts";
import { findEventContents } from "../../events/events.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { recordClaims } from "../../storage/servers.ts";
import {
  coversMerchant,
  healthAfter,
  healthOf,
  type Subscription,
  type SubscriptionHealth,
} from "../subscriptions/subscription.ts";
import {
  findSubscriptions,
  lockFreeSubscriptions,
  lockSubscriptionsById,
  saveEnding,
  saveHealth,
  savePace,
} from "../subscriptions/subscriptions.sql.ts";
import { deliveryTransitions, isActive, isUnsent } from "../webhooks.transitions.ts";
import type { DeliveryAttempt } from "./attempt.ts";
import { insertAttempts } from "./attempts.sql.ts";
import {
  type DeliveryLane,
  endLeases,
  leaseDeliveries,
  listSendable,
  lockDeliveries,
  lockDue,
  type SubscriptionPace,
  saveProgress,
  type WaitingSubscription,
} from "./deliveries.sql.ts";
import { endSome } from "./deliveries.ts";
import { afterAttempt, type DeliveryStep, deliveryBody, isLate, type WebhookDelivery } from "./delivery.ts";
import { attemptOf, type DeliveryClaim, type FinishedAttempt } from "./delivery_claim.ts";
import { burst, type ClaimCapacity, type ClaimedCounts, pacedUntil, slotsFor } from "./receiver_queues.ts";

const lease_ms = 30_000;
// Each of these costs its own statements, and healthy receivers must not wait for them.
const failing_batch_size = 16;

/** The claimed deliveries, and the next due time (ms) if nothing else happens; null for none. */
interface ClaimedDeliveries {
  readonly claims: readonly DeliveryClaim[];
  readonly next_at: number | null;
  /** How long (ms) the oldest first attempt has been due that only this server delays. */
  readonly behind_ms: number;
}

/**
 * Claims due deliveries for 30 seconds, from every subscription in turn. Without a recorded result they are due again.
 * A subscription with an open circuit yields one probe, and one with a rate limit a few deliveries at a time.
 * Subscriptions whose receivers failed last come after the others, some in each call: if there are more, `next_at` is
 * now.
 */
export async function claimDeliveries(tx: Tx, room: ClaimCapacity): Promise<ClaimedDeliveries> {
  const waiting = await listSendable(tx);
  const behind_ms = Math.max(0, ...waiting.flatMap((one) => behindOf(one, tx.now)));
  const due = inTurn(
    waiting.filter((one) => timesOf(one).some((at) => at <= tx.now)),
    room.last_id,
  );
  const ready = [...due.filter((one) => !isFailing(one)), ...due.filter(isFailing)];
  const held = await lockPaced(tx, ready);
  const sharers = new Set([...room.busy.keys(), ...ready.map(({ id }) => id)]).size;
  const total = { all: sumOf(room.busy, "all"), late: sumOf(room.busy, "late") };
  const claimed: TakenDelivery[] = [];
  let failing = 0;
  let has_more = false;
  for (const one of ready) {
    const own = room.busy.get(one.id) ?? { all: 0, late: 0 };
    const free = slotsFor(own, total, room.limitOf(one.id), sharers, held.has(one.id) ? 0 : room.aheadOf(one.id));
    const slots = allowed(free, one, held.get(one.id), tx.now);
    if (isFailing(one) && failing >= failing_batch_size && slots.all > 0) {
      has_more = true;
      continue;
    }
    const found = await takeDue(tx, one, slots, room.wasLate(one.id));
    const probe = one.next_probe_at !== null;
    if (found.length > 0 && held.has(one.id)) await saveNextPace(tx, one, found.length);
    claimed.push(...found.map((delivery) => ({ delivery, probe })));
    if (isFailing(one)) failing += found.length;
    total.all += found.length;
    total.late += found.filter(isLate).length;
  }
  if (claimed.length === 0) return { claims: [], next_at: nextAt(waiting, tx.now), behind_ms };
  const { claims, unwanted } = await leased(tx, claimed);
  // Their slots are free at once.
  if (unwanted.length > 0) has_more = true;
  await skip(tx, unwanted, ready);
  return { claims, next_at: has_more ? tx.now : nextAt(await listSendable(tx), tx.now), behind_ms };
}

/** Releases claimed deliveries that will not be sent, so that they are due again. */
export async function returnClaims(tx: Tx, claims: readonly DeliveryClaim[]): Promise<void> {
  for (const [until, some] of Map.groupBy(claims, ({ delivery }) => delivery.leased_until)) {
    if (until === null) continue;
    await endLeases(tx, { ids: some.map(({ delivery }) => delivery.id), until });
  }
  if (claims.length > 0) tx.wake("webhooks.deliver", tx.now);
}

const isFailing = ({ consecutive_failures }: WaitingSubscription): boolean => consecutive_failures > 0;

/** How long a subscription's first attempt has been due (ms); empty if its receiver fails or its settings delay it. */
function behindOf(one: WaitingSubscription, now: number): number | [] {
  const { first_at, paused_until, rate_limit_per_second } = one;
  if (first_at === null || isFailing(one) || paused_until !== null || rate_limit_per_second !== null) return [];
  return now - first_at;
}

/** The times at which deliveries of each lane can be sent, given the state of the subscription. */
function timesOf({ first_at, late_at, paused_until, paced_until, next_probe_at }: WaitingSubscription): number[] {
  const held_until = Math.max(paused_until ?? 0, paced_until ?? 0, next_probe_at ?? 0);
  return [first_at, late_at].flatMap((at) => (at === null ? [] : [Math.max(at, held_until)]));
}

/** The next due time. Deliveries that are already due wait for a free slot, which an ending attempt provides. */
function nextAt(waiting: readonly WaitingSubscription[], now: number): number | null {
  const later = waiting.flatMap(timesOf).filter((at) => at > now);
  return later.length === 0 ? null : Math.min(...later);
}

function inTurn(ready: readonly WaitingSubscription[], last_id: number): WaitingSubscription[] {
  return [...ready.filter(({ id }) => id > last_id), ...ready.filter(({ id }) => id <= last_id)];
}

const sumOf = (busy: ClaimCapacity["busy"], lane: keyof ClaimedCounts) =>
  busy.values().reduce((sum, one) => sum + one[lane], 0);

/**
 * Locks the subscriptions with a rate limit or an open circuit, so that two servers do not send the same probe or
 * burst. Subscriptions locked by others are null: waiting for them could deadlock, since their deliveries may be
 * locked here.
 */
async function lockPaced(
  tx: Tx,
  ready: readonly WaitingSubscription[],
): Promise<ReadonlyMap<number, SubscriptionPace | null>> {
  const ids = ready.flatMap((one) =>
    one.rate_limit_per_second === null && one.next_probe_at === null ? [] : [one.id],
  );
  if (ids.length === 0) return new Map();
  const free = await lockFreeSubscriptions(tx, ids);
  return new Map(ids.map((id) => [id, free.get(id) ?? null]));
}

/** The slots that a subscription's rate limit and circuit allow. */
function allowed(
  slots: ClaimedCounts,
  { rate_limit_per_second }: WaitingSubscription,
  held: SubscriptionPace | null | undefined,
  now: number,
): ClaimedCounts {
  if (held === undefined) return slots;
  const none = { all: 0, late: 0 };
  // Another server has claimed deliveries since this one listed the subscriptions.
  if (held === null || Math.max(held.paced_until ?? 0, held.next_probe_at ?? 0) > now) return none;
  if (held.next_probe_at !== null) return { all: 1, late: 1 };
  const most = rate_limit_per_second === null ? slots.all : burst(rate_limit_per_second);
  return { all: Math.min(slots.all, most), late: Math.min(slots.late, most) };
}

/** Locks deliveries of both lanes for the free slots. With a single slot, the lanes take turns. */
async function takeDue(
  tx: Tx,
  { id, first_at, late_at }: WaitingSubscription,
  slots: ClaimedCounts,
  was_late: boolean,
): Promise<WebhookDelivery[]> {
  const isDue = (at: number | null): at is number => at !== null && at <= tx.now;
  const lateFirst = slots.late > 0 && isDue(late_at) && (!isDue(first_at) || (late_at < first_at && !was_late));
  const lanes: readonly DeliveryLane[] = lateFirst ? ["late", "first"] : ["first", "late"];
  const found: WebhookDelivery[] = [];
  for (const lane of lanes) {
    const left = slots.all - found.length;
    const limit = lane === "late" ? Math.min(left, slots.late) : left;
    if (limit > 0 && isDue(lane === "late" ? late_at : first_at)) found.push(...(await lockDue(tx, lane, id, limit)));
  }
  return found;
}

/** Delays a subscription's next deliveries by its rate, or until its probe is recorded or lost. */
async function saveNextPace(
  tx: Tx,
  { id, rate_limit_per_second, next_probe_at }: WaitingSubscription,
  count: number,
): Promise<void> {
  const paced_until = rate_limit_per_second === null ? null : pacedUntil(rate_limit_per_second, count, tx.now);
  await savePace(tx, { id, paced_until, next_probe_at: next_probe_at === null ? null : tx.now + lease_ms });
}

/** A due delivery, and whether it is the probe of an open circuit. */
interface TakenDelivery {
  readonly delivery: WebhookDelivery;
  readonly probe: boolean;
}

/** Leases deliveries. Returns those to send, and those of merchants that the subscription no longer covers. */
async function leased(
  tx: Tx,
  claimed: readonly TakenDelivery[],
): Promise<{ readonly claims: readonly DeliveryClaim[]; readonly unwanted: readonly TakenDelivery[] }> {
  const leased_until = tx.now + lease_ms;
  const claimed_ids = claimed.map(({ delivery }) => delivery.id);
  await leaseDeliveries(tx, claimed_ids, leased_until);
  await recordClaims(tx, "deliveries", claimed_ids, leased_until);
  const ids = [...new Set(claimed.map(({ delivery }) => delivery.subscription_id))];
  const subscriptions = new Map((await findSubscriptions(tx, ids)).map((row) => [row.id, row]));
  const own = claimed.flatMap(({ delivery }) => (delivery.body === null ? [delivery.event_id] : []));
  const contents = await findEventContents(tx, own);
  const claims: DeliveryClaim[] = [];
  const unwanted: TakenDelivery[] = [];
  for (const { delivery, probe } of claimed) {
    const subscription = subscriptions.get(delivery.subscription_id);
    const content = contents.get(delivery.event_id);
    if (subscription === undefined || subscription.deleted_at !== null) continue;
    if (content !== undefined && !coversMerchant(subscription, content.merchant_id)) {
      unwanted.push({ delivery, probe });
      continue;
    }
    const body = delivery.body ?? (content && deliveryBody(delivery, content));
    if (body !== undefined) claims.push({ delivery: { ...delivery, leased_until }, subscription, body, probe });
  }
  return { claims, unwanted };
}

/** Skips unwanted deliveries. If one was a probe, the next delivery becomes the probe. */
async function skip(tx: Tx, unwanted: readonly TakenDelivery[], ready: readonly WaitingSubscription[]): Promise<void> {
  const skipped = ({ status, attempts }: WebhookDelivery): DeliveryStep => ({
    status: transition(deliveryTransitions, "skip", status),
    attempts,
    next_at: null,
  });
  await saveMoved(
    tx,
    unwanted.map(({ delivery }) => stepped(delivery, skipped(delivery), tx.now)),
  );
  const probes = new Set(unwanted.flatMap(({ delivery, probe }) => (probe ? [delivery.subscription_id] : [])));
  for (const one of ready) if (probes.has(one.id)) await savePace(tx, one);
}

/**
 * Records attempts in the order in which they ended: the log, each delivery's state and each receiver's health. Returns
 * the subscriptions whose status changed.
 */
export async function recordAttempts(tx: Tx, finished: readonly FinishedAttempt[]): Promise<Subscription[]> {
  const subscription_ids = new Set(finished.map(({ claim }) => claim.subscription.id));
  tx.changed("attempts");
  const subscriptions = await lockSubscriptionsById(tx, [...subscription_ids]);
  const deliveries = await lockDeliveries(
    tx,
    finished.map(({ claim }) => claim.delivery.id),
  );
  const healths = new Map<number, SubscriptionHealth>();
  const moved = new Map<number, WebhookDelivery>();
  const entered: Subscription[] = [];
  const log: Omit<DeliveryAttempt, "id">[] = [];
  for (const attempt of finished) {
    const { claim, result, real_now, random } = attempt;
    const delivery = moved.get(claim.delivery.id) ?? deliveries.get(claim.delivery.id);
    const subscription = subscriptions.get(claim.subscription.id);
    if (delivery === undefined || subscription === undefined) continue;
    const moment = { now: tx.now, real_now, random };
    // Another server has claimed the delivery since and decides, but a success always counts.
    const overtaken = delivery.leased_until !== claim.delivery.leased_until && result.error !== null;
    const after = overtaken ? null : stepped(delivery, afterAttempt(delivery, result, moment), tx.now);
    if (after !== null) moved.set(after.id, after);
    log.push(attemptOf(attempt, after?.next_at ?? null));
    const before = healths.get(subscription.id) ?? subscription;
    const { health, entered: status } = healthAfter(before, result, moment, claim.probe);
    healths.set(subscription.id, health);
    if (status !== null) entered.push({ ...subscription, ...health });
  }
  await insertAttempts(tx, await withoutDropped(tx, log, deliveries));
  await saveMoved(tx, [...moved.values()]);
  for (const [id, subscription] of subscriptions) {
    const after = healths.get(id) ?? subscription;
    if (!isDeepStrictEqual(healthOf(after), healthOf(subscription))) await saveHealth(tx, id, after);
  }
  for (const subscription of entered) {
    if (!isActive(subscription.status)) await saveEnding(tx, subscription.id, await endSome(tx, subscription));
  }
  return entered;
}

/** Removes the responses to events whose payload was dropped during the attempt, since they may repeat it. */
async function withoutDropped(
  tx: Tx,
  log: readonly Omit<DeliveryAttempt, "id">[],
  deliveries: ReadonlyMap<number, WebhookDelivery>,
): Promise<readonly Omit<DeliveryAttempt, "id">[]> {
  // A pending delivery always has its payload.
  const ended = [...deliveries.values()].filter(({ status, body }) => body === null && !isUnsent(status));
  if (ended.length === 0) return log;
  const ids = ended.map(({ event_id }) => event_id);
  const contents = await findEventContents(tx, ids);
  const dropped = new Set(ended.flatMap(({ id, event_id }) => (contents.get(event_id)?.body === "" ? [id] : [])));
  return log.map((one) =>
    dropped.has(one.delivery_id) ? { ...one, response_headers: null, response_body: null } : one,
  );
}

function stepped(delivery: WebhookDelivery, step: DeliveryStep, now: number): WebhookDelivery {
  const finished_at = isUnsent(step.status) ? null : (delivery.finished_at ?? now);
  return { ...delivery, ...step, finished_at, leased_until: null };
}

/** Saves deliveries. Those with equal results, as most have, are saved in one statement. */
async function saveMoved(tx: Tx, moved: readonly WebhookDelivery[]): Promise<void> {
  const resultKey = ({ status, attempts, next_at, finished_at }: WebhookDelivery) =>
    `${status} ${attempts} ${next_at} ${finished_at}`;
  for (const [first, ...others] of Map.groupBy(moved, resultKey).values()) {
    if (first === undefined) continue;
    const ids = [first, ...others].map(({ id }) => id);
    await saveProgress(tx, ids, first);
    if (first.next_at !== null) tx.wake("webhooks.deliver", first.next_at);
  }
}
