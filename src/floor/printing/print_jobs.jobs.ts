// Sends documents to printers in three steps: claim in one transaction, send in none, record in another. What was sent
// is never sent again by itself, and no other work waits for paper.
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import type { Service } from "../../http/service.ts";
import { laneJob } from "../../outbound/lanes.ts";
import { type PrintFailure, sendToIpp, sendToPort } from "../../outbound/printer.ts";
import { withLogo } from "../../shipping/printing/document_drawing.ts";
import { type Store, type Tx, writeChunks } from "../../storage/database.ts";
import { drawContent, type NoContent, type PrintContent, readContent } from "./print_content.ts";
import type { PrintJob } from "./print_job.ts";
import { deleteOldJobs, isBeingSent, printQueue } from "./print_jobs.sql.ts";
import {
  beginSending,
  claimPrintJobs,
  type PrintTask,
  recordLostServer,
  recordNoContent,
  recordSent,
  recordUnsent,
} from "./print_jobs.ts";
import type { Printer, PrinterMedia } from "./printer.ts";

/**
 * `printDue` is the job `floor.print`. `printsSettled` waits until all jobs in progress have ended and are recorded.
 */
export const { round: printDue, settled: printsSettled } = laneJob<PrintTask>(
  printQueue.job,
  "a print job was not recorded",
  { claim: claimPrintJobs, work: print },
);

async function print(task: PrintTask, store: Store, service: Service): Promise<void> {
  const { job, printer } = task;
  const failed = (ended: PrintJob | null) => {
    if (ended === null) return;
    const facts = { mode: store.mode, print_job: wireId("print_job", job.id), printer: printer.name };
    service.log.warn("a document was not printed", { ...facts, error: ended.error });
  };
  if (isBeingSent(job)) return failed(await store.write((tx) => recordLostServer(tx, job)));
  const drawn = await draw(task, store, service);
  if ("code" in drawn) return failed(await store.write((tx) => recordNoContent(tx, job, drawn)));
  const sending = await store.write((tx) => beginSending(tx, task));
  if (sending === null) return;
  const failure = await send(printer, drawn.bytes, wireId("print_job", job.id), service.ownPort());
  if (failure !== null) return failed(await store.write((tx) => recordUnsent(tx, sending, failure)));
  await store.write((tx) => recordSent(tx, sending, drawn.content.page));
}

interface DrawnContent {
  readonly content: PrintContent;
  readonly bytes: Uint8Array;
}

async function draw({ job, printer }: PrintTask, store: Store, service: Service): Promise<DrawnContent | NoContent> {
  if (!printer.active) return { code: "printer_inactive", message: `${printer.name} is not active.` };
  const format = printer.kind === "zpl_tcp" ? "zpl" : "pdf";
  const content = await store.read((db) => readContent(db, job, printer, format));
  if ("code" in content) return content;
  const part = await withLogo({ files: service.files, store }, content.part, content.logo);
  try {
    return { content, bytes: await drawContent({ ...content, part }, printer.dpi, service.log) };
  } catch (error) {
    // The claim expires, and the job is tried again.
    if (error instanceof Fault || !("bytes" in part)) throw error;
    return { code: "no_document", message: "The file of the label cannot be read." };
  }
}

const papers: Readonly<Record<PrinterMedia, string>> = {
  "4x6": "na_index-4x6_4x6in",
  a4: "iso_a4_210x297mm",
  letter: "na_letter_8.5x11in",
};

function send(
  printer: Printer,
  bytes: Uint8Array,
  name: string,
  own_port: number | null,
): Promise<PrintFailure | null> {
  const { kind, path, media } = printer;
  if (kind === "zpl_tcp") return sendToPort(printer, bytes, own_port);
  return sendToIpp({ ...printer, path: path ?? "/", media: papers[media] }, bytes, name, own_port);
}

const kept_ms = 30 * day_ms;
const batch_max = 1000;

/** Deletes finished jobs after 30 days. */
export async function deleteOldPrintJobs(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx: Tx) => {
    return (await deleteOldJobs(tx, tx.now - kept_ms, batch_max)) === batch_max;
  });
}
