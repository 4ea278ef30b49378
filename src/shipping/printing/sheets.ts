// The output of a document: a PDF that the render thread puts together, or a stream of labels in ZPL.
import type { Log } from "../../core/log.ts";
import { openBatch } from "../../documents/batch.ts";
import { render } from "../../documents/render.ts";
import type { BatchPart } from "../../documents/render_batch.ts";
import type { PrintFormat } from "./printed_document.ts";

/** A part of the output; ZPL is that of a carrier. */
export type SheetPart = BatchPart | { readonly type: "zpl"; readonly bytes: Uint8Array };

/** The output while it is drawn. */
export interface Sheets {
  add(part: SheetPart): Promise<void>;
  /** The file, and its number of pages or labels. */
  finish(): Promise<{ readonly bytes: Uint8Array; readonly pages: number }>;
  /** Ends an output that is not needed. */
  drop(): Promise<void>;
}

/** Opens an output. `title` and `now` (ms) become the title and the creation time of a PDF. */
export async function openSheets(format: PrintFormat, title: string, now: number, log: Log): Promise<Sheets> {
  return format === "zpl" ? zplSheets(log) : pdfSheets(title, now, log);
}

async function pdfSheets(title: string, now: number, log: Log): Promise<Sheets> {
  const batch = await openBatch(title, now, log);
  let pages = 0;
  return {
    async add(part) {
      if (part.type === "zpl") throw new Error("a PDF has no ZPL");
      pages = await batch.add(part);
    },
    finish: async () => ({ bytes: await batch.finish(), pages }),
    drop: () => batch.drop(),
  };
}

function zplSheets(log: Log): Sheets {
  const labels: Uint8Array[] = [];
  return {
    async add(part) {
      if (part.type === "zpl") labels.push(part.bytes);
      else if (part.type === "drawing") {
        labels.push(await render({ kind: "drawing", drawing: part.drawing, format: "zpl" }, log));
      } else throw new Error(`ZPL has no ${part.type}`);
    },
    async finish() {
      const lines = labels.flatMap((label) => [label, new Uint8Array([0x0a])]);
      return { bytes: Buffer.concat(lines), pages: labels.length };
    },
    async drop() {
      labels.length = 0;
    },
  };
}
