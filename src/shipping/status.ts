import type { Moves } from "../kit/moves.ts";

export const labelStatuses = ["processing", "completed", "error", "voided"] as const;
export type LabelStatus = (typeof labelStatuses)[number];

export const labelMoves = {
  complete: { from: ["processing"], to: "completed", held: false, tells: "shipment.created" },
  fail: { from: ["processing"], to: "error", held: false, tells: null },
  void: { from: ["completed"], to: "voided", held: false, tells: null },
} as const satisfies Moves<LabelStatus>;
