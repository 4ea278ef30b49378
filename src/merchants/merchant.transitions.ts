// Stands alone because transitions are a layer of their own: the statuses of merchants.
import type { Transitions } from "../core/transitions.ts";

export const merchantStatuses = ["active", "suspended", "closed"] as const;
export type MerchantStatus = (typeof merchantStatuses)[number];

/** The status of a new merchant. */
export const merchantStarts: MerchantStatus = "active";

/** The transitions of a merchant. `closed` is final. */
// biome-ignore format: a table is read by its columns.
export const merchantTransitions = {
  suspend:    { from: ["active"],              to: "suspended", held: false, emits: null },
  reactivate: { from: ["suspended"],           to: "active",    held: false, emits: null },
  close:      { from: ["active", "suspended"], to: "closed",    held: false, emits: null },
} as const satisfies Transitions<MerchantStatus>;

/** Whether no new records can be created for a merchant of this status. */
export const isClosed = (status: MerchantStatus): boolean => status === "closed";

/** The orders of merchants in these statuses are not sent to picking. */
export const suspendedStatuses = ["suspended", "closed"] as const satisfies readonly MerchantStatus[];

/** Whether orders of a merchant of this status are on hold. */
export const isSuspended = (status: MerchantStatus): boolean => status === "suspended";

/** Whether this is the first merchant, which comes with the database, before it is given a name. */
export const isUnnamed = (code: string, name: string): boolean => code === "MAIN" && name === "Main";
