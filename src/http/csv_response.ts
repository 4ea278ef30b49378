import { type CsvCell, csvLine, safeCell } from "../core/csv.ts";
import type { Db, ReadQueueKey, Store } from "../storage/database.ts";
import type { Call } from "./call.ts";
import { answerSliced, inTurn } from "./long_pages.ts";

/** How a CSV file is written: its columns, and its rows one page at a time. */
export interface CsvFile<Row, After = Row> {
  readonly name: string;
  readonly columns: readonly string[];
  /** About `limit` rows after a position (null: from the start), and the position where they end; null at the end. */
  readonly page: (db: Db, after: After | null, limit: number) => Promise<CsvPage<Row, After>>;
  readonly cells: (row: Row) => readonly CsvCell[];
  /** Whether `cells` have their apostrophes already. */
  readonly escaped?: true;
}

/** Some rows of a file, and the position after which the next rows begin. */
export interface CsvPage<Row, After> {
  readonly rows: readonly Row[];
  readonly next: After | null;
}

/** The pages of a file whose positions are its rows. `rows` returns rows after the last one written. */
export function pagesOf<Row>(
  rows: (db: Db, after: Row | null, limit: number) => Promise<readonly Row[]>,
): CsvFile<Row>["page"] {
  return async (db, after, limit) => {
    const page = await rows(db, after, limit);
    return { rows: page, next: page.at(-1) ?? null };
  };
}

const byte_order_mark = "\ufeff";

const first_limit = 50;
const limit_max = 500;
// The approximate size of a page. One page per file is in memory until the client reads on. When many files are being
// sent, their pages shrink: together they take about `pages_characters`, or more when every page has the minimum size.
const page_characters_max = 64 << 10;
const page_characters_min = 8 << 10;
const pages_characters = 2 << 20;

/** How many files are being sent. */
let files = 0;

/** The approximate size of a file's next page. */
function pageCharacters(): number {
  return Math.min(Math.max(pages_characters / Math.max(files, 1), page_characters_min), page_characters_max);
}

/** When, and in which read queue, pages are read. */
interface CsvReading {
  /** Runs the work of one page in turn with other responses. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** The read queue; that of the merchant by default. */
  readonly line?: ReadQueueKey;
}

/**
 * Writes a CSV file one page at a time. Each page is read in its own view, so that a slow client keeps no view open.
 * Cells are escaped so that spreadsheets do not evaluate them.
 */
class CsvWriter<Row, After> {
  readonly #store: Store;
  readonly #file: CsvFile<Row, After>;
  /** Text that is written but not taken yet. */
  #text: string;
  #after: After | null = null;
  #ended = false;
  #row_characters: number | null = null;
  readonly #reading: CsvReading;

  constructor(store: Store, file: CsvFile<Row, After>, bom: boolean, reading: CsvReading) {
    this.#store = store;
    this.#file = file;
    this.#reading = reading;
    this.#text = (bom ? byte_order_mark : "") + csvLine(file.columns);
  }

  /** Whether there is text that is not taken yet. */
  get hasText(): boolean {
    return this.#text !== "";
  }

  /** Writes the next rows; false at the end. */
  async write(): Promise<boolean> {
    const { length } = this.#text;
    while (!this.#ended && this.#text.length === length) await this.#reading.inTurn(() => this.#writePage());
    return this.hasText;
  }

  /** Takes the written text; see `SlicedText`. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  async #writePage(): Promise<void> {
    const { page, cells, escaped } = this.#file;
    // The number of files being sent is read when a page is written, since a client may pause for long.
    const fitting = this.#row_characters === null ? first_limit : Math.floor(pageCharacters() / this.#row_characters);
    const limit = Math.min(Math.max(fitting, 1), limit_max);
    const { rows, next } = await this.#store.read((db) => page(db, this.#after, limit), this.#reading.line);
    const text = rows.map((row) => csvLine(escaped ? cells(row) : cells(row).map(safeCell))).join("");
    this.#text += text;
    this.#after = next;
    this.#ended = next === null;
    this.#row_characters = Math.max(text.length, 1) / limit;
  }
}

/** The text of a CSV file, one page at a time. */
export async function* csvPages<Row, After>(
  store: Store,
  file: CsvFile<Row, After>,
  bom = false,
): AsyncGenerator<string> {
  const writer = new CsvWriter(store, file, bom, { inTurn: (work) => work() });
  while (await writer.write()) yield writer.take();
}

/**
 * Responds with a CSV file that is written while the client reads it. A file of any size takes little memory and delays
 * no other request.
 */
export async function answerCsv<Row, After>(
  call: Call,
  file: CsvFile<Row, After>,
  { bom = false }: { readonly bom?: boolean },
): Promise<Response> {
  // Uses a separate read queue: the next slice, possibly another merchant's, waits for this read.
  const reading = { inTurn: (work: () => Promise<void>) => inTurn(call, work), line: "slices" } as const;
  const writer = new CsvWriter(call.store, file, bom, reading);
  // The first rows are read before the response starts, so that an error can still be sent as one.
  await writer.write();
  let counts = false;
  const count = (is_sent: boolean) => {
    if (is_sent !== counts) files += is_sent ? 1 : -1;
    counts = is_sent;
  };
  const write = async () => {
    count(true);
    return writer.hasText || (await writer.write());
  };
  return answerSliced(
    call,
    { write, take: () => writer.take(), end: () => count(false) },
    {
      held_bytes: 2 * page_characters_max,
      headers: {
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": `attachment; filename="${file.name}"`,
      },
    },
  );
}
