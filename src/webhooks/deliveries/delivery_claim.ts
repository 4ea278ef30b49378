// A delivery that a server has claimed, and the result of its attempt.

import type { Subscription } from "../subscriptions/subscription.ts";
import type { DeliveryAttempt, Signatures } from "./attempt.ts";
import { type AttemptMoment, type AttemptResult, attemptStatus } from "./attempt.ts";
import type { WebhookDelivery } from "./delivery.ts";

/** A claimed delivery with all that one attempt needs. */
export interface DeliveryClaim {
  readonly delivery: WebhookDelivery;
  readonly subscription: Subscription;
  /** The body as text. */
  readonly body: string;
  /** Whether it is the probe of an open circuit. */
  readonly probe: boolean;
}

/** A finished attempt. */
export interface FinishedAttempt extends Omit<AttemptMoment, "now"> {
  readonly claim: DeliveryClaim;
  readonly signatures: Signatures;
  readonly result: AttemptResult;
  /** When it began, by the store's clock (ms). */
  readonly started_at: number;
}

/** Returns the log entry of a finished attempt. `next_at` is the next attempt (ms). */
export function attemptOf(finished: FinishedAttempt, next_at: number | null): Omit<DeliveryAttempt, "id"> {
  const { claim, signatures, result, started_at } = finished;
  const { delivery, subscription } = claim;
  return {
    delivery_id: delivery.id,
    subscription_id: subscription.id,
    attempt: delivery.attempts + 1,
    max_attempts: delivery.max_attempts,
    trigger: delivery.trigger,
    status: attemptStatus(result),
    url: subscription.url,
    ...signatures,
    status_code: result.status_code,
    response_headers: result.status_code === null ? null : result.headers,
    response_body: result.body,
    truncated: result.truncated,
    error_code: result.error?.code ?? null,
    error_message: result.error?.message ?? null,
    ip_address: result.ip_address,
    duration_ms: result.duration_ms,
    started_at,
    next_attempt_at: next_at,
  };
}
