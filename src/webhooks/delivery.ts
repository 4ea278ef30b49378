// A delivery of one event to one subscription, the attempts made at it, and the bytes that are sent.
import { assert } from "../kit/assert.ts";
import { iso, isoOrNull } from "../kit/clock.ts";
import { wireId } from "../kit/ids.ts";
import { open } from "../kit/seal.ts";
import type { EventType } from "../outbox/catalog.ts";
import type { AttemptResult } from "./attempt.ts";
import { deliveryHeaders } from "./signing.ts";
import type { AttemptErrorCode, AttemptStatus, AttemptTrigger, DeliveryStatus } from "./status.ts";
import { type Subscription, secret_purpose } from "./subscription.ts";

/** One event on its way to one subscription. */
export interface Delivery {
  readonly id: number;
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
  /** Null when the event's own bytes are sent. */
  readonly body: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** One line of a subscription's log. */
export interface Attempt {
  readonly id: number;
  readonly delivery_id: number;
  readonly subscription_id: number;
  readonly event_id: string;
  readonly event_type: EventType;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly trigger: AttemptTrigger;
  readonly status: AttemptStatus;
  readonly url: string;
  readonly request_headers: Readonly<Record<string, string>>;
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

/** A delivery that this server has claimed, with all that one attempt at it needs. */
export interface Claim {
  readonly delivery: Delivery;
  readonly subscription: Subscription;
  /** The bytes to send, as text. */
  readonly body: string;
}

/** An attempt that has ended. */
export interface Finished {
  readonly claim: Claim;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly result: AttemptResult;
  /** When it began, by the store's clock. */
  readonly started_at: number;
  /** When it ended, in real time. */
  readonly real_now: number;
  /** A random number from 0 to 1 for the jitter of the next attempt. */
  readonly random: number;
}

/** What the sender is handed for one attempt, signed at this moment (real time). */
export function signed(claim: Claim, test: boolean, secret_key: Uint8Array, sent_at: number, now: number) {
  const { delivery, subscription, body } = claim;
  const { previous_secret, previous_secret_expires_at } = subscription;
  const overlaps = previous_secret !== null && (previous_secret_expires_at ?? 0) > now;
  const headers = deliveryHeaders({
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    subscription_id: wireId("subscription", subscription.id),
    attempt: delivery.attempts + 1,
    body,
    sent_at,
    secret: opened(subscription.secret, secret_key),
    previous_secret: overlaps ? opened(previous_secret, secret_key) : null,
    test,
  });
  return { url: subscription.url, headers, body };
}

function opened(sealed: string, secret_key: Uint8Array): string {
  const secret = open(sealed, secret_key, secret_purpose);
  assert(secret !== null, "a signing secret was sealed under another secret key");
  return secret;
}

/**
 * The bytes of a delivery, or null where the event's own bytes are sent. Version 2 adds `api_version`, `sequence` and
 * `data.previous_attributes`; a thin payload says no more than which object it is about.
 */
export function deliveryBody(
  { version, payload }: Pick<Subscription, "version" | "payload">,
  event_body: string,
  sequence: number,
): string | null {
  if (version === "v1") return null;
  const { data, ...event } = JSON.parse(event_body) as { data: Record<string, unknown> };
  const { object, id, sku } = data;
  const thin = id === undefined ? { object, sku } : { object, id };
  const shown = payload === "thin" ? thin : { ...data, previous_attributes: {} };
  return JSON.stringify({ ...event, api_version: "v1", sequence, data: shown });
}

/** A line of the log as the API shows it. */
export function attemptView(attempt: Attempt) {
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
    request: { headers: attempt.request_headers },
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
