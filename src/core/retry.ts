// Waits between attempts. Stands alone because records of every feature use it.

/** A schedule of retries: the first wait, doubled after each further failure up to a maximum. */
export interface RetrySchedule {
  readonly first_ms: number;
  readonly max_ms: number;
  /** The longest wait that the other side can ask for. */
  readonly hint_max_ms: number;
}

/** Returns the wait after a number of failed attempts (ms); longer if the other side asks. `vary` spreads the waits. */
export function retryWait(
  { first_ms, max_ms, hint_max_ms }: RetrySchedule,
  attempts: number,
  retry_after_seconds: number | null,
  vary = (wait_ms: number) => wait_ms,
): number {
  const wait_ms = vary(Math.min(first_ms * 2 ** Math.max(attempts - 1, 0), max_ms));
  return Math.max(wait_ms, Math.min((retry_after_seconds ?? 0) * 1000, hint_max_ms));
}
