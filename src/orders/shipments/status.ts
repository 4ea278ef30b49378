import type { Moves } from "../../kit/moves.ts";

export const shipmentStatuses = ["pending", "shipped", "delivered", "returned", "voided"] as const;
export type ShipmentStatus = (typeof shipmentStatuses)[number];

// A carrier may have a parcel all the same that was given up with its order: it takes it.
// biome-ignore format: a table is read by its columns.
export const shipmentMoves = {
  ship:    { from: ["pending"], to: "shipped",   held: false, emits: null },
  take:    { from: ["voided"],  to: "shipped",   held: true,  emits: null },
  deliver: { from: ["shipped"], to: "delivered", held: false, emits: null },
  void:    { from: ["pending"], to: "voided",    held: false, emits: null },
} as const satisfies Moves<ShipmentStatus>;

/** The state of a parcel that has just been opened. */
export const shipmentStarts = "pending" satisfies ShipmentStatus;
/** The state of a parcel that was given up. */
export const givenUp = "voided" satisfies ShipmentStatus;

/** Whether a parcel waits in the house. */
export const isInHouse = (status: ShipmentStatus): boolean => status === "pending";
/** Whether a parcel was given up before it left. */
export const isGivenUp = (status: ShipmentStatus): boolean => status === givenUp;
/** Whether a parcel has left the house. */
export const hasLeft = (status: ShipmentStatus): boolean => !isInHouse(status) && !isGivenUp(status);
/** Whether a parcel has left and has not arrived. */
export const isTravelling = (status: ShipmentStatus): boolean => status === "shipped";
/** Parcels that have come to the end of their way. */
export const arrivedStatuses = ["delivered", "returned"] as const satisfies readonly ShipmentStatus[];
