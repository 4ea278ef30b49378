// The thread that draws drawings and papers, so that the one that answers requests need not.
import { draw, type RenderJob } from "./render_job.ts";

/** What became of a job: its bytes, or why there are none. */
export type RenderAnswer = { readonly bytes: Uint8Array } | { readonly error: string };

declare const self: Worker;

self.onmessage = async ({ data: job }: MessageEvent<RenderJob>) => {
  try {
    self.postMessage({ bytes: await draw(job) } satisfies RenderAnswer);
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
};
