import type { Transitions } from "../core/transitions.ts";

export const countStatuses = ["open", "review", "posted", "cancelled"] as const;
export type CountStatus = (typeof countStatuses)[number];

// Recording another quantity reopens a count in review.
export const countTransitions = {
  record: { from: ["open", "review"], to: "open", held: false, emits: null },
  review: { from: ["open"], to: "review", held: false, emits: null },
  post: { from: ["review"], to: "posted", held: false, emits: null },
  cancel: { from: ["open", "review"], to: "cancelled", held: false, emits: null },
} as const satisfies Transitions<CountStatus>;
export type CountAction = keyof typeof countTransitions;

/** How a unit is valued: by the cost of the newest units received with one, otherwise by the product's price. */
export const valueSources = ["cost", "price"] as const;
export type ValueSource = (typeof valueSources)[number];

export const initialCountStatus: CountStatus = "open";

export const binKinds = ["storage", "staging", "returns", "putback", "quarantine", "damage"] as const;
export type BinKind = (typeof binKinds)[number];

export const lotStatuses = ["available", "on_hold", "quarantined", "recalled", "expired", "damaged"] as const;
export type LotStatus = (typeof lotStatuses)[number];

/** Why units on hand that are not reserved cannot be sold. */
export const unavailableCauses = [
  "quarantined",
  "damaged",
  "expired",
  "short_dated",
  "count_pending",
  "putback",
  "returns",
] as const;
export type UnavailableCause = (typeof unavailableCauses)[number];

export const movementTypes = ["adjustment", "transfer", "sale", "return", "receipt"] as const;
export type MovementType = (typeof movementTypes)[number];

/**
 * Where units that are no longer on hand went: to a customer, written off, in transit to another warehouse, or to
 * another merchant, whose stock receives them in a separate movement.
 */
export const outsidePlaces = ["customer", "write_off", "in_transit", "other_merchant"] as const;
export type OutsidePlace = (typeof outsidePlaces)[number];

export const adjustmentReasons = [
  "stock_count",
  "received",
  "damaged",
  "expired",
  "lost",
  "found",
  "shrinkage",
  "correction",
  "return_restock",
  "quality_hold",
  "recall",
  "sample",
  "kit_assembly",
  "kit_disassembly",
  "other",
] as const;
export type AdjustmentReason = (typeof adjustmentReasons)[number];

export const itemStatuses = ["in_stock", "low_stock", "out_of_stock", "backordered", "inactive"] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** What may cause a movement; `reference` is a client's own name for the cause. */
export const referenceTypes = [
  "order",
  "receipt",
  "transfer",
  "count",
  "return",
  "reference",
  "ownership_transfer",
] as const;
export type ReferenceType = (typeof referenceTypes)[number];

/** Whether a lot of this status may be sold, unless its last day is over. */
export function isAvailable(status: LotStatus): boolean {
  return status === "available";
}

/** Whether a lot of this status is recalled; null for units without a lot. */
export function isRecalled(status: LotStatus | null): boolean {
  return status === "recalled";
}

/** The status of a lot now: `expired` once it is no longer good, even before the job has marked it. */
export function lotStatusAt(status: LotStatus | null, is_good: boolean): LotStatus {
  return status === "available" && !is_good ? "expired" : (status ?? "available");
}

/** Whether a lot is marked as expired. */
export function hasExpired(status: LotStatus): boolean {
  return status === "expired";
}

/** Why units of a lot of this status, in a storage bin, cannot be sold. */
export function causeOf(status: LotStatus | null): UnavailableCause {
  if (status === "damaged") return "damaged";
  return status === "available" || status === "expired" ? "expired" : "quarantined";
}

export const initialReservationStatus = "reserved" as const;

// Every change of a lot's status. A recall ends only when it is withdrawn. Only time expires a lot; correcting a wrong
// expiry date undoes that.
export const lotTransitions = {
  release: { from: ["on_hold", "quarantined", "recalled", "damaged"], to: "available", held: true, emits: null },
  hold: { from: ["available", "quarantined"], to: "on_hold", held: true, emits: null },
  quarantine: { from: ["available", "on_hold", "damaged", "expired"], to: "quarantined", held: true, emits: null },
  recall: {
    from: ["available", "on_hold", "quarantined", "damaged", "expired"],
    to: "recalled",
    held: true,
    emits: null,
  },
  damage: { from: ["available", "on_hold", "quarantined", "expired"], to: "damaged", held: true, emits: null },
  expire: { from: ["available"], to: "expired", held: true, emits: null },
  correct: { from: ["expired"], to: "available", held: true, emits: null },
} as const satisfies Transitions<LotStatus>;
type LotAction = keyof typeof lotTransitions;

/** The statuses that a client may set; only time sets `expired`. */
export const settableLotStatuses = ["available", "on_hold", "quarantined", "recalled", "damaged"] as const;
export type SettableLotStatus = (typeof settableLotStatuses)[number];

/** The action that leads to each status that a client may set. */
export const lotActions: Readonly<Record<SettableLotStatus, LotAction>> = {
  available: "release",
  on_hold: "hold",
  quarantined: "quarantine",
  recalled: "recall",
  damaged: "damage",
};

export const receiptStatuses = ["expected", "receiving", "closed", "cancelled"] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];

export const receiptTransitions = {
  scan: { from: ["expected", "receiving"], to: "receiving", held: false, emits: null },
  close: { from: ["expected", "receiving"], to: "closed", held: false, emits: null },
  cancel: { from: ["expected"], to: "cancelled", held: false, emits: null },
} as const satisfies Transitions<ReceiptStatus>;
export type ReceiptAction = keyof typeof receiptTransitions;

/** The condition of received units. Units that are not good go to the bin for their condition. */
export const receivedConditions = ["good", "damaged", "quarantined"] as const;
export type ReceivedCondition = (typeof receivedConditions)[number];

export const initialReceiptStatus: ReceiptStatus = "expected";

export const reservationStatuses = ["reserved", "released", "expired", "committed"] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

// A committed reservation belongs to an order in progress: its units leave by being shipped or cancelled.
export const reservationTransitions = {
  release: { from: ["reserved"], to: "released", held: true, emits: null },
  expire: { from: ["reserved"], to: "expired", held: true, emits: null },
  commit: { from: ["reserved"], to: "committed", held: false, emits: null },
  give_back: { from: ["committed"], to: "released", held: true, emits: null },
} as const satisfies Transitions<ReservationStatus>;

/**
 * What happened to an order's allocation without an act on the order: backordered units filled, units moved to other
 * stock, or units lost.
 */
export const allocationChangeKinds = ["filled", "moved", "lost"] as const;
export type AllocationChangeKind = (typeof allocationChangeKinds)[number];

/** Whether a reservation holds its units and work on its order has not begun. */
export function isReserved(status: ReservationStatus): boolean {
  return status === "reserved";
}

/** Whether work on the reservation's order has begun. */
export function isCommitted(status: ReservationStatus): boolean {
  return status === "committed";
}

/** Whether a reservation was released. */
export function isReleased(status: ReservationStatus): boolean {
  return status === "released";
}

/** Whether a reservation is marked as expired. */
export function isExpired(status: ReservationStatus): boolean {
  return status === "expired";
}

export const transferStatuses = ["pending", "in_transit", "received", "cancelled"] as const;
export type TransferStatus = (typeof transferStatuses)[number];

// A transfer stays in transit while part of it is received. Closing it writes off what never arrived.
export const transferTransitions = {
  ship: { from: ["pending"], to: "in_transit", held: false, emits: null },
  receive: { from: ["in_transit"], to: "received", held: false, emits: null },
  receive_part: { from: ["in_transit"], to: "in_transit", held: false, emits: null, of: ["receive"] },
  close: { from: ["in_transit"], to: "received", held: false, emits: null },
  cancel: { from: ["pending"], to: "cancelled", held: false, emits: null },
} as const satisfies Transitions<TransferStatus>;
export type TransferAction = keyof typeof transferTransitions;

/** Why units of a transfer never arrived. */
export const missingReasons = ["lost", "damaged", "shrinkage"] as const;

export const initialTransferStatus: TransferStatus = "pending";
