// Reads the rows of a file whose first line names the columns.
import { type DecimalSign, readCellNumber, withoutZeros } from "./cell_number.ts";
import { asUtf8 } from "./charset.ts";
import { type Bytes, hasLostDigits, hasLostValue, isMarked, plainText, readCsv } from "./csv.ts";
import { isExactNumber } from "./exact_number.ts";
import { Fault, type FieldProblem, invalidFields } from "./fault.ts";
import type { Column } from "./sheet.ts";
import { type ColumnMap, type RequiredColumns, readColumnMap, readHeader, separatorOf } from "./sheet_header.ts";

/** How the columns of a file are read. */
export interface Table {
  readonly columns: readonly Column[];
  readonly required: RequiredColumns;
}

/** What is said about a file, which the file does not show itself. */
export interface FileTerms {
  /** Its encoding; null to detect it. */
  readonly charset: string | null;
  /** Its decimal separator; null refuses numbers that could be read in two ways. */
  readonly decimal?: DecimalSign | null;
  /** Which of its columns are which of ours, such as `Variant SKU:sku,Title:name`. */
  readonly map?: string | null;
}

/** A file that can be read more than once. */
export interface SheetFile extends FileTerms {
  readonly bytes: () => Bytes;
}

/** A row of a file. */
export interface TableRow {
  readonly line: number;
  /** What the row's first required column holds; null where it is empty or the row cannot be read. */
  readonly name: string | null;
  /** Its cells as a record, to be checked against its schema. Refuses: validation_failed. */
  readonly record: () => Record<string, unknown>;
  /** The text in one of its columns; null where it is empty or the row cannot be read. */
  readonly textOf: (column: string) => string | null;
}

interface Header {
  readonly columns: readonly (Column | null)[];
  readonly decimal: DecimalSign | null;
  /** Whether cells at the end of a row may be missing. */
  readonly may_be_short: boolean;
}

/**
 * The rows of a file behind its first line; rows of empty cells are passed over. Refuses: validation_failed,
 * malformed_request, unsupported_media_type.
 */
export async function* readTable(file: SheetFile, { columns, required }: Table): AsyncGenerator<TableRow> {
  const { bytes, charset, decimal = null } = file;
  const map: ColumnMap | null = file.map ? readColumnMap(file.map, columns) : null;
  let header: Header | null = null;
  let separator = ",";
  const separate = (line: string) => {
    separator = separatorOf(line, columns, map);
    return separator;
  };
  for await (const { line, cells, near, problem } of readCsv(asUtf8(bytes(), charset), separate)) {
    if (header === null) {
      refuseLost(near);
      // A decimal comma without quotes would make two cells of one.
      const may_be_short = decimal !== "," || separator !== ",";
      header = { columns: readHeader(near, columns, required, map), decimal, may_be_short };
      continue;
    }
    if (cells?.every((text) => text.trim() === "")) continue;
    const known: Header = header;
    const at = (column: string) => known.columns.findIndex((one) => one?.name === column);
    const textOf = (column: string) => (cells === null ? null : textIn(cells[at(column)]));
    const record = () => {
      if (cells === null) throw new Fault("validation_failed", problem);
      refuseLost(cells);
      return readCells(known, cells);
    };
    const name = cells === null ? nameNear(near, at(required[0])) : textOf(required[0]);
    yield { line, name, record, textOf };
  }
  if (header === null) readHeader([], columns, required, map);
}

function textIn(cell = ""): string | null {
  const text = plainText(cell).trim();
  return text === "" ? null : text;
}

/** The name in a row whose quotes do not pair; null where quotes before it may have moved it to another cell. */
function nameNear(near: readonly string[], at: number): string | null {
  const cells = near.slice(0, at + 1);
  if (cells.some((text) => text.includes('"') && !/^"[^"]*"$/.test(text))) return null;
  return textIn(cells[at]?.replaceAll('"', ""));
}

/** Refuses: validation_failed, for the replacement characters of a program that could not read the letters. */
function refuseLost(cells: readonly string[]): void {
  if (!cells.some((text) => text.includes("\ufffd"))) return;
  throw new Fault("validation_failed", "lost letters when it was saved: save the file as UTF-8");
}

/** A record from the cells of a row, to be checked against its schema. Refuses: validation_failed. */
function readCells({ columns, decimal, may_be_short }: Header, cells: readonly string[]): Record<string, unknown> {
  refuseCount(columns.length, cells, may_be_short);
  const record: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const [at, column] of columns.entries()) {
    if (column === null || column.told_only) continue;
    const [name, inner] = column.path;
    const value = readCell(column, cells[at] ?? "", decimal);
    if (value instanceof Problem) {
      problems.push({ field: column.path.join("."), code: value.code, message: value.message });
    } else if (inner === undefined) {
      if (value !== undefined) record[name] = value;
    } else if (value === undefined) record[name] ??= null;
    else record[name] = { ...(record[name] as object | null), [inner]: value };
  }
  if (problems.length > 0) throw invalidFields(problems);
  return record;
}

/** Refuses a row that lacks cells or has more. Empty cells at its end may be missing, or too many. */
function refuseCount(expected: number, cells: readonly string[], may_be_short: boolean): void {
  const more = cells.slice(expected).some((text) => text.trim() !== "");
  if (!more && (cells.length >= expected || may_be_short)) return;
  const message = `has ${cells.length} cells where the first line has ${expected}`;
  const why = may_be_short ? "" : ": put numbers with a decimal comma in quotes";
  throw new Fault("validation_failed", message + why);
}

/** Why a cell is refused. */
class Problem {
  readonly code: string;
  readonly message: string;

  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

const mark = "If it really is this text, put an apostrophe before it";

function destroyed({ kind }: Column, cell: string): Problem | null {
  const text = cell.trim();
  // A number in small letters is exact: programs write it, and no spreadsheet.
  const is_number = (kind === "number" || kind === "amount") && text.includes("E");
  if (hasLostDigits(text) && (is_number || kind === "code" || kind === "json")) {
    const why = `is ${text}: a spreadsheet has shortened a long number, and its digits are lost`;
    const way = "Format the column as text, enter the full number and save the file again";
    return new Problem("digits_lost", `${why}. ${way}${kind === "code" ? `. ${mark}` : ""}`);
  }
  if (!hasLostValue(text)) return null;
  const why = `is ${text}: a spreadsheet could not show the value. Correct the cell and save the file again`;
  return new Problem("value_lost", `${why}. ${mark}`);
}

function readCell(column: Column, cell: string, decimal: DecimalSign | null): unknown {
  const { kind, empty } = column;
  const lost = isMarked(cell) ? null : destroyed(column, cell);
  if (lost !== null) return lost;
  const text = plainText(cell);
  if (text === "") return empty;
  switch (kind) {
    case "text":
    case "code":
      return text;
    case "number":
    case "amount": {
      const number = readCellNumber(text.trim(), decimal);
      if (number === null) return text;
      if ("problem" in number) return new Problem("ambiguous_number", number.problem);
      return kind === "number" ? Number(number.digits) : withoutZeros(number.digits);
    }
    case "boolean":
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text;
    case "json":
      return readJson(column, text);
  }
}

function readJson(column: Column, text: string): unknown {
  let lost: Problem | null = null;
  try {
    const value = JSON.parse(text, (name, part, { source }: { source?: string } = {}) => {
      if (column.codes && typeof part === "string") lost ??= destroyed(column, part);
      return whole(name, part, source);
    });
    return lost ?? value;
  } catch {
    return text;
  }
}

/** Refuses halves of surrogate pairs, which an escape can make and no UTF-8 can carry, and numbers that lose digits. */
function whole(name: string, value: unknown, source: string | undefined): unknown {
  if (source !== undefined && typeof value === "number" && !isExactNumber(source)) throw new SyntaxError("inexact");
  if (name.isWellFormed() && (typeof value !== "string" || value.isWellFormed())) return value;
  throw new SyntaxError("half of a surrogate pair");
}
