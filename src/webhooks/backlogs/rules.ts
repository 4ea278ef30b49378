// How much may wait for one receiver, and for how long.
const day_ms = 24 * 3_600_000;

/** What a backlog is held to. */
export interface BacklogLimits {
  /** Deliveries that may wait. */
  readonly count: number;
  /** How long one may be due and not be sent, in milliseconds. */
  readonly due_ms: number;
}

/** Longer than any receiver fails before it is switched off, and as much as a busy warehouse tells in some days. */
export const backlogLimits: BacklogLimits = { count: 100_000, due_ms: 7 * day_ms };

const told_every_ms = day_ms;

/** Whether the operator is told that deliveries were skipped: once a day while that goes on. */
export function isTold(last_skipped_at: number | null, now: number): boolean {
  return last_skipped_at === null || now - last_skipped_at > told_every_ms;
}
