import type { Actor } from "../core/actor.ts";
import { isoOrNull } from "../core/clock.ts";
import { copiedCell, type Encoding } from "../core/csv.ts";
import type { CellChange, CsvRowProblem, DecimalSign } from "../core/csv_columns.ts";
import { columnKey, error_column } from "../core/csv_table.ts";
import { wireId } from "../core/ids.ts";
import { allowedActions } from "../core/transitions.ts";
import type { RecordResult } from "../http/import_report.ts";
import {
  type FileImportStatus,
  fileImportTransitions,
  type ImportKind,
  type RowChangeKind,
} from "./file_import.transitions.ts";
import type { SuggestedColumn } from "./suggested_columns.ts";

/** Why a whole file was refused. */
export interface ImportProblem {
  readonly message: string;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
}

/** A row as it is stored: the problems of a rejected one with its cells, or what the others change. */
export interface NotedRow {
  readonly name: string | null;
  readonly problems?: readonly RowProblem[];
  readonly fields?: readonly CellChange[];
  readonly cells?: readonly string[];
}

interface RowProblem {
  /** The Packhouse column; null if the problem is the whole row. */
  readonly field: string | null;
  /** The text of its cell. */
  readonly value: string | null;
  readonly message: string;
}

/** An uploaded CSV file that is checked and then imported. */
export interface FileImport {
  readonly id: number;
  readonly merchant_id: number;
  readonly kind: ImportKind;
  readonly status: FileImportStatus;
  readonly file_name: string | null;
  readonly encoding: Encoding;
  readonly separator: string;
  readonly columns: readonly string[];
  readonly columns_key: string;
  readonly map: string | null;
  readonly decimal: DecimalSign | null;
  readonly is_remembered: boolean;
  readonly asked_by: Actor;
  readonly rows: number | null;
  readonly rows_done: number;
  readonly records_done: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly problem: ImportProblem | null;
  readonly next_at: number | null;
  readonly claims: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
}

/** The first lines of a file, which are stored with it. */
export interface ImportHead {
  readonly rows: readonly (readonly string[])[];
  readonly suggested: readonly SuggestedColumn[];
}

/** An import as the API shows it. */
export function fileImportView(it: FileImport) {
  const { kind, status, file_name, encoding, separator, columns, map, decimal } = it;
  const { rows, rows_done, created, updated, unchanged, failed, problem } = it;
  return {
    id: wireId("file_import", it.id),
    merchant_id: wireId("merchant", it.merchant_id),
    kind,
    status,
    allowed_actions: allowedActions(fileImportTransitions, status, false),
    file_name,
    encoding,
    separator,
    columns,
    map,
    decimal,
    remembered: it.is_remembered,
    rows,
    rows_done,
    ...{ created, updated, unchanged, failed },
    problem,
    created_at: isoOrNull(it.created_at) as string,
    ended_at: isoOrNull(it.ended_at),
  };
}

/** A stored row of an import. */
interface ImportedLine {
  readonly line: number;
  readonly change: RowChangeKind;
  readonly row: NotedRow;
}

/** The rows to store for the results of records: every rejected one, and the changes of the others if `changes`. */
export function notedRows(results: readonly RecordResult[], columns: readonly string[], changes: boolean) {
  return results.flatMap(({ change, rows, problems, fields }): ImportedLine[] => {
    const [first] = rows;
    if (first === undefined || change === "unchanged") return [];
    if (change !== "failed") {
      return changes ? [{ line: first.line, change, row: { name: plainOf(first.name), fields } }] : [];
    }
    const own = Map.groupBy(problems, ({ line }) => line);
    return rows.map(({ line, name, cells, textOf }) => {
      const found = (own.get(line) ?? []).map((problem) => rowProblem(problem, textOf));
      const held: RowChangeKind = found.length === 0 ? "held" : "failed";
      return { line, change: held, row: { name: plainOf(name), problems: found, cells: ownCells(cells, columns) } };
    });
  });
}

const value_max = 200;

function rowProblem({ field, message }: CsvRowProblem, textOf: (column: string) => string | null): RowProblem {
  const value = field === null ? null : textOf(field);
  return { field, value: value === null ? null : plainOf(value.slice(0, value_max)), message: plainOf(message) ?? "" };
}

/** A text that both databases and JSON can store. */
const plainOf = (text: string | null) => text?.replaceAll("\0", "\ufffd").toWellFormed() ?? null;

/** The cells of a row without those of a column of errors. A row may have more cells than the header. */
function ownCells(cells: readonly string[], columns: readonly string[]): string[] {
  const at = columns.findIndex(isErrors);
  return cells.filter((_, index) => index !== at).map((cell) => plainOf(cell) ?? "");
}

const isErrors = (name: string) => columnKey(name) === error_column;

/** The header line of the file of rejected rows: the file's own columns, and the errors. */
export const rejectedColumns = (columns: readonly string[]): string[] => [
  ...columns.filter((name) => !isErrors(name)).map(copiedCell),
  error_column,
];

/** A row of the file of rejected rows. Excess cells follow the error. */
export function rejectedCells({ row }: { readonly row: NotedRow }, columns: readonly string[]): string[] {
  const { cells = [], problems = [] } = row;
  const count = columns.filter((name) => !isErrors(name)).length;
  const own = Array.from({ length: count }, (_, at) => copiedCell(cells[at] ?? ""));
  const texts = problems.map(({ field, message }) => (field === null ? message : `${field} ${message}`));
  const error = texts.length === 0 ? "Another row of the same record has errors." : texts.join("; ");
  return [...own, copiedCell(error), ...cells.slice(count).map(copiedCell)];
}
