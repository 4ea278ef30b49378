import type { Moves } from "../../kit/moves.ts";

export const shipmentStatuses = ["pending", "shipped", "delivered", "returned", "voided"] as const;
export type ShipmentStatus = (typeof shipmentStatuses)[number];

// A carrier may have a parcel all the same that was given up with its order: it takes it.
export const shipmentMoves = {
  ship: { from: ["pending"], to: "shipped", held: false, emits: null },
  take: { from: ["voided"], to: "shipped", held: true, emits: null },
  deliver: { from: ["shipped"], to: "delivered", held: false, emits: null },
  return: { from: ["shipped", "delivered"], to: "returned", held: false, emits: null },
  void: { from: ["pending"], to: "voided", held: false, emits: null },
} as const satisfies Moves<ShipmentStatus>;
