import { Type } from "@sinclair/typebox";
import type { CsvCell } from "./csv.ts";
import { Fault, faults } from "./faults.ts";

// Numbers in the cells of files. Some countries write 1.5 as 1,5 and 1,000 as 1.000: what both could be is refused.

/** What separates the whole part of a number from its decimals, as a file declares it. */
export const decimalSigns = [",", "."] as const;
export type DecimalSign = (typeof decimalSigns)[number];

/** A number in plain digits with a decimal point, or why a cell holds none. */
type CellNumber = { readonly digits: string } | { readonly problem: string };

const exact = /^([+-]?)(\d*)(?:\.(\d+))?$/;
// One to three digits and three more: a thousand in one country, a decimal in another. No thousands begin with a zero.
const ambiguous = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
const powers = /^-?\d+(\.\d+)?e[+-]?\d+$/i;
const numeric = /^[+-]?[\d.,'’ \u00a0\u202f]*\d[\d.,'’ \u00a0\u202f]*$/;

const declared = {
  ",": /^([+-]?)(\d+|[1-9]\d{0,2}(?:([.'’ \u00a0\u202f])\d{3})(?:\3\d{3})*)?(?:,(\d+))?$/,
  ".": /^([+-]?)(\d+|[1-9]\d{0,2}(?:([,'’ \u00a0\u202f])\d{3})(?:\3\d{3})*)?(?:\.(\d+))?$/,
} as const;

const way = "Declare the decimal separator of the file: decimal=, or decimal=. (on the command line --decimal)";

/**
 * Reads the number in a cell by the decimal separator of its file. Without one, a number that could have another value
 * in another country is refused. Null for text that is no number at all.
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
    const [one, thousands] = [String(Number(text)), text.replace(".", "")];
    return { problem: `is ${text}, which can mean ${thousands} or ${one}. ${way}` };
  }
  const [, sign = "", whole = "", part] = exact.exec(text) ?? [];
  if (whole !== "" || part !== undefined) return plain(sign, whole, part);
  if (!text.includes(",") || !numeric.test(text)) return null;
  return { problem: `is ${text}, in which the comma can separate decimals or thousands. ${way}` };
}

function plain(sign: string, whole: string, part: string | undefined): CellNumber {
  const digits = part === undefined ? whole : `${whole === "" ? "0" : whole}.${part}`;
  return { digits: `${sign === "-" ? "-" : ""}${digits}` };
}

/** An amount without zeros behind its second decimal, which say nothing: `12.500` is `12.50`. */
export const withoutZeros = (digits: string): string => digits.replace(/(\.\d\d\d*?)0+$/, "$1");

/** A number as a file writes it: with a zero at its end where it could be thousands, such as `1.1250`. */
function numberText(value: number | string): number | string {
  return ambiguous.test(String(value)) ? `${value}0` : value;
}

// Records as rows of a sheet: which column holds which field, and how it is written in a cell.

/** One column of a sheet. */
export interface CsvColumn {
  readonly name: string;
  /** Where the field is in a record: its name, or the name of its group and its own. */
  readonly path: readonly [field: string] | readonly [group: string, field: string];
  /** A `code` is text that a spreadsheet may take for a number; an `amount` is money, as decimal text. */
  readonly kind: "text" | "code" | "number" | "amount" | "boolean" | "json";
  /** What an empty cell means; a field without this stays as it is. A group whose cells are all empty is null. */
  readonly empty?: null | readonly never[] | Readonly<Record<string, never>>;
  /** Of JSON: whether its texts are codes. */
  readonly codes?: true;
  /** Whether it is for exports only: an import ignores it. */
  readonly told_only?: true;
  /** A sentence for the documentation on what it holds. */
  readonly meaning: string;
  /** An example of a cell. */
  readonly example: string;
}

/** The query parameters of every export. */
export const csvExportFields = {
  bom: Type.Optional(
    Type.Boolean({ description: "Begin the file with a byte order mark, by which spreadsheets know UTF-8." }),
  ),
};

/** The columns of a file for the documentation, as a table in Markdown. */
export function columnTable(columns: readonly CsvColumn[], required: readonly string[]): string {
  const rows = columns.map((column) => {
    const { name, example } = column;
    return `| \`${name}\` | ${saidOf(column, required)} | \`${example}\` |`;
  });
  return ["| column | what it holds | example |", "|---|---|---|", ...rows].join("\n");
}

/** The same for a terminal: a column to a line, and below it an example. */
export function columnLines(columns: readonly CsvColumn[], required: readonly string[]): string[] {
  const width = Math.max(...columns.map(({ name }) => name.length));
  return columns.flatMap((column) => [
    `  ${column.name.padEnd(width)}  ${saidOf(column, required).replaceAll(/[`*]/g, "")}`,
    `  ${"".padEnd(width)}  ${column.example}`,
  ]);
}

function saidOf({ name, meaning, told_only }: CsvColumn, required: readonly string[]): string {
  if (told_only) return `${meaning} Only told: passed over on import.`;
  return required.includes(name) ? `**Required.** ${meaning}` : meaning;
}

/** A row that was read and checked, with the line on which it begins. */
export interface CheckedCsvRow<Row> {
  readonly line: number;
  /** The SKU or order number that it names; null when it names none. */
  readonly name: string | null;
  readonly row: Row;
}

/** A problem of a row; `field` is its column, or null when it is not about a single one. */
export interface CsvRowProblem {
  readonly line: number;
  /** The SKU or order number that the row names; null when it names none. */
  readonly name: string | null;
  readonly field: string | null;
  readonly message: string;
}

/** A record before a row was imported, null when there was none, and after. */
export interface CsvRowEffect {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** The outcome of a record. `key` names what a row wrote, so that no other row of the file writes it again. */
export type CsvRowOutcome =
  | {
      readonly change: "created" | "updated" | "unchanged";
      readonly key?: string;
      readonly effect?: CsvRowEffect;
    }
  | FailedRow;

/** A refusal of a record. It may name fields of `rows[2]`, which is the third row of the record. */
export interface FailedRow {
  readonly change: "failed";
  readonly fault: Fault;
}

/** A column of a row whose cell changes. */
export interface CellChange {
  readonly field: string;
  readonly from: string | number | boolean | null;
  readonly to: string | number | boolean | null;
}

/** The columns that differ between a record before and after, by column. */
export function cellChanges(columns: readonly CsvColumn[], { before, after }: CsvRowEffect): CellChange[] {
  const old = before === null ? [] : valuesOf(columns, before);
  const cells = valuesOf(columns, after);
  return columns.flatMap(({ name, told_only }, at) => {
    const [from, to] = [old[at] ?? null, cells[at] ?? null];
    return told_only || from === to ? [] : { field: name, from, to };
  });
}

/** Rows of a file that form one record together, in their order. */
export interface CsvRowGroup<Row> {
  readonly key: string;
  readonly rows: readonly CheckedCsvRow<Row>[];
}

/** The lines of a file that have written something, by its key. */
export type WrittenKeys = ReadonlyMap<string, number>;

/** The cells of a record in a file, in the order of the columns. No number can be read as another one. */
export function writeCells(columns: readonly CsvColumn[], record: Readonly<Record<string, unknown>>): CsvCell[] {
  return valuesOf(columns, record).map((value, at) => {
    const { kind } = columns[at] ?? {};
    return value !== null && (kind === "number" || kind === "amount") ? numberText(value as number) : value;
  });
}

/** The values of a record, in the order of the columns. */
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

// Refusals and failures that do not depend on the row.
const of_nobody: readonly string[] = ["authentication", "permission", "api"];

/** A refusal as the outcome of a row; rethrows errors that are not refusals of the row itself. */
export function failedRow(error: unknown): FailedRow {
  if (!(error instanceof Fault) || of_nobody.includes(faults[error.code].type)) throw error;
  return { change: "failed", fault: error };
}

/** The problems of a row by column. */
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
