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
export const reservationStarts = "reserved" as const;
