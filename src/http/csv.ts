import type { Db, Store } from "../database/store.ts";
import { type Cell, csvLine, safeCell } from "../kit/csv.ts";
import type { Call } from "./call.ts";
import { traceOf } from "./trace.ts";

/** How one file of CSV is made: its columns, and its rows a page at a time. */
export interface CsvFile<Row, After = Row> {
  readonly name: string;
  readonly columns: readonly string[];
  /** About `limit` rows after a place (null: from the first), and the place where they end; null at the end. */
  readonly page: (db: Db, after: After | null, limit: number) => Promise<CsvPage<Row, After>>;
  readonly cells: (row: Row) => readonly Cell[];
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

/**
 * The text of a CSV file, one page at a time. Each page is read in a view of its own, so that a slow client holds no
 * view open. No spreadsheet reads a cell of it as a formula.
 */
export async function* csvPages<Row, After>(
  store: Store,
  file: CsvFile<Row, After>,
  bom = false,
): AsyncGenerator<string> {
  yield (bom ? byte_order_mark : "") + csvLine(file.columns);
  let after: After | null = null;
  let row_characters: number | null = null;
  do {
    // How many files are sent is known when a page is written, and not before: a client may rest for long.
    const fitting = row_characters === null ? first_limit : Math.floor(pageCharacters() / row_characters);
    const limit = Math.min(Math.max(fitting, 1), limit_max);
    const { text, next }: Written<After> = await writePage(store, file, after, limit);
    after = next;
    row_characters = Math.max(text.length, 1) / limit;
    if (text !== "") yield text;
  } while (after !== null);
}

interface Written<After> {
  readonly text: string;
  readonly next: After | null;
}

/** Some rows as text. The rows themselves are freed at once. */
async function writePage<Row, After>(
  store: Store,
  { page, cells }: CsvFile<Row, After>,
  after: After | null,
  limit: number,
): Promise<Written<After>> {
  return inLine(async () => {
    const { rows, next } = await store.read((db) => page(db, after, limit));
    return { text: rows.map((row) => csvLine(cells(row).map(safeCell))).join(""), next };
  });
}

let last: Promise<void> = Promise.resolve();

/** Pages are written one after the other, however many files are sent at once; other requests run in between. */
async function inLine<Done>(work: () => Promise<Done>): Promise<Done> {
  const before = last;
  const { promise, resolve } = Promise.withResolvers<void>();
  last = promise;
  await before;
  try {
    return await work();
  } finally {
    setImmediate(resolve);
  }
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
  const bytes = new TextEncoder();
  const pages = csvPages(call.store, file, bom);
  // The first rows are read before the answer begins, so that a refusal can still be answered as one.
  const head = await pages.next();
  const first = [head, await pages.next()];
  const others = counted(pages);
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = first.shift() ?? (await others.next());
        if (done) controller.close();
        else controller.enqueue(bytes.encode(value));
      },
      async cancel() {
        await others.return();
      },
    },
    { highWaterMark: 0 },
  );
  traceOf(call.request).held_bytes = 2 * page_characters_max;
  return new Response(stream, {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${file.name}"`,
      "x-request-id": call.request_id,
      ...call.headers,
    },
  });
}

/** The same pages; their file counts as one that is sent from the first of them on. */
async function* counted(pages: AsyncGenerator<string>): AsyncGenerator<string, void> {
  files += 1;
  try {
    yield* pages;
  } finally {
    files -= 1;
  }
}
