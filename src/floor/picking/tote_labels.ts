// Labels for totes: sheets of barcodes to cut and stick on boxes and slots of carts.
import { ofFields } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import {
  counted,
  type DocumentCell,
  type DocumentColumn,
  footOf,
  type PrintContext,
  type PrintDocument,
  textPiece,
} from "../../documents/document.ts";
import type { Db } from "../../storage/database.ts";
import type { Tote } from "./tote.ts";
import { toteList } from "./totes.sql.ts";

const title = "Totes";
const columns: readonly DocumentColumn[] = [
  { caption: "", width: 250, align: "left" },
  { caption: "", width: null, align: "left" },
];

/** The totes that a request names, by code. Refuses: resource_missing (lists every unknown tote). */
export async function totesNamed(db: Db, names: readonly (string | number)[]): Promise<readonly Tote[]> {
  const ids = names.map((name) => readId("tote", name) ?? 0);
  const totes = await toteList.ofIds(db, [...new Set(ids)]);
  const known = new Set(totes.map(({ id }) => id));
  const problems = ids.flatMap((id, at) =>
    known.has(id) ? [] : [{ field: `tote_ids[${at}]`, code: "resource_missing", message: "names no tote" }],
  );
  if (problems.length > 0) throw ofFields("resource_missing", problems);
  return totes;
}

/** Returns the labels as a printable document: the barcode of each tote above its code, two in a row. */
export function toteLabels(totes: readonly Pick<Tote, "code">[], context: PrintContext): PrintDocument {
  const name = counted(totes.length, "tote");
  const cells = totes.map(
    ({ code }): DocumentCell => [{ kind: "symbol", text: code, large: true }, textPiece(code, "count")],
  );
  const rows = Array.from({ length: Math.ceil(cells.length / columns.length) }, (_, row) =>
    columns.map((_column, at) => cells[row * columns.length + at] ?? []),
  );
  return {
    title,
    name,
    symbol: null,
    facts: [],
    blocks: [],
    notes: [],
    tables: [{ caption: null, columns, rows, total: null }],
    foot: footOf(title, name, context),
    sheet: context.sheet,
  };
}
