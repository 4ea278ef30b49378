import type { Moves } from "../../kit/moves.ts";

export const accountStatuses = ["active", "paused"] as const;
export type AccountStatus = (typeof accountStatuses)[number];

// A paused account is asked for no rates and sells no labels; what it has sold is still followed and voided.
// biome-ignore format: a table is read by its columns.
export const accountMoves = {
  pause:  { from: accountStatuses, to: "paused", held: false, emits: null },
  resume: { from: accountStatuses, to: "active", held: false, emits: null },
} as const satisfies Moves<AccountStatus>;

/** An account sells from the start unless the request says otherwise. */
export const accountStarts: AccountStatus = "active";

/** Accounts that are asked for rates and sell labels. */
export const sellingStatuses = ["active"] as const satisfies readonly AccountStatus[];

/** Whether an account is asked for rates and sells labels. */
export function isSelling(status: AccountStatus): boolean {
  return status === "active";
}
