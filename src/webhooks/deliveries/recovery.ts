import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import type { DeliveryStatus, RecoveryStatus } from "../webhooks.transitions.ts";

/** A request to redeliver what one subscription missed. */
export interface DeliveryRecovery {
  readonly id: number;
  readonly subscription_id: number;
  readonly status: RecoveryStatus;
  readonly since: number;
  readonly until: number;
  readonly statuses: readonly DeliveryStatus[];
  /** The number of deliveries to queue. */
  readonly total: number;
  readonly queued: number;
  readonly created_at: number;
}

/** The maximum number of deliveries of one recovery. */
export const recovered_max = 10_000;

/** How far back a recovery can reach: the default retention of payloads (ms). */
export const recovery_window_ms = 30 * day_ms;

/** The results of the deliveries that a recovery queued. */
export interface RecoveryOutcome {
  readonly pending: number;
  readonly delivered: number;
}

/**
 * Returns the recovery as the API shows it. Deliveries that a later recovery took over count as failed in this one.
 */
export function recoveryView(recovery: DeliveryRecovery, { pending, delivered }: RecoveryOutcome) {
  const { id, subscription_id, status, since, until, statuses, total, queued, created_at } = recovery;
  const is_running = status === "queueing" || (status === "queued" && pending > 0);
  const shown: "running" | "completed" | "cancelled" = is_running
    ? "running"
    : status === "cancelled"
      ? "cancelled"
      : "completed";
  return {
    id: wireId("recovery", id),
    subscription_id: wireId("subscription", subscription_id),
    status: shown,
    created_after: iso(since),
    created_before: iso(until),
    statuses,
    total,
    queued,
    delivered,
    failed: queued - delivered - pending,
    created_at: iso(created_at),
  };
}
