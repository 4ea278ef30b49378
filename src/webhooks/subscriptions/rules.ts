// How attempts change the health of a subscription's receiver. Times are in milliseconds.
import { allowedActions, move } from "../../kit/moves.ts";
import { readRetryAfter } from "../../kit/retry_after.ts";
import { type AttemptResult, hint_max_ms, type Moment } from "../attempt.ts";
import {
  type DisabledReason,
  isFailing,
  type SubscriptionAction,
  type SubscriptionStatus,
  subscriptionMeanings,
  subscriptionMoves,
  subscriptionStarts,
} from "../status.ts";

const minute_ms = 60_000;
const throttled_ms = minute_ms;
const failures_to_failing = 5;
const span_to_failing_ms = minute_ms;
const failing_to_disabled_ms = 5 * 24 * 60 * minute_ms;
const failures_to_open = 5;
const circuit_wait_first_ms = minute_ms;
const circuit_wait_max_ms = 15 * minute_ms;
const window_ms = 2 * minute_ms;
const window_attempts_min = 20;
const tally_ms = 10_000;

/** Attempts that ended within the ten seconds from a moment on. */
export interface Tally {
  readonly started_at: number;
  readonly attempts: number;
  readonly failures: number;
}

/** The health of a subscription's receiver. */
export interface SubscriptionHealth {
  readonly status: SubscriptionStatus;
  /** Why it is disabled, else null. */
  readonly disabled_reason: DisabledReason | null;
  /** Failed attempts since the last success. */
  readonly consecutive_failures: number;
  /** When the first of them failed; null when there is none. */
  readonly first_failure_at: number | null;
  /** When it became `failing`; null before. */
  readonly failing_since: number | null;
  /** Nothing is sent before this moment, because the receiver answered 429; null when it did not. */
  readonly paused_until: number | null;
  /** How long the circuit stays open before the next probe; null while it is closed. */
  readonly circuit_wait_ms: number | null;
  /** While the circuit is open: when the next probe may be sent. Nothing else is sent until then. */
  readonly next_probe_at: number | null;
  /** The attempts of the last two minutes, oldest first, in steps of ten seconds. */
  readonly recent_attempts: readonly Tally[];
}

/** The health of a new subscription. */
export const freshHealth: SubscriptionHealth = {
  status: subscriptionStarts,
  disabled_reason: null,
  consecutive_failures: 0,
  first_failure_at: null,
  failing_since: null,
  paused_until: null,
  circuit_wait_ms: null,
  next_probe_at: null,
  recent_attempts: [],
};

/** The health in a subscription's row. */
export function healthOf(health: SubscriptionHealth): SubscriptionHealth {
  return {
    status: health.status,
    disabled_reason: health.disabled_reason,
    consecutive_failures: health.consecutive_failures,
    first_failure_at: health.first_failure_at,
    failing_since: health.failing_since,
    paused_until: health.paused_until,
    circuit_wait_ms: health.circuit_wait_ms,
    next_probe_at: health.next_probe_at,
    recent_attempts: health.recent_attempts,
  };
}

/** How an attempt changed its subscription. */
interface HealthStep {
  readonly health: SubscriptionHealth;
  /** The new status, or null. The operator gets one notice each of `failing` and `disabled`. */
  readonly entered: SubscriptionStatus | null;
}

/**
 * Decides how an attempt changes the health of its subscription's receiver. Scheduled and manual attempts count,
 * blocked ones too; test events do not and must not be passed. Attempts never resume a subscription that is paused or
 * disabled. `probe` says that the attempt was the probe of an open circuit.
 */
export function afterAnswer(
  health: SubscriptionHealth,
  result: AttemptResult,
  moment: Pick<Moment, "now" | "real_now">,
  probe = false,
): HealthStep {
  if (!subscriptionMeanings[health.status].active) return { health, entered: null };
  const next = result.error === null ? succeeded(health, moment.now) : failed(health, result, moment, probe);
  return { health: next, entered: next.status === health.status ? null : next.status };
}

/** A subscription that a person switched on or off. Switching it on clears its record of failures. */
export function switched(health: SubscriptionHealth, active: boolean): SubscriptionHealth {
  if (active) {
    if (!allowedActions(subscriptionMoves, health.status, false).includes("resume")) return health;
    return { ...freshHealth, status: subscriptionAfter("resume", health.status) };
  }
  if (!subscriptionMeanings[health.status].active) return health;
  return { ...freshHealth, status: subscriptionAfter("pause", health.status) };
}

function succeeded(health: SubscriptionHealth, now: number): SubscriptionHealth {
  const status = isFailing(health.status) ? subscriptionAfter("recover", health.status) : health.status;
  // Closing a circuit starts a new count, or the old failures would open it again.
  const recent_attempts = health.circuit_wait_ms === null ? counted(health.recent_attempts, now, 0) : [];
  return { ...freshHealth, status, paused_until: health.paused_until, recent_attempts };
}

/** The attempts of the last two minutes with one more, without older ones. */
function counted(recent: readonly Tally[], now: number, failures: 0 | 1): readonly Tally[] {
  const started_at = now - (now % tally_ms);
  const kept = recent.filter((tally) => tally.started_at > started_at - window_ms && tally.started_at < started_at);
  const present = recent.find((tally) => tally.started_at === started_at) ?? { started_at, attempts: 0, failures: 0 };
  return [...kept, { started_at, attempts: present.attempts + 1, failures: present.failures + failures }];
}

/** Whether more than half of at least twenty attempts failed. */
function mostFailed(recent: readonly Tally[]): boolean {
  const sum = (of: "attempts" | "failures") => recent.reduce((total, tally) => total + tally[of], 0);
  const attempts = sum("attempts");
  return attempts >= window_attempts_min && 2 * sum("failures") > attempts;
}

type Circuit = Pick<SubscriptionHealth, "circuit_wait_ms" | "next_probe_at">;
const closed_circuit: Circuit = { circuit_wait_ms: null, next_probe_at: null };

/** The circuit after a failure, which is counted already. */
function circuitAfter(health: SubscriptionHealth, now: number, probe: boolean): Circuit {
  const { circuit_wait_ms, next_probe_at, consecutive_failures, recent_attempts } = health;
  const opened = (wait_ms: number): Circuit => ({ circuit_wait_ms: wait_ms, next_probe_at: now + wait_ms });
  if (circuit_wait_ms !== null) {
    return probe ? opened(Math.min(2 * circuit_wait_ms, circuit_wait_max_ms)) : { circuit_wait_ms, next_probe_at };
  }
  const unfit = consecutive_failures >= failures_to_open || mostFailed(recent_attempts);
  return unfit ? opened(circuit_wait_first_ms) : closed_circuit;
}

function failed(
  before: SubscriptionHealth,
  result: AttemptResult,
  moment: Pick<Moment, "now" | "real_now">,
  probe: boolean,
): SubscriptionHealth {
  const { now } = moment;
  const first_failure_at = before.first_failure_at ?? now;
  const consecutive_failures = before.consecutive_failures + 1;
  const paused_until = pausedUntil(before.paused_until, result, moment);
  const recent_attempts = counted(before.recent_attempts, now, 1);
  const counts = { ...before, consecutive_failures, first_failure_at, paused_until, recent_attempts };
  const health = { ...counts, ...circuitAfter(counts, now, probe) };
  const reason = disabledReason(before, result, now);
  if (reason !== null) {
    const status = subscriptionAfter("disable", health.status);
    return { ...health, ...closed_circuit, recent_attempts: [], status, disabled_reason: reason };
  }
  const persists = consecutive_failures >= failures_to_failing && now - first_failure_at >= span_to_failing_ms;
  if (isFailing(health.status) || !persists) return health;
  return { ...health, status: subscriptionAfter("fail", health.status), failing_since: now };
}

function disabledReason(health: SubscriptionHealth, result: AttemptResult, now: number): DisabledReason | null {
  if (result.error?.code === "gone") return "gone";
  if (health.failing_since === null) return null;
  return now - health.failing_since >= failing_to_disabled_ms ? "no_success" : null;
}

function pausedUntil(
  before: number | null,
  result: AttemptResult,
  { now, real_now }: Pick<Moment, "now" | "real_now">,
): number | null {
  if (result.error?.code !== "too_many_requests") return before;
  const hint_ms = readRetryAfter(result.headers["retry-after"], real_now) ?? throttled_ms;
  return Math.max(before ?? 0, now + Math.min(hint_ms, hint_max_ms));
}

const subscriptionAfter = (action: SubscriptionAction, status: SubscriptionStatus): SubscriptionStatus =>
  move(subscriptionMoves, action, status);
