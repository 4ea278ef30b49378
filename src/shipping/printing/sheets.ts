// The output of a document: a PDF that the render thread puts together, or a stream of labels in ZPL.
import type { Log } from "../../core/log.ts";
import { openBatch } from "../../documents/batch.ts";
import { render } from "../../documents/render.ts";
import type { BatchPart } from "../../documents/render_batch.ts";
import type { PrintFormat } from "./printed_document.ts";

/** A part of the output; ZPL is that of a carrier. */
export type SheetPart = BatchPart | { readonly type: "zpl"; readonly bytes: Uint8Array };

/** Stores the next bytes of the output. */
type Store = (bytes: Uint8Array) => Promise<void>;

/** The output while it is drawn. It is stored in chunks: a PDF at its end, ZPL label by label. */
export interface Sheets {
  add(part: SheetPart): Promise<void>;
  /** Stores the rest. Returns the number of pages or labels. */
  finish(): Promise<number>;
  /** Ends an output that is not needed. */
  drop(): Promise<void>;
}

/** The size of a chunk: a short transaction. */
const chunk_bytes = 256 * 1024;

/** Opens an output. `title` and `now` (ms) become the title and the creation time of a PDF. */
export async function openSheets(
  format: PrintFormat,
  title: string,
  { now, log, store }: { readonly now: number; readonly log: Log; readonly store: Store },
): Promise<Sheets> {
  return format === "zpl" ? zplSheets(log, store) : pdfSheets(await openBatch(title, now, log), store);
}

function pdfSheets(batch: Awaited<ReturnType<typeof openBatch>>, store: Store): Sheets {
  let pages = 0;
  return {
    async add(part) {
      if (part.type === "zpl") throw new Error("a PDF has no ZPL");
      pages = await batch.add(part);
    },
    async finish() {
      const bytes = await batch.finish();
      if (pages === 0) return 0;
      for (let at = 0; at < bytes.length; at += chunk_bytes) await store(bytes.subarray(at, at + chunk_bytes));
      return pages;
    },
    drop: () => batch.drop(),
  };
}

function zplSheets(log: Log, store: Store): Sheets {
  const line_end = new Uint8Array([0x0a]);
  let waiting: Uint8Array[] = [];
  let labels = 0;
  const storeWaiting = async () => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    if (bytes.length > 0) await store(bytes);
  };
  const zplOf = async (part: SheetPart): Promise<Uint8Array> => {
    if (part.type === "zpl") return part.bytes;
    if (part.type !== "drawing") throw new Error(`ZPL has no ${part.type}`);
    return render({ kind: "drawing", drawing: part.drawing, format: "zpl" }, log);
  };
  return {
    async add(part) {
      waiting.push(await zplOf(part), line_end);
      labels += 1;
      if (waiting.reduce((sum, { length }) => sum + length, 0) >= chunk_bytes) await storeWaiting();
    },
    async finish() {
      await storeWaiting();
      return labels;
    },
    async drop() {
      waiting = [];
    },
  };
}
