// Long responses are written while the client reads them, one slice at a time. A key has at most one slice written
// before another key has its turn, and other requests run between two slices.
import { FairQueue } from "../core/fair_queue.ts";
import { fittingInSlice, type PagePosition, slice_bytes } from "../core/schema.ts";
import type { Db } from "../storage/database.ts";
import type { LongRecords } from "../storage/long_records.ts";
import type { Call } from "./call.ts";
import { traceOf } from "./trace.ts";

/** The text of a long response. */
interface SlicedText {
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

// Pages of records that may be long, such as orders with hundreds of lines: read, written and sent in slices.

/** A record of a page that is not read as a whole yet. */
interface PagePart<Row> {
  readonly position: PagePosition;
  readonly bytes: number;
  /** Null where it is read again. */
  readonly row: Row | null;
}

/** A page whose records are known and are read in slices. */
export interface LongPage<Row> {
  readonly parts: readonly PagePart<Row>[];
  /** Where the list goes on after all of them; null at its end. */
  readonly next: PagePosition | null;
  /** What the wire shows of a page with this data that ends there. */
  readonly paged: (data: readonly unknown[], next: PagePosition | null) => unknown;
  readonly again: LongRecords<Row>["again"];
  /** What the wire shows of rows, with whatever else belongs to them. */
  readonly views: (rows: readonly Row[], db: Db) => Promise<readonly unknown[]> | readonly unknown[];
}

/** Whether records of these sizes make a page that is read in slices. */
export function isLong(sizes: readonly number[]): boolean {
  return sizes.reduce((sum, bytes) => sum + bytes, 0) > slice_bytes;
}

const empty = '"data":[';

/** Writes a long page. Each slice has a view of its own; which records the page has is settled before. */
export class PageWriter<Row> implements SlicedText {
  readonly #call: Call;
  readonly #page: LongPage<Row>;
  /** The page ends before it is larger than this, unless its first record alone is. */
  readonly #bytes_max: number;
  /** How many parts have been written. */
  #written = 0;
  #bytes = 0;
  /** How many times as large as expected the last slice was. */
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
    while (!this.#ended && this.#text.length === length) await inLine(this.#call, () => this.#writeSlice());
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
    // Not behind other reads of its merchant: the next slice, which may be another's, waits for this one.
    const shown = await this.#call.store.read(read, "slices");
    const text = shown.map((view) => JSON.stringify(view)).join(",");
    const bytes = Buffer.byteLength(text);
    this.#scale = Math.max(1, bytes / sizeOf(parts));
    if (this.#bytes + bytes > this.#bytes_max) {
      if (this.#bytes > 0) return this.#end(this.#page.parts[this.#written - 1]?.position ?? null);
      if (parts.length > 1) {
        // It was larger than expected: fewer records are tried.
        this.#parts_max = parts.length >> 1;
        return;
      }
    }
    if (text !== "") this.#text += this.#bytes > 0 ? `,${text}` : text;
    this.#bytes += bytes;
    this.#written += parts.length;
  }

  /** The parts of the next slice; none at the end. */
  #nextParts(): readonly PagePart<Row>[] {
    const rest = this.#page.parts.slice(this.#written, this.#written + this.#parts_max);
    const sizes = rest.map(({ bytes }) => bytes * this.#scale);
    return rest.slice(0, fittingInSlice(sizes));
  }

  #end(next: PagePosition | null): void {
    this.#text += this.#outline(next)[1];
    this.#ended = true;
  }

  /** What stands before the records of the page, and after them. */
  #outline(next: PagePosition | null): readonly [string, string] {
    const text = JSON.stringify(this.#page.paged([], next));
    const at = text.indexOf(empty) + empty.length;
    return [text.slice(0, at), text.slice(at)];
  }
}

function sizeOf(parts: readonly PagePart<unknown>[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}
