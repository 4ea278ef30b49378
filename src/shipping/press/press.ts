import { Fault } from "../../kit/fault.ts";
import type { Log } from "../../kit/log.ts";
import { startWorker } from "../../kit/worker.ts";
import { draw, type PrintJob } from "./draw.ts";
import type { PrintAnswer, PrintOrder } from "./worker.ts";

/** How many documents may wait to be drawn. */
const waiting_max = 500;

interface Waiting {
  readonly job: PrintJob;
  readonly resolve: (bytes: Uint8Array | Promise<Uint8Array>) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that draws, and what is being drawn there by its number. */
interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

/** Draws a document. Refuses: unavailable, while too many documents wait. */
export type Press = (job: PrintJob, log: Log) => Promise<Uint8Array>;

/**
 * A press that draws in a thread of its own, which is started for the first document. Without one, because it cannot
 * start or was lost, documents are drawn in the thread that asks; one that has worked is started anew.
 */
export function openPress(start: () => Worker): Press {
  let thread: Thread | null = null;
  let works = false;
  let given_up = false;
  let count = 0;
  const lose = (lost: Thread, reason: string, log: Log) => {
    if (thread === lost) thread = null;
    given_up ||= !works;
    log.warn("the thread that draws documents was lost", { reason, documents: lost.waiting.size });
    for (const { job, resolve } of lost.waiting.values()) resolve(draw(job));
    lost.waiting.clear();
    lost.worker.terminate();
  };
  const begin = (log: Log): Thread => {
    const begun: Thread = { worker: start(), waiting: new Map() };
    // Nobody waits for this thread when the process has nothing else to do.
    begun.worker.unref();
    begun.worker.addEventListener("message", ({ data }: MessageEvent<PrintAnswer>) => {
      works = true;
      const asked = begun.waiting.get(data.number);
      if ("bytes" in data) asked?.resolve(data.bytes);
      else asked?.reject(new Error(data.error));
    });
    begun.worker.addEventListener("error", ({ message }) => lose(begun, message, log));
    return begun;
  };
  return async (job, log) => {
    if (given_up) return await draw(job);
    thread ??= begin(log);
    const { worker, waiting } = thread;
    if (waiting.size >= waiting_max) {
      throw new Fault("unavailable", "Too many documents are being drawn; ask again.", { retry_after_seconds: 2 });
    }
    const number = ++count;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    waiting.set(number, { job, resolve, reject });
    worker.postMessage({ number, job } satisfies PrintOrder);
    return await promise.finally(() => waiting.delete(number));
  };
}

/** Draws a document beside the requests, in one thread for the whole process. Refuses: unavailable. */
export const drawAside: Press = openPress(() => startWorker("press"));
