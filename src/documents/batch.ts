// Stands alone, since it loads nothing of what it starts in the render thread.
import { Fault } from "../core/faults.ts";
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

/** The most batches at once, since the render thread holds their pages: half of what it keeps. */
const together_max = 4;
const turns: (() => void)[] = [];
let under_way = 0;

async function takeTurn(): Promise<void> {
  if (under_way < together_max) under_way += 1;
  else await new Promise<void>((resolve) => turns.push(resolve));
}

function endTurn(): void {
  const next = turns.shift();
  if (next === undefined) under_way -= 1;
  else next();
}

/** Opens a PDF once few others are open. It must be finished or dropped. `now` (ms) becomes its creation time. */
export async function openBatch(title: string, now: number, log: Log): Promise<PdfBatch> {
  await takeTurn();
  let ended = false;
  const end = () => {
    if (!ended) endTurn();
    ended = true;
  };
  opened += 1;
  const name = String(opened);
  const take = (step: BatchStep["step"]) => render({ kind: "batch", batch: name, step }, log);
  try {
    await take({ type: "open", title, now });
  } catch (error) {
    end();
    throw error;
  }
  return {
    add: async (part) => Number(decoder.decode(await take(part))),
    finish: () => take({ type: "finish" }).finally(end),
    drop: async () => {
      await take({ type: "drop" }).finally(end);
    },
  };
}

/** Whether a PDF can be read and has pages. Refuses: unavailable. */
export async function hasPages(bytes: Uint8Array, log: Log): Promise<boolean> {
  const batch = await openBatch("check", 0, log);
  try {
    return (await batch.add({ type: "pdf", bytes })) > 0;
  } catch (error) {
    if (error instanceof Fault) throw error;
    return false;
  } finally {
    await batch.drop();
  }
}
