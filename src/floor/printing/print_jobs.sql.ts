import { and, eq, sql as template } from "drizzle-orm";
import { print_jobs } from "../../../db/schema/floor.ts";
import { choice } from "../../core/schema.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { equals, newestIds, recordList, refersTo } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insertIds } from "../../storage/statements.ts";
import { printJobStarts, printJobStatuses, printKinds } from "../floor.transitions.ts";
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
    kind: equals(print_jobs.kind, choice(printKinds)),
    printer_id: refersTo(print_jobs.printer_id, "printer"),
    order_id: refersTo(print_jobs.order_id, "order"),
  },
  order: newestIds(print_jobs.id),
  records: (rows): PrintJob[] => [...rows],
});

/** A job before it is stored. */
export type NewPrintJob = Omit<
  PrintJob,
  "id" | "status" | "attempts" | "due_at" | "error_code" | "error" | "created_at" | "updated_at" | "sent_at"
>;

/** Stores queued jobs. */
export async function insertPrintJobs(tx: Tx, jobs: readonly NewPrintJob[]): Promise<PrintJob[]> {
  const rows = jobs.map((job) => ({
    ...job,
    ...{ status: printJobStarts, attempts: 0, due_at: tx.now, error_code: null, error: null, sent_at: null },
    ...{ created_at: tx.now, updated_at: tx.now },
  }));
  const ids = await insertIds(tx, print_jobs, rows);
  return rows.map((row, at) => ({ id: ids[at] ?? 0, ...row }));
}

/** Saves changes of a locked job and returns it. */
export async function savePrintJob(tx: Tx, job: PrintJob, change: Partial<PrintJob>): Promise<PrintJob> {
  const changed = { ...change, updated_at: tx.now };
  await tx.sql.update(print_jobs).set(changed).where(eq(print_jobs.id, job.id));
  return { ...job, ...changed };
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
