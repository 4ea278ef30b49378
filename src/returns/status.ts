import type { Moves } from "../kit/moves.ts";
import type { EventType } from "../outbox/catalog.ts";

export const returnStatuses = ["initiated", "received", "inspected", "completed", "cancelled"] as const;
export type ReturnStatus = (typeof returnStatuses)[number];

export const returnMoves = {
  receive: { from: ["initiated", "received"], to: "received", held: false, emits: "return.received" },
  inspect: { from: ["received"], to: "inspected", held: false, emits: null },
  refund: { from: ["inspected", "completed"], to: "completed", held: false, emits: "return.processed" },
  close: { from: ["inspected"], to: "completed", held: false, emits: "return.processed" },
  cancel: { from: ["initiated"], to: "cancelled", held: false, emits: null },
  label: { from: ["initiated"], to: null, held: false, emits: null },
} as const satisfies Moves<ReturnStatus, EventType>;
export type ReturnAction = keyof typeof returnMoves;

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
export type Condition = (typeof conditions)[number];

export const dispositions = ["restock", "quarantine", "dispose", "return_to_sender"] as const;
export type Disposition = (typeof dispositions)[number];

export const returnShippingStatuses = ["pending", "in_transit", "delivered", "exception"] as const;
export type ReturnShippingStatus = (typeof returnShippingStatuses)[number];

export const refundStatuses = ["pending", "processing", "refunded", "partially_refunded", "failed"] as const;
export type RefundStatus = (typeof refundStatuses)[number];

// What the merchant's system may report of a refund, once it is recorded and so being processed.
export const refundMoves = {
  processing: { from: ["processing"], to: "processing", held: false, emits: null },
  refunded: { from: ["processing"], to: "refunded", held: false, emits: null },
  failed: { from: ["processing"], to: "failed", held: false, emits: null },
} as const satisfies Moves<RefundStatus, EventType>;
export const refundReports = ["processing", "refunded", "failed"] as const satisfies (keyof typeof refundMoves)[];

export const refundMethods = ["original_payment", "store_credit", "manual"] as const;
export type RefundMethod = (typeof refundMethods)[number];
