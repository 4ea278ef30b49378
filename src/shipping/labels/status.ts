import type { Moves } from "../../kit/moves.ts";

export const labelStatuses = ["processing", "completed", "error", "voided"] as const;
export type LabelStatus = (typeof labelStatuses)[number];

export const labelMoves = {
  complete: { from: ["processing"], to: "completed", held: false, emits: "shipment.created" },
  fail: { from: ["processing"], to: "error", held: false, emits: null },
  void: { from: ["completed"], to: "voided", held: false, emits: null },
} as const satisfies Moves<LabelStatus>;

/** The wish to give a label back: the carrier is being asked, has taken it and decides later, or has said yes. */
export const voidStatuses = ["asked", "submitted", "accepted"] as const;
export type VoidStatus = (typeof voidStatuses)[number];
