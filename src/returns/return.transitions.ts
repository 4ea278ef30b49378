import type { Transitions } from "../core/transitions.ts";
import type { EventType } from "../events/event_types.ts";

export const refundStatuses = ["pending", "processing", "refunded", "partially_refunded", "failed"] as const;
export type RefundStatus = (typeof refundStatuses)[number];

// The statuses that the merchant's system can report. A refund is being processed from the start.
export const refundTransitions = {
  processing: { from: ["processing"], to: "processing", held: false, emits: null },
  refunded: { from: ["processing"], to: "refunded", held: false, emits: null },
  failed: { from: ["processing"], to: "failed", held: false, emits: null },
} as const satisfies Transitions<RefundStatus>;
export const refundReports = ["processing", "refunded", "failed"] as const satisfies (keyof typeof refundTransitions)[];

/** The first status of a refund. */
export const refundStarts = "processing" satisfies RefundStatus;
/** The refund status of a return without refunds. */
export const notRefunded = "pending" satisfies RefundStatus;

/** Whether the money of a refund is paid or on its way. */
export const stands = (status: RefundStatus): boolean => status !== "failed";
/** Whether a refund is fully paid. */
export const isPaid = (status: RefundStatus): boolean => status === "refunded";

export const refundMethods = ["original_payment", "store_credit", "manual"] as const;
export type RefundMethod = (typeof refundMethods)[number];

export const returnStatuses = ["initiated", "received", "inspected", "completed", "cancelled"] as const;
export type ReturnStatus = (typeof returnStatuses)[number];

export const returnTransitions = {
  receive: { from: ["initiated", "received"], to: "received", held: false, emits: "return.received" },
  inspect: { from: ["received"], to: "inspected", held: false, emits: null },
  refund: { from: ["inspected", "completed"], to: "completed", held: false, emits: "return.processed" },
  close: { from: ["inspected"], to: "completed", held: false, emits: "return.processed" },
  cancel: { from: ["initiated"], to: "cancelled", held: false, emits: null },
  label: { from: ["initiated"], to: null, held: false, emits: null },
} as const satisfies Transitions<ReturnStatus, EventType>;

/** The first status of a return. */
export const returnStarts = "initiated" satisfies ReturnStatus;

/** Whether a return has not been inspected yet. */
export const awaitsInspection = (status: ReturnStatus): boolean => status === "initiated" || status === "received";
/** Whether a return is completed, even if no units were accepted. */
export const isCompleted = (status: ReturnStatus): boolean => status === "completed";
/** Whether a return was cancelled. */
export const isCancelled = (status: ReturnStatus): boolean => status === "cancelled";

export const returnReasons = [
  "defective",
  "wrong_item",
  "not_as_described",
  "customer_remorse",
  "expired",
  "other",
] as const;
export type ReturnReason = (typeof returnReasons)[number];

export const conditions = [
  "unopened",
  "opened",
  "damaged",
  "defective",
  "expired",
  "missing_parts",
  "wrong_item",
] as const;
export type ReturnCondition = (typeof conditions)[number];

export const dispositions = ["restock", "quarantine", "dispose", "return_to_sender"] as const;
export type Disposition = (typeof dispositions)[number];

export const returnShippingStatuses = ["pending", "in_transit", "delivered", "exception"] as const;
export type ReturnShippingStatus = (typeof returnShippingStatuses)[number];

/** The shipping status of a return before any scan. */
export const returnShippingStarts = "pending" satisfies ReturnShippingStatus;

/** Whether the returned parcel has arrived. */
export const hasComeBack = (status: ReturnShippingStatus): boolean => status === "delivered";
