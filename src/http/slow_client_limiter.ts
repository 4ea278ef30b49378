// The slow-client limiter. Large responses are sent in chunks, each after the client has read the previous one. Memory
// for unread responses is limited and shared among keys. A client that stops reading loses its connection.
import { Fault } from "../core/faults.ts";
import { counter, gauge } from "../core/metrics.ts";
import { type ResponseMemoryShare, traceOf } from "./trace.ts";

/**
 * Smaller responses, such as a page of 50 orders, are sent whole: the system buffers most of them, and a connection
 * that stalls for 30 seconds is closed.
 */
export const small_bytes = 128 << 10;

const chunk_bytes = 64 << 10;
const bytes_max = 128 << 20;
const client_timeout_ms = 30_000;
const wait_ms = 5000;
const retry_after_seconds = 5;
const warn_every_ms = 60_000;

const waiting = gauge(
  "packhouse_http_answer_bytes_waiting",
  "Bytes of large responses that clients have not read yet.",
);
const closed_connections = counter(
  "packhouse_http_slow_readers_total",
  "Connections closed because the client read its response too slowly.",
);
const refusals = counter(
  "packhouse_http_large_answers_refused_total",
  "Large responses refused with 503 because clients had too many unread.",
);

interface SlowClientLimiterSettings {
  /** Closes the connection of a request. This may happen a little later. */
  readonly disconnect: (request: Request) => void;
  /** Called with the error that ended a response early. */
  readonly onError: (error: unknown) => void;
  /** Called with the key or user whose request was refused, at most once a minute. */
  readonly onRefused?: (key: string) => void;
  /** How many bytes of large responses may be unread at a time. */
  readonly bytes_max?: number;
  /** How long a client may take to read one chunk, in milliseconds. */
  readonly client_timeout_ms?: number;
  /** How long a response waits for others to be read, in milliseconds. */
  readonly wait_ms?: number;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
}

/** One response that is being sent. */
interface ResponseFlow {
  readonly request: Request;
  readonly source: AsyncGenerator<Uint8Array, void, undefined>;
  readonly bytes: number;
  /** When the chunk that the client has not read yet was offered; null while there is none. */
  offered_at: number | null;
}

/** A response that waits until others have been read. */
interface WaitingResponse {
  readonly reader: ResponseMemoryShare;
  readonly bytes: number;
  readonly admit: () => void;
}

/** Limits the memory that unread large responses of a server take. */
export class SlowClientLimiter {
  readonly #settings: Required<SlowClientLimiterSettings>;
  readonly #flows = new Set<ResponseFlow>();
  /** In order of arrival. */
  readonly #queue = new Set<WaitingResponse>();
  /** The bytes of each key, and of each owner of keys. */
  readonly #held = new Map<string, number>();
  /** When each key was last reported as refused. */
  readonly #warned = new Map<string, number>();
  #bytes = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(settings: SlowClientLimiterSettings) {
    const defaults = {
      bytes_max,
      client_timeout_ms: client_timeout_ms,
      wait_ms,
      onRefused: () => {},
      elapsed: () => performance.now(),
    };
    this.#settings = { ...defaults, ...settings };
  }

  /** How many bytes clients have not read yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Sends the response in chunks, with `held_bytes` in memory at a time; null when the whole response is in memory.
   * Waits a while for its share of the memory.
   * Refuses: unavailable, when its share is not free by then and the request can safely be repeated.
   */
  async send(request: Request, response: Response, held_bytes: number | null): Promise<Response> {
    const { status, headers, body } = response;
    const { reader } = traceOf(request);
    const isRepeatable = request.method === "GET" || headers.has("idempotency-replayed");
    const bytes = held_bytes === null ? await response.bytes() : null;
    const size = held_bytes ?? bytes?.byteLength ?? 0;
    if (!(await this.#reserve(reader, size, isRepeatable))) {
      if (bytes === null) await body?.cancel();
      this.#refuse(reader);
      const message = "Too many large responses are still unread. Read earlier ones to the end, then try again.";
      throw new Fault("unavailable", message, { retry_after_seconds });
    }
    const source = bytes === null ? chunksIn(body) : chunksOf(bytes);
    return new Response(this.#stream(request, size, source), { status, headers });
  }

  /** Takes bytes from a reader's share, or waits for them; false when they are not free in time. */
  async #reserve(reader: ResponseMemoryShare, bytes: number, may_wait: boolean): Promise<boolean> {
    if (!may_wait || this.#fits(reader, bytes)) {
      this.#count(reader, bytes);
      return true;
    }
    // Queued responses are in memory, too.
    if (this.#waitingBytes(reader) + bytes > this.#settings.bytes_max / 4) return false;
    return new Promise((resolve) => {
      const waits: WaitingResponse = {
        reader,
        bytes,
        admit: () => {
          clearTimeout(timer);
          this.#queue.delete(waits);
          this.#count(reader, bytes);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        this.#queue.delete(waits);
        resolve(false);
      }, this.#settings.wait_ms);
      this.#queue.add(waits);
    });
  }

  /**
   * Whether a reader may hold this many more bytes: a key at most as many as stay free for all others, the keys of one
   * owner together twice as many. So others always have room, whatever these leave unread.
   */
  #fits({ key, owner }: ResponseMemoryShare, bytes: number): boolean {
    if (this.#bytes === 0) return true;
    const free = this.#settings.bytes_max - this.#bytes;
    const isWithin = (name: string, shares: number) => (this.#held.get(name) ?? 0) + bytes <= shares * free;
    return isWithin(key, 1) && (key === owner || isWithin(owner, 2));
  }

  #waitingBytes({ owner }: ResponseMemoryShare): number {
    let bytes = 0;
    for (const { reader, bytes: own } of this.#queue) if (reader.owner === owner) bytes += own;
    return bytes;
  }

  #refuse({ key }: ResponseMemoryShare): void {
    refusals.add(1);
    const now = this.#settings.elapsed();
    if (now - (this.#warned.get(key) ?? Number.NEGATIVE_INFINITY) < warn_every_ms) return;
    this.#warned.set(key, now);
    this.#settings.onRefused(key);
  }

  #stream(request: Request, bytes: number, source: ResponseFlow["source"]): ReadableStream<Uint8Array> {
    const flow: ResponseFlow = { request, source, bytes, offered_at: null };
    this.#flows.add(flow);
    this.#watch ??= setInterval(() => this.#closeStalled(), this.#settings.client_timeout_ms / 4);
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      // Nothing more is sent on a closed connection, or it would stay open.
      if (!this.#flows.has(flow)) return Promise.withResolvers<void>().promise;
      // Lets other requests run between two chunks: a connection may take hundreds of them in a row.
      if (flow.offered_at !== null) await new Promise(setImmediate);
      flow.offered_at = null;
      try {
        const { done, value } = await source.next();
        if (!this.#flows.has(flow)) return;
        flow.offered_at = this.#settings.elapsed();
        if (!done) return controller.enqueue(value);
        this.#end(flow);
        controller.close();
      } catch (error) {
        this.#end(flow);
        this.#settings.onError(error);
        // An unterminated response shows the client that it is incomplete.
        this.#settings.disconnect(request);
        return Promise.withResolvers<void>().promise;
      }
    };
    return new ReadableStream({ pull, cancel: () => this.#end(flow) }, { highWaterMark: 0 });
  }

  #end(flow: ResponseFlow): void {
    if (!this.#flows.delete(flow)) return;
    this.#count(traceOf(flow.request).reader, -flow.bytes);
    for (const { reader, bytes, admit } of this.#queue) if (this.#fits(reader, bytes)) admit();
    // Its memory is freed now, not when the connection has closed.
    flow.source.return().catch(this.#settings.onError);
    if (this.#flows.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #count({ key, owner }: ResponseMemoryShare, bytes: number): void {
    this.#bytes += bytes;
    waiting.add(bytes);
    for (const name of new Set([key, owner])) {
      const held = (this.#held.get(name) ?? 0) + bytes;
      if (held === 0) this.#held.delete(name);
      else this.#held.set(name, held);
    }
  }

  #closeStalled(): void {
    const late = this.#settings.elapsed() - this.#settings.client_timeout_ms;
    for (const flow of this.#flows) {
      if (flow.offered_at === null || flow.offered_at > late) continue;
      this.#end(flow);
      closed_connections.add(1);
      this.#settings.disconnect(flow.request);
    }
  }
}

async function* chunksOf(bytes: Uint8Array): ResponseFlow["source"] {
  for (let at = 0; at < bytes.byteLength; at += chunk_bytes) yield bytes.subarray(at, at + chunk_bytes);
}

async function* chunksIn(body: ReadableStream<Uint8Array> | null): ResponseFlow["source"] {
  for await (const bytes of body ?? []) {
    // Not through another generator, which would hold the bytes until the client asks for more.
    if (bytes.byteLength <= chunk_bytes) yield bytes;
    else yield* chunksOf(bytes);
  }
}
