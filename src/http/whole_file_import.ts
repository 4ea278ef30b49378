// Files whose rows together form one record, such as a rate card: the whole file is imported, or nothing.

import type { CheckedCsvRow } from "../core/csv_columns.ts";
import { type CsvInput, type CsvTable, readTable } from "../core/csv_table.ts";
import { Fault, type FieldProblem, faults, invalidFields } from "../core/faults.ts";
import { tooMany } from "./imports.ts";

/** How the rows of a file are read. */
export interface WholeFile<Row> extends CsvTable {
  /** Validates the record of a row on its own. Refuses: validation_failed. */
  readonly read: (record: Record<string, unknown>) => Row;
  readonly rows_max: number;
}

const problems_max = 100;

/**
 * All rows of a file in order, each with its line.
 * Refuses: validation_failed, with the lines of the first bad rows; malformed_request and unsupported_media_type, when
 * the file is not CSV.
 */
export async function readWholeFile<Row>(file: CsvInput, it: WholeFile<Row>): Promise<CheckedCsvRow<Row>[]> {
  const rows: CheckedCsvRow<Row>[] = [];
  const problems: FieldProblem[] = [];
  for await (const { line, name, record } of readTable(file, it)) {
    if (rows.length >= it.rows_max) throw tooMany(it.rows_max);
    try {
      rows.push({ line, name, row: it.read(record()) });
    } catch (error) {
      problems.push(...problemsOf(line, error, it));
      if (problems.length >= problems_max) break;
    }
  }
  if (problems.length > 0) throw invalidFields(problems);
  return rows;
}

/** The problems of a row, by line and column. Rethrows errors that are not refusals of the row. */
function problemsOf(line: number, error: unknown, { columns }: CsvTable): FieldProblem[] {
  if (!(error instanceof Fault) || faults[error.code].type === "api") throw error;
  const { fields = [] } = error.facts;
  if (fields.length === 0) return [{ field: `line ${line}`, code: error.code, message: error.message }];
  return fields.map((problem) => {
    const column = columns.find(({ path }) => path.join(".") === problem.field);
    return { ...problem, field: `line ${line}, ${column?.name ?? problem.field}` };
  });
}
