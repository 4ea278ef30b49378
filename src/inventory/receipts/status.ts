import type { Moves } from "../../kit/moves.ts";

export const receiptStatuses = ["expected", "receiving", "closed", "cancelled"] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];

export const receiptMoves = {
  scan: { from: ["expected", "receiving"], to: "receiving", held: false, emits: null },
  close: { from: ["expected", "receiving"], to: "closed", held: false, emits: null },
  cancel: { from: ["expected"], to: "cancelled", held: false, emits: null },
} as const satisfies Moves<ReceiptStatus>;
export type ReceiptAction = keyof typeof receiptMoves;

/** The condition of received units: those that are not good go into the bin for their kind. */
export const receivedConditions = ["good", "damaged", "quarantined"] as const;
export type ReceivedCondition = (typeof receivedConditions)[number];

/** The first status of a receipt. */
export const receiptStarts: ReceiptStatus = "expected";
