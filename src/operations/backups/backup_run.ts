// The record of a backup run, the schedule, and the messages to the operator.

import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import type { BackupPlan, LogArchiveState } from "../../core/operator_settings.ts";
import { minute_ms } from "../../core/time.ts";
import type { RunCause, RunKind, RunStatus } from "./backup_run.transitions.ts";

/** The outcome of a run. */
export interface RunOutcome {
  readonly place: string;
  readonly size_bytes: number | null;
  readonly read_bytes: number | null;
  readonly sha256: string | null;
  readonly live_at: number | null;
  readonly live_commit: number | null;
  readonly test_at: number | null;
  readonly test_commit: number | null;
  readonly error: string | null;
}

/** A run: a backup, or the proof of one. Times in milliseconds. */
export interface BackupRun extends RunOutcome {
  readonly id: number;
  readonly kind: RunKind;
  readonly status: RunStatus;
  readonly cause: RunCause;
  readonly created_at: number;
  readonly begun_at: number | null;
  readonly ended_at: number | null;
  readonly held_until: number | null;
}

/** The outcome fields of a run without an outcome. */
export const no_outcome: Omit<RunOutcome, "place"> = {
  size_bytes: null,
  read_bytes: null,
  sha256: null,
  live_at: null,
  live_commit: null,
  test_at: null,
  test_commit: null,
  error: null,
};

/** Converts a run to its API form. */
export function runView(run: BackupRun) {
  const { kind, status, cause, place, size_bytes, read_bytes, sha256, error } = run;
  const copy = (at: number | null, commit: number | null) => (at === null ? null : { at: iso(at), commit });
  return {
    id: wireId("backup_run", run.id),
    kind: kind === "proof" ? ("restore_test" as const) : kind,
    status,
    cause,
    destination: place,
    size_bytes,
    read_bytes,
    sha256,
    error,
    live: copy(run.live_at, run.live_commit),
    test: copy(run.test_at, run.test_commit),
    created_at: iso(run.created_at),
    started_at: isoOrNull(run.begun_at),
    ended_at: isoOrNull(run.ended_at),
  };
}

/** Delay of the next attempt after a failure, unless the backup interval is shorter. */
const retry_ms = 10 * minute_ms;

/** The start (ms) of the interval that contains `at`. Each interval has one backup. */
const intervalStart = (at: number, every_ms: number) => Math.floor(at / every_ms) * every_ms;

/**
 * Returns when (ms) the next scheduled backup is due, based on the last run: now if there is none, at the start of the
 * next interval after a success, and sooner after a failure.
 */
export function nextDueAt(
  last: Pick<BackupRun, "begun_at" | "created_at" | "ended_at" | "error"> | null,
  { every_minutes }: Pick<BackupPlan, "every_minutes">,
  now: number,
): number {
  if (last === null) return now;
  const every_ms = every_minutes * minute_ms;
  const next = intervalStart(last.begun_at ?? last.created_at, every_ms) + every_ms;
  if (last.error === null || last.ended_at === null) return next;
  return Math.min(next, last.ended_at + Math.min(retry_ms, every_ms));
}

/** Returns when (ms) backups count as late: two intervals after the last one, or after the start. */
export function lateFrom(since: number, { every_minutes }: Pick<BackupPlan, "every_minutes">): number {
  return since + 2 * every_minutes * minute_ms;
}

/** The notice about a failed backup or proof. */
export function failureMessage({ kind, place, error }: Pick<BackupRun, "kind" | "place" | "error">): string {
  if (kind === "proof") return `The last backup could not be verified: ${error} Make another one and verify it.`;
  return `The backup to ${place} failed: ${error} It is retried automatically; the service keeps running.`;
}

/** The notice about a backup that was made with warnings. */
export const warningMessage = (place: string, warnings: readonly string[]): string =>
  `The backup ${place} is stored. ${warnings.join(" ")}`;

const shipped_late_ms = 60_000;
const shipped_told_ms = 10 * 60_000;

/** Converts the state of continuous archiving to its API form. */
export const shippedView = ({ until, waiting_bytes, problem }: LogArchiveState, now: number) => ({
  shipped_until: isoOrNull(until),
  late: problem !== null || (until !== null && now - until > shipped_late_ms),
  waiting_bytes,
  problem,
});

/** The notice when nothing was archived for ten minutes; null before that. */
export function shippedMessage({ place, until, problem }: LogArchiveState, since: number, now: number): string | null {
  if (now - (until ?? since) <= shipped_told_ms) return null;
  const reason = problem === null ? "" : ` ${problem}`;
  const lost = `changes since ${iso(until ?? since)} would be lost with the disk.`;
  return `Continuous archiving to ${place} is behind: ${lost}${reason}`;
}

/** The notice about late backups. */
export function lateMessage(place: string, last_at: number | null): string {
  const last = last_at === null ? "None has been made yet" : `The last one was made at ${iso(last_at)}`;
  return `The backups to ${place} are late. ${last}. See the list of backups for the reason.`;
}
