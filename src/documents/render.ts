import { Fault } from "../core/faults.ts";
import type { Log } from "../core/log.ts";
import { startWorker } from "../core/workers.ts";
import type { RenderInput } from "./render_batch.ts";
import type { RenderAnswer } from "./render_worker.ts";

// Loaded only if there is no thread.
const draw = async (job: RenderInput) => (await import("./render_batch.ts")).run(job);

/** The most documents that may wait. */
const waiting_max = 500;

interface WaitingRender {
  readonly job: RenderInput;
  readonly resolve: (bytes: Uint8Array | Promise<Uint8Array>) => void;
  readonly reject: (error: Error) => void;
}

/** Draws a document. Refuses: unavailable. */
type RenderWorker = (job: RenderInput, log: Log) => Promise<Uint8Array>;

/**
 * Opens a worker that draws in its own thread, started for the first document. It draws one job at a time, drawings
 * before documents: drawings are quick, and label printers wait for them. Steps of batches come last. If the thread is
 * lost, its job runs in the calling thread and the next job starts a new one. If it never worked, all jobs run in the
 * calling thread.
 */
export function openRenderWorker(start: () => Worker): RenderWorker {
  const waiting: Readonly<Record<RenderInput["kind"], WaitingRender[]>> = {
    drawing: [],
    image: [],
    document: [],
    batch: [],
  };
  let drawing: WaitingRender | null = null;
  let worker: Worker | null = null;
  let works = false;
  let given_up = false;
  const lose = (lost: Worker, reason: string, log: Log) => {
    if (worker !== lost) return;
    worker = null;
    given_up ||= !works;
    log.warn("the render thread has failed", { reason });
    lost.terminate();
    drawing?.resolve(draw(drawing.job));
    drawing = null;
    next(log);
  };
  const begin = (log: Log): Worker => {
    const begun = start();
    // The thread does not keep the process alive.
    begun.unref();
    begun.addEventListener("message", ({ data }: MessageEvent<RenderAnswer>) => {
      // A late message of a lost thread does not belong to the current job.
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
      const first =
        waiting.drawing.shift() ?? waiting.image.shift() ?? waiting.document.shift() ?? waiting.batch.shift();
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
    if (Object.values(waiting).reduce((sum, { length }) => sum + length, 0) >= waiting_max) {
      throw new Fault("unavailable", "Too many documents are being drawn. Try again.", { retry_after_seconds: 2 });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    waiting[job.kind].push({ job, resolve, reject });
    next(log);
    return await promise;
  };
}

/** Draws a document in the process's render thread. Refuses: unavailable. */
export const render: RenderWorker = openRenderWorker(() => startWorker("render"));
