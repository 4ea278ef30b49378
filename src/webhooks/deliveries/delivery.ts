// A delivery of one event to one subscription, its body, and its state after each attempt.

import { iso, isoOrNull } from "../../core/clock.ts";
import { assert } from "../../core/faults.ts";
import { readRetryAfter } from "../../core/http_headers.ts";
import { wireId } from "../../core/ids.ts";
import { hour_ms, minute_ms, second_ms } from "../../core/time.ts";
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
  /** The merchant of the subscription; null for the operator. */
  readonly merchant_id: number | null;
  readonly subscription_id: number;
  readonly event_id: string;
  readonly event_type: EventType;
  /** The number of the delivery in its subscription, from 1; 0 for test events. */
  readonly sequence: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly spent_attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number | null;
  readonly form: DeliveryForm;
  /** The body, if it is not rebuilt from a stored event; otherwise null. */
  readonly body: string | null;
  /** The trigger of its present retries. */
  readonly trigger: AttemptTrigger;
  /** The recovery that requeued it, or null. */
  readonly recovery_id: number | null;
  /** The state after a restore, if the delivery was pending in the backup; otherwise null. */
  readonly restored: RestoredState | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** The turn of transactions that requeue deliveries or delete payloads, so that no payload is lost in between. */
export const payload_turn = "webhooks.payloads";

/** Whether a delivery yields the first slots to others: it has been tried twice, or was requeued. */
export function isLate({ trigger, attempts }: Pick<WebhookDelivery, "trigger" | "attempts">): boolean {
  return trigger !== "scheduled" || attempts >= attempts_first;
}

const attempts_first = 2;

/** Whether the delivery waits for the operator's decision after a restore. */
export const isHeld = ({ restored }: Pick<WebhookDelivery, "restored">): boolean => restored === "waiting";

/** Returns the payload form for new deliveries of a subscription. */
export function formOf({ version, payload }: Pick<Subscription, "version" | "payload">): DeliveryForm {
  if (version === "v1") return "v1";
  return payload === "thin" ? "v2_thin" : "v2";
}

/**
 * Builds the body of a delivery from its event. It must be the same for each attempt, so this function must never
 * change its output. Version 2 adds `api_version`, `sequence` and `data.previous_attributes`; a thin payload only
 * identifies its object. Merchants' receivers see no bins. Empty when the event's payload was deleted.
 */
export function deliveryBody(
  { form, sequence, ...receiver }: Pick<WebhookDelivery, "form" | "sequence" | "merchant_id">,
  content: EventContent,
): string {
  const isWhole = showsBins(receiver);
  if (content.body === "" || (form === "v1" && isWhole)) return content.body;
  const { data: all, ...event } = JSON.parse(content.body) as { data: Record<string, unknown> };
  const data = isWhole ? all : dataWithoutBins(all);
  if (form === "v1") return JSON.stringify({ ...event, data });
  const { object, id, sku } = data;
  const thin = id === undefined ? { object, sku } : { object, id };
  const shown = form === "v2_thin" ? thin : { ...data, previous_attributes: JSON.parse(content.previous ?? "{}") };
  return JSON.stringify({ ...event, api_version: "v1", sequence, data: shown });
}

/** Returns a delivery as the API shows it. */
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

/** The waits after each failure, before jitter. A subscription uses the first ones, one per retry. */
export const retryWaits_ms: readonly number[] = [
  5 * second_ms,
  5 * minute_ms,
  30 * minute_ms,
  ...[2, 5, 10, 14, 20, 24, 24].map((hours) => hours * hour_ms),
];

const jitter_max = 0.2;

/** The fields of a delivery that determine its next attempt. */
export interface DeliveryProgress {
  readonly status: DeliveryStatus;
  /** The attempts so far. */
  readonly attempts: number;
  /** The number of the last attempt within the present retries: see `budget`. */
  readonly max_attempts: number;
  /** The attempts before the present retries: 0 until the delivery is requeued. */
  readonly spent_attempts: number;
}

/** The state of a delivery after an attempt. */
export interface DeliveryStep {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** The next attempt by the store's clock (ms); null when none follows. */
  readonly next_at: number | null;
}

/**
 * Returns the attempt at which the retries end, after `attempts` so far (0 for a new one). A test event has no
 * retries.
 */
export function budget(
  attempts: number,
  retry_limit: RetryLimit | 0,
): { max_attempts: number; spent_attempts: number } {
  return { max_attempts: attempts + retry_limit + 1, spent_attempts: attempts };
}

/**
 * Returns the wait after a failure (counted from 1), in milliseconds: the schedule's entry, up to 20 % longer at
 * random, and at least as long as the receiver asked for, up to a day.
 */
export function retryDelay(failure: number, random: number, hint_ms: number | null): number {
  const base = retryWaits_ms[failure - 1];
  assert(base !== undefined, `the schedule has no wait after failure ${failure}`);
  const delay = Math.round(base * (1 + jitter_max * random));
  return hint_ms === null ? delay : Math.max(delay, Math.min(hint_ms, hint_max_ms));
}

/**
 * Returns the state of a delivery after an attempt. A 2xx makes it delivered, whatever happened in the meantime.
 * After a failure the next attempt follows, unless the retries are used up or the receiver aborted the delivery or
 * returned 410.
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
 * Returns a delivery with new retries; its attempts keep counting. Any delivery can be redelivered; a recovery accepts
 * only exhausted and skipped ones. Refuses: invalid_state_transition.
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
