// The thread that draws labels and papers, so that the one that answers requests need not.
import { draw, type PrintJob } from "./draw.ts";

/** A job and the number under which its answer is waited for. */
export interface PrintOrder {
  readonly number: number;
  readonly job: PrintJob;
}

/** What became of a job: its bytes, or why there are none. */
export type PrintAnswer = { readonly number: number } & ({ readonly bytes: Uint8Array } | { readonly error: string });

declare const self: Worker;

// One after the other: drawing two at once would only make both late.
let last: Promise<void> = Promise.resolve();

async function answer({ number, job }: PrintOrder): Promise<void> {
  try {
    self.postMessage({ number, bytes: await draw(job) } satisfies PrintAnswer);
  } catch (error) {
    self.postMessage({ number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

self.onmessage = ({ data }: MessageEvent<PrintOrder>) => {
  last = last.then(() => answer(data));
};
