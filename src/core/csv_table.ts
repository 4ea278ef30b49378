// The first line of a file: which of its columns holds which field.

import { asUtf8, type ByteStream, hasLostDigits, hasLostValue, isMarked, plainText, readCsv } from "./csv.ts";
import { type CsvColumn, type DecimalSign, readCellNumber, withoutZeros } from "./csv_columns.ts";
import { isExactNumber } from "./decimals.ts";
import { didYouMean } from "./did_you_mean.ts";
import { Fault, type FieldProblem, invalidFields } from "./faults.ts";

/** Columns that a file must have; the first one names the record of a row. */
type RequiredColumns = readonly [name: string, ...others: string[]];

/** The names of a file's own columns, each with that of our column; null leaves it out. */
type ColumnMap = readonly (readonly [name: string, column: string | null])[];

const problems_max = 100;
const pairs = /(.*?):([^,:]*)(?:,|$)/gsy;

/**
 * Reads a map such as `Variant SKU:sku,Handle:`, which leaves the column Handle out. Names may hold commas and colons.
 * Refuses: validation_failed.
 */
function readColumnMap(text: string, columns: readonly CsvColumn[]): ColumnMap {
  const found = [...text.matchAll(pairs)];
  const read = found.reduce((length, [pair]) => length + pair.length, 0);
  if (read < text.length || found.length === 0) {
    const message = "must pair columns of the file with ours, such as `Variant SKU:sku,Title:name`";
    throw invalidFields([{ field: "map", code: "invalid_format", message }]);
  }
  const names = columns.map(({ name }) => name);
  const map = found.map(([, name = "", column = ""]) => [name.trim(), plainName(column) || null] as const);
  const unknown = map.flatMap(([, column]) => (column === null || names.includes(column) ? [] : column));
  if (unknown.length > 0) {
    const message = (name: string) => `names ${name}, which is not a column of this import${didYouMean(name, names)}`;
    throw invalidFields(unknown.map((name) => ({ field: "map", code: "unknown_field", message: message(name) })));
  }
  return map;
}

/** A name whatever its case, with one underscore for blanks, dashes and underscores. */
const plainName = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s\u00a0_-]+/g, "_");

/** The separator of a first line: the one with which it names the most columns. */
function separatorOf(line: string, columns: readonly CsvColumn[], map: ColumnMap | null): string {
  const names = new Set([...columns.map(({ name }) => name), ...(map ?? []).map(([name]) => name)].map(plainName));
  const named = (separator: string) =>
    line.split(separator).filter((text) => names.has(plainName(text.replaceAll('"', "")))).length;
  return [",", ";", "\t"].reduce((best, separator) => (named(separator) > named(best) ? separator : best));
}

/**
 * The columns of a file, in its order; null for those that are left out. With a map, columns that neither the map nor
 * we name are left out. Refuses: validation_failed, which names every column that is unknown, missing or there twice.
 */
function readHeader(
  cells: readonly string[],
  columns: readonly CsvColumn[],
  required: RequiredColumns,
  map: ColumnMap | null,
): readonly (CsvColumn | null)[] {
  refuseShape(cells, columns);
  const problems: FieldProblem[] = [];
  const mapped = mappedCells(cells, map ?? [], problems);
  const found: (CsvColumn | null)[] = [];
  for (const [at, text] of cells.entries()) {
    const name = text.trim();
    const own = mapped.has(at) ? mapped.get(at) : plainName(name);
    const column = columns.find((one) => one.name === own) ?? null;
    if (own === null || problems.length >= problems_max || (map !== null && column === null)) found.push(null);
    else if (name === "" && column === null) {
      found.push(null);
      problems.push({ field: `column ${at + 1}`, code: "required", message: "has no name in the first line" });
    } else if (column === null) {
      const meant = didYouMean(
        name,
        columns.map((one) => one.name),
      );
      found.push(null);
      problems.push({ field: name, code: "unknown_field", message: `is no column of this file${meant}` });
    } else {
      if (found.includes(column)) problems.push({ field: name, code: "duplicate", message: twice(name, column) });
      found.push(column);
    }
  }
  for (const name of required) {
    if (found.some((column) => column?.name === name)) continue;
    problems.push({ field: name, code: "required", message: "is a column that the first line must name" });
  }
  if (problems.length === 0) return found;
  throw faultOf(problems.slice(0, problems_max), columns);
}

const twice = (name: string, column: CsvColumn) =>
  plainName(name) === column.name ? "is there twice" : `is there twice, as ${column.name}`;

/** Where the columns stand that a map names, with ours. Adds a problem for each one that the file does not have. */
function mappedCells(cells: readonly string[], map: ColumnMap, problems: FieldProblem[]): Map<number, string | null> {
  const found = new Map<number, string | null>();
  for (const [name, column] of map) {
    const exact = cells.findIndex((text) => text.trim() === name);
    const at = exact >= 0 ? exact : cells.findIndex((text) => plainName(text) === plainName(name));
    if (at >= 0) found.set(at, column);
    else {
      const meant = didYouMean(name, cells);
      problems.push({ field: "map", code: "unknown_field", message: `names ${name}, which the file lacks${meant}` });
    }
  }
  return found;
}

function refuseShape(cells: readonly string[], columns: readonly CsvColumn[]): void {
  const [line = "", ...others] = cells;
  if (others.length === 0 && line.includes("|")) {
    throw faultOf([{ field: line, code: "invalid_format", message: "has bars between its names" }], columns);
  }
  if (!cells.some((text) => text.includes("\r"))) return;
  throw new Fault(
    "validation_failed",
    "The lines of the file end in a way that is not read: end them with LF or CRLF.",
  );
}

function faultOf(fields: readonly FieldProblem[], columns: readonly CsvColumn[]): Fault {
  const { message } = invalidFields(fields);
  const names = columns.map(({ name }) => name).join(", ");
  const way = "with commas, semicolons or tabs between them";
  return new Fault("validation_failed", `${message} The first line must name columns, ${way}: ${names}.`, { fields });
}

// Reads the rows of a file whose first line names the columns.

/** How the columns of a file are read. */
export interface CsvTable {
  readonly columns: readonly CsvColumn[];
  readonly required: RequiredColumns;
}

/** What is said about a file, which the file does not show itself. */
export interface CsvFormat {
  /** Its encoding; null to detect it. */
  readonly charset: string | null;
  /** Its decimal separator; null refuses numbers that could be read in two ways. */
  readonly decimal?: DecimalSign | null;
  /** Which of its columns are which of ours, such as `Variant SKU:sku,Title:name`. */
  readonly map?: string | null;
}

/** A file that can be read more than once. */
export interface CsvInput extends CsvFormat {
  readonly bytes: () => ByteStream;
}

/** A row of a file. */
export interface CsvTableRow {
  readonly line: number;
  /** What the row's first required column holds; null where it is empty or the row cannot be read. */
  readonly name: string | null;
  /** Its cells as a record, to be checked against its schema. Refuses: validation_failed. */
  readonly record: () => Record<string, unknown>;
  /** The text in one of its columns; null where it is empty or the row cannot be read. */
  readonly textOf: (column: string) => string | null;
}

interface CsvTableHeader {
  readonly columns: readonly (CsvColumn | null)[];
  readonly decimal: DecimalSign | null;
  /** Whether cells at the end of a row may be missing. */
  readonly may_be_short: boolean;
}

/**
 * The rows of a file behind its first line; rows of empty cells are passed over. Refuses: validation_failed,
 * malformed_request, unsupported_media_type.
 */
export async function* readTable(file: CsvInput, { columns, required }: CsvTable): AsyncGenerator<CsvTableRow> {
  const { bytes, charset, decimal = null } = file;
  const map: ColumnMap | null = file.map ? readColumnMap(file.map, columns) : null;
  let header: CsvTableHeader | null = null;
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
    const known: CsvTableHeader = header;
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
function readCells(
  { columns, decimal, may_be_short }: CsvTableHeader,
  cells: readonly string[],
): Record<string, unknown> {
  refuseCount(columns.length, cells, may_be_short);
  const record: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const [at, column] of columns.entries()) {
    if (column === null || column.told_only) continue;
    const [name, inner] = column.path;
    const value = readCell(column, cells[at] ?? "", decimal);
    if (value instanceof CellProblem) {
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
class CellProblem {
  readonly code: string;
  readonly message: string;

  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

const mark = "If it really is this text, put an apostrophe before it";

function destroyed({ kind }: CsvColumn, cell: string): CellProblem | null {
  const text = cell.trim();
  // A number in small letters is exact: programs write it, and no spreadsheet.
  const is_number = (kind === "number" || kind === "amount") && text.includes("E");
  if (hasLostDigits(text) && (is_number || kind === "code" || kind === "json")) {
    const why = `is ${text}: a spreadsheet has shortened a long number, and its digits are lost`;
    const way = "Format the column as text, enter the full number and save the file again";
    return new CellProblem("digits_lost", `${why}. ${way}${kind === "code" ? `. ${mark}` : ""}`);
  }
  if (!hasLostValue(text)) return null;
  const why = `is ${text}: a spreadsheet could not show the value. Correct the cell and save the file again`;
  return new CellProblem("value_lost", `${why}. ${mark}`);
}

function readCell(column: CsvColumn, cell: string, decimal: DecimalSign | null): unknown {
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
      if ("problem" in number) return new CellProblem("ambiguous_number", number.problem);
      return kind === "number" ? Number(number.digits) : withoutZeros(number.digits);
    }
    case "boolean":
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text;
    case "json":
      return readJson(column, text);
  }
}

function readJson(column: CsvColumn, text: string): unknown {
  let lost: CellProblem | null = null;
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
