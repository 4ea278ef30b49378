// Long responses are written while the client reads them, one slice at a time. A key has at most one slice written
// before another key has its turn, and other requests run between two slices.
import { FairQueue } from "../kit/fair_queue.ts";
import type { Call } from "./call.ts";
import { traceOf } from "./trace.ts";

/** The text of a long response. */
export interface SlicedText {
  /** Writes the next slice, unless one has not been taken yet; false at the end. */
  readonly write: () => Promise<boolean>;
  /**
   * Takes what is written. No promise brings it: one that was awaited is old to the garbage collector, which would then
   * keep the text until its next full collection.
   */
  readonly take: () => string;
  /** Called once no more will be asked for. */
  readonly end?: () => void;
}

/** How a long response is sent. */
interface SlicedAnswer {
  /** About how much of it is in memory at a time. */
  readonly held_bytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers 200 with a text that is written as the client reads it. */
export function answerSliced(call: Call, text: SlicedText, { held_bytes, headers }: SlicedAnswer): Response {
  const bytes = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let more = false;
        try {
          more = await text.write();
        } finally {
          if (!more) text.end?.();
        }
        if (more) controller.enqueue(bytes.encode(text.take()));
        else controller.close();
      },
      cancel: () => text.end?.(),
    },
    { highWaterMark: 0 },
  );
  traceOf(call.request).held_bytes = held_bytes;
  return new Response(stream, { headers: { ...headers, "x-request-id": call.request_id, ...call.headers } });
}

/** The slices that wait for their turn, by the key that asked. */
const waiting = new FairQueue<string, () => void>();
let is_writing = false;

/** Does the work of one slice when it is the turn of the key that asks, one slice at a time in the whole process. */
export async function inLine<Done>({ request }: Pick<Call, "request">, work: () => Promise<Done>): Promise<Done> {
  if (is_writing) await new Promise<void>((resolve) => waiting.push(traceOf(request).reader.key, resolve));
  is_writing = true;
  try {
    return await work();
  } finally {
    setImmediate(passOn);
  }
}

function passOn(): void {
  const turn = waiting.shift();
  if (turn === undefined) is_writing = false;
  else turn();
}
