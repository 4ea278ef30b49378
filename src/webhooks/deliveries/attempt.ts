// The result of one delivery attempt, its request headers and its log entry.

import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import type { EventType } from "../../events/event_types.ts";
import {
  type AttemptErrorCode,
  type AttemptStatus,
  type AttemptTrigger,
  attemptStatusOf,
} from "../webhooks.transitions.ts";

/** The result of one attempt. Without an error it is a success: the receiver returned 2xx. */
export interface AttemptResult {
  /** Null when the receiver did not respond. */
  readonly status_code: number | null;
  /** The logged response headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the response body, at most 4 KiB. Null when the receiver did not respond. */
  readonly body: string | null;
  /** Whether the response body was longer. */
  readonly truncated: boolean;
  readonly error: AttemptError | null;
  /** The IP address that was called; null if none was. */
  readonly ip_address: string | null;
  /** Null for a blocked address, since the time would reveal something about the network behind it. */
  readonly duration_ms: number | null;
}

/** The reason why an attempt failed. */
export interface AttemptError {
  readonly code: AttemptErrorCode;
  readonly message: string;
}

/** The inputs of the next attempt other than the result. */
export interface AttemptMoment {
  /** The store's time, which can be moved in test data. */
  readonly now: number;
  /** Real time, in which receivers write dates. */
  readonly real_now: number;
  /** A random number from 0 to 1, for jitter. */
  readonly random: number;
}

/** The longest `Retry-After` that is respected, in milliseconds. */
export const hint_max_ms = day_ms;

/** Returns the log status of an attempt. */
export function attemptStatus(result: AttemptResult): AttemptStatus {
  return attemptStatusOf(result.error?.code ?? null);
}

/** Whether the receiver refused this delivery permanently with the header `webhook-delivery: abort-message`. */
export function isAborted(result: AttemptResult): boolean {
  return result.error !== null && result.headers["webhook-delivery"]?.trim().toLowerCase() === "abort-message";
}

/** Whether the receiver or its proxy is overloaded: 502, 503, 504 or a timeout. */
export function isOverloaded(result: AttemptResult): boolean {
  return result.error?.code === "timeout" || [502, 503, 504].includes(result.status_code ?? 0);
}

/** The signatures of one attempt, which are sent and logged. */
export interface Signatures {
  /** The signed time, in Unix seconds. */
  readonly timestamp_s: number;
  /**
   * Two signatures with the secret: over the body, and by Standard Webhooks; then two with the previous secret, if
   * valid.
   */
  readonly signatures: string;
}

/** The content of an attempt's headers. */
export interface SignedAttempt extends Signatures {
  readonly event_id: string;
  readonly event_type: string;
  /** `whk_…` */
  readonly subscription_id: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** Whether this is a test event. */
  readonly test: boolean;
}

/** Returns the headers of an attempt. The sender adds host and length. */
export function deliveryHeaders(delivery: SignedAttempt): Record<string, string> {
  const { event_id, timestamp_s } = delivery;
  const [signature = "", timed = "", previous, timed_previous] = delivery.signatures.split(" ");
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": "Packhouse-Webhooks/1",
    "X-Webhook-Signature": signature,
    "X-Packhouse-Signature": signature,
    "webhook-id": event_id,
    "webhook-timestamp": String(timestamp_s),
    "webhook-signature": timed_previous === undefined ? timed : `${timed} ${timed_previous}`,
    "X-Webhook-Event": delivery.event_type,
    "X-Webhook-Attempt": String(delivery.attempt),
    "X-Webhook-Subscription": delivery.subscription_id,
  };
  if (previous !== undefined) headers["X-Webhook-Signature-Previous"] = previous;
  if (delivery.test) headers["X-Webhook-Test"] = "true";
  return headers;
}

/** One entry of a subscription's log: one attempt. */
export interface DeliveryAttempt {
  readonly id: number;
  readonly delivery_id: number;
  readonly subscription_id: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly trigger: AttemptTrigger;
  readonly status: AttemptStatus;
  readonly url: string;
  /** The signed time in Unix seconds, from which the request headers are rebuilt. */
  readonly timestamp_s: number;
  readonly signatures: string;
  readonly status_code: number | null;
  readonly response_headers: Readonly<Record<string, string>> | null;
  readonly response_body: string | null;
  readonly truncated: boolean;
  readonly error_code: AttemptErrorCode | null;
  readonly error_message: string | null;
  readonly ip_address: string | null;
  readonly duration_ms: number | null;
  readonly started_at: number;
  readonly next_attempt_at: number | null;
}

/** A log entry with its event. */
export interface LoggedAttempt extends DeliveryAttempt {
  readonly event_id: string;
  readonly event_type: EventType;
}

/** Returns a log entry as the API shows it. */
export function attemptView(attempt: LoggedAttempt) {
  const { error_code, error_message, status_code } = attempt;
  return {
    id: wireId("attempt", attempt.id),
    delivery_id: wireId("delivery", attempt.delivery_id),
    event_id: attempt.event_id,
    event_type: attempt.event_type,
    attempt: attempt.attempt,
    max_attempts: attempt.max_attempts,
    trigger: attempt.trigger,
    status: attempt.status,
    url: attempt.url,
    request: { headers: headersOf(attempt) },
    response:
      status_code === null
        ? null
        : {
            status_code,
            headers: attempt.response_headers ?? {},
            body: attempt.response_body,
            truncated: attempt.truncated,
          },
    error: error_code === null ? null : { code: error_code, message: error_message ?? "" },
    ip_address: attempt.ip_address,
    duration_ms: attempt.duration_ms,
    started_at: iso(attempt.started_at),
    next_attempt_at: isoOrNull(attempt.next_attempt_at),
  };
}

function headersOf(attempt: LoggedAttempt): Readonly<Record<string, string>> {
  const subscription_id = wireId("subscription", attempt.subscription_id);
  return deliveryHeaders({ ...attempt, subscription_id, test: attempt.trigger === "test" });
}
