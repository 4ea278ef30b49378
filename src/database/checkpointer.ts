// Asks for checkpoints in a thread of their own, and does them in this one where there is none.
import type { Log } from "../kit/log.ts";
import { startWorker } from "../kit/worker.ts";
import { type Checkpoint, type Frames, openCheckpoint } from "./checkpoint.ts";
import type { CheckpointAnswer, CheckpointQuestion } from "./checkpoint_worker.ts";

/** What `Checkpoint` does, without waiting for the disk in the thread that asks. One call at a time. */
export interface Checkpointer {
  copy(): Promise<Frames>;
  restart(): Promise<Frames>;
  cut(): Promise<Frames>;
  close(): Promise<void>;
}

/** Checkpoints in this thread, which stands still meanwhile. The connection is opened when it is needed. */
export function checkpointsHere(path: string): Checkpointer {
  let opened: Checkpoint | null = null;
  const checkpoint = () => {
    opened ??= openCheckpoint(path);
    return opened;
  };
  return {
    copy: async () => checkpoint().copy(),
    restart: async () => checkpoint().restart(),
    cut: async () => checkpoint().cut(),
    close: async () => opened?.close(),
  };
}

/**
 * Checkpoints in a worker, which is started for the first of them; in this thread, with a warning, when the worker did
 * not start or was lost.
 */
export function checkpointsAside(path: string, log: Log): Checkpointer {
  let worker: Worker | null = null;
  const here = checkpointsHere(path);
  let lost = false;
  const begin = (): Worker => {
    const begun = startWorker("checkpoint");
    begun.addEventListener("error", ({ message }) => {
      lost = true;
      log.warn("the thread for checkpoints was lost; they hold up what is answered now", { reason: message });
    });
    return begun;
  };
  const ask = async (act: "copy" | "restart" | "cut"): Promise<Frames> => {
    if (!lost) worker ??= begin();
    const answer = lost || worker === null ? null : await answerOf(worker, { path, act });
    if (answer === null) return await here[act]();
    if ("frames" in answer) return answer.frames;
    throw Object.assign(new Error(answer.message), { code: answer.code });
  };
  return {
    copy: () => ask("copy"),
    restart: () => ask("restart"),
    cut: () => ask("cut"),
    close: async () => {
      if (!lost && worker !== null) await answerOf(worker, { path, act: "close" });
      worker?.terminate();
      await here.close();
    },
  };
}

/** What the worker answers; null when it is lost before it does. */
async function answerOf(worker: Worker, question: CheckpointQuestion): Promise<CheckpointAnswer | null> {
  const { promise, resolve } = Promise.withResolvers<CheckpointAnswer | null>();
  const heard = ({ data }: MessageEvent<CheckpointAnswer>) => resolve(data);
  const lost = () => resolve(null);
  worker.addEventListener("message", heard);
  worker.addEventListener("error", lost);
  worker.postMessage(question);
  return promise.finally(() => {
    worker.removeEventListener("message", heard);
    worker.removeEventListener("error", lost);
  });
}
