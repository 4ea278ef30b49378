/** `waiting` for open orders to end, `running` through the records and the stored payloads, `done`. */
export const erasureStatuses = ["waiting", "running", "done"] as const;
export type ErasureStatus = (typeof erasureStatuses)[number];

/** What an erasure goes through, in this order. */
const erasureSteps = ["records", "imports", "events", "answers"] as const;
/** `requests` is the last step of an erasure that a version before this one began; nothing is left to do in it. */
export type ErasureStep = (typeof erasureSteps)[number] | "requests";

/** The first step. */
export const firstStep: ErasureStep = erasureSteps[0];

/** The step after one, or null after the last. */
export function stepAfter(step: ErasureStep): ErasureStep | null {
  return step === "requests" ? null : (erasureSteps[erasureSteps.indexOf(step) + 1] ?? null);
}

/** Whether open orders have to end first. */
export const isWaiting = (status: ErasureStatus): boolean => status === "waiting";
/** Whether an erasure is about to change its first record. */
export const begins = (erasure: { status: ErasureStatus; step: ErasureStep | null; place: string }): boolean =>
  erasure.status === "running" && erasure.step === firstStep && erasure.place === "";
/** Whether a piece of an erasure looks for the ids of the person's records. */
export const looksForIds = ({ step }: { step: ErasureStep | null }): boolean => step === "events" || step === "answers";
/** The status of an erasure that works. */
export const runs = "running" satisfies ErasureStatus;
/** The status of an erasure that waits. */
export const waits = "waiting" satisfies ErasureStatus;
/** The status of an erasure that has ended. */
export const ended = "done" satisfies ErasureStatus;
