// The status and steps of an erasure. They stand alone because records, queries and jobs all use them.
/** `waiting`: open orders must end first. `running`: erasing records and stored payloads. `done`: finished. */
export const erasureStatuses = ["waiting", "running", "done"] as const;
export type ErasureStatus = (typeof erasureStatuses)[number];

/** The steps of an erasure, in order. */
const erasureSteps = ["records", "imports", "files", "settings", "events", "answers"] as const;
export type ErasureStep = (typeof erasureSteps)[number];

export const firstStep: ErasureStep = erasureSteps[0];

/** The step after one, or null after the last. */
export function stepAfter(step: ErasureStep): ErasureStep | null {
  return erasureSteps[erasureSteps.indexOf(step) + 1] ?? null;
}

/** Whether open orders must end first. */
export const isWaiting = (status: ErasureStatus): boolean => status === "waiting";
/** Whether a running erasure has not changed any record yet. */
export const isAboutToErase = (erasure: { status: ErasureStatus; step: ErasureStep | null; place: string }): boolean =>
  erasure.status === "running" && erasure.step === firstStep && erasure.place === "";
/** Whether the current step searches for the ids of the person's records. */
export const needsIds = ({ step }: { step: ErasureStep | null }): boolean => step === "events" || step === "answers";
export const running = "running" satisfies ErasureStatus;
export const waiting = "waiting" satisfies ErasureStatus;
export const done = "done" satisfies ErasureStatus;
