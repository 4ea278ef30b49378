// The first line of a file: which of its columns holds which field.
import { didYouMean } from "./did_you_mean.ts";
import { Fault, type FieldProblem, invalidFields } from "./fault.ts";
import type { Column } from "./sheet.ts";

/** Columns that a file must have; the first one names the record of a row. */
export type RequiredColumns = readonly [name: string, ...others: string[]];

/** The names of a file's own columns, each with that of our column; null leaves it out. */
export type ColumnMap = readonly (readonly [name: string, column: string | null])[];

const problems_max = 100;
const pairs = /(.*?):([^,:]*)(?:,|$)/gsy;

/**
 * Reads a map such as `Variant SKU:sku,Handle:`, which leaves the column Handle out. Names may hold commas and colons.
 * Refuses: validation_failed.
 */
export function readColumnMap(text: string, columns: readonly Column[]): ColumnMap {
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
export function separatorOf(line: string, columns: readonly Column[], map: ColumnMap | null): string {
  const names = new Set([...columns.map(({ name }) => name), ...(map ?? []).map(([name]) => name)].map(plainName));
  const named = (separator: string) =>
    line.split(separator).filter((text) => names.has(plainName(text.replaceAll('"', "")))).length;
  return [",", ";", "\t"].reduce((best, separator) => (named(separator) > named(best) ? separator : best));
}

/**
 * The columns of a file, in its order; null for those that are left out. With a map, columns that neither the map nor
 * we name are left out. Refuses: validation_failed, which names every column that is unknown, missing or there twice.
 */
export function readHeader(
  cells: readonly string[],
  columns: readonly Column[],
  required: RequiredColumns,
  map: ColumnMap | null,
): readonly (Column | null)[] {
  refuseShape(cells, columns);
  const problems: FieldProblem[] = [];
  const mapped = mappedCells(cells, map ?? [], problems);
  const found: (Column | null)[] = [];
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

const twice = (name: string, column: Column) =>
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

function refuseShape(cells: readonly string[], columns: readonly Column[]): void {
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

function faultOf(fields: readonly FieldProblem[], columns: readonly Column[]): Fault {
  const { message } = invalidFields(fields);
  const names = columns.map(({ name }) => name).join(", ");
  const way = "with commas, semicolons or tabs between them";
  return new Fault("validation_failed", `${message} The first line must name columns, ${way}: ${names}.`, { fields });
}
