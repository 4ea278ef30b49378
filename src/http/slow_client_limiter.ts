// Large answers are sent in pieces, each after the client has read the one before. So the memory for unread large
// answers has a bound, of which each key has its share, and a client that reads nothing of one loses its connection.
import { Fault } from "../core/faults.ts";
import { counter, gauge } from "../core/metrics.ts";
import { type ResponseMemoryShare, traceOf } from "./trace.ts";

/**
 * A smaller answer, such as a page of 50 orders, is sent whole: the system buffers most of it, and a connection that
 * stands still for 30 seconds is ended.
 */
export const small_bytes = 128 << 10;

const piece_bytes = 64 << 10;
const bytes_max = 128 << 20;
const client_timeout_ms = 30_000;
const wait_ms = 5000;
const retry_after_seconds = 5;
const warn_every_ms = 60_000;

const waiting = gauge("packhouse_http_answer_bytes_waiting", "Bytes of large answers that clients have not read yet.");
const let_go = counter(
  "packhouse_http_slow_readers_total",
  "Connections closed because the client read its answer too slowly.",
);
const refusals = counter(
  "packhouse_http_large_answers_refused_total",
  "Large answers refused with 503 because clients had too many unread.",
);

interface SlowClientLimiterSettings {
  /** Ends the connection of a request soon; it cannot be ended at once. */
  readonly letGo: (request: Request) => void;
  /** Called with the error that ended an answer early. */
  readonly onError: (error: unknown) => void;
  /** Called with the key or user whose request was refused, once a minute at most. */
  readonly onRefused?: (key: string) => void;
  /** How many bytes of large answers may be unread at a time. */
  readonly bytes_max?: number;
  /** How long a client may take to read one piece, in milliseconds. */
  readonly patience_ms?: number;
  /** How long an answer waits for others to be read, in milliseconds. */
  readonly wait_ms?: number;
  /** Milliseconds that have passed since some moment. */
  readonly elapsed?: () => number;
}

/** One answer on its way. */
interface ResponseFlow {
  readonly request: Request;
  readonly source: AsyncGenerator<Uint8Array, void, undefined>;
  readonly bytes: number;
  /** When the piece that the client has not read yet was offered; null while there is none. */
  given_at: number | null;
}

/** An answer that waits until others have been read. */
interface WaitingResponse {
  readonly reader: ResponseMemoryShare;
  readonly bytes: number;
  readonly admit: () => void;
}

/** The large answers of a server that are under way. */
export class SlowClientLimiter {
  readonly #settings: Required<SlowClientLimiterSettings>;
  readonly #flows = new Set<ResponseFlow>();
  /** In the order in which they came. */
  readonly #queue = new Set<WaitingResponse>();
  /** The bytes of each key, and of each owner of keys. */
  readonly #held = new Map<string, number>();
  /** When it was said last that a key was refused. */
  readonly #warned = new Map<string, number>();
  #bytes = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(settings: SlowClientLimiterSettings) {
    const defaults = {
      bytes_max,
      patience_ms: client_timeout_ms,
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
   * The same answer in pieces, of which `held_bytes` are in memory at a time; null when the whole answer is. It waits a
   * while for its share of the memory. Refuses: unavailable, when its share is not free by then and the request can be
   * repeated without harm.
   */
  async inPieces(request: Request, response: Response, held_bytes: number | null): Promise<Response> {
    const { status, headers, body } = response;
    const { reader } = traceOf(request);
    const isRepeatable = request.method === "GET" || headers.has("idempotency-replayed");
    const bytes = held_bytes === null ? await response.bytes() : null;
    const size = held_bytes ?? bytes?.byteLength ?? 0;
    if (!(await this.#reserve(reader, size, isRepeatable))) {
      if (bytes === null) await body?.cancel();
      this.#refuse(reader);
      const message =
        "Too many large responses wait to be read by clients. Read earlier ones to their end, then try again.";
      throw new Fault("unavailable", message, { retry_after_seconds });
    }
    const source = bytes === null ? readIn(body) : cut(bytes);
    return new Response(this.#send(request, size, source), { status, headers });
  }

  /** Takes so many bytes of the share of a reader, or waits for them; false when they are not free in time. */
  async #reserve(reader: ResponseMemoryShare, bytes: number, may_wait: boolean): Promise<boolean> {
    if (!may_wait || this.#fits(reader, bytes)) {
      this.#count(reader, bytes);
      return true;
    }
    // What waits is in memory as well.
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
   * Whether a reader may hold n more bytes: a key as many as stay free for all others, the keys of one owner together
   * twice as many. So whatever some of them leave unread, there is room for everybody else.
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

  #send(request: Request, bytes: number, source: ResponseFlow["source"]): ReadableStream<Uint8Array> {
    const flow: ResponseFlow = { request, source, bytes, given_at: null };
    this.#flows.add(flow);
    this.#watch ??= setInterval(() => this.#look(), this.#settings.patience_ms / 4);
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      // A closed connection is sent nothing more, or it would stay open.
      if (!this.#flows.has(flow)) return Promise.withResolvers<void>().promise;
      // Other requests run between two pieces: a connection may take hundreds of them in a row.
      if (flow.given_at !== null) await new Promise(setImmediate);
      flow.given_at = null;
      try {
        const { done, value } = await source.next();
        if (!this.#flows.has(flow)) return;
        flow.given_at = this.#settings.elapsed();
        if (!done) return controller.enqueue(value);
        this.#end(flow);
        controller.close();
      } catch (error) {
        this.#end(flow);
        this.#settings.onError(error);
        // An answer without its end tells the client that it is incomplete.
        this.#settings.letGo(request);
        return Promise.withResolvers<void>().promise;
      }
    };
    return new ReadableStream({ pull, cancel: () => this.#end(flow) }, { highWaterMark: 0 });
  }

  #end(flow: ResponseFlow): void {
    if (!this.#flows.delete(flow)) return;
    this.#count(traceOf(flow.request).reader, -flow.bytes);
    for (const { reader, bytes, admit } of this.#queue) if (this.#fits(reader, bytes)) admit();
    // Its memory is freed now, not when the connection has ended.
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

  #look(): void {
    const late = this.#settings.elapsed() - this.#settings.patience_ms;
    for (const flow of this.#flows) {
      if (flow.given_at === null || flow.given_at > late) continue;
      this.#end(flow);
      let_go.add(1);
      this.#settings.letGo(flow.request);
    }
  }
}

async function* cut(bytes: Uint8Array): ResponseFlow["source"] {
  for (let at = 0; at < bytes.byteLength; at += piece_bytes) yield bytes.subarray(at, at + piece_bytes);
}

async function* readIn(body: ReadableStream<Uint8Array> | null): ResponseFlow["source"] {
  for await (const bytes of body ?? []) {
    // Not by another generator, which would hold them until the client asks for more.
    if (bytes.byteLength <= piece_bytes) yield bytes;
    else yield* cut(bytes);
  }
}
