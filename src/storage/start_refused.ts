import { existsSync } from "node:fs";
import { join } from "node:path";

// Why a database is not opened, each with the exit code the process ends with.

/** Exit codes by reason, as in sysexits.h: damaged 65, absent 66, no room or no access 74, in use 75, unfit 78. */
export const exitCodes = {
  damaged: 65,
  absent: 66,
  storage: 74,
  in_use: 75,
  foreign: 78,
  newer: 78,
  unsuitable: 78,
} as const;

/** An error that says why the data cannot be used; `exit_code` is for the process that meant to. */
export interface StartRefusal extends Error {
  readonly exit_code: number;
}

/** Makes the error for one reason. The message is written for the operator. */
export function startRefused(reason: keyof typeof exitCodes, message: string): StartRefusal {
  return Object.assign(new Error(message), { exit_code: exitCodes[reason] });
}

/** Whether an error is such a refusal. */
export function isStartRefused(error: unknown): error is StartRefusal {
  return error instanceof Error && typeof (error as Partial<StartRefusal>).exit_code === "number";
}

// A data directory on its way back to the snapshot of before an upgrade is opened by nobody until it has arrived.

/** The file that is there while a data directory goes back. */
export const rollbackFile = (data: string): string => join(data, "upgrades", "going_back.json");

/** Refuses a data directory on its way back. */
export function refuseDuringRollback(data: string): void {
  if (!existsSync(rollbackFile(data))) return;
  const advice = "Run packhouse rollback once more: it finishes. Then start the older Packhouse.";
  throw startRefused("unsuitable", `The data in ${data} was on its way back to before an upgrade. ${advice}`);
}

// The mark of an installation that is moved: half of it has arrived, or all has gone elsewhere. Neither is served.

/** What a mark says, in the column `moving` of both worlds. */
export interface MoveMark {
  /** `arriving`: it is being filled from elsewhere. `moved`: its records are elsewhere now, and here to look back. */
  readonly state: "arriving" | "moved";
  /** Names the move, at both ends. */
  readonly move_id: string;
  /** The other end, for people: a folder, or a database without user and password. */
  readonly other: string;
  /** When the move began or ended (ms). */
  readonly at: number;
  /** Statements to run in this order once all rows have arrived: they make the indexes and triggers again. */
  readonly restore: readonly string[];
  /** Whether all rows have arrived, so that only the rest of `restore` is to be done. */
  readonly filled: boolean;
}

/** Whether an installation with a mark may be opened all the same, to be looked at. */
export type MovedDataPolicy = "refused" | "allowed";

/** Reads a mark; null where there is none. Refuses half of a merchant, which only versions before 0.1.0 can finish. */
export function readMoveMark(text: string | null): MoveMark | null {
  if (text === null) return null;
  const mark = JSON.parse(text) as MoveMark & { readonly merchant?: string | null };
  if (!mark.merchant) return mark;
  const way = "Finish or undo that move with the version that began it.";
  throw startRefused(
    "unsuitable",
    `This installation holds half of the merchant ${mark.merchant} from ${mark.other}. ${way}`,
  );
}

/**
 * Refuses an installation that must not be served, and says what to do. `where` names it, as in the messages of
 * migrations.
 */
export function refuseMoved(text: string | null, where: string): void {
  const mark = readMoveMark(text);
  if (mark === null) return;
  if (mark.state === "arriving") {
    const way = `Run the same packhouse move again: it goes on where it was. With --begin-anew it begins from nothing.`;
    const safe = `All of it is still at ${mark.other}, as it was.`;
    throw startRefused("unsuitable", `${where} holds half of a move from ${mark.other}. ${safe} ${way}`);
  }
  const day = new Date(mark.at).toISOString().slice(0, 10);
  const back = `To go back, run packhouse move --undo with the same --from and --to.`;
  throw startRefused("unsuitable", `${where} was moved to ${mark.other} on ${day}: start Packhouse there. ${back}`);
}
