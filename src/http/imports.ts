// Imports of CSV files. A record is one row or several, such as an order's lines, and is imported completely or not.
import { Type } from "@sinclair/typebox";
import type { Actor } from "../core/actor.ts";
import { hasLostDigits } from "../core/csv.ts";
import {
  type CheckedCsvRow,
  type CsvRowGroup,
  type CsvRowOutcome,
  type CsvRowProblem,
  failedRow,
  rowProblems,
  type WrittenKeys,
} from "../core/csv_columns.ts";
import { type CsvInput, type CsvTable, type CsvTableRow, readTable } from "../core/csv_table.ts";
import { Fault, invalid } from "../core/faults.ts";
import type { Tx, Writer } from "../storage/database.ts";
import type { Call } from "./call.ts";
import { type FileQuery, fileFields, withFile } from "./file_upload.ts";
import { type Gathered, type ImportReport, ImportTally, type RecordResult } from "./import_report.ts";
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

// A transaction of this many rows is short.
const batch_rows = 20;
// At most this many records are run again in a dry run because later rows need them.
const tied_max = 1000;
/** The maximum number of rows of a file sent to the API. */
const rows_max = 100_000;

/** Options and progress callbacks of an import. */
interface ImportOptions {
  /**
   * Stores the results of some records, in the order in which they are complete: in the transaction that saves them, or
   * in one of its own in a dry run. Throwing ends the import.
   */
  readonly note?: (tx: Tx, results: readonly RecordResult[]) => Promise<void>;
  /** How many records, in that order, an interrupted import has finished. */
  readonly done?: number;
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
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { dry_run = false, onStart = () => {}, onRow = () => {}, rows_max = Number.POSITIVE_INFINITY, note } = options;
  const { rows, counts, strays } = await countRows(file, it, rows_max);
  onStart(rows);
  const tally = new ImportTally(it.columns, dry_run);
  const { take, repeat } = stepsOf(store, it, tally, actor, options);
  let { done = 0 } = options;
  const waiting = new Map<string, Gathered<Row>>();
  let batch: Gathered<Row>[] = [];
  let size = 0;
  const flush = async () => {
    await takeRecords(done > 0 ? repeat : take, batch);
    done -= Math.min(done, batch.length);
    for (let row = 0; row < size; row += 1) onRow();
    batch = [];
    size = 0;
  };
  for await (const read of readTable(file, it)) {
    const key = keyOf(it, read);
    const record = waiting.get(key) ?? newRecord(key, read.line);
    gather(it, record, read, note !== undefined);
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) {
      counts.set(key, left);
      waiting.set(key, record);
      continue;
    }
    waiting.delete(key);
    const stray = strays.near(record);
    if (stray !== null && record.problems.length === 0) record.problems.push(incomplete(it, record, stray));
    batch.push(record);
    size += record.read;
    if (size >= batch_rows || batch.length === done) await flush();
  }
  await flush();
  if (waiting.size > 0)
    throw new Fault("validation_failed", "The file changed while it was being imported. Import it again.");
  return { ...tally.report(), rows, ...(it.grouped && { groups: tally.records }) };
}

const newRecord = <Row>(key: string, line: number): Gathered<Row> => {
  return { key, line, owners: new Set(), rows: [], problems: [], read: 0, sources: [] };
};

/** Adds a row to its record. */
function gather<Row>(it: Import<Row>, record: Gathered<Row>, row: CsvTableRow, isNoted: boolean): void {
  record.read += 1;
  if (isNoted) record.sources.push(row);
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

/** Takes records together. */
interface ImportStep<Row> {
  /** Returns the outcomes of the records. A fault that it throws is the outcome of all of them. */
  readonly run: (records: readonly Gathered<Row>[]) => Promise<CsvRowOutcome[]>;
  /** Stores the result of a record that failed alone. */
  readonly refuse: (outcome: CsvRowOutcome, record: Gathered<Row>) => Promise<void>;
  /** Counts the outcome of a record. */
  readonly count: (outcome: CsvRowOutcome, record: Gathered<Row>) => void;
}

/** A part of the work of a step: saves some records, or runs them and undoes it. */
type SaveRecords<Row> = (tx: Tx, records: readonly CsvRowGroup<Row>[]) => Promise<CsvRowOutcome[]>;

/**
 * How an import takes records: `take` saves them or, in a dry run, runs and undoes them; `repeat` only finds out what
 * records wrote that an interrupted import has finished. Bad records are left out. Results are stored along the way.
 */
function stepsOf<Row>(
  store: Writer,
  it: Import<Row>,
  tally: ImportTally,
  actor: Actor,
  { dry_run = false, note }: ImportOptions,
): { readonly take: ImportStep<Row>; readonly repeat: ImportStep<Row> } {
  const save: SaveRecords<Row> = (tx, records) => it.save(tx, records, tally.taken, actor);
  const tryOut = dryRunStep(store, it, tally.taken, actor);
  const noteAll = async (tx: Tx, outcomes: readonly CsvRowOutcome[], records: readonly Gathered<Row>[]) =>
    note?.(
      tx,
      records.map((record, at) => tally.resultOf(outcomes[at] as CsvRowOutcome, record)),
    );
  const goodOf = (records: readonly Gathered<Row>[]) => records.filter(({ problems }) => problems.length === 0);
  const whole = (records: readonly Gathered<Row>[], outcomes: readonly CsvRowOutcome[]) => {
    let at = 0;
    return records.map(({ problems }) => (problems.length > 0 ? bad : (outcomes[at++] as CsvRowOutcome)));
  };
  const tryGood = async (records: readonly Gathered<Row>[]) => {
    const good = goodOf(records);
    return whole(records, good.length === 0 ? [] : await tryOut(good));
  };
  const take: ImportStep<Row> = {
    async run(records) {
      const good = goodOf(records);
      if (dry_run || good.length === 0) {
        const outcomes = await tryGood(records);
        if (note !== undefined) await store.write((tx) => noteAll(tx, outcomes, records));
        return outcomes;
      }
      return store.write(async (tx) => {
        const outcomes = whole(records, await save(tx, good));
        await noteAll(tx, outcomes, records);
        return outcomes;
      });
    },
    async refuse(outcome, record) {
      if (note !== undefined) await store.write((tx) => noteAll(tx, [outcome], [record]));
    },
    count: (outcome, record) => tally.add(outcome, record),
  };
  const repeat: ImportStep<Row> = {
    async run(records) {
      // Without results, this only confirms that the import may continue.
      await store.write(async (tx) => note?.(tx, []));
      return tryGood(records);
    },
    refuse: async () => {},
    count: (outcome, record) => tally.take(outcome, record),
  };
  return { take, repeat };
}

/** The outcome of a record with bad rows. Its problems are known. */
const bad: CsvRowOutcome = { change: "failed", fault: new Fault("validation_failed", "The record has bad rows.") };

/** Thrown to undo a transaction. Holds the outcomes that it would have had. */
class UndoneImport extends Error {
  readonly outcomes: CsvRowOutcome[];

  constructor(outcomes: CsvRowOutcome[]) {
    super("undone");
    this.outcomes = outcomes;
  }
}

/** As `saved`, but undone. Records that need earlier ones are run together with those. */
function dryRunStep<Row>(
  store: Writer,
  it: Import<Row>,
  taken: WrittenKeys,
  actor: Actor,
): (records: readonly CsvRowGroup<Row>[]) => Promise<CsvRowOutcome[]> {
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

/** Takes records in one step. If that is refused as a whole, each half is tried, down to the failing record. */
async function takeRecords<Row>(step: ImportStep<Row>, records: readonly Gathered<Row>[]): Promise<void> {
  const [first] = records;
  // Lets other requests run between two transactions.
  await Bun.sleep(0);
  if (first === undefined) return;
  try {
    const outcomes = await step.run(records);
    for (const [at, record] of records.entries()) {
      const outcome = outcomes[at];
      if (outcome === undefined) throw new Error("each record has an outcome");
      step.count(outcome, record);
    }
  } catch (error) {
    const outcome = failedRow(error);
    if (records.length === 1) {
      await step.refuse(outcome, first);
      return step.count(outcome, first);
    }
    const middle = Math.ceil(records.length / 2);
    await takeRecords(step, records.slice(0, middle));
    await takeRecords(step, records.slice(middle));
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
