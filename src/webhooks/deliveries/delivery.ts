// A delivery of one event to one subscription, and the bytes that are sent.

import { iso, isoOrNull } from "../../core/clock.ts";
import { assert } from "../../core/faults.ts";
import { readRetryAfter } from "../../core/http_headers.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import type { EventContent, EventType } from "../../events/event_types.ts";
import { dataWithoutBins, showsBins } from "../../inventory/warehouses/bin_visibility.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import {
  type AttemptTrigger,
  type DeliveryAction,
  type DeliveryForm,
  type DeliveryStatus,
  deliveryTransitions,
  isUnsent,
  type RestoredState,
  type RetryLimit,
} from "../webhooks.transitions.ts";
import { type AttemptMoment, type AttemptResult, hint_max_ms, isAborted } from "./attempt.ts";

/** One event to be sent to one subscription. */
export interface WebhookDelivery {
  readonly id: number;
  /** That of its subscription. */
  readonly merchant_id: number | null;
  readonly subscription_id: number;
  readonly event_id: string;
  readonly event_type: EventType;
  /** Its number among the subscription's deliveries, from 1; 0 for test events. */
  readonly sequence: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly spent_attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number | null;
  readonly form: DeliveryForm;
  /** What is sent, if it is not made from a stored event; else null. */
  readonly body: string | null;
  /** The trigger of its present retry budget. */
  readonly trigger: AttemptTrigger;
  /** The recovery that queued it again, or null. */
  readonly recovery_id: number | null;
  /** What became of it after a restore, if it waited when the data came from a backup; else null. */
  readonly restored: RestoredState | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** The lock of transactions that queue deliveries again or delete payloads, so that no payload is lost in between. */
export const payload_turn = "webhooks.payloads";

/** Whether a delivery leaves the first slots to others: it has been tried before, or was queued again. */
export function isLate({ trigger, attempts }: Pick<WebhookDelivery, "trigger" | "attempts">): boolean {
  return trigger !== "scheduled" || attempts >= attempts_first;
}

const attempts_first = 2;

/** Whether it waits for the operator's decision after a restore. */
export const isHeld = ({ restored }: Pick<WebhookDelivery, "restored">): boolean => restored === "waiting";

/** The payload form for new deliveries of a subscription. */
export function formOf({ version, payload }: Pick<Subscription, "version" | "payload">): DeliveryForm {
  if (version === "v1") return "v1";
  return payload === "thin" ? "v2_thin" : "v2";
}

/**
 * The bytes of a delivery, made from its event. They must be the same at each attempt, so this function must never
 * change its output. Version 2 adds `api_version`, `sequence` and `data.previous_attributes`; a thin payload names only
 * its object. A merchant's receiver is told of no bins. Empty when the event's payload was deleted.
 */
export function deliveryBody(
  { form, sequence, ...asker }: Pick<WebhookDelivery, "form" | "sequence" | "merchant_id">,
  content: EventContent,
): string {
  const isWhole = showsBins(asker);
  if (content.body === "" || (form === "v1" && isWhole)) return content.body;
  const { data: all, ...event } = JSON.parse(content.body) as { data: Record<string, unknown> };
  const data = isWhole ? all : dataWithoutBins(all);
  if (form === "v1") return JSON.stringify({ ...event, data });
  const { object, id, sku } = data;
  const thin = id === undefined ? { object, sku } : { object, id };
  const shown = form === "v2_thin" ? thin : { ...data, previous_attributes: JSON.parse(content.previous ?? "{}") };
  return JSON.stringify({ ...event, api_version: "v1", sequence, data: shown });
}

/** A delivery as the API shows it. */
export function deliveryView(delivery: WebhookDelivery) {
  const { id, subscription_id, event_id, event_type, sequence, status, attempts, max_attempts, trigger } = delivery;
  return {
    id: wireId("delivery", id),
    subscription_id: wireId("subscription", subscription_id),
    event_id,
    event_type,
    sequence,
    status,
    attempts,
    max_attempts,
    trigger,
    recovery_id: delivery.recovery_id === null ? null : wireId("recovery", delivery.recovery_id),
    restored: delivery.restored,
    next_attempt_at: isoOrNull(delivery.next_at),
    created_at: iso(delivery.created_at),
    finished_at: isoOrNull(delivery.finished_at),
  };
}

// How one attempt changes its delivery. Times are in milliseconds.

const second_ms = 1000;
const minute_ms = 60 * second_ms;
const hour_ms = 60 * minute_ms;

/** The wait after each failure, before jitter. A subscription uses as many of them as it has retries. */
export const retryWaits_ms: readonly number[] = [
  5 * second_ms,
  5 * minute_ms,
  30 * minute_ms,
  ...[2, 5, 10, 14, 20, 24, 24].map((hours) => hours * hour_ms),
];

const jitter_max = 0.2;

/** A delivery, as far as its next attempt depends on it. */
export interface DeliveryProgress {
  readonly status: DeliveryStatus;
  /** Attempts made so far. */
  readonly attempts: number;
  /** The number of the last attempt that the present budget allows: see `budget`. */
  readonly max_attempts: number;
  /** Attempts made before the present budget: 0 until the delivery is queued again. */
  readonly spent_attempts: number;
}

/** The state of a delivery after an attempt. */
export interface DeliveryStep {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** When to try again, by the store's clock; null when no more attempts follow. */
  readonly next_at: number | null;
}

/**
 * The attempt at which a delivery's budget ends, after `attempts` so far: 0 for a new one. A test event has no retries.
 */
export function budget(
  attempts: number,
  retry_limit: RetryLimit | 0,
): { max_attempts: number; spent_attempts: number } {
  return { max_attempts: attempts + retry_limit + 1, spent_attempts: attempts };
}

/**
 * The wait in milliseconds after a failure of a budget, counted from 1: the schedule's entry, up to 20 % longer at
 * random, and at least as long as the receiver asked for, up to a day.
 */
export function retryDelay(failure: number, random: number, hint_ms: number | null): number {
  const base = retryWaits_ms[failure - 1];
  assert(base !== undefined, `the schedule has no wait after failure ${failure}`);
  const delay = Math.round(base * (1 + jitter_max * random));
  return hint_ms === null ? delay : Math.max(delay, Math.min(hint_ms, hint_max_ms));
}

/**
 * Decides the state of a delivery after an attempt. A 2xx makes it delivered, whatever happened to it meanwhile. After
 * a failure it waits for its next attempt, unless its budget is spent, the receiver aborted it, or the receiver
 * answered 410.
 */
export function afterAttempt(delivery: DeliveryProgress, result: AttemptResult, moment: AttemptMoment): DeliveryStep {
  const attempts = delivery.attempts + 1;
  const ended = (status: DeliveryStatus): DeliveryStep => ({ status, attempts, next_at: null });
  if (result.error === null) return ended(deliveryAfter("deliver", delivery.status));
  if (!isUnsent(delivery.status)) return ended(delivery.status);
  if (isAborted(result)) return ended(deliveryAfter("cancel", delivery.status));
  if (result.error.code === "gone") return ended(deliveryAfter("skip", delivery.status));
  if (attempts >= delivery.max_attempts) return ended(deliveryAfter("give_up", delivery.status));
  const hint_ms = readRetryAfter(result.headers["retry-after"], moment.real_now);
  const delay = retryDelay(attempts - delivery.spent_attempts, moment.random, hint_ms);
  return { status: delivery.status, attempts, next_at: moment.now + delay };
}

/**
 * A delivery queued again with a new budget; its attempts keep counting. A single delivery may be redelivered from any
 * status; a recovery takes only exhausted and skipped ones. Refuses: invalid_state_transition.
 */
export function requeued<D extends DeliveryProgress>(
  delivery: D,
  action: "redeliver" | "recover",
  retry_limit: RetryLimit,
): D {
  const status = deliveryAfter(action, delivery.status);
  return { ...delivery, status, ...budget(delivery.attempts, retry_limit) };
}

const deliveryAfter = (action: DeliveryAction, status: DeliveryStatus): DeliveryStatus =>
  transition(deliveryTransitions, action, status);
