import type { ExceptionKind } from "../api/types.ts";

export const exceptionTexts = {
  kinds: {
    hold: "On hold",
    short_pick: "Short picks",
    carrier_discrepancy: "Carrier discrepancies",
    putback: "To restock",
    failed_label: "Failed labels",
    failed_print: "Failed prints",
    failed_import: "Failed imports",
    failed_report: "Failed shipment reports",
    failed_stock_push: "Failed stock updates",
    failing_webhook: "Failing webhooks",
    expiring_lot: "Near expiry",
    return_inspection: "Returns to inspect",
    count_review: "Counts to post",
  } satisfies Record<ExceptionKind, string>,
  byKind: "By kind",
  kind: "Kind",
  what: "Record",
  todo: "Cause, and what to do",
  sort: "Sort",
  oldest: "Oldest first",
  newest: "Newest first",
  emptyTitle: "You're all caught up",
  emptyText: "Orders on hold, short picks, failed labels and everything else that needs a person appears here.",
  viewAll: (count: string) => `View all (${count})`,
} as const;
