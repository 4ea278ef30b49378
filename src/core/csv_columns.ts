import { Type } from "@sinclair/typebox";
import type { CsvCell } from "./csv.ts";
import { Fault, faults } from "./faults.ts";

// Numbers in CSV cells. Some countries write 1.5 as 1,5 and 1,000 as 1.000, so ambiguous numbers are refused.

/** The decimal separators that a file can declare. */
export const decimalSigns = [",", "."] as const;
export type DecimalSign = (typeof decimalSigns)[number];

/** A number in plain digits with a decimal point, or why the cell is not one. */
type CellNumber = { readonly digits: string } | { readonly problem: string };

const exact = /^([+-]?)(\d*)(?:\.(\d+))?$/;
// One to three digits, then three more: thousands in one country, decimals in another. Thousands never start with zero.
const ambiguous = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
const powers = /^-?\d+(\.\d+)?e[+-]?\d+$/i;
const numeric = /^[+-]?[\d.,'’ \u00a0\u202f]*\d[\d.,'’ \u00a0\u202f]*$/;

const declared = {
  ",": /^([+-]?)(\d+|[1-9]\d{0,2}(?:([.'’ \u00a0\u202f])\d{3})(?:\3\d{3})*)?(?:,(\d+))?$/,
  ".": /^([+-]?)(\d+|[1-9]\d{0,2}(?:([,'’ \u00a0\u202f])\d{3})(?:\3\d{3})*)?(?:\.(\d+))?$/,
} as const;

const way = "Declare the file's decimal separator with decimal=, or decimal=. (--decimal on the command line)";

/**
 * Reads the number in a cell. Without a declared decimal separator, numbers that are ambiguous between countries are
 * refused. Null for text that is not a number.
 */
export function readCellNumber(text: string, decimal: DecimalSign | null): CellNumber | null {
  if (powers.test(text)) return { digits: text };
  if (decimal !== null) {
    const [, sign = "", whole = "", , part] = declared[decimal].exec(text) ?? [];
    if (whole !== "" || part !== undefined) return plain(sign, whole.replaceAll(/\D/g, ""), part);
    const sign_name = decimal === "," ? "comma" : "point";
    return numeric.test(text) ? { problem: `is ${text}, which is not a number with a decimal ${sign_name}` } : null;
  }
  if (ambiguous.test(text)) {
    const [decimal_value, thousands] = [String(Number(text)), text.replace(".", "")];
    return { problem: `is ${text}, which can mean ${thousands} or ${decimal_value}. ${way}` };
  }
  const [, sign = "", whole = "", part] = exact.exec(text) ?? [];
  if (whole !== "" || part !== undefined) return plain(sign, whole, part);
  if (!text.includes(",") || !numeric.test(text)) return null;
  return { problem: `is ${text}, where the comma can separate decimals or thousands. ${way}` };
}

function plain(sign: string, whole: string, part: string | undefined): CellNumber {
  const digits = part === undefined ? whole : `${whole === "" ? "0" : whole}.${part}`;
  return { digits: `${sign === "-" ? "-" : ""}${digits}` };
}

/** Removes trailing zeros after the second decimal: `12.500` becomes `12.50`. */
export const withoutZeros = (digits: string): string => digits.replace(/(\.\d\d\d*?)0+$/, "$1");

/** A number as written to a file. A trailing zero is added where it could be read as thousands, as in `1.1250`. */
function numberText(value: number | string): number | string {
  return ambiguous.test(String(value)) ? `${value}0` : value;
}

// Columns: which record field each holds, and how it is written.

/** One column of a CSV file. */
export interface CsvColumn {
  readonly name: string;
  /** The path of the field in a record: its name, or the name of its group and its own. */
  readonly path: readonly [field: string] | readonly [group: string, field: string];
  /** A `code` is text that a spreadsheet may take for a number; an `amount` is money, as decimal text. */
  readonly kind: "text" | "code" | "number" | "amount" | "boolean" | "json";
  /**
   * What an empty cell means; without this, an empty cell leaves the field unchanged. A group whose cells are all empty
   * is null.
   */
  readonly empty?: null | readonly never[] | Readonly<Record<string, never>>;
  /** For JSON: whether its strings are codes. */
  readonly codes?: true;
  /** Whether the column is for export only. Imports ignore it. */
  readonly export_only?: true;
  /** A sentence for the documentation. */
  readonly meaning: string;
  readonly example: string;
}

/** A column of the field with its own name, unless `more` says otherwise. */
export function csvColumn(
  name: string,
  kind: CsvColumn["kind"],
  meaning: string,
  example: string,
  more: Partial<CsvColumn> = {},
): CsvColumn {
  return { name, path: [name], kind, meaning, example, ...more };
}

/** The query parameters of every export. */
export const csvExportFields = {
  bom: Type.Optional(
    Type.Boolean({ description: "Start the file with a byte order mark, so that spreadsheets detect UTF-8." }),
  ),
};

/** The documentation of a file's columns, as a Markdown table. */
export function columnTable(columns: readonly CsvColumn[], required: readonly string[]): string {
  const rows = columns.map((column) => {
    const { name, example } = column;
    return `| \`${name}\` | ${columnText(column, required)} | \`${example}\` |`;
  });
  return ["| column | what it holds | example |", "|---|---|---|", ...rows].join("\n");
}

/** The documentation of a file's columns for a terminal: each column on a line, with an example below. */
export function columnLines(columns: readonly CsvColumn[], required: readonly string[]): string[] {
  const width = Math.max(...columns.map(({ name }) => name.length));
  return columns.flatMap((column) => [
    `  ${column.name.padEnd(width)}  ${columnText(column, required).replaceAll(/[`*]/g, "")}`,
    `  ${"".padEnd(width)}  ${column.example}`,
  ]);
}

function columnText({ name, meaning, export_only }: CsvColumn, required: readonly string[]): string {
  if (export_only) return `${meaning} Export only; ignored on import.`;
  return required.includes(name) ? `**Required.** ${meaning}` : meaning;
}

/** A row that was read and checked, with the line it starts on. */
export interface CheckedCsvRow<Row> {
  readonly line: number;
  /** The SKU or order number in the row; null when there is none. */
  readonly name: string | null;
  readonly row: Row;
}

/** A problem in a row. `field` is its column, or null when it concerns several. */
export interface CsvRowProblem {
  readonly line: number;
  /** The SKU or order number in the row; null when there is none. */
  readonly name: string | null;
  readonly field: string | null;
  readonly message: string;
}

/** A record before a row was imported (null when it did not exist) and after. */
export interface CsvRowEffect {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** The outcome for a record. `key` identifies what the row wrote, so that no other row of the file writes it again. */
export type CsvRowOutcome =
  | {
      readonly change: "created" | "updated" | "unchanged";
      readonly key?: string;
      readonly effect?: CsvRowEffect;
    }
  | FailedRow;

/** A refused record. Its fault may name fields of `rows[2]`, the third row of the record. */
export interface FailedRow {
  readonly change: "failed";
  readonly fault: Fault;
}

/** A cell that an import changes. */
export interface CellChange {
  readonly field: string;
  readonly from: string | number | boolean | null;
  readonly to: string | number | boolean | null;
}

/** The columns whose values differ between a record before and after. */
export function cellChanges(columns: readonly CsvColumn[], { before, after }: CsvRowEffect): CellChange[] {
  const old = before === null ? [] : valuesOf(columns, before);
  const cells = valuesOf(columns, after);
  return columns.flatMap(({ name, export_only }, at) => {
    const [from, to] = [old[at] ?? null, cells[at] ?? null];
    return export_only || from === to ? [] : { field: name, from, to };
  });
}

/** Rows of a file that together form one record, in file order. */
export interface CsvRowGroup<Row> {
  readonly key: string;
  readonly rows: readonly CheckedCsvRow<Row>[];
}

/** The lines of a file that have written something, by its key. */
export type WrittenKeys = ReadonlyMap<string, number>;

/** The cells of a record, in column order. Numbers are written so that no country misreads them. */
export function writeCells(columns: readonly CsvColumn[], record: Readonly<Record<string, unknown>>): CsvCell[] {
  return valuesOf(columns, record).map((value, at) => {
    const { kind } = columns[at] ?? {};
    return value !== null && (kind === "number" || kind === "amount") ? numberText(value as number) : value;
  });
}

/** The values of a record, in column order. */
function valuesOf(columns: readonly CsvColumn[], record: Readonly<Record<string, unknown>>): CsvCell[] {
  return columns.map(({ path: [name, inner], kind }) => {
    const outer = record[name];
    const value = inner === undefined ? outer : (outer as Record<string, unknown> | null)?.[inner];
    if (value === null || value === undefined) return null;
    if (kind !== "json") return value as CsvCell;
    const text = JSON.stringify(value);
    return text === "[]" || text === "{}" ? null : text;
  });
}

/** Runs work for a row. A refusal becomes the row's outcome; other errors are thrown. */
export async function rowOutcome<Done>(work: () => Promise<Done>): Promise<Done | FailedRow> {
  try {
    return await work();
  } catch (error) {
    return failedRow(error);
  }
}

// Failures that do not depend on the row.
const row_independent_types: readonly string[] = ["authentication", "permission", "api"];

/** A refusal as the outcome of a row. Rethrows errors that are not caused by the row. */
export function failedRow(error: unknown): FailedRow {
  if (!(error instanceof Fault) || row_independent_types.includes(faults[error.code].type)) throw error;
  return { change: "failed", fault: error };
}

/** The problems of a row, by column. */
export function rowProblems(
  { line, name }: Pick<CheckedCsvRow<unknown>, "line" | "name">,
  { message, facts: { fields = [] } }: Fault,
  columns: readonly CsvColumn[],
): CsvRowProblem[] {
  if (fields.length === 0) return [{ line, name, field: null, message }];
  return fields.map(({ field, message }) => {
    const [whole = field] = /^[^[]*/.exec(field) ?? [];
    const column = columns.find(({ path }) => path.join(".") === whole);
    return { line, name, field: column?.name ?? field, message };
  });
}
