// What the thread that reads the logs is asked, and what it answers.
import type { Environment } from "../../core/environment.ts";
import type { Log } from "../../core/log.ts";
import { startWorker } from "../../core/workers.ts";

/**
 * `open`: begin to follow a log that has just been opened. `take`: all that was committed, also a new chain where there
 * is none. `let_go`, `hold`: the log may begin anew, or may not. `give_up`: let go of it and forget the chain. `close`:
 * take the last frames and let go of the files.
 */
export type FollowerAct = "open" | "take" | "let_go" | "hold" | "give_up" | "close";

export interface FollowerRequest {
  readonly id: number;
  readonly world: Environment;
  readonly act: FollowerAct;
  /** The spool, the place that its segments are shipped to, and the database's file. */
  readonly spool: string;
  readonly place: string;
  readonly path: string;
  /** For `open`: whether the chain of the last run goes on. */
  readonly goes_on: boolean;
}

/** Where the chain stands now. */
export interface FollowerState {
  readonly id: number;
  /** The chain and its last commit; null when there is none. */
  readonly chain: string | null;
  /** Its last segment, from 0; -1 while there is none. */
  readonly index: number;
  readonly number: number;
  readonly at: number;
  /** Why the chain before this one ended, if it did in this act. */
  readonly broken: string | null;
  /** Why the act failed, if it did: it may be tried again. */
  readonly failed: string | null;
}

// The thread that reads the logs, as the one that serves asks it.

interface ReadingThread {
  /** Resolves with the answer; null when the thread is lost. */
  ask(question: Omit<FollowerRequest, "id">): Promise<FollowerState | null>;
  close(): void;
}

/** Starts the thread when it is first asked something. */
export function readingThread(log: Log): ReadingThread {
  const waiting = new Map<number, (answer: FollowerState | null) => void>();
  let worker: Worker | null = null;
  let [last_id, lost] = [0, false];
  const begin = (): Worker => {
    const begun = startWorker("follow");
    begun.addEventListener("message", ({ data }: MessageEvent<FollowerState>) => {
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
      const { promise, resolve } = Promise.withResolvers<FollowerState | null>();
      last_id += 1;
      waiting.set(last_id, resolve);
      worker.postMessage({ id: last_id, ...question } satisfies FollowerRequest);
      return promise;
    },
    close: () => worker?.terminate(),
  };
}
