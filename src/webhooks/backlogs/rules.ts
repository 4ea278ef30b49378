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
