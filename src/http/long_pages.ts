// Long responses are written while the client reads them, one slice at a time. Slices of different keys alternate, and
// other requests run between two slices.
import { FairQueue } from "../core/fair_queue.ts";
import { fittingInSlice, type PagePosition, slice_bytes } from "../core/schema.ts";
import type { Db } from "../storage/database.ts";
import type { LongRecords } from "../storage/long_records.ts";
import type { Call } from "./call.ts";
import { traceOf } from "./trace.ts";

/** The text of a long response, written in slices. */
interface SlicedText {
  /** Writes the next slice, unless one has not been taken yet; false at the end. */
  readonly write: () => Promise<boolean>;
  /**
   * Takes the written text. Synchronous: the garbage collector treats the value of an awaited promise as old and would
   * keep the text until its next full collection.
   */
  readonly take: () => string;
  /** Called when nothing more will be read. */
  readonly end?: () => void;
}

/** How a long response is sent. */
interface SlicedAnswer {
  /** The approximate number of bytes in memory at a time. */
  readonly held_bytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Responds with 200 and a text that is written while the client reads it. */
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

/** Queued slices, by the key of the request. */
const waiting = new FairQueue<string, () => void>();
let is_writing = false;

/** Runs the work of one slice in turn. Only one slice is written at a time in the process, and keys alternate. */
export async function inTurn<Done>({ request }: Pick<Call, "request">, work: () => Promise<Done>): Promise<Done> {
  if (is_writing) await new Promise<void>((resolve) => waiting.push(traceOf(request).reader.key, resolve));
  is_writing = true;
  try {
    return await work();
  } finally {
    setImmediate(startNext);
  }
}

function startNext(): void {
  const turn = waiting.shift();
  if (turn === undefined) is_writing = false;
  else turn();
}

// Pages of records that may be long, such as orders with hundreds of lines, are read, written and sent in slices.

/** A record of a page, not read completely yet. */
interface PagePart<Row> {
  readonly position: PagePosition;
  readonly bytes: number;
  /** Null when it is read again. */
  readonly row: Row | null;
}

/** A page whose records are known and are read in slices. */
export interface LongPage<Row> {
  readonly parts: readonly PagePart<Row>[];
  /** Where the list continues after the page; null at the end. */
  readonly next: PagePosition | null;
  /** The response body of a page with this data that ends at `next`. */
  readonly paged: (data: readonly unknown[], next: PagePosition | null) => unknown;
  readonly again: LongRecords<Row>["again"];
  /** The views of rows, including related records. */
  readonly views: (rows: readonly Row[], db: Db) => Promise<readonly unknown[]> | readonly unknown[];
}

/** Whether records of these sizes make a page that is read in slices. */
export function isLong(sizes: readonly number[]): boolean {
  return sizes.reduce((sum, bytes) => sum + bytes, 0) > slice_bytes;
}

const empty = '"data":[';

/** Writes a long page. Each slice is read in its own view; the page's records were selected before. */
export class PageWriter<Row> implements SlicedText {
  readonly #call: Call;
  readonly #page: LongPage<Row>;
  /** The page ends before it exceeds this size, unless its first record alone does. */
  readonly #bytes_max: number;
  /** How many records have been written. */
  #written = 0;
  #bytes = 0;
  /** The factor by which the last slice was larger than expected. */
  #scale = 1;
  #parts_max = Number.POSITIVE_INFINITY;
  #text = "";
  #ended = false;

  constructor(call: Call, page: LongPage<Row>, bytes_max: number) {
    this.#call = call;
    this.#page = page;
    this.#bytes_max = bytes_max;
    this.#text = this.#outline(null)[0];
  }

  async write(): Promise<boolean> {
    const { length } = this.#text;
    while (!this.#ended && this.#text.length === length) await inTurn(this.#call, () => this.#writeSlice());
    return this.#text !== "";
  }

  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  async #writeSlice(): Promise<void> {
    const { next, again, views } = this.#page;
    const parts = this.#nextParts();
    if (parts.length === 0) return this.#end(next);
    const read = async (db: Db) => {
      const ids = parts.map(({ position: [, id] }) => id);
      const rows = again === undefined ? parts.flatMap(({ row }) => row ?? []) : await again(db, ids);
      return views(rows, db);
    };
    // Uses a separate read queue: the next slice, possibly another merchant's, waits for this read.
    const shown = await this.#call.store.read(read, "slices");
    const text = shown.map((view) => JSON.stringify(view)).join(",");
    const bytes = Buffer.byteLength(text);
    this.#scale = Math.max(1, bytes / sizeOf(parts));
    if (this.#bytes + bytes > this.#bytes_max) {
      if (this.#bytes > 0) return this.#end(this.#page.parts[this.#written - 1]?.position ?? null);
      if (parts.length > 1) {
        // It was larger than expected, so fewer records are tried.
        this.#parts_max = parts.length >> 1;
        return;
      }
    }
    if (text !== "") this.#text += this.#bytes > 0 ? `,${text}` : text;
    this.#bytes += bytes;
    this.#written += parts.length;
  }

  /** The records of the next slice; none at the end. */
  #nextParts(): readonly PagePart<Row>[] {
    const rest = this.#page.parts.slice(this.#written, this.#written + this.#parts_max);
    const sizes = rest.map(({ bytes }) => bytes * this.#scale);
    return rest.slice(0, fittingInSlice(sizes));
  }

  #end(next: PagePosition | null): void {
    this.#text += this.#outline(next)[1];
    this.#ended = true;
  }

  /** The text before and after the records of the page. */
  #outline(next: PagePosition | null): readonly [string, string] {
    const text = JSON.stringify(this.#page.paged([], next));
    const at = text.indexOf(empty) + empty.length;
    return [text.slice(0, at), text.slice(at)];
  }
}

function sizeOf(parts: readonly PagePart<unknown>[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}
