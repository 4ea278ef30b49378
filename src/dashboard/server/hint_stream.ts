// A stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { Hint } from "./hint.ts";

const backlog_bytes_max = 256 << 10;
const encoder = new TextEncoder();

/** The start of a stream: the client's delay before it reconnects. */
const greeting = encoder.encode("retry: 2000\n\n");

/** Keeps an idle connection open and shows the client that it is alive. */
export const heartbeat = encoder.encode("event: beat\ndata: {}\n\n");

/** Encodes a hint as a server-sent event. */
export function hintText(hint: Hint): Uint8Array {
  return encoder.encode(`id: ${hint.id}\ndata: ${JSON.stringify(hint)}\n\n`);
}

/** Encodes the first event of a stream. `last` is the id of the last hint before it. */
export function readyText(last: string): Uint8Array {
  return encoder.encode(`event: ready\nid: ${last}\ndata: {}\n\n`);
}

/** Encodes an event that makes a client reload everything. `last` is the id of the last hint before it. */
export function resyncText(last: string): Uint8Array {
  return encoder.encode(`event: resync\nid: ${last}\ndata: {}\n\n`);
}

/** A stream to one client. It ends when the client reads too slowly. */
export class Stream {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly #onEnd: () => void;

  /** `onEnd` is called once, when either side ends the stream. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: backlog_bytes_max }),
    );
    this.send(greeting);
  }

  /** Sends bytes. If the client reads too slowly, sends nothing and returns false. */
  send(bytes: Uint8Array): boolean {
    if (this.#controller === null) return true;
    if ((this.#controller.desiredSize ?? 0) < bytes.byteLength) return false;
    this.#controller.enqueue(bytes);
    return true;
  }

  /** Ends the stream after the bytes already sent. */
  end(): void {
    const controller = this.#controller;
    this.#leave();
    controller?.close();
  }

  #leave(): void {
    if (this.#controller === null) return;
    this.#controller = null;
    this.#onEnd();
  }
}
