import type { Moves } from "../../kit/moves.ts";

export const shipmentStatuses = ["pending", "shipped", "delivered", "returned", "voided"] as const;
export type ShipmentStatus = (typeof shipmentStatuses)[number];

// A carrier may have a parcel all the same that was given up with its order: it takes it.
export const shipmentMoves = {
  ship: { from: ["pending"], to: "shipped", held: false, tells: null },
  take: { from: ["voided"], to: "shipped", held: true, tells: null },
  deliver: { from: ["shipped"], to: "delivered", held: false, tells: null },
  return: { from: ["shipped", "delivered"], to: "returned", held: false, tells: null },
  void: { from: ["pending"], to: "voided", held: false, tells: null },
} as const satisfies Moves<ShipmentStatus>;
