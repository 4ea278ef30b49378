// Records as rows of a sheet: which column holds which field, and how it is written in a cell.
import { Type } from "@sinclair/typebox";
import { asUtf8 } from "./charset.ts";
import { type Bytes, type Cell, plainText, readCsv } from "./csv.ts";
import { didYouMean } from "./did_you_mean.ts";
import { isExactNumber } from "./exact_number.ts";
import { Fault, type FieldProblem, faults, invalidFields } from "./fault.ts";

/** One column of a sheet. */
export interface Column {
  readonly name: string;
  /** Where the field is in a record: its name, or the name of its group and its own. */
  readonly path: readonly [field: string] | readonly [group: string, field: string];
  readonly kind: "text" | "number" | "boolean" | "json";
  /** What an empty cell means; a field without this stays as it is. A group whose cells are all empty is null. */
  readonly empty?: null | readonly never[] | Readonly<Record<string, never>>;
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

/** The outcome of a row. `key` names what it wrote, so that no other row of the file writes it again. */
export type Outcome =
  | {
      readonly line: number;
      readonly change: "created" | "updated" | "unchanged";
      readonly key: string;
      readonly effect?: RowEffect;
    }
  | { readonly line: number; readonly change: "failed"; readonly fault: Fault };

/** A column of a row whose cell changes. */
export interface CellChange {
  readonly field: string;
  readonly from: string | number | boolean | null;
  readonly to: string | number | boolean | null;
}

/** The columns that differ between a record before and after, as a file writes them. */
export function cellChanges(columns: readonly Column[], { before, after }: RowEffect): CellChange[] {
  const old = before === null ? [] : writeCells(columns, before);
  const cells = writeCells(columns, after);
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

/** The outcome of a group. A refusal may name fields of `rows[2]`, which is the third row of the group. */
export type GroupOutcome =
  | { readonly change: "created" | "unchanged" }
  | { readonly change: "failed"; readonly fault: Fault };

/** The lines of a file that have written something, by its key. */
export type Taken = ReadonlyMap<string, number>;

const problems_max = 100;

/**
 * The columns of a file, in its order. Refuses: validation_failed, which names every column that is unknown, missing
 * or there twice.
 */
function readHeader(
  cells: readonly string[],
  columns: readonly Column[],
  required: readonly string[],
): readonly Column[] {
  const names = columns.map(({ name }) => name).join(", ");
  const way = "with commas, semicolons or tabs between them";
  const fault = (fields: readonly FieldProblem[]) => {
    const { message } = invalidFields(fields);
    return new Fault("validation_failed", `${message} The first line must name columns, ${way}: ${names}.`, { fields });
  };
  const [line = "", ...others] = cells;
  if (others.length === 0 && line.includes("|")) {
    throw fault([{ field: line, code: "invalid_format", message: "has bars between its names" }]);
  }
  if (cells.some((text) => text.includes("\r"))) {
    throw new Fault(
      "validation_failed",
      "The lines of the file end in a way that is not read: end them with LF or CRLF.",
    );
  }
  const problems: FieldProblem[] = [];
  const found = cells.flatMap((text, at) => {
    const name = text.trim();
    const column = columns.find((column) => column.name === name);
    if (problems.length >= problems_max) return [];
    if (name === "") {
      problems.push({ field: `column ${at + 1}`, code: "required", message: "has no name in the first line" });
    } else if (column === undefined) {
      const meant = didYouMean(
        name,
        columns.map(({ name }) => name),
      );
      problems.push({ field: name, code: "unknown_field", message: `is no column of this file${meant}` });
    } else if (cells.findIndex((other) => other.trim() === name) < at) {
      problems.push({ field: name, code: "duplicate", message: "is there twice" });
    }
    return column ?? [];
  });
  for (const name of required) {
    if (found.some((column) => column.name === name)) continue;
    problems.push({ field: name, code: "required", message: "is a column that the first line must name" });
  }
  if (problems.length === 0) return found;
  throw fault(problems.slice(0, problems_max));
}

/** How the columns of a file are read. */
export interface Table {
  readonly columns: readonly Column[];
  /** Columns that a file must have; the first one names the record of a row. */
  readonly required: readonly [name: string, ...others: string[]];
}

/** A file that can be read more than once, and its encoding if it was given. */
export interface SheetFile {
  readonly bytes: () => Bytes;
  readonly charset: string | null;
}

/** A row of a file whose first line names the columns. */
export interface TableRow {
  readonly line: number;
  readonly name: string | null;
  /** Its cells as a record, to be checked against its schema. Refuses: validation_failed. */
  readonly record: () => Record<string, unknown>;
}

/**
 * The rows of a file behind its first line; rows of empty cells are passed over. Refuses: validation_failed,
 * malformed_request, unsupported_media_type.
 */
export async function* readTable({ bytes, charset }: SheetFile, table: Table): AsyncGenerator<TableRow> {
  const { columns, required } = table;
  let header: readonly Column[] | null = null;
  for await (const row of readCsv(asUtf8(bytes(), charset), (line) => separatorOf(line, columns))) {
    const { line, cells, near, problem } = row;
    if (header === null) {
      refuseLost(near);
      header = readHeader(near, columns, required);
      continue;
    }
    if (cells?.every((text) => text.trim() === "")) continue;
    const known: readonly Column[] = header;
    const record = () => {
      if (cells === null) throw new Fault("validation_failed", problem);
      refuseLost(cells);
      return readCells(known, cells);
    };
    const name = plainText(near[known.findIndex((column) => column.name === required[0])] ?? "").trim();
    yield { line, name: name === "" ? null : name, record };
  }
  if (header === null) readHeader([], columns, required);
}

/** Refuses: validation_failed, for the replacement characters of a program that could not read the letters. */
function refuseLost(cells: readonly string[]): void {
  if (!cells.some((text) => text.includes("\ufffd"))) return;
  throw new Fault("validation_failed", "lost letters when it was saved: save the file as UTF-8");
}

/** The separator of a first line: the one with which it names the most columns. */
function separatorOf(line: string, columns: readonly Column[]): string {
  const names = new Set(columns.map(({ name }) => name));
  const named = (separator: string) =>
    line.split(separator).filter((text) => names.has(text.replaceAll('"', "").trim())).length;
  return [",", ";", "\t"].reduce((best, separator) => (named(separator) > named(best) ? separator : best));
}

/** A record from the cells of a row, to be checked against its schema. Refuses: validation_failed. */
function readCells(header: readonly Column[], cells: readonly string[]): Record<string, unknown> {
  if (cells.length !== header.length) {
    throw new Fault("validation_failed", `has ${cells.length} cells where the first line has ${header.length}`);
  }
  const record: Record<string, unknown> = {};
  for (const [at, column] of header.entries()) {
    const [name, inner] = column.path;
    const value = readCell(column, plainText(cells[at] ?? ""));
    if (inner === undefined) {
      if (value !== undefined) record[name] = value;
    } else if (value === undefined) record[name] ??= null;
    else record[name] = { ...(record[name] as object | null), [inner]: value };
  }
  return record;
}

function readCell({ kind, empty }: Column, text: string): unknown {
  if (text === "") return empty;
  switch (kind) {
    case "text":
      return text;
    case "number":
      return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case "boolean":
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text;
    case "json":
      try {
        return JSON.parse(text, whole);
      } catch {
        return text;
      }
  }
}

/** Refuses halves of surrogate pairs, which an escape can make and no UTF-8 can carry, and numbers that lose digits. */
function whole(name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (source !== undefined && typeof value === "number" && !isExactNumber(source)) throw new SyntaxError("inexact");
  if (name.isWellFormed() && (typeof value !== "string" || value.isWellFormed())) return value;
  throw new SyntaxError("half of a surrogate pair");
}

/** The cells of a record, in the order of the columns. */
export function writeCells(columns: readonly Column[], record: Readonly<Record<string, unknown>>): Cell[] {
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
export async function rowOutcome<Done>(line: number, work: () => Promise<Done>): Promise<Done | Refused> {
  try {
    return await work();
  } catch (error) {
    return refused(line, error);
  }
}

type Refused = Extract<Outcome, { change: "failed" }>;

// Refusals and failures that do not depend on the row.
const of_nobody: readonly string[] = ["authentication", "permission", "api"];

/** A refusal as the outcome of a row; rethrows errors that are not refusals of the row itself. */
export function refused(line: number, error: unknown): Refused {
  if (!(error instanceof Fault) || of_nobody.includes(faults[error.code].type)) throw error;
  return { line, change: "failed", fault: error };
}

/** The problems of a row that names a SKU or an order number, by column. */
export function rowProblems({ line, fault }: Refused, name: string | null, columns: readonly Column[]): RowProblem[] {
  const { fields = [] } = fault.facts;
  if (fields.length === 0) return [{ line, name, field: null, message: fault.message }];
  return fields.map(({ field, message }) => {
    const [whole = field] = /^[^[]*/.exec(field) ?? [];
    const column = columns.find(({ path }) => path.join(".") === whole);
    return { line, name, field: column?.name ?? field, message };
  });
}
