// Stands alone because transitions are a layer of their own: the statuses of backup runs.
import type { Transitions } from "../../core/transitions.ts";

/** Decisions about everything held since a restore: send it after all, or discard it. */
export const decisions = ["send", "drop"] as const;
export type Decision = (typeof decisions)[number];

export const runStatuses = ["waiting", "running", "done", "failed"] as const;
export type RunStatus = (typeof runStatuses)[number];

// A run whose hold has expired, because its server was killed, has failed.
// biome-ignore format: a table is read by its columns.
export const runMoves = {
  begin: { from: ["waiting"], to: "running", held: false, emits: null },
  end:   { from: ["running"], to: "done",    held: false, emits: null },
  fail:  { from: ["running"], to: "failed",  held: false, emits: null },
} as const satisfies Transitions<RunStatus>;

/** The initial status of a requested run. Scheduled runs start at once. */
export const runStarts: RunStatus = "waiting";
/** The status of a run in progress. */
export const isRunningStatus: RunStatus = runMoves.begin.to;
/** The status of a successful run. */
export const isDoneStatus: RunStatus = runMoves.end.to;

/** Why a run was started: by the schedule, or on request. */
export const runCauses = ["schedule", "request"] as const;
export type RunCause = (typeof runCauses)[number];

/** What a run does: make a backup, or prove the last one by restoring it to a scratch location. */
export const runKinds = ["backup", "proof"] as const;
export type RunKind = (typeof runKinds)[number];

/** The same as the API shows it. */
export const shownRunKinds = ["backup", "restore_test"] as const;
