// The record of one attempt, as the sender answers it and the log keeps it, and questions about it.
import { type AttemptErrorCode, type AttemptStatus, attemptStatusOf } from "./status.ts";

/** The result of one attempt. An attempt without an error is a success: the receiver answered 2xx. */
export interface AttemptResult {
  /** Null when the receiver did not answer. */
  readonly status_code: number | null;
  /** The answer's headers that the log keeps, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the answer's body, 4 KiB at most. Null when the receiver did not answer. */
  readonly body: string | null;
  /** Whether the answer's body went on. */
  readonly truncated: boolean;
  readonly error: AttemptError | null;
  /** The address that was called; null when none was. */
  readonly ip_address: string | null;
  /** Null when the address was blocked, since the time would reveal something about the network behind it. */
  readonly duration_ms: number | null;
}

/** Why an attempt was no success. */
export interface AttemptError {
  readonly code: AttemptErrorCode;
  readonly message: string;
}

/** What the next attempt depends on besides the result: the time, and chance. */
export interface Moment {
  /** The store's time, which the sandbox may move. */
  readonly now: number;
  /** Real time, by which a receiver writes its dates. */
  readonly real_now: number;
  /** A random number from 0 to 1 for the jitter. */
  readonly random: number;
}

/** The longest wait of a receiver's `Retry-After` that is respected. */
export const hint_max_ms = 24 * 3_600_000;

/** How the log names the result of an attempt. */
export function attemptStatus(result: AttemptResult): AttemptStatus {
  return attemptStatusOf(result.error?.code ?? null);
}

/** Whether the receiver refused this delivery for good, by the header `webhook-delivery: abort-message`. */
export function isAborted(result: AttemptResult): boolean {
  return result.error !== null && result.headers["webhook-delivery"]?.trim().toLowerCase() === "abort-message";
}

/** Whether the receiver or its proxy is overloaded: 502, 503, 504, or no answer in time. */
export function isOverloaded(result: AttemptResult): boolean {
  return result.error?.code === "timeout" || [502, 503, 504].includes(result.status_code ?? 0);
}
