import { Type } from "@sinclair/typebox";
import type { Tx, Writer } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { invalid } from "../kit/fault.ts";
import { counter } from "../kit/meter.ts";
import { closed, nullable } from "../kit/schema.ts";
import {
  type Column,
  type Outcome,
  type RowProblem,
  readTable,
  refused,
  rowProblems,
  type SheetFile,
  type SheetRow,
  type Table,
  type Taken,
} from "../kit/sheet.ts";
import { answerLongWork, answerWrite, writerOf } from "./answer.ts";
import type { Call } from "./call.ts";
import { withFile } from "./files.ts";

/** How a file of one kind of record is taken in. */
export interface Import<Row> extends Table {
  /** Checks the record of a row by itself. Refuses: validation_failed. */
  readonly read: (record: Record<string, unknown>) => Row;
  /** Writes what differs, and nothing of a row that fails; a refusal that it throws undoes all of these rows. */
  readonly save: (tx: Tx, rows: readonly SheetRow<Row>[], taken: Taken, actor: Actor) => Promise<Outcome[]>;
}

/** What became of a file. */
export interface ImportReport {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** What is wrong with the first of the rows that failed, by line. */
  readonly errors: readonly RowProblem[];
}

export const ImportView = closed({
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer({ description: "Rows of which nothing was written." }),
  errors: Type.Array(
    closed({
      line: Type.Integer(),
      name: nullable(Type.String({ description: "The SKU or order number that the row names." })),
      field: nullable(Type.String()),
      message: Type.String(),
    }),
    { description: "What is wrong with the rows that failed, by line: the first 10,000 problems." },
  ),
});

const taken_rows = counter("packhouse_import_rows_total", "Rows of files, by what became of them.", ["outcome"]);

// So many rows hold up nobody for long.
const batch_rows = 50;
const errors_max = 10_000;
/** Rows that a file may have which is sent to the API. */
export const rows_max = 100_000;

/** What the command line shows of a file that is taken in. */
export interface Watching {
  /** Is told how many rows there are. */
  readonly onStart?: (rows: number) => void;
  readonly onRow?: () => void;
  /** Rows that the file may have. */
  readonly rows_max?: number;
}

/** How many rows a file has. Refuses: validation_failed, when they are too many or the first line is not theirs. */
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
 * Takes a file in, some rows to a transaction, after it was read once to its end. A bad row is reported and stops no
 * other; the same file taken in again changes nothing. Refuses: validation_failed, malformed_request and
 * unsupported_media_type, when it is no such file.
 */
export async function importRows<Row>(
  store: Writer,
  file: SheetFile,
  it: Import<Row>,
  actor: Actor,
  { onStart = () => {}, onRow = () => {}, rows_max = Number.POSITIVE_INFINITY }: Watching = {},
): Promise<ImportReport> {
  onStart(await countRows(file, it, rows_max));
  const tally = new Tally(it.columns);
  let batch: SheetRow<Row>[] = [];
  const flush = async () => {
    await saveRows(store, it, batch, tally, actor);
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

/** Counts what became of the rows, or of what they make together. */
export class Tally {
  readonly taken = new Map<string, number>();
  readonly #columns: readonly Column[];
  readonly #counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  readonly #errors: RowProblem[] = [];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  get rows(): number {
    const { created, updated, unchanged, failed } = this.#counts;
    return created + updated + unchanged + failed;
  }

  add(outcome: Outcome, name: string | null): void {
    if (outcome.change === "failed") this.fail(rowProblems(outcome, name, this.#columns));
    else this.done(outcome);
  }

  done({ change, key, line }: Exclude<Outcome, { change: "failed" }>): void {
    this.#counts[change] += 1;
    taken_rows.add(1, change);
    this.taken.set(key, line);
  }

  fail(problems: readonly RowProblem[]): void {
    this.#counts.failed += 1;
    taken_rows.add(1, "failed");
    if (this.#errors.length < errors_max) this.#errors.push(...problems);
  }

  report(): ImportReport {
    const errors = this.#errors.sort((a, b) => a.line - b.line).slice(0, errors_max);
    return { rows: this.rows, ...this.#counts, errors };
  }
}

/** Saves rows in one transaction; when that is refused as a whole, each half by itself, down to the row that fails. */
async function saveRows<Row>(
  store: Writer,
  it: Import<Row>,
  rows: readonly SheetRow<Row>[],
  tally: Tally,
  actor: Actor,
): Promise<void> {
  const [first] = rows;
  // Others get their turn between two transactions.
  await Bun.sleep(0);
  if (first === undefined) return;
  try {
    const names = new Map(rows.map(({ line, name }) => [line, name]));
    for (const outcome of await store.write((tx) => it.save(tx, rows, tally.taken, actor))) {
      tally.add(outcome, names.get(outcome.line) ?? null);
    }
  } catch (error) {
    const outcome = refused(first.line, error);
    if (rows.length === 1) return tally.add(outcome, first.name);
    const middle = Math.ceil(rows.length / 2);
    await saveRows(store, it, rows.slice(0, middle), tally, actor);
    await saveRows(store, it, rows.slice(middle), tally, actor);
  }
}

/**
 * Takes in the file in a request's body and answers 200 with the report. With an `Idempotency-Key` a repeated request
 * gets the report of the first and takes in nothing.
 */
export async function answerImport<Row>(call: Call, it: Import<Row>): Promise<Response> {
  return withFile(call, (file) =>
    answerLongWork(call, async () => {
      const report = await importRows(writerOf(call), file, it, call.actor, { rows_max });
      return answerWrite(call, 200, async () => report);
    }),
  );
}
