import { iso } from "../../kit/clock.ts";
import { dayText } from "../../kit/zone.ts";
import type { TopicView } from "./schemas.ts";

type Target = TopicView["target"];

/** The list that shows all of a topic, and its filter. */
export const topicTargets = {
  backorder: { noun: "orders", filter: { short: "true" } },
  failed_label: { noun: "labels", filter: { status: "error" } },
  failed_import: { noun: "imports", filter: { status: "failed" } },
  failed_report: { noun: "reports", filter: { status: "failed" } },
  failing_webhook: { noun: "webhooks", filter: {} },
  count_difference: { noun: "counts", filter: { status: "review" } },
  putback: { noun: "putbacks", filter: {} },
  receipts: { noun: "receipts", filter: {} },
  low_stock: { noun: "levels", filter: { low_stock: "true" } },
} as const satisfies Record<string, Target>;

/** The orders that are held for a reason. */
export const heldOrders = (hold_reason: string): Target => ({
  noun: "orders",
  filter: { status: "on_hold", hold_reason },
});

/** The lots on sale whose last day comes before one, in days since 1970-01-01. */
export const expiringLots = (before: number): Target => ({
  noun: "lots",
  filter: { status: "available", on_hand: "true", expiring_before: dayText(before) },
});

/** The orders that are due to leave by a moment, in milliseconds. */
export const ordersToLeave = (until: number): Target => ({
  noun: "orders",
  filter: { statuses: "pending,processing,fulfilled", ship_by_before: iso(until + 1) },
});
