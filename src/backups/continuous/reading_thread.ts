// The thread that reads the logs, as the one that serves asks it.
import type { Log } from "../../kit/log.ts";
import { startWorker } from "../../kit/worker.ts";
import type { Answer, Question } from "./messages.ts";

interface ReadingThread {
  /** Resolves with the answer; null when the thread is lost. */
  ask(question: Omit<Question, "id">): Promise<Answer | null>;
  close(): void;
}

/** Starts the thread when it is first asked something. */
export function readingThread(log: Log): ReadingThread {
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let worker: Worker | null = null;
  let [last_id, lost] = [0, false];
  const begin = (): Worker => {
    const begun = startWorker("follow");
    begun.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    });
    begun.addEventListener("error", ({ message }) => {
      lost = true;
      log.error("the thread that ships commits was lost: nothing more is shipped until a restart", { reason: message });
      for (const tell of waiting.values()) tell(null);
      waiting.clear();
      // The views by which it held the logs end with it.
      begun.terminate();
    });
    return begun;
  };
  return {
    ask: (question) => {
      if (lost) return Promise.resolve(null);
      worker ??= begin();
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      last_id += 1;
      waiting.set(last_id, resolve);
      worker.postMessage({ id: last_id, ...question } satisfies Question);
      return promise;
    },
    close: () => worker?.terminate(),
  };
}
