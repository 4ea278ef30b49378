// PDFs that are put together part by part in the render thread, so that a long one never has to fit into a message.
import { PDFDocument } from "@cantoo/pdf-lib";
import type { PrintDocument } from "./document.ts";
import { layDocument } from "./document_pdf.ts";
import type { LabelDrawing } from "./drawing.ts";
import { openBook, type PdfBook } from "./pdf_writer.ts";
import { embedPng } from "./png_pages.ts";
import { draw, layDrawing, type RenderJob } from "./render_job.ts";

/** A part of a PDF: a document, a drawing, or the file of another program. */
export type BatchPart =
  | { readonly type: "document"; readonly document: PrintDocument }
  | { readonly type: "drawing"; readonly drawing: LabelDrawing }
  | { readonly type: "pdf"; readonly bytes: Uint8Array }
  | { readonly type: "png"; readonly bytes: Uint8Array };

/** A step of a batch, as plain data. `now` (ms) becomes the creation time of the PDF. */
export interface BatchStep {
  readonly kind: "batch";
  readonly batch: string;
  readonly step:
    | BatchPart
    | { readonly type: "open"; readonly title: string; readonly now: number }
    | { readonly type: "finish" }
    | { readonly type: "drop" };
}

/** Input of the render thread. */
export type RenderInput = RenderJob | BatchStep;

/** The batches in progress. One that its process has left behind is dropped when this many others are open. */
const open = new Map<string, PdfBook>();
const open_max = 8;
const encoder = new TextEncoder();

/** Draws a job or does a step of a batch. A step returns the number of pages so far as text; the last one, the PDF. */
export async function run(input: RenderInput): Promise<Uint8Array> {
  return input.kind === "batch" ? take(input) : draw(input);
}

async function take({ batch, step }: BatchStep): Promise<Uint8Array> {
  if (step.type === "open") {
    const [oldest] = open.keys();
    if (open.size >= open_max && oldest !== undefined) open.delete(oldest);
    open.set(batch, await openBook(step.title, step.now));
  } else if (step.type === "drop") {
    open.delete(batch);
  } else {
    const book = open.get(batch);
    if (book === undefined) throw new Error("this batch is not open in this thread");
    if (step.type === "finish") {
      open.delete(batch);
      return book.bytes();
    }
    await add(book, step);
    return encoder.encode(String(book.document.getPageCount()));
  }
  return encoder.encode("0");
}

async function add(book: PdfBook, part: BatchPart): Promise<void> {
  switch (part.type) {
    case "document":
      return layDocument(book, part.document);
    case "drawing":
      return layDrawing(book, part.drawing);
    case "png":
      return embedPng(book.document, part.bytes);
    case "pdf": {
      const source = await PDFDocument.load(part.bytes, { updateMetadata: false });
      for (const page of await book.document.copyPages(source, source.getPageIndices())) book.document.addPage(page);
    }
  }
}
