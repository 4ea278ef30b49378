// Imports of CSV files. A record is one row or several, such as an order's lines, and is imported completely or not.
import { Type } from "@sinclair/typebox";
import type { Actor } from "../core/actor.ts";
import { hasLostDigits } from "../core/csv.ts";
import {
  type CellChange,
  type CheckedCsvRow,
  type CsvColumn,
  type CsvRowGroup,
  type CsvRowOutcome,
  type CsvRowProblem,
  cellChanges,
  failedRow,
  rowProblems,
  type WrittenKeys,
} from "../core/csv_columns.ts";
import { type CsvInput, type CsvTable, type CsvTableRow, readTable } from "../core/csv_table.ts";
import { Fault, invalid } from "../core/faults.ts";
import { counter } from "../core/metrics.ts";
import { choice, closed, nullable } from "../core/schema.ts";
import type { Tx, Writer } from "../storage/database.ts";
import type { Call } from "./call.ts";
import { type FileQuery, fileFields, withFile } from "./file_upload.ts";
import { answerLongWork, answerWrite, writerOf } from "./response.ts";

/** How files of one kind of record are imported. */
export interface Import<Row> extends CsvTable {
  /** Refuses: validation_failed. */
  readonly read: (record: Record<string, unknown>) => Row;
  /**
   * Saves records and returns their outcomes in the same order. A failed record leaves no changes. A fault that it
   * throws undoes all of them.
   */
  readonly save: (
    tx: Tx,
    records: readonly CsvRowGroup<Row>[],
    taken: WrittenKeys,
    actor: Actor,
  ) => Promise<CsvRowOutcome[]>;
  /** How several rows form one record; without it, each row is a record. */
  readonly grouped?: Grouping;
  /**
   * The names of the records that a row creates and needs. A dry run undoes each step, so rows that need records from
   * earlier rows are run together with those.
   */
  readonly ties?: (row: Row) => { readonly creates: readonly string[]; readonly needs: readonly string[] };
}

/** Rows with the same value in the first required column form a record. They need not be adjacent. */
interface Grouping {
  /** The field of the report that counts the records. */
  readonly counted_as: string;
  /**
   * A column that all rows of a record share, unless they leave it empty; `keyOf` decides which texts are equal. A row
   * without a record name may belong to any record with the same value here.
   */
  readonly column: string;
  readonly keyOf: (text: string) => string;
}

/** Saves records that are one row each. */
export const eachRow =
  <Row>(
    save: (tx: Tx, rows: readonly CheckedCsvRow<Row>[], taken: WrittenKeys, actor: Actor) => Promise<CsvRowOutcome[]>,
  ) =>
  (tx: Tx, records: readonly CsvRowGroup<Row>[], taken: WrittenKeys, actor: Actor): Promise<CsvRowOutcome[]> =>
    save(
      tx,
      records.flatMap(({ rows }) => rows),
      taken,
      actor,
    );

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

/** The query of an import that supports a dry run. */
export const importFields = {
  ...fileFields,
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        "A dry run: each row is run and undone. The report lists the rows with errors and what the others would" +
        " change. Nothing is written.",
    }),
  ),
};

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

// A transaction of this many rows is short.
const batch_rows = 50;
const errors_max = 10_000;
// At most this many problems are reported per record.
const problems_max = 100;
const changes_max = 10_000;
// At most this many records are run again in a dry run because later rows need them.
const tied_max = 1000;
/** The maximum number of rows of a file sent to the API. */
const rows_max = 100_000;

/** Options and progress callbacks of an import. */
interface ImportOptions {
  /** Whether each step is undone, and the report shows the changes that it would have made. */
  readonly dry_run?: boolean;
  readonly onStart?: (rows: number) => void;
  /** Called for each row once its record was saved or refused. */
  readonly onRow?: () => void;
  readonly rows_max?: number;
}

/** The fault for a file with more than `max` rows. */
export const tooMany = (max: number) => invalid("rows", `exceed the limit of ${max}: split the file`, "too_many");

/**
 * Imports a file, several rows per transaction. The file is read twice: first to count the rows of each record, then to
 * save each record once its last row was read. A bad row fails only its own record; one without a record name fails
 * each record that it may belong to. Importing the same file again changes nothing. Refuses:
 * validation_failed; malformed_request and unsupported_media_type, when the file is not CSV.
 */
export async function importFile<Row>(
  store: Writer,
  file: CsvInput,
  it: Import<Row>,
  actor: Actor,
  { dry_run = false, onStart = () => {}, onRow = () => {}, rows_max = Number.POSITIVE_INFINITY }: ImportOptions = {},
): Promise<ImportReport> {
  const { rows, counts, strays } = await countRows(file, it, rows_max);
  onStart(rows);
  const tally = new ImportTally(it.columns, dry_run);
  const step = dry_run ? dryRunStep(store, it, tally.taken, actor) : saveStep(store, it, tally.taken, actor);
  const waiting = new Map<string, Gathered<Row>>();
  let batch: CsvRowGroup<Row>[] = [];
  let size = 0;
  const flush = async () => {
    await takeRecords(step, batch, tally);
    for (let row = 0; row < size; row += 1) onRow();
    batch = [];
    size = 0;
  };
  for await (const read of readTable(file, it)) {
    const key = keyOf(it, read);
    const record = waiting.get(key) ?? { key, line: read.line, owners: new Set(), rows: [], problems: [], read: 0 };
    gather(it, record, read);
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) {
      counts.set(key, left);
      waiting.set(key, record);
      continue;
    }
    waiting.delete(key);
    const stray = strays.near(record);
    if (stray !== null && record.problems.length === 0) record.problems.push(incomplete(it, record, stray));
    if (record.problems.length > 0) {
      tally.fail(record.problems);
      for (let row = 0; row < record.read; row += 1) onRow();
    } else {
      batch.push(record);
      size += record.rows.length;
    }
    if (size >= batch_rows) await flush();
  }
  await flush();
  if (waiting.size > 0)
    throw new Fault("validation_failed", "The file changed while it was being imported. Import it again.");
  return { ...tally.report(), rows, ...(it.grouped && { groups: tally.records }) };
}

/** A record whose rows are being read. */
interface Gathered<Row> extends CsvRowGroup<Row> {
  readonly line: number;
  /** Its rows' values in the shared column. */
  readonly owners: Set<string>;
  readonly rows: CheckedCsvRow<Row>[];
  readonly problems: CsvRowProblem[];
  /** The number of its rows so far, including bad ones. */
  read: number;
}

/** Adds a row to its record. */
function gather<Row>(it: Import<Row>, record: Gathered<Row>, row: CsvTableRow): void {
  record.read += 1;
  const owner = ownerOf(it, row);
  if (owner !== null) record.owners.add(owner);
  const { line, name } = row;
  try {
    record.rows.push({ line, name, row: it.read(row.record()) });
  } catch (error) {
    record.problems.push(...rowProblems(row, failedRow(error).fault, it.columns));
  }
}

/** Rows without a record name, or whose record number lost digits in a spreadsheet. */
class Strays {
  #unowned: number | null = null;
  readonly #owned = new Map<string, number>();
  readonly #lost = new Map<string, number>();
  readonly #decimals = new Set<number>();

  add(line: number, name: string | null, owner: string | null): void {
    if (name === null) {
      if (owner === null) this.#unowned ??= line;
      else if (!this.#owned.has(owner)) this.#owned.set(owner, line);
    } else if (hasLostDigits(name)) {
      const digits = Number(name.replace(",", "."));
      const [, part = ""] = /[.,](\d+)/.exec(name) ?? [];
      this.#decimals.add(part.length);
      const short = digits.toExponential(part.length);
      if (!this.#lost.has(short)) this.#lost.set(short, line);
    }
  }

  /** The line of a stray row that may belong to a record; null when there is none. */
  near({ key, line, owners }: Pick<Gathered<unknown>, "key" | "line" | "owners">): number | null {
    if (/^\d{6,}$/.test(key)) {
      for (const decimals of this.#decimals) {
        const lost = this.#lost.get(Number(key).toExponential(Math.min(decimals, 20)));
        if (lost !== undefined) return lost;
      }
    }
    const own = [...owners].map((owner) => this.#owned.get(owner)).find((found) => found !== undefined);
    const found = this.#unowned ?? own ?? null;
    return found === line ? null : found;
  }
}

function ownerOf<Row>({ grouped }: Import<Row>, row: CsvTableRow): string | null {
  const text = grouped === undefined ? null : row.textOf(grouped.column);
  return text === null ? null : (grouped?.keyOf(text) ?? null);
}

/** The problem of a record that may lack a row. */
function incomplete<Row>(
  { required: [field] }: Import<Row>,
  { key, line }: Gathered<Row>,
  stray: number,
): CsvRowProblem {
  const message = `may be incomplete: line ${stray} may belong to it, but has no ${field}`;
  return { line, name: key, field, message };
}

/** Counts the rows of a file, and of each record when several rows form one. Refuses: validation_failed. */
async function countRows<Row>(file: CsvInput, it: Import<Row>, max: number) {
  const counts = new Map<string, number>();
  const strays = new Strays();
  let rows = 0;
  for await (const row of readTable(file, it)) {
    rows += 1;
    if (rows > max) throw tooMany(max);
    if (it.grouped === undefined) continue;
    strays.add(row.line, row.name, ownerOf(it, row));
    const key = keyOf(it, row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return { rows, counts, strays };
}

/** The name of a row's record, even if the rest of the row cannot be read. A row without a name is its own record. */
const keyOf = <Row>({ grouped }: Import<Row>, { name, line }: CsvTableRow) =>
  (grouped === undefined ? null : name) ?? `\n${line}`;

class ImportTally {
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

  add(outcome: CsvRowOutcome, { rows }: CsvRowGroup<unknown>): void {
    if (outcome.change === "failed") {
      this.fail(problemsOf(outcome.fault, rows, this.#columns));
      return;
    }
    const { change, key, effect } = outcome;
    const { line, name } = rows[0] as CheckedCsvRow<unknown>;
    this.#counts[change] += 1;
    if (key !== undefined) this.taken.set(key, line);
    if (this.#changes === null) imported_rows.add(1, change);
    else if (change !== "unchanged" && effect !== undefined && this.#changes.length < changes_max) {
      this.#changes.push({ line, name, change, fields: cellChanges(this.#columns, effect) });
    }
  }

  fail(problems: readonly CsvRowProblem[]): void {
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

/** Saves records together and returns their outcomes. A fault that it throws is the outcome of all of them. */
type ImportStep<Row> = (records: readonly CsvRowGroup<Row>[]) => Promise<CsvRowOutcome[]>;

function saveStep<Row>(store: Writer, it: Import<Row>, taken: WrittenKeys, actor: Actor): ImportStep<Row> {
  return (records) => store.write((tx) => it.save(tx, records, taken, actor));
}

/** Thrown to undo a transaction. Holds the outcomes that it would have had. */
class UndoneImport extends Error {
  readonly outcomes: CsvRowOutcome[];

  constructor(outcomes: CsvRowOutcome[]) {
    super("undone");
    this.outcomes = outcomes;
  }
}

/** As `saved`, but undone. Records that need earlier ones are run together with those. */
function dryRunStep<Row>(store: Writer, it: Import<Row>, taken: WrittenKeys, actor: Actor): ImportStep<Row> {
  const made = new Map<string, CsvRowGroup<Row>[]>();
  const namesOf = (side: "creates" | "needs", { rows }: CsvRowGroup<Row>) =>
    rows.flatMap(({ row }) => it.ties?.(row)[side] ?? []);
  const lineOf = ({ rows: [first] }: CsvRowGroup<Row>) => first?.line ?? 0;
  return async (records) => {
    const earlier = new Set(records.flatMap((one) => namesOf("needs", one).flatMap((name) => made.get(name) ?? [])));
    const first = [...earlier].sort((a, b) => lineOf(a) - lineOf(b)).slice(-tied_max);
    const outcomes = await runAndUndo(store, async (tx) => {
      if (first.length > 0) await it.save(tx, first, new Map(), actor);
      return it.save(tx, records, taken, actor);
    });
    for (const [at, one] of records.entries()) {
      if (outcomes[at]?.change === "failed") continue;
      for (const name of namesOf("creates", one)) made.set(name, [...(made.get(name) ?? []), one]);
    }
    return outcomes;
  };
}

async function runAndUndo(store: Writer, work: (tx: Tx) => Promise<CsvRowOutcome[]>): Promise<CsvRowOutcome[]> {
  try {
    return await store.write(async (tx) => {
      throw new UndoneImport(await work(tx));
    });
  } catch (error) {
    if (error instanceof UndoneImport) return error.outcomes;
    throw error;
  }
}

/** Imports records in one step. If that is refused as a whole, each half is tried, down to the failing record. */
async function takeRecords<Row>(
  step: ImportStep<Row>,
  records: readonly CsvRowGroup<Row>[],
  tally: ImportTally,
): Promise<void> {
  const [first] = records;
  // Lets other requests run between two transactions.
  await Bun.sleep(0);
  if (first === undefined) return;
  try {
    const outcomes = await step(records);
    for (const [at, record] of records.entries()) {
      const outcome = outcomes[at];
      if (outcome === undefined) throw new Error("each record has an outcome");
      tally.add(outcome, record);
    }
  } catch (error) {
    const outcome = failedRow(error);
    if (records.length === 1) return tally.add(outcome, first);
    const middle = Math.ceil(records.length / 2);
    await takeRecords(step, records.slice(0, middle), tally);
    await takeRecords(step, records.slice(middle), tally);
  }
}

/**
 * Imports the file in a request's body and responds with 200 and the report. With an `Idempotency-Key`, a repeated
 * request gets the first report and imports nothing.
 */
export async function answerImport<Row>(
  call: Call,
  it: Import<Row>,
  { dry_run = false, ...query }: FileQuery & { readonly dry_run?: boolean },
): Promise<Response> {
  return withFile(call, query, (file) =>
    answerLongWork(call, async () => {
      const { groups, ...report } = await importFile(writerOf(call), file, it, call.actor, { dry_run, rows_max });
      return answerWrite(call, 200, async () => ({
        ...report,
        ...(it.grouped && { [it.grouped.counted_as]: groups }),
      }));
    }),
  );
}
