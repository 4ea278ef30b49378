import { invalid } from "../../kit/fault.ts";

const past_max_ms = 72 * 3_600_000;
const ahead_max_ms = 5 * 60_000;

/** Refuses: validation_failed, for a notification so old that no platform repeats it any more. */
export function refuseUntimely(created_at: number | null, now: number): void {
  if (created_at === null) return;
  if (created_at < now - past_max_ms) throw invalid("created_at", "is more than 72 hours ago", "too_old");
  if (created_at > now + ahead_max_ms) throw invalid("created_at", "lies in the future", "too_new");
}

/** The answer to a platform, in the form of the specification. */
export interface NotificationAnswer {
  readonly success: true;
  readonly order_id: string | null;
  readonly status: "processing" | "ignored";
  /** The day (`YYYY-MM-DD`) on which the order is expected to leave; null when nobody can say. */
  readonly estimated_ship_date: string | null;
}

/** The answer to a ping, or to a notification that is of no interest here: without an order. */
export function notificationView(order_id: string | null, estimated_ship_date: string | null): NotificationAnswer {
  return { success: true, order_id, status: order_id === null ? "ignored" : "processing", estimated_ship_date };
}
