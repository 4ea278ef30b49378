// Stands alone, since it loads nothing of what it starts in the render thread.
import type { Log } from "../core/log.ts";
import { render } from "./render.ts";
import type { BatchPart, BatchStep } from "./render_batch.ts";

/** A PDF that is being put together in the render thread. */
interface PdfBatch {
  /** Adds a part, and returns the number of pages so far. A part that cannot be read adds none, and rejects. */
  add(part: BatchPart): Promise<number>;
  /** The finished PDF. */
  finish(): Promise<Uint8Array>;
  /** Ends a batch that is not needed. */
  drop(): Promise<void>;
}

const decoder = new TextDecoder();
let opened = 0;

/** Opens a PDF. `now` (ms) becomes its creation time. */
export async function openBatch(title: string, now: number, log: Log): Promise<PdfBatch> {
  opened += 1;
  const name = String(opened);
  const take = (step: BatchStep["step"]) => render({ kind: "batch", batch: name, step }, log);
  await take({ type: "open", title, now });
  return {
    add: async (part) => Number(decoder.decode(await take(part))),
    finish: () => take({ type: "finish" }),
    drop: async () => {
      await take({ type: "drop" });
    },
  };
}
