// The entry point of the render thread, which keeps drawing off the thread that serves requests.
import { draw, type RenderJob } from "./render_job.ts";

/** The result of a job. */
export type RenderAnswer = { readonly bytes: Uint8Array } | { readonly error: string };

declare const self: Worker;

self.onmessage = async ({ data: job }: MessageEvent<RenderJob>) => {
  try {
    self.postMessage({ bytes: await draw(job) } satisfies RenderAnswer);
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
};
