import type { Transitions } from "../../core/transitions.ts";

/** What may become of what waited to go out as of a backup: it goes out after all, or never does. */
export const decisions = ["send", "drop"] as const;
export type Decision = (typeof decisions)[number];

// Every status of a run of the backups, and every way out of it.

export const runStatuses = ["waiting", "running", "done", "failed"] as const;
export type RunStatus = (typeof runStatuses)[number];

// A run that nobody holds any more, since its server was killed, failed.
// biome-ignore format: a table is read by its columns.
export const runMoves = {
  begin: { from: ["waiting"], to: "running", held: false, emits: null },
  end:   { from: ["running"], to: "done",    held: false, emits: null },
  fail:  { from: ["running"], to: "failed",  held: false, emits: null },
} as const satisfies Transitions<RunStatus>;

/** The status of a run that somebody has asked for; the schedule's own begin at once. */
export const runStarts: RunStatus = "waiting";
/** The status of a run that goes on. */
export const isRunningStatus: RunStatus = runMoves.begin.to;
/** The status of a run that made its backup. */
export const isDoneStatus: RunStatus = runMoves.end.to;

/** Why a run was begun: its time had come, or somebody asked for it. */
export const runCauses = ["schedule", "request"] as const;
export type RunCause = (typeof runCauses)[number];

/** What a run does: make a backup, or prove the last one by restoring it aside. */
export const runKinds = ["backup", "proof"] as const;
export type RunKind = (typeof runKinds)[number];
