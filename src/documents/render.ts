import { Fault } from "../core/faults.ts";
import type { Log } from "../core/log.ts";
import { startWorker } from "../core/workers.ts";
import type { RenderJob } from "./render_job.ts";
import type { RenderAnswer } from "./render_worker.ts";

// Loaded only where there is no thread for it.
const draw = async (job: RenderJob) => (await import("./render_job.ts")).draw(job);

/** How many documents may wait to be drawn. */
const waiting_max = 500;

interface WaitingRender {
  readonly job: RenderJob;
  readonly resolve: (bytes: Uint8Array | Promise<Uint8Array>) => void;
  readonly reject: (error: Error) => void;
}

/** Draws a document. Refuses: unavailable, while too many documents wait. */
type RenderWorker = (job: RenderJob, log: Log) => Promise<Uint8Array>;

/**
 * A press that draws in a thread of its own, which is started for the first document. It draws one after the other,
 * drawings before papers: a drawing takes a moment, and a printer waits for it. Without a thread, because it cannot
 * start or was lost, documents are drawn in the thread that asks; one that has worked is started anew.
 */
export function openRenderWorker(start: () => Worker): RenderWorker {
  const waiting: Readonly<Record<RenderJob["kind"], WaitingRender[]>> = { drawing: [], paper: [] };
  let drawing: WaitingRender | null = null;
  let worker: Worker | null = null;
  let works = false;
  let given_up = false;
  const lose = (lost: Worker, reason: string, log: Log) => {
    if (worker !== lost) return;
    worker = null;
    given_up ||= !works;
    log.warn("the thread that draws documents was lost", { reason });
    lost.terminate();
    drawing?.resolve(draw(drawing.job));
    drawing = null;
    next(log);
  };
  const begin = (log: Log): Worker => {
    const begun = start();
    // Nobody waits for this thread when the process has nothing else to do.
    begun.unref();
    begun.addEventListener("message", ({ data }: MessageEvent<RenderAnswer>) => {
      // What a lost one says late is of no document that is drawn now.
      if (worker !== begun) return;
      works = true;
      if ("bytes" in data) drawing?.resolve(data.bytes);
      else drawing?.reject(new Error(data.error));
      drawing = null;
      next(log);
    });
    begun.addEventListener("error", ({ message }) => lose(begun, message, log));
    return begun;
  };
  const next = (log: Log): void => {
    while (drawing === null) {
      const first = waiting.drawing.shift() ?? waiting.paper.shift();
      if (first === undefined) return;
      if (given_up) {
        first.resolve(draw(first.job));
        continue;
      }
      try {
        worker ??= begin(log);
        worker.postMessage(first.job);
        drawing = first;
      } catch (error) {
        first.reject(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  return async (job, log) => {
    if (waiting.drawing.length + waiting.paper.length >= waiting_max) {
      throw new Fault("unavailable", "Too many documents are being drawn; ask again.", { retry_after_seconds: 2 });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    waiting[job.kind].push({ job, resolve, reject });
    next(log);
    return await promise;
  };
}

/** Draws a document beside the requests, in one thread for the whole process. Refuses: unavailable. */
export const render: RenderWorker = openRenderWorker(() => startWorker("press"));
