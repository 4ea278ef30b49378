// Records as rows of a sheet: which column holds which field, and how it is written in a cell.
import { Type } from "@sinclair/typebox";
import { numberText } from "./cell_number.ts";
import type { Cell } from "./csv.ts";
import { Fault, faults } from "./fault.ts";

/** One column of a sheet. */
export interface Column {
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
export const sheetFields = {
  bom: Type.Optional(
    Type.Boolean({ description: "Begin the file with a byte order mark, by which spreadsheets know UTF-8." }),
  ),
};

/** The columns of a file for the documentation, as a table in Markdown. */
export function columnTable(columns: readonly Column[], required: readonly string[]): string {
  const rows = columns.map((column) => {
    const { name, example } = column;
    return `| \`${name}\` | ${saidOf(column, required)} | \`${example}\` |`;
  });
  return ["| column | what it holds | example |", "|---|---|---|", ...rows].join("\n");
}

/** The same for a terminal: a column to a line, and below it an example. */
export function columnLines(columns: readonly Column[], required: readonly string[]): string[] {
  const width = Math.max(...columns.map(({ name }) => name.length));
  return columns.flatMap((column) => [
    `  ${column.name.padEnd(width)}  ${saidOf(column, required).replaceAll(/[`*]/g, "")}`,
    `  ${"".padEnd(width)}  ${column.example}`,
  ]);
}

function saidOf({ name, meaning, told_only }: Column, required: readonly string[]): string {
  if (told_only) return `${meaning} Only told: passed over on import.`;
  return required.includes(name) ? `**Required.** ${meaning}` : meaning;
}

/** A row that was read and checked, with the line on which it begins. */
export interface SheetRow<Row> {
  readonly line: number;
  /** The SKU or order number that it names; null when it names none. */
  readonly name: string | null;
  readonly row: Row;
}

/** A problem of a row; `field` is its column, or null when it is not about a single one. */
export interface RowProblem {
  readonly line: number;
  /** The SKU or order number that the row names; null when it names none. */
  readonly name: string | null;
  readonly field: string | null;
  readonly message: string;
}

/** A record before a row was imported, null when there was none, and after. */
export interface RowEffect {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** The outcome of a record. `key` names what a row wrote, so that no other row of the file writes it again. */
export type Outcome =
  | {
      readonly change: "created" | "updated" | "unchanged";
      readonly key?: string;
      readonly effect?: RowEffect;
    }
  | Refused;

/** A refusal of a record. It may name fields of `rows[2]`, which is the third row of the record. */
export interface Refused {
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
export function cellChanges(columns: readonly Column[], { before, after }: RowEffect): CellChange[] {
  const old = before === null ? [] : valuesOf(columns, before);
  const cells = valuesOf(columns, after);
  return columns.flatMap(({ name, told_only }, at) => {
    const [from, to] = [old[at] ?? null, cells[at] ?? null];
    return told_only || from === to ? [] : { field: name, from, to };
  });
}

/** Rows of a file that form one record together, in their order. */
export interface Group<Row> {
  readonly key: string;
  readonly rows: readonly SheetRow<Row>[];
}

/** The lines of a file that have written something, by its key. */
export type Taken = ReadonlyMap<string, number>;

/** The cells of a record in a file, in the order of the columns. No number can be read as another one. */
export function writeCells(columns: readonly Column[], record: Readonly<Record<string, unknown>>): Cell[] {
  return valuesOf(columns, record).map((value, at) => {
    const { kind } = columns[at] ?? {};
    return value !== null && (kind === "number" || kind === "amount") ? numberText(value as number) : value;
  });
}

/** The values of a record, in the order of the columns. */
function valuesOf(columns: readonly Column[], record: Readonly<Record<string, unknown>>): Cell[] {
  return columns.map(({ path: [name, inner], kind }) => {
    const outer = record[name];
    const value = inner === undefined ? outer : (outer as Record<string, unknown> | null)?.[inner];
    if (value === null || value === undefined) return null;
    if (kind !== "json") return value as Cell;
    const text = JSON.stringify(value);
    return text === "[]" || text === "{}" ? null : text;
  });
}

/** Runs work for a row. A refusal becomes the row's outcome; other errors are thrown. */
export async function rowOutcome<Done>(work: () => Promise<Done>): Promise<Done | Refused> {
  try {
    return await work();
  } catch (error) {
    return refused(error);
  }
}

// Refusals and failures that do not depend on the row.
const of_nobody: readonly string[] = ["authentication", "permission", "api"];

/** A refusal as the outcome of a row; rethrows errors that are not refusals of the row itself. */
export function refused(error: unknown): Refused {
  if (!(error instanceof Fault) || of_nobody.includes(faults[error.code].type)) throw error;
  return { change: "failed", fault: error };
}

/** The problems of a row by column. */
export function rowProblems(
  { line, name }: Pick<SheetRow<unknown>, "line" | "name">,
  { message, facts: { fields = [] } }: Fault,
  columns: readonly Column[],
): RowProblem[] {
  if (fields.length === 0) return [{ line, name, field: null, message }];
  return fields.map(({ field, message }) => {
    const [whole = field] = /^[^[]*/.exec(field) ?? [];
    const column = columns.find(({ path }) => path.join(".") === whole);
    return { line, name, field: column?.name ?? field, message };
  });
}
