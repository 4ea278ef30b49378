// Reasons why data is not opened, each with the exit code of the process.

/**
 * Exit codes by reason, as in sysexits.h: damaged 65, missing 66, no space or no access 74, in use 75, unsuitable 78.
 */
export const exitCodes = {
  damaged: 65,
  absent: 66,
  storage: 74,
  in_use: 75,
  foreign: 78,
  newer: 78,
  unsuitable: 78,
} as const;

/** An error that explains why the data cannot be used. `exit_code` is for the process that tried to. */
export interface StartRefusal extends Error {
  readonly exit_code: number;
}

/** Creates the error for a reason. The message is for the operator. */
export function startRefused(reason: keyof typeof exitCodes, message: string): StartRefusal {
  return Object.assign(new Error(message), { exit_code: exitCodes[reason] });
}

/** Whether an error is a start refusal. */
export function isStartRefused(error: unknown): error is StartRefusal {
  return error instanceof Error && typeof (error as Partial<StartRefusal>).exit_code === "number";
}

// The mark of an installation that is being moved or was moved. Neither is served.

/** A mark, in the column `moving` of both environments. */
export interface MoveMark {
  /**
   * `arriving`: it is being filled from a source. `moved`: its records have moved; here they are only for reference.
   */
  readonly state: "arriving" | "moved";
  /** Identifies the move, at both the source and the target. */
  readonly move_id: string;
  /** The other installation, for display: a folder, or a database URL without user and password. */
  readonly other: string;
  /** When the move began or ended (ms). */
  readonly at: number;
  /** Statements that recreate the indexes and triggers, to run in this order once all rows are copied. */
  readonly restore: readonly string[];
  /** Whether all rows are copied, so that only the rest of `restore` is left to do. */
  readonly filled: boolean;
}

/** Whether an installation with a mark may be opened anyway, to read it. */
export type MovedDataPolicy = "refused" | "allowed";

/** Parses a mark; null without one. Refuses a partly moved merchant, which only versions before 0.1.0 can finish. */
export function readMoveMark(text: string | null): MoveMark | null {
  if (text === null) return null;
  const mark = JSON.parse(text) as MoveMark & { readonly merchant?: string | null };
  if (!mark.merchant) return mark;
  const way = "Finish or undo that move with the version that began it.";
  throw startRefused(
    "unsuitable",
    `This installation has an unfinished move of the merchant ${mark.merchant} from ${mark.other}. ${way}`,
  );
}

/**
 * Refuses an installation that is being moved or was moved, and says what to do. `where` names it, as in the messages
 * of migrations.
 */
export function refuseMoved(text: string | null, where: string): void {
  const mark = readMoveMark(text);
  if (mark === null) return;
  if (mark.state === "arriving") {
    const way = `Run the same packhouse move again to continue, or with --begin-anew to start over.`;
    const safe = `All data is still unchanged at ${mark.other}.`;
    throw startRefused("unsuitable", `${where} has an unfinished move from ${mark.other}. ${safe} ${way}`);
  }
  const day = new Date(mark.at).toISOString().slice(0, 10);
  const back = `To undo the move, run packhouse move --undo with the same --from and --to.`;
  throw startRefused("unsuitable", `${where} was moved to ${mark.other} on ${day}: start Packhouse there. ${back}`);
}
