// Stands alone because transitions are a layer of their own: the statuses of carrier accounts.
import type { Transitions } from "../../core/transitions.ts";

export const accountStatuses = ["active", "paused"] as const;
export type AccountStatus = (typeof accountStatuses)[number];

// A paused account gives no rates and sells no labels. What it has sold is still tracked, and can be voided.
// biome-ignore format: a table is read by its columns.
export const accountTransitions = {
  pause:  { from: accountStatuses, to: "paused", held: false, emits: null },
  resume: { from: accountStatuses, to: "active", held: false, emits: null },
} as const satisfies Transitions<AccountStatus>;

/** An account is active from the start unless the request says otherwise. */
export const accountStarts: AccountStatus = "active";

/** The statuses of accounts that give rates and sell labels. */
export const sellingStatuses = ["active"] as const satisfies readonly AccountStatus[];

/** Whether an account gives rates and sells labels. */
export function isSelling(status: AccountStatus): boolean {
  return status === "active";
}
