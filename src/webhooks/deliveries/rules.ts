// How one attempt changes its delivery. Times are in milliseconds.
import { assert } from "../../kit/assert.ts";
import { move } from "../../kit/moves.ts";
import { readRetryAfter } from "../../kit/retry_after.ts";
import { type AttemptResult, hint_max_ms, isAborted, type Moment } from "../attempt.ts";
import { type DeliveryAction, type DeliveryStatus, deliveryMoves, isUnsent, type RetryLimit } from "../status.ts";

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
export function afterAttempt(delivery: DeliveryProgress, result: AttemptResult, moment: Moment): DeliveryStep {
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
  move(deliveryMoves, action, status);
