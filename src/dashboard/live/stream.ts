// One stream of server-sent events, as text: https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { Hint } from "./hint.ts";

const backlog_bytes_max = 256 << 10;
const encoder = new TextEncoder();

/** What a stream begins with: after how long a client that was cut off comes back. */
const greeting = encoder.encode("retry: 2000\n\n");

/** What keeps a connection open over which nothing goes. */
export const heartbeat = encoder.encode(":\n\n");

/** A hint as it is sent. */
export function hintText(hint: Hint): Uint8Array {
  return encoder.encode(`id: ${hint.id}\ndata: ${JSON.stringify(hint)}\n\n`);
}

/** Says that the stream has begun behind the hint with this id. */
export function readyText(last: string): Uint8Array {
  return encoder.encode(`event: ready\nid: ${last}\ndata: {}\n\n`);
}

/** Tells a client to read again what it shows. What it is told next has an id behind this one. */
export function resyncText(last: string): Uint8Array {
  return encoder.encode(`event: resync\nid: ${last}\ndata: {}\n\n`);
}

/** A stream to one client, who is let go when too much waits for him. */
export class Stream {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly #onEnd: () => void;

  /** `onEnd` is told once, whoever ends it. */
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

  /** Sends some bytes; false when the client takes too little, and nothing is sent. */
  send(bytes: Uint8Array): boolean {
    if (this.#controller === null) return true;
    if ((this.#controller.desiredSize ?? 0) < bytes.byteLength) return false;
    this.#controller.enqueue(bytes);
    return true;
  }

  /** Ends it, after what was sent. */
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
