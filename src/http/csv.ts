import type { Db, Store } from "../database/store.ts";
import { type Cell, csvLine, safeCell } from "../kit/csv.ts";
import type { Call } from "./call.ts";

/** How one file of CSV is made: its columns, and its rows a page at a time. */
export interface CsvFile<Row> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly pages: (store: Store) => AsyncIterable<readonly Row[]>;
  readonly cells: (row: Row) => readonly Cell[];
}

/**
 * The pages of a file, each read in a view of its own. `rows` gives some rows after the last one written (null: from
 * the first), and none when the file is complete.
 */
export function pagesOf<Row>(rows: (db: Db, after: Row | null) => Promise<readonly Row[]>): CsvFile<Row>["pages"] {
  return async function* (store) {
    for (let last: Row | null | undefined = null; last !== undefined; ) {
      const after: Row | null = last;
      const page: readonly Row[] = await store.read((db) => rows(db, after));
      if (page.length > 0) yield page;
      last = page.at(-1);
    }
  };
}

/** The text of a CSV file a page at a time. No spreadsheet takes a cell of it for a formula. */
export async function* csvPages<Row>(store: Store, { columns, pages, cells }: CsvFile<Row>): AsyncGenerator<string> {
  let text = csvLine(columns);
  for await (const page of pages(store)) {
    for (const row of page) text += csvLine(cells(row).map(safeCell));
    yield text;
    text = "";
  }
  // A file without rows has its first line all the same.
  if (text !== "") yield text;
}

/**
 * Answers 200 with a CSV file that is written while it is read, so that a file of any size holds up nothing and costs
 * no memory.
 */
export async function answerCsv<Row>(call: Call, file: CsvFile<Row>): Promise<Response> {
  const bytes = new TextEncoder();
  const pages = csvPages(call.store, file);
  // The first page is read before anything is answered, so that a refusal is answered as one.
  let page = await pages.next();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (page.done) return controller.close();
      controller.enqueue(bytes.encode(page.value));
      page = await pages.next();
    },
  });
  return new Response(stream, {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${file.name}"`,
      "x-request-id": call.request_id,
      ...call.headers,
    },
  });
}
