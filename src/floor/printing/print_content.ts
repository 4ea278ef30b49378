// What a print job prints. It is read when the job is sent, so that it shows the present state of its order.
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { defaultPaperSize, footOf, localMoment, type PaperSize, type PrintDocument } from "../../documents/document.ts";
import { render } from "../../documents/render.ts";
import type { StoredFile } from "../../files/file.ts";
import { getWarehouse } from "../../inventory/warehouses/warehouses.sql.ts";
import { isGivenUp } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import { findOrders } from "../../orders/orders.sql.ts";
import { hasFailed, isBeingBought } from "../../shipping/labels/label.transitions.ts";
import type { ShippingLabel } from "../../shipping/labels/label.ts";
import { formatOf } from "../../shipping/labels/label_documents.ts";
import { findLabels, listOrderLabels } from "../../shipping/labels/labels.sql.ts";
import { senderOfOrder } from "../../shipping/origins.sql.ts";
import { partOf } from "../../shipping/printing/document_drawing.ts";
import { type Printable, pagesOf } from "../../shipping/printing/printable.ts";
import type { PrintFormat, SkippedRow } from "../../shipping/printing/printed_document.ts";
import { openSheets, type SheetPart } from "../../shipping/printing/sheets.ts";
import type { Db } from "../../storage/database.ts";
import type { PrintErrorCode, PrintJob } from "./print_job.ts";
import type { Printer } from "./printer.ts";

/** Why nothing can be printed. */
export interface NoContent {
  readonly code: PrintErrorCode;
  readonly message: string;
}

/** A document that is ready to be drawn. */
export interface PrintContent {
  readonly title: string;
  readonly part: SheetPart;
  readonly logo: StoredFile | null;
  /** What counts as printed; null for a test page. */
  readonly page: Printable | null;
  readonly now: number;
}

/**
 * Reads what a job prints in a format; or why it prints nothing: `label_processing` if its label is still being bought.
 */
export async function readContent(
  db: Db,
  job: PrintJob,
  printer: Printer,
  format: PrintFormat,
): Promise<PrintContent | NoContent> {
  if (job.kind === "test") return testPage(db, printer);
  const [order] = job.order_id === null ? [] : await findOrders(db, [job.order_id]);
  if (order === undefined) return { code: "not_printable", message: "The order no longer exists." };
  const found = await (job.kind === "label" ? labelPage(db, job, order, format) : slipPage(db, job, order));
  if ("code" in found) return found;
  const sender = await senderOfOrder(db, order);
  const paper = printer.media === "4x6" ? null : printer.media;
  const { part, logo } = await partOf(db, { paper }, found, sender);
  return { title: `Packhouse ${wireId("print_job", job.id)}`, part, logo, page: found, now: db.now };
}

async function labelPage(db: Db, job: PrintJob, order: Order, format: PrintFormat): Promise<Printable | NoContent> {
  const [label] = job.label_id === null ? [] : await findLabels(db, [job.label_id]);
  if (label === undefined) return { code: "no_label", message: "The label no longer exists." };
  if (isBeingBought(label.status)) return { code: "label_processing", message: "The label is still being bought." };
  if (hasFailed(label.status)) {
    return { code: "label_failed", message: `The label was not bought (${label.error_code}).` };
  }
  const request = { order, labels: [label], requested: label };
  const { pages, skipped } = pagesOf(request, ["label"], format);
  const page = pages[0] ?? imagePage(order, label, skipped[0], format);
  return page ?? reasonOf(skipped[0]);
}

/** The label as an image, for a label printer whose carrier made no ZPL. */
function imagePage(order: Order, label: ShippingLabel, skipped: SkippedRow | undefined, format: PrintFormat) {
  if (format !== "zpl" || skipped?.code !== "no_document") return undefined;
  const stored = label.documents.find(({ kind, content_type }) => kind === "label" && formatOf(content_type) === "png");
  return stored === undefined ? undefined : ({ kind: "label", order, label, chosen: { stored } } as const);
}

async function slipPage(db: Db, job: PrintJob, order: Order): Promise<Printable | NoContent> {
  const labels = await listOrderLabels(db, [order.id]);
  const { skipped } = pagesOf({ order, labels, requested: null }, ["packing_slip"], "pdf");
  if (skipped[0] !== undefined) return reasonOf(skipped[0]);
  if (job.shipment_id === null) return { kind: "packing_slip", order, shipment: null };
  const shipment = order.shipments.find(({ id }) => id === job.shipment_id);
  if (shipment === undefined || isGivenUp(shipment.status)) {
    return { code: "not_printable", message: "The parcel was unpacked or voided." };
  }
  return { kind: "packing_slip", order, shipment };
}

function reasonOf(skipped: SkippedRow | undefined): NoContent {
  const { code, message } = skipped ?? { code: "no_label", message: "There is nothing to print." };
  if (code === "label_voided" || code === "no_label") return { code, message };
  return code === "no_document"
    ? { code, message: `${message} Print it on an IPP printer.` }
    : { code: "not_printable", message };
}

async function testPage(db: Db, printer: Printer): Promise<PrintContent> {
  const { address, timezone } = await getWarehouse(db, printer.warehouse_id);
  const time = localMoment(db.now, timezone);
  const facts = [
    { label: "Printer", value: printer.name },
    { label: "Address", value: `${printer.host}:${printer.port}` },
    { label: "Paper", value: printer.dpi === null ? printer.media : `${printer.media}, ${printer.dpi} dpi` },
    { label: "Printed", value: time },
  ];
  const title = "Test page";
  const common = { title, logo: null, page: null, now: db.now };
  if (printer.media === "4x6") {
    return { ...common, part: { type: "drawing", drawing: testLabel(title, facts, time.slice(0, 10)) } };
  }
  const sheet: PaperSize = printer.media ?? defaultPaperSize(address.country);
  const foot = footOf(title, printer.name, { now: db.now, timezone, sheet });
  const document: PrintDocument = {
    ...{ title, name: printer.name, symbol: null, facts, foot, sheet },
    ...{ blocks: [], notes: [], tables: [] },
  };
  return { ...common, part: { type: "document", document } };
}

type LabelPart = Extract<SheetPart, { readonly type: "drawing" }>["drawing"];

/** A test page of 4 x 6 inches: the facts in a frame as wide as the label. */
function testLabel(title: string, facts: readonly { label: string; value: string }[], date: string): LabelPart {
  const [width, height, margin, line] = [812, 1218, 30, 4];
  const inner = { width: width - 2 * margin, height: height - 2 * margin };
  const text = (y: number, size: number, content: string, bold: boolean) => {
    return { op: "text" as const, x: 70, y, size, bold, align: "left" as const, white: false, text: content };
  };
  const fill = (x: number, y: number, w: number, h: number) => ({ op: "fill" as const, x, y, width: w, height: h });
  const operations = [
    fill(margin, margin, inner.width, line),
    fill(margin, height - margin - line, inner.width, line),
    fill(margin, margin, line, inner.height),
    fill(width - margin - line, margin, line, inner.height),
    text(140, 60, title, true),
    ...facts.flatMap(({ label, value }, at) => [
      text(240 + at * 120, 24, label, false),
      text(284 + at * 120, 36, value, true),
    ]),
  ];
  return { title, date, width, height, operations };
}

/** Draws a document for a label printer of a resolution, or as a PDF (null). Refuses: unavailable. */
export async function drawContent(
  { title, part, now }: PrintContent,
  dpi: Printer["dpi"],
  log: Log,
): Promise<Uint8Array> {
  if (dpi !== null) {
    if (part.type === "zpl") return part.bytes;
    if (part.type === "drawing") {
      return render({ kind: "drawing", drawing: part.drawing, format: "zpl", resolution: dpi }, log);
    }
    if (part.type === "png") return render({ kind: "image", png: part.bytes, resolution: dpi }, log);
    throw new Fault("resource_missing", `A label printer prints no ${part.type}.`);
  }
  const chunks: Uint8Array[] = [];
  const store = async (chunk: Uint8Array) => void chunks.push(chunk);
  const sheets = await openSheets("pdf", title, { now, log, store });
  try {
    await sheets.add(part);
    await sheets.finish();
  } catch (error) {
    await sheets.drop();
    throw error;
  }
  return Buffer.concat(chunks);
}
