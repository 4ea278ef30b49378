// The entries of a subscription's log: one for each attempt.
import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { EventType } from "../../outbox/catalog.ts";
import type { AttemptErrorCode, AttemptStatus, AttemptTrigger } from "../status.ts";
import { deliveryHeaders } from "./headers.ts";

/** One entry of a subscription's log. */
export interface Attempt {
  readonly id: number;
  readonly delivery_id: number;
  readonly subscription_id: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly trigger: AttemptTrigger;
  readonly status: AttemptStatus;
  readonly url: string;
  /** The headers of the request are made from it again. */
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

/** An entry of the log with what its delivery says of the event. */
export interface LoggedAttempt extends Attempt {
  readonly event_id: string;
  readonly event_type: EventType;
}

/** An entry of the log as the API shows it. */
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
