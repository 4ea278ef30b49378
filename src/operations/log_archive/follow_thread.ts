// The messages to and from the thread that reads the logs, and that thread's handle.
import type { Environment } from "../../core/environment.ts";
import type { Log } from "../../core/log.ts";
import { startWorker } from "../../core/workers.ts";

/**
 * `open`: start following a log that was just opened. `take`: read all commits, and start a chain if there is none.
 * `let_go`, `hold`: allow or prevent recycling of the log. `give_up`: release it and forget the chain. `close`: read
 * the last frames and close the files.
 */
export type FollowerAction = "open" | "take" | "let_go" | "hold" | "give_up" | "close";

export interface FollowerRequest {
  readonly id: number;
  readonly mode: Environment;
  readonly action: FollowerAction;
  /** The spool folder, the destination of its segments, and the database file. */
  readonly spool: string;
  readonly place: string;
  readonly path: string;
  /** For `open`: whether the chain of the last run continues. */
  readonly continues: boolean;
}

/** The state of the chain after a request. */
export interface FollowerState {
  readonly id: number;
  /** The name of the chain; null if there is none. */
  readonly chain: string | null;
  /** The index of its last segment, from 0; -1 if there is none. */
  readonly index: number;
  readonly number: number;
  readonly at: number;
  /** Why the previous chain ended, if this request ended it. */
  readonly broken: string | null;
  /** Why the request failed, if it did. It can be repeated. */
  readonly failed: string | null;
}

interface ReadingThread {
  /** Resolves to the response; null if the thread has died. */
  send(request: Omit<FollowerRequest, "id">): Promise<FollowerState | null>;
  close(): void;
}

/** Returns the handle of the reading thread, which starts at the first request. */
export function readingThread(log: Log): ReadingThread {
  const waiting = new Map<number, (response: FollowerState | null) => void>();
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
      log.error("the archiving thread has died: nothing is archived until a restart", { reason: message });
      for (const resolve of waiting.values()) resolve(null);
      waiting.clear();
      // The views that held the logs end with the thread.
      begun.terminate();
    });
    return begun;
  };
  return {
    send: (request) => {
      if (lost) return Promise.resolve(null);
      worker ??= begin();
      const { promise, resolve } = Promise.withResolvers<FollowerState | null>();
      last_id += 1;
      waiting.set(last_id, resolve);
      worker.postMessage({ id: last_id, ...request } satisfies FollowerRequest);
      return promise;
    },
    close: () => worker?.terminate(),
  };
}
