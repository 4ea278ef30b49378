import { type CsvCell, csvLine, safeCell } from "../core/csv.ts";
import type { Db, ReadQueueKey, Store } from "../storage/database.ts";
import type { Call } from "./call.ts";
import { answerSliced, inLine } from "./long_pages.ts";

/** How one file of CSV is made: its columns, and its rows a page at a time. */
export interface CsvFile<Row, After = Row> {
  readonly name: string;
  readonly columns: readonly string[];
  /** About `limit` rows after a place (null: from the first), and the place where they end; null at the end. */
  readonly page: (db: Db, after: After | null, limit: number) => Promise<CsvPage<Row, After>>;
  readonly cells: (row: Row) => readonly CsvCell[];
}

/** Some rows of a file, and the place after which the next rows begin. */
export interface CsvPage<Row, After> {
  readonly rows: readonly Row[];
  readonly next: After | null;
}

/** The pages of a file of which each row is a place. `rows` gives some after the last one written. */
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
// About how large a page is. One page is in memory while the client does not read on. Where many files are sent their
// pages are smaller: all of them together take about `pages_characters`, or more where there are so many that each page
// is of the smallest size.
const page_characters_max = 64 << 10;
const page_characters_min = 8 << 10;
const pages_characters = 2 << 20;

/** How many files are being sent. */
let files = 0;

/** About how large the next page of a file is to be. */
function pageCharacters(): number {
  return Math.min(Math.max(pages_characters / Math.max(files, 1), page_characters_min), page_characters_max);
}

/** When and in which line the pages of a file are read. */
interface CsvReading {
  /** Does the work of one page when it is its turn. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** That of its merchant unless one is given. */
  readonly line?: ReadQueueKey;
}

/**
 * Writes the text of a CSV file, one page at a time. Each page is read in a view of its own, so that a slow client
 * holds no view open. No spreadsheet reads a cell of it as a formula.
 */
class CsvWriter<Row, After> {
  readonly #store: Store;
  readonly #file: CsvFile<Row, After>;
  /** What is written and not taken yet. */
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

  /** Whether something is written that is not taken yet. */
  get waits(): boolean {
    return this.#text !== "";
  }

  /** Writes the next rows, and before the first of them the names of the columns; false at the end. */
  async write(): Promise<boolean> {
    const { length } = this.#text;
    while (!this.#ended && this.#text.length === length) await this.#reading.inTurn(() => this.#writePage());
    return this.waits;
  }

  /** What is written; see `SlicedText`. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  async #writePage(): Promise<void> {
    const { page, cells } = this.#file;
    // How many files are sent is known when a page is written, and not before: a client may rest for long.
    const fitting = this.#row_characters === null ? first_limit : Math.floor(pageCharacters() / this.#row_characters);
    const limit = Math.min(Math.max(fitting, 1), limit_max);
    const { rows, next } = await this.#store.read((db) => page(db, this.#after, limit), this.#reading.line);
    const text = rows.map((row) => csvLine(cells(row).map(safeCell))).join("");
    this.#text += text;
    this.#after = next;
    this.#ended = next === null;
    this.#row_characters = Math.max(text.length, 1) / limit;
  }
}

/** The text of a CSV file, some rows at a time. */
export async function* csvPages<Row, After>(
  store: Store,
  file: CsvFile<Row, After>,
  bom = false,
): AsyncGenerator<string> {
  const writer = new CsvWriter(store, file, bom, { inTurn: (work) => work() });
  while (await writer.write()) yield writer.take();
}

/**
 * Answers 200 with a CSV file that is written while the client reads it, so that a file of any size delays no other
 * request and needs little memory.
 */
export async function answerCsv<Row, After>(
  call: Call,
  file: CsvFile<Row, After>,
  { bom = false }: { readonly bom?: boolean },
): Promise<Response> {
  // Not behind other reads of its merchant: the next slice, which may be another's, waits for this one.
  const reading = { inTurn: (work: () => Promise<void>) => inLine(call, work), line: "slices" } as const;
  const writer = new CsvWriter(call.store, file, bom, reading);
  // The first rows are read before the answer begins, so that a refusal can still be answered as one.
  await writer.write();
  let counts = false;
  const count = (is_sent: boolean) => {
    if (is_sent !== counts) files += is_sent ? 1 : -1;
    counts = is_sent;
  };
  const write = async () => {
    count(true);
    return writer.waits || (await writer.write());
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
