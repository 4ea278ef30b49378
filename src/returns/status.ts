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

/** The first status of a return. */
export const returnStarts = "initiated" satisfies ReturnStatus;

/** Whether a return has not been inspected yet. */
export const awaitsInspection = (status: ReturnStatus): boolean => status === "initiated" || status === "received";
/** Whether a return is completed, whether or not units were accepted. */
export const isCompleted = (status: ReturnStatus): boolean => status === "completed";
/** Whether a return was cancelled before anything arrived. */
export const isCalledOff = (status: ReturnStatus): boolean => status === "cancelled";

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

/** The shipping status of a return's parcel before any scan. */
export const returnShippingStarts = "pending" satisfies ReturnShippingStatus;

/** Whether the returned parcel has arrived. */
export const hasComeBack = (status: ReturnShippingStatus): boolean => status === "delivered";
