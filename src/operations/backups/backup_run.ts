// When a backup is due, and what is said of it.

import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import type { BackupPlan, LogArchiveState } from "../../core/operator_settings.ts";
import type { RunCause, RunKind, RunStatus } from "./backup_run.transitions.ts";

/** What became of a run. */
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

/** One run: a backup, or a proof of one. Moments in milliseconds. */
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

/** The outcome of a run that has none yet. */
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

/** The run as the API shows it. */
export function runView(run: BackupRun) {
  const { kind, status, cause, place, size_bytes, read_bytes, sha256, error } = run;
  const world = (at: number | null, commit: number | null) => (at === null ? null : { at: iso(at), commit });
  return {
    id: wireId("backup_run", run.id),
    ...{ kind, status, cause, place, size_bytes, read_bytes, sha256, error },
    live: world(run.live_at, run.live_commit),
    test: world(run.test_at, run.test_commit),
    created_at: iso(run.created_at),
    begun_at: isoOrNull(run.begun_at),
    ended_at: isoOrNull(run.ended_at),
  };
}

const minute_ms = 60_000;
/** After a failure the next try waits so long, or as long as is between two backups where that is less. */
const retry_ms = 10 * minute_ms;

/** The beginning of the stretch of time that a moment lies in: each stretch has its backup. */
const stretchOf = (at: number, every_ms: number) => Math.floor(at / every_ms) * every_ms;

/**
 * When the schedule's next backup is due, given the last run that was begun: at once where there is none, at the next
 * full stretch after one that was made, and soon after one that failed.
 */
export function nextDueAt(
  last: Pick<BackupRun, "begun_at" | "created_at" | "ended_at" | "error"> | null,
  { every_minutes }: Pick<BackupPlan, "every_minutes">,
  now: number,
): number {
  if (last === null) return now;
  const every_ms = every_minutes * minute_ms;
  const next = stretchOf(last.begun_at ?? last.created_at, every_ms) + every_ms;
  if (last.error === null || last.ended_at === null) return next;
  return Math.min(next, last.ended_at + Math.min(retry_ms, every_ms));
}

/** The moment from which on a backup is late: two of them could have been made since the last one, or the start. */
export function lateFrom(since: number, { every_minutes }: Pick<BackupPlan, "every_minutes">): number {
  return since + 2 * every_minutes * minute_ms;
}

/** What the operator is told of a backup that failed. */
export function failureMessage({ kind, place, error }: Pick<BackupRun, "kind" | "place" | "error">): string {
  if (kind === "proof") return `The last backup could not be proven: ${error} Make another one, and look at it.`;
  return `The backup to ${place} failed: ${error} The next try follows by itself; the service goes on.`;
}

/** What the operator is told of a backup that was made, and is to be looked after. */
export const warningMessage = (place: string, warnings: readonly string[]): string =>
  `The backup ${place} is stored. ${warnings.join(" ")}`;

const shipped_late_ms = 60_000;
const shipped_told_ms = 10 * 60_000;

/** How it stands with what is shipped, as the API tells it. */
export const shippedView = ({ until, waiting_bytes, problem }: LogArchiveState, now: number) => ({
  shipped_until: isoOrNull(until),
  late: problem !== null || (until !== null && now - until > shipped_late_ms),
  waiting_bytes,
  problem,
});

/** What the operator is told once nothing was shipped for ten minutes; null while it need not be told. */
export function shippedMessage({ place, until, problem }: LogArchiveState, since: number, now: number): string | null {
  if (now - (until ?? since) <= shipped_told_ms) return null;
  const reason = problem === null ? "" : ` ${problem}`;
  const lost = `a lost disk would cost all that was committed since ${iso(until ?? since)}.`;
  return `What is committed is not shipped to ${place}: ${lost}${reason}`;
}

/** What the operator is told when backups are late. */
export function lateMessage(place: string, last_at: number | null): string {
  const last = last_at === null ? "None was made yet" : `The last one is of ${iso(last_at)}`;
  return `The backups to ${place} are late. ${last}. See the list of backups for what holds them up.`;
}
