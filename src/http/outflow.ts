// How large answers leave: in pieces, each when the one before is taken. So it is known what clients do not take, that
// has a bound, and who takes nothing loses the connection.
import { Fault } from "../kit/fault.ts";
import { counter, gauge } from "../kit/meter.ts";

/** An answer of no more bytes is sent as it is: the system takes so much at once, whether somebody reads it or not. */
export const small_bytes = 64 << 10;

const piece_bytes = 64 << 10;
const bytes_max = 128 << 20;
const patience_ms = 30_000;

const waiting = gauge("packhouse_http_answer_bytes_waiting", "Bytes of large answers that clients have still to take.");
const let_go = counter(
  "packhouse_http_slow_readers_total",
  "Clients that lost their connection: they took too little.",
);

interface OutflowSettings {
  /** Ends the connection of a request soon: at once it cannot be done. */
  readonly letGo: (request: Request) => void;
  /** Is told what broke an answer off. */
  readonly onError: (error: unknown) => void;
  /** How many bytes of large answers may wait at a time. */
  readonly bytes_max?: number;
  /** How long a client may take over one piece, in milliseconds. */
  readonly patience_ms?: number;
  /** Milliseconds that have passed since some moment. */
  readonly elapsed?: () => number;
}

/** One answer on its way. */
interface Flow {
  readonly request: Request;
  readonly source: AsyncGenerator<Uint8Array, void, undefined>;
  readonly bytes: number;
  /** Since when the client could take the piece that waits for it; null while there is none. */
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
   * The same answer in pieces, of which `held_bytes` are in memory at a time; null when all of it is there.
   * Refuses: unavailable, when too much waits and nothing is lost by asking again.
   */
  async inPieces(request: Request, response: Response, held_bytes: number | null): Promise<Response> {
    const { status, headers, body } = response;
    const isRepeatable = request.method === "GET" || headers.has("idempotency-replayed");
    if (isRepeatable && this.#bytes >= this.#settings.bytes_max) {
      await body?.cancel();
      const message = "Too many large answers wait for clients to take them. Nothing was done; ask again.";
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
      // Who was let go gets nothing more, or the connection would live on.
      if (!this.#flows.has(flow)) return Promise.withResolvers<void>().promise;
      // Others get their turn between two pieces: a connection may take hundreds of them one after the other.
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
        // Without its end the client knows that it is not all.
        this.#settings.letGo(request);
        return Promise.withResolvers<void>().promise;
      }
    };
    return new ReadableStream({ pull, cancel: () => this.#end(flow) }, { highWaterMark: 0 });
  }

  #end(flow: Flow): void {
    if (!this.#flows.delete(flow)) return;
    this.#count(-flow.bytes);
    // What it still holds is let go of now, not once the connection has ended.
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
  for await (const bytes of body ?? []) yield* cut(bytes);
}
