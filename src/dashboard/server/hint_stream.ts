// One stream of server-sent events, as text: https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { Hint } from "./hint.ts";

const backlog_bytes_max = 256 << 10;
const encoder = new TextEncoder();

/** The begin of a stream: how long a client waits before it reconnects. */
const greeting = encoder.encode("retry: 2000\n\n");

/** Keeps an idle connection open, and tells the client that it is. */
export const heartbeat = encoder.encode("event: beat\ndata: {}\n\n");

/** A hint as it is sent. */
export function hintText(hint: Hint): Uint8Array {
  return encoder.encode(`id: ${hint.id}\ndata: ${JSON.stringify(hint)}\n\n`);
}

/** Says that the stream begins after the hint with this id. */
export function readyText(last: string): Uint8Array {
  return encoder.encode(`event: ready\nid: ${last}\ndata: {}\n\n`);
}

/** Tells a client to read again what it shows. The next hint has an id after this one. */
export function resyncText(last: string): Uint8Array {
  return encoder.encode(`event: resync\nid: ${last}\ndata: {}\n\n`);
}

/** A stream to one client. It ends when too many bytes wait for the client. */
export class Stream {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly #onEnd: () => void;

  /** `onEnd` is called once, whoever ends the stream. */
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

  get ended(): boolean {
    return this.#controller === null;
  }

  /** Sends bytes. Answers false and sends nothing when the client reads too slowly. */
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
