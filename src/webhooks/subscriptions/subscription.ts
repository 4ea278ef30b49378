// How attempts change the health of a subscription's receiver. Times are in milliseconds.

import { iso, isoOrNull } from "../../core/clock.ts";
import { assert, Fault } from "../../core/faults.ts";
import { readRetryAfter } from "../../core/http_headers.ts";
import { wireId } from "../../core/ids.ts";
import { minute_ms } from "../../core/time.ts";
import { allowedActions, transition } from "../../core/transitions.ts";
import type { EventType } from "../../events/event_types.ts";
import { type AttemptMoment, type AttemptResult, hint_max_ms } from "../deliveries/attempt.ts";
import {
  type DisabledReason,
  isActive,
  isFailing,
  type PayloadKind,
  type RetryLimit,
  type SubscriptionAction,
  type SubscriptionStatus,
  type SubscriptionVersion,
  subscriptionStarts,
  subscriptionTransitions,
} from "../webhooks.transitions.ts";

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

/** The attempts that ended within a period of ten seconds. */
export interface AttemptTally {
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
  /** Until then nothing is sent, since the receiver returned 429; null if it did not. */
  readonly paused_until: number | null;
  /** How long the circuit stays open before the next probe; null while it is closed. */
  readonly circuit_wait_ms: number | null;
  /** While the circuit is open: when the next probe may be sent. Nothing else is sent until then. */
  readonly next_probe_at: number | null;
  /** The attempts of the last two minutes, oldest first, in steps of ten seconds. */
  readonly recent_attempts: readonly AttemptTally[];
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
 * disabled. `probe` is whether the attempt was the probe of an open circuit.
 */
export function healthAfter(
  health: SubscriptionHealth,
  result: AttemptResult,
  moment: Pick<AttemptMoment, "now" | "real_now">,
  probe = false,
): HealthStep {
  if (!isActive(health.status)) return { health, entered: null };
  const next = result.error === null ? succeeded(health, moment.now) : failed(health, result, moment, probe);
  return { health: next, entered: next.status === health.status ? null : next.status };
}

/** The health after a user resumes or pauses a subscription. Resuming clears its record of failures. */
export function withStatus(health: SubscriptionHealth, active: boolean): SubscriptionHealth {
  if (active) {
    if (!allowedActions(subscriptionTransitions, health.status, false).includes("resume")) return health;
    return { ...freshHealth, status: subscriptionAfter("resume", health.status) };
  }
  if (!isActive(health.status)) return health;
  return { ...freshHealth, status: subscriptionAfter("pause", health.status) };
}

function succeeded(health: SubscriptionHealth, now: number): SubscriptionHealth {
  const status = isFailing(health.status) ? subscriptionAfter("recover", health.status) : health.status;
  // Closing a circuit starts a new count, or the old failures would open it again.
  const recent_attempts = health.circuit_wait_ms === null ? counted(health.recent_attempts, now, 0) : [];
  return { ...freshHealth, status, paused_until: health.paused_until, recent_attempts };
}

/** Adds an attempt, and drops those older than two minutes. */
function counted(recent: readonly AttemptTally[], now: number, failures: 0 | 1): readonly AttemptTally[] {
  const started_at = now - (now % tally_ms);
  const kept = recent.filter((tally) => tally.started_at > started_at - window_ms && tally.started_at < started_at);
  const present = recent.find((tally) => tally.started_at === started_at) ?? { started_at, attempts: 0, failures: 0 };
  return [...kept, { started_at, attempts: present.attempts + 1, failures: present.failures + failures }];
}

/** Whether more than half of at least twenty attempts failed. */
function mostFailed(recent: readonly AttemptTally[]): boolean {
  const sum = (of: "attempts" | "failures") => recent.reduce((total, tally) => total + tally[of], 0);
  const attempts = sum("attempts");
  return attempts >= window_attempts_min && 2 * sum("failures") > attempts;
}

type CircuitState = Pick<SubscriptionHealth, "circuit_wait_ms" | "next_probe_at">;
const closed_circuit: CircuitState = { circuit_wait_ms: null, next_probe_at: null };

/** The circuit after a failure that is already counted. */
function circuitAfter(health: SubscriptionHealth, now: number, probe: boolean): CircuitState {
  const { circuit_wait_ms, next_probe_at, consecutive_failures, recent_attempts } = health;
  const opened = (wait_ms: number): CircuitState => ({ circuit_wait_ms: wait_ms, next_probe_at: now + wait_ms });
  if (circuit_wait_ms !== null) {
    return probe ? opened(Math.min(2 * circuit_wait_ms, circuit_wait_max_ms)) : { circuit_wait_ms, next_probe_at };
  }
  const unfit = consecutive_failures >= failures_to_open || mostFailed(recent_attempts);
  return unfit ? opened(circuit_wait_first_ms) : closed_circuit;
}

function failed(
  before: SubscriptionHealth,
  result: AttemptResult,
  moment: Pick<AttemptMoment, "now" | "real_now">,
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
  { now, real_now }: Pick<AttemptMoment, "now" | "real_now">,
): number | null {
  if (result.error?.code !== "too_many_requests") return before;
  const hint_ms = readRetryAfter(result.headers["retry-after"], real_now) ?? throttled_ms;
  return Math.max(before ?? 0, now + Math.min(hint_ms, hint_max_ms));
}

const subscriptionAfter = (action: SubscriptionAction, status: SubscriptionStatus): SubscriptionStatus =>
  transition(subscriptionTransitions, action, status);

const prefix = "whsec_";

/** The purpose with which signing secrets are encrypted. */
export const secret_purpose = "webhooks.secret";

/** The random bytes that `newSecret` needs. */
export const secret_bytes = 32;

/** A new signing secret from 32 random bytes: `whsec_` and their padded base64. */
export function newSecret(random: Uint8Array): string {
  assert(random.length === secret_bytes, `a secret takes ${secret_bytes} random bytes`);
  return prefix + Buffer.from(random).toString("base64");
}

/** The problem with a client's secret, or null. It must be `whsec_` and padded base64 of 24 to 64 bytes. */
export function secretProblem(secret: string): string | null {
  if (!secret.startsWith(prefix)) return `must start with ${prefix}`;
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  if (key.toString("base64") !== secret.slice(prefix.length)) return `must be padded base64 after ${prefix}`;
  return key.length < 24 || key.length > 64 ? "must encode 24 to 64 bytes" : null;
}

/** The bytes that a secret encodes. */
export function secretBytes(secret: string): Uint8Array {
  return Buffer.from(secret.slice(prefix.length), "base64");
}

/** A receiver subscribed to some types of events. */
export interface Subscription extends SubscriptionHealth {
  readonly id: number;
  /** The merchant that owns it and whose events it receives; null for the operator. */
  readonly merchant_id: number | null;
  /** For an operator's subscription: ids of the merchants whose events it receives; null for all. */
  readonly merchants: readonly number[] | null;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string | null;
  readonly version: SubscriptionVersion;
  readonly payload: PayloadKind;
  readonly retry_limit: RetryLimit;
  /** The maximum number of attempts per second; null for no limit of its own. */
  readonly rate_limit_per_second: number | null;
  /** When that limit allows the next attempt. */
  readonly paced_until: number | null;
  /** Encrypted with the purpose `secret_purpose`. */
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_expires_at: number | null;
  /** It receives events whose position is after this one. */
  readonly begins_after: number;
  /** The number of the last delivery created for it. */
  readonly sequence: number;
  /** Whether it has pending deliveries that must be ended. */
  readonly is_ending: boolean;
  /** How many deliveries the backlog limits have skipped, and when this last happened. */
  readonly backlog_skipped: number;
  readonly backlog_skipped_at: number | null;
  /** Incremented by each change of a client. */
  readonly revision: number;
  readonly deleted_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/**
 * The lock of transactions that create subscriptions or change what they receive. It is taken before that of the
 * fan-out.
 */
export const subscriptions_lock = "webhooks.subscribe";

/** The maximum number of subscriptions per environment. */
export const subscriptions_max = 50;

/** Whether a subscription receives the events of a merchant. */
export function coversMerchant(
  { merchant_id, merchants }: Pick<Subscription, "merchant_id" | "merchants">,
  merchant: number,
): boolean {
  return merchant_id === null ? merchants === null || merchants.includes(merchant) : merchant_id === merchant;
}

/** The subscription as the API shows it, without its secret. */
export function subscriptionView(subscription: Subscription) {
  const {
    id,
    merchant_id,
    merchants,
    url,
    events,
    description,
    version,
    payload,
    retry_limit,
    status,
    disabled_reason,
  } = subscription;
  return {
    id: wireId("subscription", id),
    merchant_id: merchant_id === null ? null : wireId("merchant", merchant_id),
    merchants: merchants === null ? null : merchants.map((merchant) => wireId("merchant", merchant)),
    url,
    events,
    description,
    active: isActive(status),
    status,
    disabled_reason,
    version,
    payload,
    retry_limit,
    rate_limit_per_second: subscription.rate_limit_per_second,
    circuit: {
      state: subscription.circuit_wait_ms === null ? ("closed" as const) : ("open" as const),
      next_probe_at: isoOrNull(subscription.next_probe_at),
    },
    consecutive_failures: subscription.consecutive_failures,
    failing_since: isoOrNull(subscription.failing_since),
    paused_until: isoOrNull(subscription.paused_until),
    previous_secret_expires_at: isoOrNull(subscription.previous_secret_expires_at),
    backlog: {
      skipped: subscription.backlog_skipped,
      last_skipped_at: isoOrNull(subscription.backlog_skipped_at),
    },
    created_at: iso(subscription.created_at),
    updated_at: iso(subscription.updated_at),
  };
}

/** What a subscription receives, and where. */
export type Reception = Pick<Subscription, "merchant_id" | "merchants" | "url" | "events" | "version">;

/** Whether two subscriptions would receive the same deliveries at the same URL. */
export function isDuplicate(one: Reception, other: Reception): boolean {
  const chosen = ({ merchant_id, merchants, events }: Reception) =>
    JSON.stringify([merchant_id, merchants, [...events].sort()]);
  return one.url === other.url && one.version === other.version && chosen(one) === chosen(other);
}

/** Refuses a paused or disabled subscription. Refuses: subscription_disabled. */
export function refuseInactive({ status, disabled_reason }: Subscription): void {
  if (isActive(status)) return;
  throw new Fault("subscription_disabled", `The subscription is ${status}. Resume it first.`, {
    status,
    disabled_reason,
  });
}
