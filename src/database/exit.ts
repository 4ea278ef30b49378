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
export interface StartRefused extends Error {
  readonly exit_code: number;
}

/** Makes the error for one reason. The message is written for the operator. */
export function startRefused(reason: keyof typeof exitCodes, message: string): StartRefused {
  return Object.assign(new Error(message), { exit_code: exitCodes[reason] });
}

/** Whether an error is such a refusal. */
export function isStartRefused(error: unknown): error is StartRefused {
  return error instanceof Error && typeof (error as Partial<StartRefused>).exit_code === "number";
}
