// The entry point of the render thread, which keeps drawing off the thread that serves requests.
import { type RenderInput, run } from "./render_batch.ts";

/** The result of a job. */
export type RenderAnswer = { readonly bytes: Uint8Array } | { readonly error: string };

declare const self: Worker;

self.onmessage = async ({ data: job }: MessageEvent<RenderInput>) => {
  try {
    const bytes = await run(job);
    // A buffer that holds nothing else is moved instead of copied.
    const moved = bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
    self.postMessage({ bytes } satisfies RenderAnswer, moved);
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
};
