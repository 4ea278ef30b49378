// How many deliveries may wait for one receiver, and for how long.
const day_ms = 24 * 3_600_000;

/** The limits of a backlog. */
export interface BacklogLimits {
  /** Deliveries that may wait. */
  readonly count: number;
  /** How long a delivery may be due without being sent, in milliseconds. */
  readonly due_ms: number;
}

/** Longer than a receiver can fail before it is switched off, and the events of a busy warehouse in some days. */
export const backlogLimits: BacklogLimits = { count: 100_000, due_ms: 7 * day_ms };
