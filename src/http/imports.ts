import { Type } from "@sinclair/typebox";
import type { Tx, Writer } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { readCsv } from "../kit/csv.ts";
import { Fault } from "../kit/fault.ts";
import { counter } from "../kit/meter.ts";
import { closed, nullable } from "../kit/schema.ts";
import {
  type Column,
  type Outcome,
  type RowProblem,
  readCells,
  readHeader,
  refused,
  rowProblems,
  type SheetRow,
  type Taken,
} from "../kit/sheet.ts";
import { answerLongWork, answerWrite, writerOf } from "./answer.ts";
import type { Call } from "./call.ts";

/** How a file of one kind of record is taken in. */
export interface Import<Row> {
  readonly columns: readonly Column[];
  /** Columns without which no row can be read. */
  readonly required: readonly string[];
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
  errors: Type.Array(closed({ line: Type.Integer(), field: nullable(Type.String()), message: Type.String() }), {
    description: "What is wrong with the rows that failed, by line: the first 10,000 problems.",
  }),
});

const taken_rows = counter("packhouse_import_rows_total", "Rows of files, by what became of them.", ["outcome"]);

const batch_rows = 200;
const errors_max = 10_000;
const piece_characters = 65_536;

/**
 * Takes a file in, some hundred rows to a transaction. A bad row is reported and stops no other; the same file taken in
 * again changes nothing. Refuses: validation_failed, when the first line is not that of such a file.
 */
export async function importRows<Row>(
  store: Writer,
  pieces: AsyncIterable<string> | Iterable<string>,
  it: Import<Row>,
  actor: Actor,
  onRow: () => void = () => {},
): Promise<ImportReport> {
  const tally = new Tally(it.columns);
  let header: readonly Column[] | null = null;
  let batch: SheetRow<Row>[] = [];
  const flush = async () => {
    await saveRows(store, it, batch, tally, actor);
    for (const _ of batch) onRow();
    batch = [];
  };
  for await (const { line, cells } of readCsv(pieces)) {
    if (header === null) {
      refuseBroken(cells ?? []);
      header = readHeader(cells ?? [], it.columns, it.required);
      continue;
    }
    try {
      if (cells === null) throw new Fault("validation_failed", "has quotes that do not pair");
      refuseBroken(cells);
      batch.push({ line, row: it.read(readCells(header, cells)) });
    } catch (error) {
      tally.add(refused(line, error));
      onRow();
    }
    if (tally.rows + batch.length > 0 && (tally.rows + batch.length) % batch_rows === 0) await flush();
  }
  if (header === null) readHeader([], it.columns, it.required);
  await flush();
  return tally.report();
}

/** Refuses: validation_failed, for what a decoder puts in the place of bytes that are no UTF-8. */
function refuseBroken(cells: readonly string[]): void {
  if (!cells.some((text) => text.includes("\ufffd"))) return;
  throw new Fault("validation_failed", "is no UTF-8: save the file in that encoding");
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

  add(outcome: Outcome): void {
    if (outcome.change === "failed") this.fail(rowProblems(outcome, this.#columns));
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
    for (const outcome of await store.write((tx) => it.save(tx, rows, tally.taken, actor))) tally.add(outcome);
  } catch (error) {
    const outcome = refused(first.line, error);
    if (rows.length === 1) return tally.add(outcome);
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
  return answerLongWork(call, async () => {
    const report = await importRows(writerOf(call), piecesOf(call.raw_body), it, call.actor);
    return answerWrite(call, 200, async () => report);
  });
}

/** A text in pieces of a size that can be read one after the other. */
export function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += piece_characters) yield text.slice(at, at + piece_characters);
}
