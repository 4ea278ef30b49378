import type { Moves } from "../../kit/moves.ts";

export const countStatuses = ["open", "review", "posted", "cancelled"] as const;
export type CountStatus = (typeof countStatuses)[number];

// Counting again takes a count back from its review.
export const countMoves = {
  record: { from: ["open", "review"], to: "open", held: false, emits: null },
  review: { from: ["open"], to: "review", held: false, emits: null },
  post: { from: ["review"], to: "posted", held: false, emits: null },
  cancel: { from: ["open", "review"], to: "cancelled", held: false, emits: null },
} as const satisfies Moves<CountStatus>;
export type CountAction = keyof typeof countMoves;

/** The source of a unit's value: the cost of the newest units received with one, else the price. */
export const valueSources = ["cost", "price"] as const;
export type ValueSource = (typeof valueSources)[number];

/** The first status of a count. */
export const countStarts: CountStatus = "open";
