// The states of a merchant.
import type { Transitions } from "../core/transitions.ts";

export const merchantStatuses = ["active", "suspended", "closed"] as const;
export type MerchantStatus = (typeof merchantStatuses)[number];

/** The status of a new merchant. */
export const merchantStarts: MerchantStatus = "active";

/** What may be done with a merchant. One that is closed stays closed. */
// biome-ignore format: a table is read by its columns.
export const merchantTransitions = {
  suspend:    { from: ["active"],              to: "suspended", held: false, emits: null },
  reactivate: { from: ["suspended"],           to: "active",    held: false, emits: null },
  close:      { from: ["active", "suspended"], to: "closed",    held: false, emits: null },
} as const satisfies Transitions<MerchantStatus>;

/** Whether nothing is made any more for a merchant of this status. */
export const isClosed = (status: MerchantStatus): boolean => status === "closed";

/** Merchants in these statuses send no orders to the floor. */
export const suspendedStatuses = ["suspended", "closed"] as const satisfies readonly MerchantStatus[];

/** Whether orders of a merchant of this status come in and wait. */
export const isSuspended = (status: MerchantStatus): boolean => status === "suspended";

/** Whether this is the first merchant, which comes with the database, and nobody has named it. */
export const isUnnamed = (code: string, name: string): boolean => code === "MAIN" && name === "Main";
