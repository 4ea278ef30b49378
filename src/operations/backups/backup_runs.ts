import { Fault } from "../../core/faults.ts";
import type { BackupPlan, LogArchiveState } from "../../core/operator_settings.ts";
import { transition } from "../../core/transitions.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { notifyOperator } from "../../webhooks/notices.ts";
import { type RunCause, type RunKind, runMoves, runStarts } from "./backup_run.transitions.ts";
import {
  type BackupRun,
  failureMessage,
  lateFrom,
  lateMessage,
  nextDueAt,
  no_outcome,
  type RunOutcome,
  shippedMessage,
  warningMessage,
} from "./backup_run.ts";
import {
  findLastBegun,
  findLastDone,
  forgetRuns,
  insertRun,
  lockOpenRuns,
  nextProofAt,
  saveRun,
} from "./backup_runs.sql.ts";

const hold_ms = 30_000;
const runs_kept = 1000;

/** Requests a backup, or returns the one that is already waiting. Refuses: backups_not_configured. */
export async function requestBackup(tx: Tx, plan: BackupPlan | null): Promise<BackupRun> {
  if (plan === null) {
    throw new Fault("backups_not_configured", "No backups are configured. Start the service with --backup-to.");
  }
  await takeTurn(tx, "backups");
  const waiting = (await lockOpenRuns(tx)).find(({ status }) => status === runStarts);
  tx.wake("backups.run", tx.now);
  return waiting ?? insertRun(tx, { ...fresh("backup", "request", plan, tx.now), status: runStarts });
}

/** The run that this server must do now, if any, and when to check again. */
interface ClaimedBackupRun {
  readonly run: BackupRun | null;
  readonly next_at: number;
}

/**
 * Claims the due run for half a minute. A run whose hold has expired has failed. Only one runs at a time. The last
 * backup is proven once a week.
 */
export async function claimRun(tx: Tx, plan: BackupPlan, mails: boolean): Promise<ClaimedBackupRun> {
  await takeTurn(tx, "backups");
  const open = await lockOpenRuns(tx);
  for (const run of open) {
    if (run.held_until === null) continue;
    if (run.held_until > tx.now) return { run: null, next_at: run.held_until };
    await endRun(tx, run, { ...run, error: "It was interrupted: the server that ran it stopped." }, mails);
  }
  const waiting = open.find(({ status }) => status === runStarts);
  if (waiting !== undefined) return begin(tx, waiting);
  const last = await findLastBegun(tx, "backup");
  const due_at = nextDueAt(last, plan, tx.now);
  if (due_at <= tx.now)
    return begin(tx, await insertRun(tx, { ...fresh("backup", "schedule", plan, tx.now), status: runStarts }));
  const done = await findLastDone(tx, "backup");
  if (done !== null && (await nextProofAt(tx)) <= tx.now) {
    const made = { ...fresh("proof", "schedule", { ...plan, to: done.place }, tx.now), status: runStarts };
    return begin(tx, await insertRun(tx, made));
  }
  return { run: null, next_at: due_at };
}

const fresh = (kind: RunKind, cause: RunCause, { to }: Pick<BackupPlan, "to">, now: number) => ({
  kind,
  cause,
  place: to,
  created_at: now,
  begun_at: null,
  ended_at: null,
  held_until: null,
  ...no_outcome,
});

async function begin(tx: Tx, run: BackupRun): Promise<ClaimedBackupRun> {
  const begun = { status: transition(runMoves, "begin", run.status), begun_at: tx.now, held_until: tx.now + hold_ms };
  await saveRun(tx, run.id, begun);
  return { run: { ...run, ...begun }, next_at: tx.now + hold_ms };
}

/** Records the outcome of a run. Notifies the operator of failures and warnings once a day, and of news at once. */
export async function endRun(
  tx: Tx,
  run: BackupRun,
  outcome: RunOutcome & { readonly warnings?: readonly string[]; readonly news?: string | null },
  mails: boolean,
): Promise<void> {
  const { warnings = [], news = null } = outcome;
  const worries = news === null ? warnings : [news, ...warnings];
  const { place, size_bytes, read_bytes, sha256, live_at, live_commit, test_at, test_commit, error } = outcome;
  const status = transition(runMoves, error === null ? "end" : "fail", run.status);
  const made = { place, size_bytes, read_bytes, sha256, live_at, live_commit, test_at, test_commit, error };
  await saveRun(tx, run.id, { ...made, status, ended_at: tx.now, held_until: null });
  if (error !== null || worries.length > 0) {
    const message = error === null ? warningMessage(place, worries) : failureMessage({ ...run, error });
    // A failure after a success is news. A repeated warning is not.
    const since = error !== null ? await lastGood(tx) : news !== null ? tx.now : 0;
    await notifyOperator(tx, { kind: "backup_failed", message, since }, mails);
  }
  await forgetRuns(tx, runs_kept);
}

/** Notifies the operator once a day if backups are late. `since` (ms) is when this service started making them. */
export async function noteLate(tx: Tx, plan: BackupPlan, since: number, mails: boolean): Promise<void> {
  const done = await findLastDone(tx, "backup");
  const last_at = done?.live_at ?? null;
  if (lateFrom(Math.max(done?.ended_at ?? 0, since), plan) > tx.now) return;
  const message = lateMessage(plan.to, last_at);
  await notifyOperator(tx, { kind: "backup_late", message, since: await lastGood(tx) }, mails);
}

/** Notifies the operator if archiving is far behind. `since` (ms) is when this server started archiving. */
export async function noteArchiveLate(tx: Tx, shipped: LogArchiveState, since: number, mails: boolean): Promise<void> {
  const message = shippedMessage(shipped, since, tx.now);
  if (message === null) return;
  await notifyOperator(tx, { kind: "backup_late", message, since: shipped.until ?? since }, mails);
}

async function lastGood(tx: Tx): Promise<number> {
  return (await findLastDone(tx, "backup"))?.ended_at ?? 0;
}
