import type { Topic } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { stockHref } from "../stock_parts/shared.ts";

// The screen of each list of the API. Both have the same parameters.
const lists: Readonly<Record<string, string>> = {
  orders: "/orders",
  putbacks: "/putbacks",
  labels: "/shipping/labels",
  imports: "/settings/platforms",
  reports: "/settings/platforms",
  webhooks: "/settings/webhooks",
  counts: "/counts",
  receipts: "/receipts",
  lots: "/lots",
  levels: "/stock",
};

/** The address of the list that a topic or a departure names. */
export function listOf({ noun, filter }: Topic["target"]): string {
  return to(lists[noun] ?? "/", filter);
}

/** The address of one of what a topic names. */
export function sampleOf(kind: Topic["kind"], sample: Topic["samples"][number]): string {
  const { id, within } = sample;
  switch (kind) {
    case "hold":
    case "backorder":
      return to(`/orders/${id}`);
    case "putback":
      return to("/putbacks", id.startsWith("ret_") ? { return_id: id } : { order_id: id });
    case "failed_label":
      return to("/shipping/labels", { status: "error" });
    case "failed_import":
    case "failed_report":
      return to(`/settings/platforms/${within ?? ""}`);
    case "failing_webhook":
      return to(`/settings/webhooks/${id}`);
    case "count_difference":
      return to(`/counts/${id}`);
    case "receipt_today":
    case "receipt_late":
      return to(`/receipts/${id}`);
    case "expiring_lot":
      return to(`/lots/${id}`);
    case "low_stock":
      return stockHref(id, sample);
  }
}
