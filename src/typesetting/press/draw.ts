import type { Drawing, DrawingFormat } from "../drawings/drawing.ts";
import { pdf } from "../drawings/pdf.ts";
import { type PrinterResolution, png } from "../drawings/png.ts";
import { zpl } from "../drawings/zpl.ts";
import { paperHtml } from "../papers/html.ts";
import type { Paper } from "../papers/paper.ts";
import { paperPdf } from "../papers/pdf.ts";

/** Something to be printed, as plain data: a drawing, or a paper of the moment `now` (ms). */
export type PrintJob =
  | {
      readonly kind: "drawing";
      readonly drawing: Drawing;
      readonly format: DrawingFormat;
      /** Of a PNG; 203 unless given. */
      readonly resolution?: PrinterResolution;
    }
  | { readonly kind: "paper"; readonly paper: Paper; readonly format: "pdf" | "html"; readonly now: number };

const encoder = new TextEncoder();

/** Draws what a job asks for, in the thread that calls it. */
export async function draw(job: PrintJob): Promise<Uint8Array> {
  if (job.kind === "paper") {
    return job.format === "html" ? encoder.encode(paperHtml(job.paper)) : await paperPdf(job.paper, job.now);
  }
  const { drawing, format, resolution } = job;
  return format === "zpl" ? await zpl(drawing) : format === "png" ? await png(drawing, resolution) : await pdf(drawing);
}
