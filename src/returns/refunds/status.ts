import type { Moves } from "../../kit/moves.ts";

export const refundStatuses = ["pending", "processing", "refunded", "partially_refunded", "failed"] as const;
export type RefundStatus = (typeof refundStatuses)[number];

// What the merchant's system may report of a refund, which is being processed from its recording on.
export const refundMoves = {
  processing: { from: ["processing"], to: "processing", held: false, emits: null },
  refunded: { from: ["processing"], to: "refunded", held: false, emits: null },
  failed: { from: ["processing"], to: "failed", held: false, emits: null },
} as const satisfies Moves<RefundStatus>;
export const refundReports = ["processing", "refunded", "failed"] as const satisfies (keyof typeof refundMoves)[];

/** The first status of a refund. */
export const refundStarts = "processing" satisfies RefundStatus;
/** The refund status of a return without refunds. */
export const notRefunded = "pending" satisfies RefundStatus;

/** Whether the money of a refund is paid or on its way. */
export const stands = (status: RefundStatus): boolean => status !== "failed";
/** Whether all of a refund is paid. */
export const isPaid = (status: RefundStatus): boolean => status === "refunded";

export const refundMethods = ["original_payment", "store_credit", "manual"] as const;
export type RefundMethod = (typeof refundMethods)[number];
