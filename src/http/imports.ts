import { Type } from "@sinclair/typebox";
import type { Tx, Writer } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { invalid } from "../kit/fault.ts";
import { counter } from "../kit/meter.ts";
import { readTable, type SheetFile, type Table } from "../kit/read_table.ts";
import { choice, closed, nullable } from "../kit/schema.ts";
import {
  type CellChange,
  type Column,
  cellChanges,
  type Outcome,
  type RowProblem,
  refused,
  rowProblems,
  type SheetRow,
  type Taken,
} from "../kit/sheet.ts";
import { answerLongWork, answerWrite, writerOf } from "./answer.ts";
import type { Call } from "./call.ts";
import { type FileQuery, fileFields, withFile } from "./files.ts";

/** How files of one kind of record are imported. */
export interface Import<Row> extends Table {
  /** Checks the record of a row by itself. Refuses: validation_failed. */
  readonly read: (record: Record<string, unknown>) => Row;
  /** Writes the rows that differ. Of a row that fails nothing is written; a refusal that it throws undoes all rows. */
  readonly save: (tx: Tx, rows: readonly SheetRow<Row>[], taken: Taken, actor: Actor) => Promise<Outcome[]>;
  /**
   * The names of the records that a row creates and needs. A dry run undoes each step, so rows that need records of
   * earlier rows are tried together with those.
   */
  readonly ties?: (row: Row) => { readonly makes: readonly string[]; readonly needs: readonly string[] };
}

/** The changes that a row would make to one record. */
interface RowChange {
  readonly line: number;
  readonly name: string | null;
  readonly change: "created" | "updated";
  readonly fields: readonly CellChange[];
}

/** The result of an import. */
export interface ImportReport {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** The problems of the first failed rows, by line. */
  readonly errors: readonly RowProblem[];
  /** In a dry run: the changes that the first rows would make, by line. */
  readonly dry_run?: true;
  readonly changes?: readonly RowChange[];
}

/** The query of an import that can be rehearsed. */
export const importFields = {
  ...fileFields,
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        "A dry run: each row is run and undone, and the report says which rows are refused and what the others" +
        " would change. Nothing is written.",
    }),
  ),
};

const cell = (description: string) =>
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], { description });

export const ImportView = closed({
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer({ description: "Rows that were refused: nothing of them was written." }),
  errors: Type.Array(
    closed({
      line: Type.Integer(),
      name: nullable(Type.String({ description: "The SKU or order number that the row names." })),
      field: nullable(Type.String()),
      message: Type.String(),
    }),
    { description: "The problems of the failed rows, by line: the first 10,000." },
  ),
});

/** The report of an import that can be rehearsed. */
export const TriedImportView = closed({
  ...ImportView.properties,
  dry_run: Type.Optional(Type.Literal(true, { description: "This was a dry run: nothing was written." })),
  changes: Type.Optional(
    Type.Array(
      closed({
        line: Type.Integer(),
        name: nullable(Type.String({ description: "The SKU that the row names." })),
        change: choice(["created", "updated"]),
        fields: Type.Array(
          closed({ field: Type.String(), from: cell("Null where there is nothing yet."), to: cell("Null: emptied.") }),
        ),
      }),
      { description: "Of a dry run: what each row would change, by line; the first 10,000 of them." },
    ),
  ),
});

const taken_rows = counter("packhouse_import_rows_total", "Rows of files, by what became of them.", ["outcome"]);

// A transaction of so many rows is short.
const batch_rows = 50;
const errors_max = 10_000;
const changes_max = 10_000;
// At most so many rows are run again in a dry run because later rows need them.
const tied_max = 1000;
/** The most rows of a file that is sent to the API. */
export const rows_max = 100_000;

/** Options of an import, and who is told of its progress. */
export interface Watching {
  /** Whether each step is undone, and the report shows the changes it would have made. */
  readonly dry_run?: boolean;
  /** Called with the number of rows. */
  readonly onStart?: (rows: number) => void;
  readonly onRow?: () => void;
  /** The most rows that the file may have. */
  readonly rows_max?: number;
}

/** How many rows a file has. Refuses: validation_failed, for too many rows or an unknown first line. */
async function countRows(file: SheetFile, table: Table, max: number): Promise<number> {
  let rows = 0;
  for await (const _ of readTable(file, table)) {
    rows += 1;
    if (rows > max) throw tooMany(max);
  }
  return rows;
}

/** Refuses a file for its number of rows. */
export const tooMany = (max: number) => invalid("rows", `are more than ${max}: make it several files`, "too_many");

/**
 * Imports a file, some rows in each transaction, after it was read once to its end. A bad row is reported and stops no
 * other; importing the same file again changes nothing. Refuses: validation_failed, malformed_request and
 * unsupported_media_type, when it is no such file.
 */
export async function importRows<Row>(
  store: Writer,
  file: SheetFile,
  it: Import<Row>,
  actor: Actor,
  { dry_run = false, onStart = () => {}, onRow = () => {}, rows_max = Number.POSITIVE_INFINITY }: Watching = {},
): Promise<ImportReport> {
  onStart(await countRows(file, it, rows_max));
  const tally = new Tally(it.columns, dry_run);
  const step = dry_run ? tried(store, it, tally.taken, actor) : saved(store, it, tally.taken, actor);
  let batch: SheetRow<Row>[] = [];
  const flush = async () => {
    await takeRows(step, batch, tally);
    for (const _ of batch) onRow();
    batch = [];
  };
  for await (const { line, name, record } of readTable(file, it)) {
    try {
      batch.push({ line, name, row: it.read(record()) });
    } catch (error) {
      tally.add(refused(line, error), name);
      onRow();
    }
    if (batch.length === batch_rows) await flush();
  }
  await flush();
  return tally.report();
}

/** Counts the outcomes of rows or groups. */
export class Tally {
  readonly taken = new Map<string, number>();
  readonly #columns: readonly Column[];
  readonly #counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  readonly #errors: RowProblem[] = [];
  /** The changes it would make; null unless this is a dry run. */
  readonly #changes: RowChange[] | null;

  constructor(columns: readonly Column[], dry_run = false) {
    this.#columns = columns;
    this.#changes = dry_run ? [] : null;
  }

  get rows(): number {
    const { created, updated, unchanged, failed } = this.#counts;
    return created + updated + unchanged + failed;
  }

  add(outcome: Outcome, name: string | null): void {
    if (outcome.change === "failed") this.fail(rowProblems(outcome, name, this.#columns));
    else this.done(outcome, name);
  }

  done({ change, key, line, effect }: Exclude<Outcome, { change: "failed" }>, name: string | null = null): void {
    this.#counts[change] += 1;
    this.taken.set(key, line);
    if (this.#changes === null) taken_rows.add(1, change);
    else if (change !== "unchanged" && effect !== undefined && this.#changes.length < changes_max) {
      this.#changes.push({ line, name, change, fields: cellChanges(this.#columns, effect) });
    }
  }

  fail(problems: readonly RowProblem[]): void {
    this.#counts.failed += 1;
    if (this.#changes === null) taken_rows.add(1, "failed");
    if (this.#errors.length < errors_max) this.#errors.push(...problems);
  }

  report(): ImportReport {
    const errors = this.#errors.sort((a, b) => a.line - b.line).slice(0, errors_max);
    const report = { rows: this.rows, ...this.#counts, errors };
    return this.#changes === null ? report : { ...report, dry_run: true, changes: this.#changes };
  }
}

/** Writes some rows together and answers the outcome of each. A refusal that it throws is the outcome of all. */
type Step<Row> = (rows: readonly SheetRow<Row>[]) => Promise<Outcome[]>;

function saved<Row>(store: Writer, it: Import<Row>, taken: Taken, actor: Actor): Step<Row> {
  return (rows) => store.write((tx) => it.save(tx, rows, taken, actor));
}

/** Thrown to undo a transaction; holds what it would have done. */
class Undone extends Error {
  readonly outcomes: Outcome[];

  constructor(outcomes: Outcome[]) {
    super("undone");
    this.outcomes = outcomes;
  }
}

/** As `saved`, and undone at once. Rows that need records of earlier rows are run together with those. */
function tried<Row>(store: Writer, it: Import<Row>, taken: Taken, actor: Actor): Step<Row> {
  const made = new Map<string, SheetRow<Row>[]>();
  const tiesOf = ({ row }: SheetRow<Row>) => it.ties?.(row) ?? { makes: [], needs: [] };
  return async (rows) => {
    const earlier = new Set(rows.flatMap((row) => tiesOf(row).needs.flatMap((name) => made.get(name) ?? [])));
    const first = [...earlier].sort((a, b) => a.line - b.line).slice(-tied_max);
    const outcomes = await undone(store, async (tx) => {
      if (first.length > 0) await it.save(tx, first, new Map(), actor);
      return it.save(tx, rows, taken, actor);
    });
    for (const [at, row] of rows.entries()) {
      if (outcomes[at]?.change === "failed") continue;
      for (const name of tiesOf(row).makes) made.set(name, [...(made.get(name) ?? []), row]);
    }
    return outcomes;
  };
}

async function undone(store: Writer, work: (tx: Tx) => Promise<Outcome[]>): Promise<Outcome[]> {
  try {
    return await store.write(async (tx) => {
      throw new Undone(await work(tx));
    });
  } catch (error) {
    if (error instanceof Undone) return error.outcomes;
    throw error;
  }
}

/** Imports rows in one step. When the step is refused as a whole, each half is tried, down to the row that fails. */
async function takeRows<Row>(step: Step<Row>, rows: readonly SheetRow<Row>[], tally: Tally): Promise<void> {
  const [first] = rows;
  // Other requests run between two transactions.
  await Bun.sleep(0);
  if (first === undefined) return;
  try {
    const names = new Map(rows.map(({ line, name }) => [line, name]));
    for (const outcome of await step(rows)) tally.add(outcome, names.get(outcome.line) ?? null);
  } catch (error) {
    const outcome = refused(first.line, error);
    if (rows.length === 1) return tally.add(outcome, first.name);
    const middle = Math.ceil(rows.length / 2);
    await takeRows(step, rows.slice(0, middle), tally);
    await takeRows(step, rows.slice(middle), tally);
  }
}

/**
 * Imports the file in a request's body and answers 200 with the report. With an `Idempotency-Key` a repeated request
 * gets the first report and imports nothing.
 */
export async function answerImport<Row>(
  call: Call,
  it: Import<Row>,
  { dry_run = false, ...query }: FileQuery & { readonly dry_run?: boolean },
): Promise<Response> {
  return withFile(call, query, (file) =>
    answerLongWork(call, async () => {
      const report = await importRows(writerOf(call), file, it, call.actor, { dry_run, rows_max });
      return answerWrite(call, 200, async () => report);
    }),
  );
}
