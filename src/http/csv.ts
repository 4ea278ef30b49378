import type { Db } from "../database/store.ts";
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

/**
 * Answers 200 with a CSV file that is written while it is read: a page at a time, each in a view of its own, so that a
 * file of any size holds up nothing and costs no memory.
 */
export async function answerCsv<Row>(call: Call, { name, columns, rows, cells }: CsvFile<Row>): Promise<Response> {
  const bytes = new TextEncoder();
  const read = (after: Row | null) => call.store.read((db) => rows(db, after));
  // The first page is read before anything is answered, so that a refusal is answered as one.
  let page = await read(null);
  let text = csvLine(columns);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (const row of page) text += csvLine(cells(row));
      if (text !== "") controller.enqueue(bytes.encode(text));
      text = "";
      const last = page.at(-1);
      if (last === undefined) controller.close();
      else page = await read(last);
    },
  });
  return new Response(stream, {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${name}"`,
      "x-request-id": call.request_id,
      ...call.headers,
    },
  });
}
