import type { Moves } from "../../kit/moves.ts";

export const transferStatuses = ["pending", "in_transit", "received", "cancelled"] as const;
export type TransferStatus = (typeof transferStatuses)[number];

// A transfer stays in transit while a part of it is received; what never arrives is written off when it is closed.
export const transferMoves = {
  ship: { from: ["pending"], to: "in_transit", held: false, emits: null },
  receive: { from: ["in_transit"], to: "received", held: false, emits: null },
  receive_part: { from: ["in_transit"], to: "in_transit", held: false, emits: null, of: ["receive"] },
  close: { from: ["in_transit"], to: "received", held: false, emits: null },
  cancel: { from: ["pending"], to: "cancelled", held: false, emits: null },
} as const satisfies Moves<TransferStatus>;
export type TransferAction = keyof typeof transferMoves;

/** Why units that left never arrived. */
export const missingReasons = ["lost", "damaged", "shrinkage"] as const;

/** The state in which a transfer is planned. */
export const transferStarts: TransferStatus = "pending";
