import { Type } from "@sinclair/typebox";
import type { Tx, Writer } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { invalid } from "../kit/fault.ts";
import { counter } from "../kit/meter.ts";
import { choice, closed, nullable } from "../kit/schema.ts";
import {
  type CellChange,
  type Column,
  cellChanges,
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
  /**
   * What a row makes and what it needs, by name. A dry run undoes each step, so that rows which need what earlier ones
   * make are tried together with these.
   */
  readonly ties?: (row: Row) => { readonly makes: readonly string[]; readonly needs: readonly string[] };
}

/** What a row would change of one record. */
interface RowChange {
  readonly line: number;
  readonly name: string | null;
  readonly change: "created" | "updated";
  readonly fields: readonly CellChange[];
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
  /** In a dry run: what the first of the rows that change something would change, by line. */
  readonly dry_run?: true;
  readonly changes?: readonly RowChange[];
}

/** What may be asked of an import that can be tried out. */
export const importFields = {
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        "Try the file out: each row is run and undone, and the report says which rows are refused and what the others" +
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

/** The report of an import that can be tried out. */
export const TriedImportView = closed({
  ...ImportView.properties,
  dry_run: Type.Optional(Type.Literal(true, { description: "The file was tried out, and nothing was written." })),
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

// So many rows hold up nobody for long.
const batch_rows = 50;
const errors_max = 10_000;
const changes_max = 10_000;
// So many rows at most are tried again for the sake of later ones.
const tied_max = 1000;
/** Rows that a file may have which is sent to the API. */
export const rows_max = 100_000;

/** How a file is taken in, and who watches. */
export interface Watching {
  /** Whether each step is undone and the report tells what it would have changed. */
  readonly dry_run?: boolean;
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

/** Counts what became of the rows, or of what they make together. */
export class Tally {
  readonly taken = new Map<string, number>();
  readonly #columns: readonly Column[];
  readonly #counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  readonly #errors: RowProblem[] = [];
  /** What would change; null unless the file is only tried out. */
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

/** Does some rows together and says what became of each; a refusal that it throws is of all of them. */
type Step<Row> = (rows: readonly SheetRow<Row>[]) => Promise<Outcome[]>;

function saved<Row>(store: Writer, it: Import<Row>, taken: Taken, actor: Actor): Step<Row> {
  return (rows) => store.write((tx) => it.save(tx, rows, taken, actor));
}

/** What a transaction would have done that is undone by throwing this. */
class Undone extends Error {
  readonly outcomes: Outcome[];

  constructor(outcomes: Outcome[]) {
    super("undone");
    this.outcomes = outcomes;
  }
}

/** As `saved`, and undone at once. Rows that need what earlier ones made are done together with these. */
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

/** Takes rows in by one step; when that is refused as a whole, each half by itself, down to the row that fails. */
async function takeRows<Row>(step: Step<Row>, rows: readonly SheetRow<Row>[], tally: Tally): Promise<void> {
  const [first] = rows;
  // Others get their turn between two transactions.
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
 * Takes in the file in a request's body and answers 200 with the report. With an `Idempotency-Key` a repeated request
 * gets the report of the first and takes in nothing.
 */
export async function answerImport<Row>(
  call: Call,
  it: Import<Row>,
  { dry_run = false }: { readonly dry_run?: boolean } = {},
): Promise<Response> {
  return withFile(call, (file) =>
    answerLongWork(call, async () => {
      const report = await importRows(writerOf(call), file, it, call.actor, { dry_run, rows_max });
      return answerWrite(call, 200, async () => report);
    }),
  );
}
