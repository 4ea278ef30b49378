import { and, eq, lt, sql as template } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../../db/kit.ts";
import { print_jobs } from "../../../db/schema/floor.ts";
import { choice } from "../../core/schema.ts";
import { minute_ms } from "../../core/time.ts";
import { bulkTransition } from "../../core/transitions.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { queueOf } from "../../storage/queue.ts";
import { equals, newestIds, recordList, refersTo } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { deleteBatch } from "../../storage/row_batches.ts";
import { insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import {
  type PrintJobStatus,
  printJobStarts,
  printJobStatuses,
  printJobTransitions,
  printKinds,
} from "../floor.transitions.ts";
import type { PrintJob } from "./print_job.ts";

/** A print job by its identifier, `prj_1` or `1`. */
export const { get: getPrintJob, lock: lockPrintJob } = recordLookup(print_jobs, "print_job", {
  called: "print job",
  record: (_db, row): PrintJob => row,
});

/** Print jobs, newest first. */
export const printJobList = recordList(print_jobs, {
  filters: {
    status: equals(print_jobs.status, choice(printJobStatuses)),
    kind: equals(print_jobs.kind, choice(printKinds, { description: "Only these documents." })),
    printer_id: refersTo(print_jobs.printer_id, "printer", "Only those for these printers."),
    order_id: refersTo(print_jobs.order_id, "order", "Only those of these orders."),
  },
  order: newestIds(print_jobs.id),
  records: (rows): PrintJob[] => [...rows],
});

/** How long a server has to send a job. It is longer than all waits for a printer together. */
const lease_ms = minute_ms;

/** The jobs that wait or are being sent, one at a time of each printer. */
export const printQueue = queueOf<PrintJob>(print_jobs, {
  kind: "print_jobs",
  job: "floor.print",
  due: print_jobs.due_at,
  waiting: template`${print_jobs.due_at} is not null`,
  lane: print_jobs.printer_id,
  lease_ms,
});

/** A job before it is stored. */
export type NewPrintJob = Omit<
  PrintJob,
  "id" | "status" | "attempts" | "due_at" | "error_code" | "error" | "created_at" | "updated_at" | "sent_at"
>;

/** Stores queued jobs and wakes the job that sends them. */
export async function insertPrintJobs(tx: Tx, jobs: readonly NewPrintJob[]): Promise<PrintJob[]> {
  const rows = jobs.map((job) => ({
    ...job,
    ...{ status: printJobStarts, attempts: 0, due_at: tx.now, error_code: null, error: null, sent_at: null },
    ...{ created_at: tx.now, updated_at: tx.now },
  }));
  const ids = await insertIds(tx, print_jobs, rows);
  if (rows.length > 0) tx.wake(printQueue.job, tx.now);
  return rows.map((row, at) => ({ id: ids[at] ?? 0, ...row }));
}

/** Saves changes of a locked job and returns it. */
export async function savePrintJob(tx: Tx, job: PrintJob, change: Partial<PrintJob>): Promise<PrintJob> {
  const changed = { ...change, updated_at: tx.now };
  await tx.sql.update(print_jobs).set(changed).where(eq(print_jobs.id, job.id));
  return { ...job, ...changed };
}

const claimed = prepared((sql, a: StatementArgs<{ id: number; due_at: number }>) =>
  forUpdate(
    sql
      .select()
      .from(print_jobs)
      .where(and(eq(print_jobs.id, a.id), eq(print_jobs.due_at, a.due_at))),
  ),
);

/** Locks a job that this server has claimed; null if it was cancelled, or the claim is lost. */
export async function lockClaimedJob(tx: Tx, { id, due_at }: PrintJob): Promise<PrintJob | null> {
  const [job] = due_at === null ? [] : await claimed(tx, { id, due_at });
  return job ?? null;
}

/** Counts the jobs of a printer that wait or are being sent. */
export async function countOpenJobs(db: Db, printer_id: number): Promise<number> {
  return db.sql.$count(
    print_jobs,
    and(eq(print_jobs.printer_id, printer_id), template`${print_jobs.due_at} is not null`),
  );
}

/** Deletes the jobs of a printer. */
export async function removeJobsOf(tx: Tx, printer_id: number): Promise<void> {
  await tx.sql.delete(print_jobs).where(eq(print_jobs.printer_id, printer_id));
}

const failed = bulkTransition(printJobTransitions, "fail");

/** Fails the jobs that waited at the time of a restored backup: they may have been printed since. */
export async function dropRestoredJobs(tx: Tx): Promise<void> {
  const error = "It was queued when the restored backup was made, and may have been printed since. Reprint it if not.";
  await tx.sql
    .update(print_jobs)
    .set({ status: failed.to, due_at: null, error_code: "dropped_after_restore", error, updated_at: tx.now })
    .where(template`${print_jobs.due_at} is not null`);
}

/** Deletes up to `limit` finished jobs from before a time (ms). Returns how many. */
export async function deleteOldJobs(tx: Tx, before: number, limit: number): Promise<number> {
  const where = and(template`${print_jobs.due_at} is null`, lt(print_jobs.created_at, before));
  return deleteBatch(tx, print_jobs, { where, by: [print_jobs.id], limit });
}

const sending: readonly PrintJobStatus[] = printJobTransitions.finish.from;

/** Whether a server was sending a job when it was claimed. */
export const isBeingSent = ({ status }: PrintJob): boolean => sending.includes(status);

/** Counts the jobs that are being sent to a printer. */
export async function countSending(db: Db, printer_id: number): Promise<number> {
  const isSending = isOneOf(print_jobs.status, sending);
  return db.sql.$count(print_jobs, and(eq(print_jobs.printer_id, printer_id), isSending));
}
