import { and, asc, desc, eq, inArray, isNotNull, lt, max, ne } from "drizzle-orm";
import { forUpdate } from "../../../db/kit.ts";
import { backup_runs } from "../../../db/schema/backups.ts";
import type { BackupPlan } from "../../core/operator_settings.ts";
import { week_ms } from "../../core/time.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { shiftOf } from "../../storage/queue.ts";
import { recordList } from "../../storage/record_list.ts";
import { isDoneStatus, isRunningStatus, type RunKind, type RunStatus, runStarts } from "./backup_run.transitions.ts";
import { type BackupRun, nextDueAt, type RunOutcome } from "./backup_run.ts";

/** Runs, newest first. */
export const runList = recordList(backup_runs);

/** Locks the waiting and running runs, oldest first. */
export async function lockOpenRuns(tx: Tx): Promise<BackupRun[]> {
  const open = inArray(backup_runs.status, [runStarts, isRunningStatus]);
  return forUpdate(tx.sql.select().from(backup_runs).where(open).orderBy(asc(backup_runs.id)));
}

/** Finds the run of a kind that was started last, or null. */
export async function findLastBegun(db: Db, kind: RunKind): Promise<BackupRun | null> {
  const begun = and(eq(backup_runs.kind, kind), isNotNull(backup_runs.begun_at));
  const [row] = await db.sql.select().from(backup_runs).where(begun).orderBy(desc(backup_runs.id)).limit(1);
  return row ?? null;
}

/** Finds the last successful run of a kind, or null. */
export async function findLastDone(db: Db, kind: RunKind): Promise<BackupRun | null> {
  const done = and(eq(backup_runs.kind, kind), eq(backup_runs.status, isDoneStatus));
  const [row] = await db.sql.select().from(backup_runs).where(done).orderBy(desc(backup_runs.id)).limit(1);
  return row ?? null;
}

/** Finds the first recorded run of a kind, or null. */
export async function findFirst(db: Db, kind: RunKind): Promise<BackupRun | null> {
  const of_kind = eq(backup_runs.kind, kind);
  const [row] = await db.sql.select().from(backup_runs).where(of_kind).orderBy(asc(backup_runs.id)).limit(1);
  return row ?? null;
}

/** Returns whether a run is requested or due, and when (ms) to check again. */
export async function isDue(db: Db, plan: BackupPlan): Promise<{ readonly due: boolean; readonly at: number }> {
  const { held_until, status } = backup_runs;
  const open = inArray(status, [runStarts, isRunningStatus]);
  const [held] = await db.sql.select({ held_until }).from(backup_runs).where(open).orderBy(desc(held_until)).limit(1);
  if (held !== undefined) return { due: (held.held_until ?? 0) <= db.now, at: held.held_until ?? db.now };
  const at = Math.min(nextDueAt(await findLastBegun(db, "backup"), plan, db.now), await nextProofAt(db));
  return { due: at <= db.now, at };
}

/** Returns when (ms) the last backup must be proven: a week after the last proof; infinity if there is no backup. */
export async function nextProofAt(db: Db): Promise<number> {
  if ((await findLastDone(db, "backup")) === null) return Number.POSITIVE_INFINITY;
  return ((await findLastBegun(db, "proof"))?.begun_at ?? 0) + week_ms;
}

/** Inserts a run. */
export async function insertRun(tx: Tx, run: Omit<BackupRun, "id">): Promise<BackupRun> {
  const [row] = await tx.sql.insert(backup_runs).values(run).returning();
  return row as BackupRun;
}

/** Updates the state of a run. */
export async function saveRun(
  tx: Tx,
  id: number,
  state: Partial<RunOutcome> & Partial<Pick<BackupRun, "begun_at" | "ended_at" | "held_until">> & { status: RunStatus },
): Promise<void> {
  await tx.sql.update(backup_runs).set(state).where(eq(backup_runs.id, id));
}

/** Extends the hold of a run until `until` (ms). Returns false if the run has ended. */
export async function holdRun(tx: Tx, id: number, until: number): Promise<boolean> {
  const running = and(eq(backup_runs.id, id), eq(backup_runs.status, isRunningStatus));
  const held = await tx.sql
    .update(backup_runs)
    .set({ held_until: until })
    .where(running)
    .returning({ id: backup_runs.id });
  return held.length > 0;
}

/** Deletes all but the last `keep_count` runs, and never the last successful backup; without one, never the first. */
export async function forgetRuns(tx: Tx, keep_count: number): Promise<void> {
  const [last] = await tx.sql.select({ id: max(backup_runs.id) }).from(backup_runs);
  const kept = (await findLastDone(tx, "backup")) ?? (await findFirst(tx, "backup"));
  const before = lt(backup_runs.id, (last?.id ?? 0) - keep_count);
  await tx.sql.delete(backup_runs).where(and(before, ne(backup_runs.id, kept?.id ?? 0)));
}

/** Moves the ends of running backups' leases as far as the clock was moved. */
export const shiftBackupRuns = shiftOf(backup_runs, [backup_runs.held_until], isNotNull(backup_runs.held_until));
