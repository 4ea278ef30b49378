// The worker thread that copies a log into its database, so that the main thread need not wait for the disk.
import { type LogCheckpoint, type LogFrameCounts, openCheckpoint } from "./checkpoint.ts";

/** What the worker is asked to do, always of the same database. */
export interface CheckpointQuestion {
  readonly path: string;
  readonly act: keyof LogCheckpoint;
}

/** What it answers: the frames, or the error's code and message. */
export type CheckpointAnswer =
  | { readonly frames: LogFrameCounts }
  | { readonly code: string; readonly message: string };

declare const self: Worker;

const none: LogFrameCounts = { held: 0, copied: 0 };
let opened: LogCheckpoint | null = null;

function answerTo({ path, act }: CheckpointQuestion): CheckpointAnswer {
  try {
    opened ??= openCheckpoint(path);
    return { frames: opened[act]() ?? none };
  } catch (error) {
    // An error loses its code on the way between threads.
    const { code = "", message = "" } = error as { code?: string; message?: string };
    return { code, message };
  }
}

self.onmessage = ({ data }: MessageEvent<CheckpointQuestion>) => self.postMessage(answerTo(data));
