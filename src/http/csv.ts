import type { Db, Store } from "../database/store.ts";
import { type Cell, csvLine } from "../kit/csv.ts";
import type { Call } from "./call.ts";

/** How one file of CSV is made: its columns, and its rows a page at a time. */
export interface CsvFile<Row> {
  readonly name: string;
  readonly columns: readonly string[];
  /** Some rows after the last one written (null: from the first); none when the file is complete. */
  readonly rows: (db: Db, after: Row | null) => Promise<readonly Row[]>;
  readonly cells: (row: Row) => readonly Cell[];
}

/** The text of a CSV file a page at a time, each read in a view of its own. */
export async function* csvPages<Row>(store: Store, { columns, rows, cells }: CsvFile<Row>): AsyncGenerator<string> {
  let text = csvLine(columns);
  let page = await store.read((db) => rows(db, null));
  for (;;) {
    for (const row of page) text += csvLine(cells(row));
    yield text;
    text = "";
    const last = page.at(-1);
    if (last === undefined) return;
    page = await store.read((db) => rows(db, last));
    if (page.length === 0) return;
  }
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
