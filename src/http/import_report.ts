// The report of an import of a CSV file: counts, the problems of bad rows, and what the others change.
import { Type } from "@sinclair/typebox";
import {
  type CellChange,
  type CheckedCsvRow,
  type CsvColumn,
  type CsvRowGroup,
  type CsvRowOutcome,
  type CsvRowProblem,
  cellChanges,
  rowProblems,
} from "../core/csv_columns.ts";
import type { CsvTableRow } from "../core/csv_table.ts";
import { Fault } from "../core/faults.ts";
import { counter } from "../core/metrics.ts";
import { choice, closed, nullable } from "../core/schema.ts";

/** The changes that a row would make to a record. */
interface RowChange {
  readonly line: number;
  readonly name: string | null;
  readonly change: "created" | "updated";
  readonly fields: readonly CellChange[];
}

/** The result of an import: the number of rows, and the outcomes of records. */
export interface ImportReport {
  readonly rows: number;
  /** The number of records, when several rows form one. */
  readonly groups?: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** The problems of the first failed rows, by line. */
  readonly errors: readonly CsvRowProblem[];
  /** In a dry run: the changes that the first rows would make, by line. */
  readonly dry_run?: true;
  readonly changes?: readonly RowChange[];
}

const cell = (description: string) =>
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], { description });

const ImportView = closed({
  rows: Type.Integer({ description: "Rows in the file, without the header." }),
  created: Type.Integer({ description: "New records." }),
  updated: Type.Integer({ description: "Existing records that the file changed." }),
  unchanged: Type.Integer({ description: "Existing records that stayed as they were." }),
  failed: Type.Integer({ description: "Records with errors, which were not imported." }),
  errors: Type.Array(
    closed({
      line: Type.Integer({ description: "The line of the file on which the row begins, from 1." }),
      name: nullable(Type.String({ description: "The row's SKU, order number or email address." })),
      field: nullable(Type.String({ description: "The column; null if the problem is the whole row." })),
      message: Type.String(),
    }),
    { description: "The problems of rows with errors, by line: the first 10,000." },
  ),
});

/** The report of an import that supports a dry run. */
export const DryRunImportView = closed({
  ...ImportView.properties,
  dry_run: Type.Optional(Type.Literal(true, { description: "This was a dry run: nothing was written." })),
  changes: Type.Optional(
    Type.Array(
      closed({
        line: Type.Integer({ description: "The line of the file on which the row begins, from 1." }),
        name: nullable(Type.String({ description: "The SKU, order number or email address in the row." })),
        change: choice(["created", "updated"], { description: "What the row would do to its record." }),
        fields: Type.Array(
          closed({
            field: Type.String({ description: "The name of the field." }),
            from: cell("Null if the field is empty so far."),
            to: cell("Null if the field is cleared."),
          }),
          { description: "The fields that would change." },
        ),
      }),
      { description: "In a dry run: what each row would change, by line; the first 10,000 rows." },
    ),
  ),
});

/** The report of an import in which several rows form a record. `records` is the field that counts the records. */
export const GroupImportView = (records: string) =>
  closed({
    ...DryRunImportView.properties,
    [records]: Type.Integer({ description: "The number of records, which the other numbers count." }),
  });

const imported_rows = counter("packhouse_import_rows_total", "Imported rows, by outcome.", ["outcome"]);

const errors_max = 10_000;
// At most this many problems are reported per record.
const problems_max = 100;
const changes_max = 10_000;
/** The result of a record, with its rows. */
export interface RecordResult {
  readonly change: CsvRowOutcome["change"];
  /** The rows as the file has them. */
  readonly rows: readonly CsvTableRow[];
  readonly problems: readonly CsvRowProblem[];
  /** The cells that the record's first row changes; empty if nothing changed. */
  readonly fields: readonly CellChange[];
}

/** A record whose rows are being read. */
export interface Gathered<Row> extends CsvRowGroup<Row> {
  readonly line: number;
  /** Its rows' values in the shared column. */
  readonly owners: Set<string>;
  readonly rows: CheckedCsvRow<Row>[];
  readonly problems: CsvRowProblem[];
  /** The number of its rows so far, including bad ones. */
  read: number;
  /** Its rows as the file has them, if the results are stored. */
  readonly sources: CsvTableRow[];
}

/** The counts, problems and changes of an import so far. */
export class ImportTally {
  readonly taken = new Map<string, number>();
  readonly #columns: readonly CsvColumn[];
  readonly #counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  readonly #errors: CsvRowProblem[] = [];
  /** The changes that it would make; null unless this is a dry run. */
  readonly #changes: RowChange[] | null;

  constructor(columns: readonly CsvColumn[], dry_run: boolean) {
    this.#columns = columns;
    this.#changes = dry_run ? [] : null;
  }

  get records(): number {
    const { created, updated, unchanged, failed } = this.#counts;
    return created + updated + unchanged + failed;
  }

  /** The result of a record for its outcome. */
  resultOf(outcome: CsvRowOutcome, { rows, problems, sources }: Gathered<unknown>): RecordResult {
    const { change } = outcome;
    if (change === "failed") {
      const own = problems.length > 0 ? problems : problemsOf(outcome.fault, rows, this.#columns);
      return { change, rows: sources, problems: own, fields: [] };
    }
    const { effect } = outcome;
    const fields = change === "unchanged" || effect === undefined ? [] : cellChanges(this.#columns, effect);
    return { change, rows: sources, problems: [], fields };
  }

  add(outcome: CsvRowOutcome, { rows, problems }: Gathered<unknown>): void {
    if (outcome.change === "failed") {
      this.#fail(problems.length > 0 ? problems : problemsOf(outcome.fault, rows, this.#columns));
      return;
    }
    const { change, effect } = outcome;
    const { line, name } = rows[0] as CheckedCsvRow<unknown>;
    this.#counts[change] += 1;
    this.take(outcome, { rows });
    if (this.#changes === null) imported_rows.add(1, change);
    else if (change !== "unchanged" && effect !== undefined && this.#changes.length < changes_max) {
      this.#changes.push({ line, name, change, fields: cellChanges(this.#columns, effect) });
    }
  }

  /** Notes what a record wrote, without counting it. */
  take(outcome: CsvRowOutcome, { rows: [first] }: Pick<Gathered<unknown>, "rows">): void {
    if (outcome.change !== "failed" && outcome.key !== undefined && first !== undefined) {
      this.taken.set(outcome.key, first.line);
    }
  }

  #fail(problems: readonly CsvRowProblem[]): void {
    this.#counts.failed += 1;
    if (this.#changes === null) imported_rows.add(1, "failed");
    if (this.#errors.length < errors_max) this.#errors.push(...problems.slice(0, problems_max));
  }

  report(): Omit<ImportReport, "rows"> {
    const errors = this.#errors.sort((a, b) => a.line - b.line).slice(0, errors_max);
    const report = { ...this.#counts, errors };
    return this.#changes === null ? report : { ...report, dry_run: true, changes: this.#changes };
  }
}

/** The problems of a record, each with its row, or with the first row that has the field. */
function problemsOf(
  fault: Fault,
  rows: readonly CheckedCsvRow<unknown>[],
  columns: readonly CsvColumn[],
): CsvRowProblem[] {
  const { fields = [] } = fault.facts;
  const first = rows[0] as CheckedCsvRow<unknown>;
  if (fields.length === 0) return rowProblems(first, fault, columns);
  return fields.slice(0, problems_max).flatMap((problem) => {
    const [, at, field = problem.field] = /^rows\[(\d+)\]\.(.*)$/.exec(problem.field) ?? [];
    const row = at === undefined ? rows.find(({ row }) => hasValue(row, field)) : rows[Number(at)];
    return rowProblems(
      row ?? first,
      new Fault(fault.code, fault.message, { fields: [{ ...problem, field }] }),
      columns,
    );
  });
}

/** Whether a row has a value for a field such as `shipping_address.city`. */
function hasValue(row: unknown, field: string): boolean {
  const found = field.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], row);
  return found !== undefined && found !== null;
}
