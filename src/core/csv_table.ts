// CSV files with a header line: reads the header, maps columns to fields, and reads the rows.

import { asUtf8, type ByteStream, hasLostDigits, hasLostValue, isMarked, plainText, readCsv } from "./csv.ts";
import { type CsvColumn, type DecimalSign, readCellNumber, withoutZeros } from "./csv_columns.ts";
import { isExactNumber } from "./decimals.ts";
import { didYouMean } from "./did_you_mean.ts";
import { Fault, type FieldProblem, invalidFields } from "./faults.ts";

/** Columns that a file must have. The first one identifies the record of a row. */
type RequiredColumns = readonly [name: string, ...others: string[]];

/** The names of a file's columns, each with the name of our column; null leaves it out. */
type ColumnMap = readonly (readonly [name: string, column: string | null])[];

const problems_max = 100;
const pairs = /(.*?):([^,:]*)(?:,|$)/gsy;

/**
 * Reads a column map such as `Variant SKU:sku,Handle:`, which leaves out the column Handle. Names may contain commas
 * and colons.
 * Refuses: validation_failed.
 */
function readColumnMap(text: string, columns: readonly CsvColumn[]): ColumnMap {
  const found = [...text.matchAll(pairs)];
  const read = found.reduce((length, [pair]) => length + pair.length, 0);
  if (read < text.length || found.length === 0) {
    const message = "must map the file's columns to Packhouse columns, such as `Variant SKU:sku,Title:name`";
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

/** Normalizes a name: lower case, with one underscore for any run of whitespace, dashes and underscores. */
const plainName = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s\u00a0_-]+/g, "_");

/** The column of a file of rejected rows that states their errors. Imports ignore it. */
export const error_column = "error";

/** Detects the separator of a header line: the one that yields the most known columns. */
function separatorOf(line: string, columns: readonly CsvColumn[], map: ColumnMap | null): string {
  const names = new Set([...columns.map(({ name }) => name), ...(map ?? []).map(([name]) => name)].map(plainName));
  const named = (separator: string) =>
    line.split(separator).filter((text) => names.has(plainName(text.replaceAll('"', "")))).length;
  return [",", ";", "\t"].reduce((best, separator) => (named(separator) > named(best) ? separator : best));
}

/**
 * Reads the header: the columns of a file, in order; null for those that are left out. With a map, columns that are
 * neither mapped nor known are left out.
 * Refuses: validation_failed, which names every unknown, missing or duplicate column.
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
    const isLeftOut = own === null || own === error_column || (map !== null && column === null);
    if (isLeftOut || problems.length >= problems_max) found.push(null);
    else if (name === "" && column === null) {
      found.push(null);
      problems.push({ field: `column ${at + 1}`, code: "required", message: "has no name in the header line" });
    } else if (column === null) {
      const meant = didYouMean(
        name,
        columns.map((one) => one.name),
      );
      found.push(null);
      problems.push({ field: name, code: "unknown_field", message: `is not a column of this import${meant}` });
    } else {
      if (found.includes(column))
        problems.push({ field: name, code: "duplicate", message: duplicateMessage(name, column) });
      found.push(column);
    }
  }
  for (const name of required) {
    if (found.some((column) => column?.name === name)) continue;
    problems.push({ field: name, code: "required", message: "is a required column, but the header line lacks it" });
  }
  if (problems.length === 0) return found;
  throw faultOf(problems.slice(0, problems_max), columns);
}

const duplicateMessage = (name: string, column: CsvColumn) =>
  plainName(name) === column.name ? "occurs twice" : `occurs twice, as ${column.name}`;

/**
 * The positions of mapped columns in the header, with our column names. Adds a problem for each one that the file
 * lacks.
 */
function mappedCells(cells: readonly string[], map: ColumnMap, problems: FieldProblem[]): Map<number, string | null> {
  const found = new Map<number, string | null>();
  for (const [name, column] of map) {
    const exact = cells.findIndex((text) => text.trim() === name);
    const at = exact >= 0 ? exact : cells.findIndex((text) => plainName(text) === plainName(name));
    if (at >= 0) found.set(at, column);
    else {
      const meant = didYouMean(name, cells);
      problems.push({
        field: "map",
        code: "unknown_field",
        message: `names ${name}, which is not a column of the file${meant}`,
      });
    }
  }
  return found;
}

function refuseShape(cells: readonly string[], columns: readonly CsvColumn[]): void {
  const [line = "", ...others] = cells;
  if (others.length === 0 && line.includes("|")) {
    throw faultOf([{ field: line, code: "invalid_format", message: "separates its columns with bars" }], columns);
  }
  if (!cells.some((text) => text.includes("\r"))) return;
  throw new Fault("validation_failed", "The file's line endings are not supported. Use LF or CRLF.");
}

function faultOf(fields: readonly FieldProblem[], columns: readonly CsvColumn[]): Fault {
  const { message } = invalidFields(fields);
  const names = columns.map(({ name }) => name).join(", ");
  const way = "separated by commas, semicolons or tabs";
  return new Fault("validation_failed", `${message} The header line must name columns, ${way}: ${names}.`, { fields });
}

/** The columns of a kind of file. */
export interface CsvTable {
  readonly columns: readonly CsvColumn[];
  readonly required: RequiredColumns;
}

/** What the sender declares about a file, since the file itself does not show it. */
export interface CsvFormat {
  /** Its encoding; null detects it. */
  readonly charset: string | null;
  /** Its decimal separator; null refuses ambiguous numbers. */
  readonly decimal?: DecimalSign | null;
  /** A column map, such as `Variant SKU:sku,Title:name`. */
  readonly map?: string | null;
}

/** A file that can be read more than once. */
export interface CsvInput extends CsvFormat {
  readonly bytes: () => ByteStream;
}

export interface CsvTableRow {
  readonly line: number;
  /** Its cells as the file has them; its first line as one cell when it cannot be read. */
  readonly cells: readonly string[];
  /** The value of the row's first required column; null when it is empty or the row cannot be read. */
  readonly name: string | null;
  /** Its cells as a record, not yet checked against a schema. Refuses: validation_failed. */
  readonly record: () => Record<string, unknown>;
  /** The text in one of its columns; null when it is empty or the row cannot be read. */
  readonly textOf: (column: string) => string | null;
}

interface CsvTableHeader {
  readonly columns: readonly (CsvColumn | null)[];
  readonly decimal: DecimalSign | null;
  /** Whether cells at the end of a row may be missing. */
  readonly may_be_short: boolean;
}

/**
 * Reads the rows after the header line, skipping rows with only empty cells.
 * Refuses: validation_failed, malformed_request, unsupported_media_type.
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
      refuseReplacementCharacters(near);
      // An unquoted decimal comma would split one cell into two.
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
      refuseReplacementCharacters(cells);
      return readCells(known, cells);
    };
    const name = cells === null ? nameNear(near, at(required[0])) : textOf(required[0]);
    yield { line, cells: cells ?? [near.join(separator)], name, record, textOf };
  }
  if (header === null) readHeader([], columns, required, map);
}

/** The header line of a file, and its first rows. */
interface CsvHead {
  readonly separator: string;
  /** The names of its columns, trimmed. */
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads the header line and the first `rows_max` rows, without matching columns.
 * Refuses: validation_failed, malformed_request, unsupported_media_type.
 */
export async function readCsvHead(
  { bytes, charset }: CsvInput,
  columns: readonly CsvColumn[],
  rows_max: number,
): Promise<CsvHead> {
  let separator = ",";
  const separate = (line: string) => {
    separator = separatorOf(line, columns, null);
    // Without a known column, the separator is the one that occurs most.
    const counts = [separator, ",", ";", "\t"].map((one) => line.split(one).length);
    const isKnown = line.split(separator).some((text) => columns.some(({ name }) => name === plainName(text)));
    if (!isKnown) separator = [separator, ",", ";", "\t"][counts.indexOf(Math.max(...counts))] ?? separator;
    return separator;
  };
  const found: (readonly string[])[] = [];
  for await (const { cells, near } of readCsv(asUtf8(bytes(), charset), separate)) {
    found.push(cells ?? near);
    if (found.length > rows_max) break;
  }
  const [names = [], ...rows] = found;
  refuseShape(names, columns);
  return { separator, names: names.map((name) => name.trim()), rows };
}

/** Normalizes the name of a column, as headers are compared. */
export const columnKey = (text: string): string => plainName(text);

function textIn(cell = ""): string | null {
  const text = plainText(cell).trim();
  return text === "" ? null : text;
}

/** The name in a row with unmatched quotes; null when quotes before it may have moved it to another cell. */
function nameNear(near: readonly string[], at: number): string | null {
  const cells = near.slice(0, at + 1);
  if (cells.some((text) => text.includes('"') && !/^"[^"]*"$/.test(text))) return null;
  return textIn(cells[at]?.replaceAll('"', ""));
}

/** Refuses text with replacement characters, left by a program that could not decode it. Refuses: validation_failed. */
function refuseReplacementCharacters(cells: readonly string[]): void {
  if (!cells.some((text) => text.includes("\ufffd"))) return;
  throw new Fault("validation_failed", "lost characters when it was saved: save the file as UTF-8");
}

/** A record from the cells of a row, not yet checked against a schema. Refuses: validation_failed. */
function readCells(
  { columns, decimal, may_be_short }: CsvTableHeader,
  cells: readonly string[],
): Record<string, unknown> {
  refuseCount(columns.length, cells, may_be_short);
  const record: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const [at, column] of columns.entries()) {
    if (column === null || column.export_only) continue;
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

/** Refuses a row with too few or too many cells. Empty cells at its end may be missing or in excess. */
function refuseCount(expected: number, cells: readonly string[], may_be_short: boolean): void {
  const more = cells.slice(expected).some((text) => text.trim() !== "");
  if (!more && (cells.length >= expected || may_be_short)) return;
  const message = `has ${cells.length} cells, but the header line has ${expected}`;
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

const mark = "If the text is correct, put an apostrophe before it";

function damageIn({ kind }: CsvColumn, cell: string): CellProblem | null {
  const text = cell.trim();
  // A lower-case exponent is exact: programs write it, spreadsheets do not.
  const is_number = (kind === "number" || kind === "amount") && text.includes("E");
  if (hasLostDigits(text) && (is_number || kind === "code" || kind === "json")) {
    const why = `is ${text}: a spreadsheet shortened a long number and lost its digits`;
    const way = "Format the column as text, enter the full number and save the file again";
    return new CellProblem("digits_lost", `${why}. ${way}${kind === "code" ? `. ${mark}` : ""}`);
  }
  if (!hasLostValue(text)) return null;
  const why = `is ${text}: a spreadsheet could not show the value. Correct the cell and save the file again`;
  return new CellProblem("value_lost", `${why}. ${mark}`);
}

function readCell(column: CsvColumn, cell: string, decimal: DecimalSign | null): unknown {
  const { kind, empty } = column;
  const lost = isMarked(cell) ? null : damageIn(column, cell);
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
      if (column.codes && typeof part === "string") lost ??= damageIn(column, part);
      return checkedPart(name, part, source);
    });
    return lost ?? value;
  } catch {
    return text;
  }
}

/**
 * Refuses lone surrogates, which JSON escapes can produce but UTF-8 cannot encode, and numbers that would lose digits.
 */
function checkedPart(name: string, value: unknown, source: string | undefined): unknown {
  if (source !== undefined && typeof value === "number" && !isExactNumber(source)) throw new SyntaxError("inexact");
  if (name.isWellFormed() && (typeof value !== "string" || value.isWellFormed())) return value;
  throw new SyntaxError("lone surrogate");
}
