import type { Transitions } from "../core/transitions.ts";

export const countStatuses = ["open", "review", "posted", "cancelled"] as const;
export type CountStatus = (typeof countStatuses)[number];

// Counting again takes a count back from its review.
export const countTransitions = {
  record: { from: ["open", "review"], to: "open", held: false, emits: null },
  review: { from: ["open"], to: "review", held: false, emits: null },
  post: { from: ["review"], to: "posted", held: false, emits: null },
  cancel: { from: ["open", "review"], to: "cancelled", held: false, emits: null },
} as const satisfies Transitions<CountStatus>;
export type CountAction = keyof typeof countTransitions;

/** The source of a unit's value: the cost of the newest units received with one, else the price. */
export const valueSources = ["cost", "price"] as const;
export type ValueSource = (typeof valueSources)[number];

/** The first status of a count. */
export const initialCountStatus: CountStatus = "open";

export const binKinds = ["storage", "staging", "returns", "putback", "quarantine", "damage"] as const;
export type BinKind = (typeof binKinds)[number];

export const lotStatuses = ["available", "on_hold", "quarantined", "recalled", "expired", "damaged"] as const;
export type LotStatus = (typeof lotStatuses)[number];

/** Why units that are in the house and promised to nobody are not for sale. */
export const unavailableCauses = ["quarantined", "damaged", "expired", "short_dated", "putback", "returns"] as const;
export type UnavailableCause = (typeof unavailableCauses)[number];

export const movementTypes = ["adjustment", "transfer", "sale", "return", "receipt"] as const;
export type MovementType = (typeof movementTypes)[number];

/**
 * Where units are that are on hand nowhere: gone to a customer, given up, on their way to another warehouse, or given
 * to another merchant, in whose stock they came in by a movement of their own.
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

/** What may cause a movement; `reference` is what a client calls the cause. */
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

/** Whether a lot of this status may be sold, unless its expiry has come. */
export function isAvailable(status: LotStatus): boolean {
  return status === "available";
}

/** Whether a lot of this status was called back from sale. */
export function isRecalled(status: LotStatus | null): boolean {
  return status === "recalled";
}

/** The status of a lot at this moment: its time may be over before a job has noted it. */
export function lotStatusAt(status: LotStatus | null, is_good: boolean): LotStatus {
  return status === "available" && !is_good ? "expired" : (status ?? "available");
}

/** Whether a job, or a correction, has noted that the time of a lot is over. */
export function hasExpired(status: LotStatus): boolean {
  return status === "expired";
}

/** Why units of a lot of this status, in a storage bin, are not for sale. */
export function causeOf(status: LotStatus | null): UnavailableCause {
  if (status === "damaged") return "damaged";
  return status === "available" || status === "expired" ? "expired" : "quarantined";
}

/** The state in which a reservation is made and holds its units. */
export const initialReservationStatus = "reserved" as const;

// Every way in which a lot's status changes. A recall ends only when it is withdrawn. Only time makes a lot expire;
// correcting a wrong expiry undoes that.
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

/** The statuses that a client may set; lots expire by themselves. */
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

/** The condition of received units: those that are not good go into the bin for their kind. */
export const receivedConditions = ["good", "damaged", "quarantined"] as const;
export type ReceivedCondition = (typeof receivedConditions)[number];

/** The first status of a receipt. */
export const initialReceiptStatus: ReceiptStatus = "expected";

export const reservationStatuses = ["reserved", "released", "expired", "committed"] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

// A committed reservation belongs to an order in work: its units leave by shipping or by cancelling them.
export const reservationTransitions = {
  release: { from: ["reserved"], to: "released", held: true, emits: null },
  expire: { from: ["reserved"], to: "expired", held: true, emits: null },
  commit: { from: ["reserved"], to: "committed", held: false, emits: null },
  give_back: { from: ["committed"], to: "released", held: true, emits: null },
} as const satisfies Transitions<ReservationStatus>;

/** What becomes of an order's claim without its doing: units it waited for, units now elsewhere, units it lost. */
export const allocationChangeKinds = ["filled", "moved", "lost"] as const;
export type AllocationChangeKind = (typeof allocationChangeKinds)[number];

/** Whether a reservation holds its units and no work on its order has begun. */
export function isReserved(status: ReservationStatus): boolean {
  return status === "reserved";
}

/** Whether the work on the order of a reservation has begun. */
export function isCommitted(status: ReservationStatus): boolean {
  return status === "committed";
}

/** Whether a reservation was given up. */
export function isReleased(status: ReservationStatus): boolean {
  return status === "released";
}

/** Whether a reservation ended since its time was over. */
export function isExpired(status: ReservationStatus): boolean {
  return status === "expired";
}

export const transferStatuses = ["pending", "in_transit", "received", "cancelled"] as const;
export type TransferStatus = (typeof transferStatuses)[number];

// A transfer stays in transit while a part of it is received; what never arrives is written off when it is closed.
export const transferTransitions = {
  ship: { from: ["pending"], to: "in_transit", held: false, emits: null },
  receive: { from: ["in_transit"], to: "received", held: false, emits: null },
  receive_part: { from: ["in_transit"], to: "in_transit", held: false, emits: null, of: ["receive"] },
  close: { from: ["in_transit"], to: "received", held: false, emits: null },
  cancel: { from: ["pending"], to: "cancelled", held: false, emits: null },
} as const satisfies Transitions<TransferStatus>;
export type TransferAction = keyof typeof transferTransitions;

/** Why units that left never arrived. */
export const missingReasons = ["lost", "damaged", "shrinkage"] as const;

/** The state in which a transfer is planned. */
export const initialTransferStatus: TransferStatus = "pending";
