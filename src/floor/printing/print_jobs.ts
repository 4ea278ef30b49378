import type { Actor } from "../../core/actor.ts";
import { Fault, invalid, ofFields } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { minute_ms, second_ms } from "../../core/time.ts";
import { transition } from "../../core/transitions.ts";
import type { Order } from "../../orders/order.ts";
import { getOrder, lockPrints } from "../../orders/orders.sql.ts";
import type { PrintFailure } from "../../outbound/printer.ts";
import { isBeingBought, isUsable } from "../../shipping/labels/label.transitions.ts";
import type { ShippingLabel } from "../../shipping/labels/label.ts";
import { getLabel, listOrderLabels } from "../../shipping/labels/labels.sql.ts";
import { recordPrints } from "../../shipping/printing/draw_document.ts";
import { PrintLog } from "../../shipping/printing/print_log.ts";
import type { Printable } from "../../shipping/printing/printable.ts";
import type { Db, Tx } from "../../storage/database.ts";
import type { ClaimedWork } from "../../storage/queue.ts";
import { printJobTransitions } from "../floor.transitions.ts";
import type { NoContent } from "./print_content.ts";
import type { PrintJob } from "./print_job.ts";
import type { CreatePrintJob, ReprintJob } from "./print_jobs.schema.ts";
import {
  countSending,
  getPrintJob,
  insertPrintJobs,
  lockClaimedJob,
  lockPrintJob,
  type NewPrintJob,
  printQueue,
  savePrintJob,
} from "./print_jobs.sql.ts";
import type { Printer } from "./printer.ts";
import { getPrinter, getStation, lockPrinter } from "./printers.sql.ts";

const attempts_max = 3;
const retry_ms = [5 * second_ms, 30 * second_ms];
const label_wait_ms = 10 * minute_ms;

async function queueOne(tx: Tx, job: NewPrintJob): Promise<PrintJob> {
  const [queued] = await insertPrintJobs(tx, [job]);
  return queued as PrintJob;
}

const byActor = ({ type, id, name }: Actor) => ({ actor_type: type, actor_id: id, actor_name: name });

const unknown = (field: string, what: string) =>
  ofFields("resource_missing", [{ field, code: "resource_missing", message: `names no ${what}` }]);

/** Reports a record that is missing for the field that names it. */
async function named<Record>(field: string, what: string, read: Promise<Record>): Promise<Record> {
  return read.catch((error: unknown) => {
    throw error instanceof Fault && error.code === "resource_missing" ? unknown(field, what) : error;
  });
}

/**
 * Queues a label or a packing slip for a printer, or for that of a station.
 * Refuses: validation_failed, resource_missing.
 */
export async function createPrintJob(tx: Tx, input: CreatePrintJob, actor: Actor): Promise<PrintJob> {
  const printer = await printerFor(tx, input);
  const subject = await subjectOf(tx, input);
  return queueOne(tx, { kind: input.kind, printer_id: printer.id, ...subject, reprint_of: null, ...byActor(actor) });
}

async function printerFor(db: Db, { printer_id, station_id, kind }: CreatePrintJob): Promise<Printer> {
  if ((printer_id === undefined) === (station_id === undefined)) {
    throw invalid("printer_id", "or station_id must be given, exactly one of them", "required");
  }
  if (printer_id !== undefined) {
    return usable(await named("printer_id", "printer", getPrinter(db, printer_id)), kind, "printer_id");
  }
  const station = await named("station_id", "station", getStation(db, station_id ?? 0));
  const own = kind === "label" ? station.label_printer_id : station.document_printer_id;
  if (own === null) throw invalid("station_id", `has no printer for ${kind === "label" ? "labels" : "packing slips"}`);
  return usable(await getPrinter(db, own), kind, "station_id");
}

/** Refuses a printer that cannot print a document. Refuses: validation_failed. */
function usable(printer: Printer, kind: PrintJob["kind"], field: string): Printer {
  if (!printer.active) throw invalid(field, `names ${printer.name}, which is not active`);
  if (kind === "packing_slip" && (printer.kind !== "ipp" || printer.media === "4x6")) {
    throw invalid(field, "must be an IPP printer with a4 or letter paper for packing slips");
  }
  return printer;
}

type PrintSubject = Pick<NewPrintJob, "merchant_id" | "order_id" | "shipment_id" | "label_id">;

async function subjectOf(db: Db, input: CreatePrintJob): Promise<PrintSubject> {
  const { kind, label_id, order_id } = input;
  if ((label_id === undefined) === (order_id === undefined)) {
    throw invalid("order_id", "or label_id must be given, exactly one of them", "required");
  }
  if (label_id !== undefined) {
    const label = await named("label_id", "label", getLabel(db, label_id));
    if (kind === "packing_slip" && label.shipment_id === null) throw invalid("label_id", "is the label of a return");
    return { ...ofLabel(label), label_id: kind === "label" ? label.id : null };
  }
  const order = await named("order_id", "order", getOrder(db, order_id ?? 0));
  const shipment = input.shipment_id === undefined ? null : shipmentOf(order, input.shipment_id);
  const common = { merchant_id: order.merchant_id, order_id: order.id, shipment_id: shipment };
  if (kind === "packing_slip") return { ...common, label_id: null };
  const labels = (await listOrderLabels(db, [order.id])).filter(
    ({ status, shipment_id }) =>
      (isUsable(status) || isBeingBought(status)) && (shipment === null || shipment_id === shipment),
  );
  const [label, another] = labels;
  if (label === undefined) throw invalid("order_id", "has no label to print");
  if (another !== undefined) throw invalid("shipment_id", "is required: the order has several labels", "required");
  return { ...ofLabel(label), label_id: label.id };
}

const ofLabel = ({ merchant_id, order_id, shipment_id }: ShippingLabel) => ({ merchant_id, order_id, shipment_id });

function shipmentOf(order: Order, name: string | number): number {
  const id = readId("shipment", name);
  const found = order.shipments.find((shipment) => shipment.id === id);
  if (found === undefined) throw unknown("shipment_id", "parcel of the order");
  return found.id;
}

/** Queues a test page. Refuses: resource_missing, validation_failed. */
export async function testPrinter(tx: Tx, id: string, actor: Actor): Promise<PrintJob> {
  const printer = usable(await getPrinter(tx, id), "test", "active");
  // A request that is limited to one merchant sees the jobs that it queues.
  const none = { merchant_id: tx.scope.visible, order_id: null, shipment_id: null, label_id: null };
  return queueOne(tx, { kind: "test", printer_id: printer.id, ...none, reprint_of: null, ...byActor(actor) });
}

/**
 * Queues the document of a finished job again, on the same printer or another one.
 * Refuses: resource_missing, validation_failed, invalid_state_transition.
 */
export async function reprintJob(tx: Tx, id: string, input: ReprintJob, actor: Actor): Promise<PrintJob> {
  const job = await getPrintJob(tx, id);
  if (job.due_at !== null) {
    const message = `${wireId("print_job", job.id)} has not been printed yet. Wait for it, or cancel it.`;
    throw new Fault("invalid_state_transition", message, { from: job.status, action: "reprint" });
  }
  const { printer_id = job.printer_id } = input;
  const printer = usable(await named("printer_id", "printer", getPrinter(tx, printer_id)), job.kind, "printer_id");
  const { kind, merchant_id, order_id, shipment_id, label_id } = job;
  const same = { kind, merchant_id, order_id, shipment_id, label_id };
  return queueOne(tx, { ...same, printer_id: printer.id, reprint_of: job.id, ...byActor(actor) });
}

/** Cancels a job that was not sent. Refuses: resource_missing, invalid_state_transition. */
export async function cancelPrintJob(tx: Tx, id: string): Promise<PrintJob> {
  const job = await lockPrintJob(tx, id);
  return savePrintJob(tx, job, { status: transition(printJobTransitions, "cancel", job.status), due_at: null });
}

/** A claimed job and its printer. */
export interface PrintTask {
  /** The lane of the task: one job of a printer at a time. */
  readonly connection: { readonly id: number };
  readonly job: PrintJob;
  readonly printer: Printer;
}

/** Claims the job that has been due longest for each printer that is not busy. */
export async function claimPrintJobs(tx: Tx, busy: ReadonlySet<number>): Promise<ClaimedWork<PrintTask>> {
  const printers = (await printQueue.lanes(tx)).filter(({ id }) => !busy.has(id));
  return printQueue.claimLanes(tx, printers, async (connection) => {
    const [job] = await printQueue.claim(tx, { limit: 1, lane: connection.id });
    return job === undefined ? null : { connection, job, printer: await getPrinter(tx, connection.id) };
  });
}

/**
 * Records that a claimed job is about to be sent. Returns null if it must not be: it was cancelled, or another server
 * sends to the printer, after which its turn comes.
 */
export async function beginSending(tx: Tx, { job, printer }: PrintTask): Promise<PrintJob | null> {
  await lockPrinter(tx, printer.id);
  const claimed = await lockClaimedJob(tx, job);
  if (claimed === null) return null;
  if ((await countSending(tx, printer.id)) > 0) {
    await postpone(tx, claimed, second_ms, {});
    return null;
  }
  const status = transition(printJobTransitions, "send", claimed.status);
  const due_at = await printQueue.hold(tx, claimed.id);
  return savePrintJob(tx, claimed, { status, attempts: claimed.attempts + 1, due_at });
}

async function postpone(tx: Tx, job: PrintJob, wait_ms: number, change: Partial<PrintJob>): Promise<void> {
  const due_at = tx.now + wait_ms;
  await savePrintJob(tx, job, { ...change, due_at });
  tx.wake(printQueue.job, due_at);
}

async function fail(tx: Tx, job: PrintJob, { code, message }: NoContent): Promise<PrintJob> {
  const status = transition(printJobTransitions, "fail", job.status);
  return savePrintJob(tx, job, { status, due_at: null, error_code: code, error: message });
}

/** Records that a claimed job has nothing to send. It waits for a label that is being bought, for ten minutes. */
export async function recordNoContent(tx: Tx, claimed: PrintJob, reason: NoContent): Promise<PrintJob | null> {
  const job = await lockClaimedJob(tx, claimed);
  if (job === null) return null;
  const age_ms = tx.now - job.created_at;
  if (reason.code !== "label_processing" || age_ms >= label_wait_ms) return fail(tx, job, reason);
  const wait_ms = Math.min(Math.max(second_ms, Math.floor(age_ms / 4)), 15 * second_ms);
  await postpone(tx, job, wait_ms, { error_code: reason.code, error: reason.message });
  return null;
}

/** Fails a job whose server ended while it sent it: it may have been printed. */
export async function recordLostServer(tx: Tx, claimed: PrintJob): Promise<PrintJob | null> {
  const job = await lockClaimedJob(tx, claimed);
  const message = "The server stopped while it sent the document. It may have been printed.";
  return job === null ? null : fail(tx, job, { code: "outcome_unknown", message });
}

/** Records that a job was not printed. It is tried again if nothing was sent, three times in all. */
export async function recordUnsent(tx: Tx, sending: PrintJob, failure: PrintFailure): Promise<PrintJob | null> {
  const job = await lockClaimedJob(tx, sending);
  if (job === null) return null;
  if (!failure.again || job.attempts >= attempts_max) return fail(tx, job, failure);
  const status = transition(printJobTransitions, "retry", job.status);
  const wait_ms = retry_ms[job.attempts - 1] ?? minute_ms;
  await postpone(tx, job, wait_ms, { status, error_code: failure.code, error: failure.message });
  return null;
}

/** Records that a job was sent, and that its order's label or slip was printed. */
export async function recordSent(tx: Tx, sending: PrintJob, page: Printable | null): Promise<void> {
  const job = await lockClaimedJob(tx, sending);
  if (job === null) return;
  const status = transition(printJobTransitions, "finish", job.status);
  await savePrintJob(tx, job, { status, due_at: null, error_code: null, error: null, sent_at: tx.now });
  if (page === null) return;
  const log = new PrintLog();
  log.page(page);
  const actor = { type: job.actor_type, id: job.actor_id, name: job.actor_name, request_id: null };
  await lockPrints(tx, [page.order.id]);
  await recordPrints(tx, log, log.prints(actor));
}
