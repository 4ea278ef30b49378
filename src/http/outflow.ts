// Large answers are sent in pieces, each after the client has read the one before. So the memory for unread large
// answers has a bound, and a client that reads nothing of one loses its connection.
import { Fault } from "../kit/fault.ts";
import { counter, gauge } from "../kit/meter.ts";

/**
 * A smaller answer, such as a page of 50 orders, is sent whole: the system buffers most of it, and a connection that
 * stands still for 30 seconds is ended.
 */
export const small_bytes = 128 << 10;

const piece_bytes = 64 << 10;
const bytes_max = 128 << 20;
const patience_ms = 30_000;

const waiting = gauge("packhouse_http_answer_bytes_waiting", "Bytes of large answers that clients have not read yet.");
const let_go = counter(
  "packhouse_http_slow_readers_total",
  "Connections closed because the client read its answer too slowly.",
);

interface OutflowSettings {
  /** Ends the connection of a request soon; it cannot be ended at once. */
  readonly letGo: (request: Request) => void;
  /** Called with the error that ended an answer early. */
  readonly onError: (error: unknown) => void;
  /** How many bytes of large answers may be unread at a time. */
  readonly bytes_max?: number;
  /** How long a client may take to read one piece, in milliseconds. */
  readonly patience_ms?: number;
  /** Milliseconds that have passed since some moment. */
  readonly elapsed?: () => number;
}

/** One answer on its way. */
interface Flow {
  readonly request: Request;
  readonly source: AsyncGenerator<Uint8Array, void, undefined>;
  readonly bytes: number;
  /** When the piece that the client has not read yet was offered; null while there is none. */
  given_at: number | null;
}

/** The large answers of a server that are under way. */
export class Outflow {
  readonly #settings: Required<OutflowSettings>;
  readonly #flows = new Set<Flow>();
  #bytes = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(settings: OutflowSettings) {
    this.#settings = { bytes_max, patience_ms, elapsed: () => performance.now(), ...settings };
  }

  /** How many bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The same answer in pieces, of which `held_bytes` are in memory at a time; null when the whole answer is.
   * Refuses: unavailable, when too much is unread and the request can be repeated without harm.
   */
  async inPieces(request: Request, response: Response, held_bytes: number | null): Promise<Response> {
    const { status, headers, body } = response;
    const isRepeatable = request.method === "GET" || headers.has("idempotency-replayed");
    if (isRepeatable && this.#bytes >= this.#settings.bytes_max) {
      await body?.cancel();
      const message = "Too many large answers wait to be read by clients. Nothing was done; try again.";
      throw new Fault("unavailable", message, { retry_after_seconds: 5 });
    }
    if (held_bytes !== null) {
      return new Response(this.#send(request, held_bytes, readIn(body)), { status, headers });
    }
    const bytes = await response.bytes();
    return new Response(this.#send(request, bytes.byteLength, cut(bytes)), { status, headers });
  }

  #send(request: Request, bytes: number, source: Flow["source"]): ReadableStream<Uint8Array> {
    const flow: Flow = { request, source, bytes, given_at: null };
    this.#flows.add(flow);
    this.#count(bytes);
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

  #end(flow: Flow): void {
    if (!this.#flows.delete(flow)) return;
    this.#count(-flow.bytes);
    // Its memory is freed now, not when the connection has ended.
    flow.source.return().catch(this.#settings.onError);
    if (this.#flows.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    waiting.add(bytes);
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

async function* cut(bytes: Uint8Array): Flow["source"] {
  for (let at = 0; at < bytes.byteLength; at += piece_bytes) yield bytes.subarray(at, at + piece_bytes);
}

async function* readIn(body: ReadableStream<Uint8Array> | null): Flow["source"] {
  for await (const bytes of body ?? []) {
    // Not by another generator, which would hold them until the client asks for more.
    if (bytes.byteLength <= piece_bytes) yield bytes;
    else yield* cut(bytes);
  }
}
