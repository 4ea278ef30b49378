import { csvColumnsOf } from "../../../../core/resource.ts";
import { productFields } from "../../../../products/product.resource.ts";

/** The columns of a file of products, by their names in the API. */
export const productColumns = csvColumnsOf(productFields).map(({ name }) => name);

/** The columns of a file of counted stock, by their names in the API. */
export const stockFields = [
  ...["sku", "location", "bin", "lot_number", "expiration_date", "received_date", "quantity"],
];

/** A column of a file: its name and the value in the first row. */
interface FileColumn {
  readonly name: string;
  readonly example: string;
}

/** How a file is read: its decimal separator and the field of each column ("" skips it). */
export interface ColumnReading {
  readonly columns: readonly FileColumn[];
  readonly decimal: string;
  readonly fields: readonly string[];
}

const head_bytes = 64 << 10;

/** Reads the columns of a file. Fields are matched by column name; the decimal separator is not set. */
export async function readingOf(file: Blob, known: readonly string[]): Promise<ColumnReading> {
  const text = decoded(new Uint8Array(await file.slice(0, head_bytes).arrayBuffer())).trimStart();
  const declared = /^"?sep=([,;|\t])"?[^\n]*\n?/i.exec(text);
  const rows = declared ? text.slice(declared[0].length).trimStart() : text;
  const separators = declared ? [declared[1] ?? ","] : [",", ";", "\t"];
  const [best = []] = separators
    .map((separator) => cellsOf(rows, separator))
    .sort((a, b) => foundIn(b[0], known) - foundIn(a[0], known) || (b[0]?.length ?? 0) - (a[0]?.length ?? 0));
  const [names = [], first = []] = best;
  const columns = names.map((name, at) => ({ name: name.trim(), example: (first[at] ?? "").trim() }));
  const taken = new Set<string>();
  const fields = columns.map(({ name }) => {
    const field = fieldOf(name);
    if (!known.includes(field) || taken.has(field)) return "";
    taken.add(field);
    return field;
  });
  return { columns, decimal: "", fields };
}

/** Whether no mapping is needed: every column name is known, and the required one is present. */
export function isPlain({ columns, fields }: ColumnReading, required: string): boolean {
  return columns.every((_, at) => fields[at] !== "") && fields.includes(required);
}

/** The API parameters for reading a file. Without a mapping, `map` is omitted. */
export function termsOf({ columns, decimal, fields }: ColumnReading): { decimal?: string; map?: string } {
  const named = columns.every(({ name }, at) => fields[at] !== "" && fields[at] === fieldOf(name));
  const pairs = columns.flatMap(({ name }, at) => (name === "" ? [] : `${name}:${fields[at]}`));
  return { ...(decimal && { decimal }), ...(!named && pairs.length > 0 && { map: pairs.join(",") }) };
}

const fieldOf = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s\u00a0_-]+/g, "_");

const foundIn = (names: readonly string[] = [], known: readonly string[]) =>
  names.filter((name) => known.includes(fieldOf(name))).length;

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const little = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const big = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  return new TextDecoder(little ? "utf-16le" : big ? "utf-16be" : "utf-8").decode(bytes);
}

/** The cells of the first two rows of a text. */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [[""]];
  let quoted = false;
  for (const letter of text) {
    const row = rows.at(-1) ?? [];
    if (letter === '"') quoted = !quoted;
    else if (quoted || (letter !== separator && letter !== "\n")) row.push(`${row.pop() ?? ""}${letter}`);
    else if (letter === separator) row.push("");
    else if (rows.length === 2) break;
    else rows.push([""]);
  }
  return rows.map((row) => row.map((cell) => cell.replace(/\r$/, "")));
}
