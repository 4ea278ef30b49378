// The worker thread that copies a log into its database, so that the main thread does not wait for the disk. The build
// compiles each worker file.
import { type LogCheckpoint, type LogFrameCounts, openCheckpoint } from "./checkpoint.ts";

/** A request to the worker, always for the same database. */
export interface CheckpointRequest {
  readonly path: string;
  readonly act: keyof LogCheckpoint;
}

/** The worker's response: the frames, or the error's code and message. */
export type CheckpointResponse =
  | { readonly frames: LogFrameCounts }
  | { readonly code: string; readonly message: string };

declare const self: Worker;

const none: LogFrameCounts = { held: 0, copied: 0 };
let opened: LogCheckpoint | null = null;

function answerTo({ path, act }: CheckpointRequest): CheckpointResponse {
  try {
    opened ??= openCheckpoint(path);
    return { frames: opened[act]() ?? none };
  } catch (error) {
    // Errors lose their code between threads.
    const { code = "", message = "" } = error as { code?: string; message?: string };
    return { code, message };
  }
}

self.onmessage = ({ data }: MessageEvent<CheckpointRequest>) => self.postMessage(answerTo(data));
