// Files in which several rows make one thing together: all of its rows are taken in, or none.
import { Type } from "@sinclair/typebox";
import type { Tx, Writer } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { type CsvRow, readCsv } from "../kit/csv.ts";
import { Fault, invalid } from "../kit/fault.ts";
import { closed } from "../kit/schema.ts";
import {
  type Column,
  type Group,
  type GroupOutcome,
  type RowProblem,
  readCells,
  readHeader,
  refused,
  rowProblems,
  type SheetRow,
} from "../kit/sheet.ts";
import { answerLongWork, answerWrite, writerOf } from "./answer.ts";
import type { Call } from "./call.ts";
import { type ImportReport, ImportView, piecesOf, Tally } from "./imports.ts";

/** How a file of one kind of groups is taken in. */
export interface GroupImport<Row> {
  readonly columns: readonly Column[];
  /** Columns without which no row can be read; the first one tells which rows belong together. */
  readonly required: readonly [key: string, ...others: string[]];
  /** Checks the record of a row by itself. Refuses: validation_failed. */
  readonly read: (record: Record<string, unknown>) => Row;
  /** Writes groups and says in their order what became of each; of one that fails nothing is written. */
  readonly save: (tx: Tx, groups: readonly Group<Row>[], actor: Actor) => Promise<GroupOutcome[]>;
}

/** What became of a file: `rows` it has, and of the groups how many were created, were there or failed. */
export type GroupReport = ImportReport & { readonly groups: number };

/** The schema of a report; `groups` is the name under which it counts them. */
export const GroupImportView = (groups: string) =>
  closed({ ...ImportView.properties, [groups]: Type.Integer({ description: "What the other numbers count." }) });

/** The text of a file, as often as it is asked for. */
export type Opening = () => AsyncIterable<string> | Iterable<string>;

const batch_rows = 500;
const problems_max = 100;

/**
 * Takes a file in, read twice: once to know how many rows each group has, wherever they stand; then again, and a
 * group is saved when its last row has come. A bad row fails its group and no other; the same file taken in again
 * changes nothing. Refuses: validation_failed, when the first line does not name the columns or rows are too many.
 */
export async function importGroups<Row>(
  store: Writer,
  open: Opening,
  it: GroupImport<Row>,
  actor: Actor,
  { onRow = () => {}, rows_max = Number.POSITIVE_INFINITY }: { onRow?: () => void; rows_max?: number } = {},
): Promise<GroupReport> {
  const { rows, counts } = await countRows(open, it, rows_max);
  const tally = new Tally(it.columns);
  const waiting = new Map<string, Gathered<Row>>();
  let batch: Group<Row>[] = [];
  let size = 0;
  const flush = async () => {
    await saveGroups(store, it, batch, tally, actor);
    batch = [];
    size = 0;
  };
  for await (const { key, row } of readRows(open, it)) {
    onRow();
    const group = waiting.get(key) ?? { key, rows: [], problems: [] };
    if ("problems" in row) group.problems.push(...row.problems);
    else group.rows.push(row);
    waiting.set(key, group);
    const left = (counts.get(key) ?? 1) - 1;
    counts.set(key, left);
    if (left > 0) continue;
    waiting.delete(key);
    if (group.problems.length > 0) tally.fail(group.problems.slice(0, problems_max));
    else {
      batch.push(group);
      size += group.rows.length;
    }
    if (size >= batch_rows) await flush();
  }
  await flush();
  if (waiting.size > 0) throw new Fault("validation_failed", "The file has changed while it was read.");
  const groups = tally.rows;
  return { ...tally.report(), rows, groups };
}

interface Gathered<Row> {
  readonly key: string;
  readonly rows: SheetRow<Row>[];
  readonly problems: RowProblem[];
}

async function countRows(
  open: Opening,
  { columns, required }: Pick<GroupImport<never>, "columns" | "required">,
  max: number,
) {
  const counts = new Map<string, number>();
  let rows = 0;
  let header: readonly Column[] | null = null;
  for await (const row of readCsv(open())) {
    if (header === null) {
      header = readHeader(row.cells ?? [], columns, required);
      continue;
    }
    rows += 1;
    if (rows > max) throw invalid("rows", `are more than ${max}: make it several files`, "too_many");
    const key = keyOf(header, required[0], row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (header === null) readHeader([], columns, required);
  return { rows, counts };
}

/** What a row says it belongs to, also when it cannot be read otherwise; without that it is a group of its own. */
function keyOf(header: readonly Column[], name: string, { cells, text, line }: CsvRow): string {
  const at = header.findIndex((column) => column.name === name);
  return (cells ?? text.split(","))[at]?.trim() || `\n${line}`;
}

type Read<Row> = SheetRow<Row> | { readonly problems: readonly RowProblem[] };

async function* readRows<Row>(open: Opening, it: GroupImport<Row>): AsyncGenerator<{ key: string; row: Read<Row> }> {
  let header: readonly Column[] | null = null;
  for await (const row of readCsv(open())) {
    if (header === null) header = readHeader(row.cells ?? [], it.columns, it.required);
    else yield { key: keyOf(header, it.required[0], row), row: readRow(header, it, row) };
  }
}

function readRow<Row>(header: readonly Column[], it: GroupImport<Row>, { line, cells }: CsvRow): Read<Row> {
  try {
    if (cells === null) throw new Fault("validation_failed", "has quotes that do not pair");
    return { line, row: it.read(readCells(header, cells)) };
  } catch (error) {
    return { problems: rowProblems(refused(line, error), it.columns) };
  }
}

async function saveGroups<Row>(
  store: Writer,
  it: GroupImport<Row>,
  groups: readonly Group<Row>[],
  tally: Tally,
  actor: Actor,
): Promise<void> {
  // Others get their turn between two transactions.
  await Bun.sleep(0);
  if (groups.length === 0) return;
  const outcomes = await store.write((tx) => it.save(tx, groups, actor));
  for (const [at, { key, rows }] of groups.entries()) {
    const outcome = outcomes[at];
    const line = rows[0]?.line ?? 0;
    if (outcome === undefined) throw new Error("each group has an outcome");
    if (outcome.change === "failed") tally.fail(problemsOf(outcome.fault, rows, it.columns));
    else tally.done({ line, change: outcome.change, key });
  }
}

/** What is wrong with a group, told of the row that each problem is of, else of its first. */
function problemsOf(fault: Fault, rows: readonly SheetRow<unknown>[], columns: readonly Column[]): RowProblem[] {
  const lineOf = (at: number) => rows[at]?.line ?? rows[0]?.line ?? 0;
  const { fields = [] } = fault.facts;
  if (fields.length === 0) return [{ line: lineOf(0), field: null, message: fault.message }];
  return fields.slice(0, problems_max).flatMap((problem) => {
    const [, at = "0", field = problem.field] = /^rows\[(\d+)\]\.(.*)$/.exec(problem.field) ?? [];
    const own = new Fault(fault.code, fault.message, { fields: [{ ...problem, field }] });
    return rowProblems({ line: lineOf(Number(at)), change: "failed", fault: own }, columns);
  });
}

/**
 * Takes in the file in a request's body and answers 200 with the report, in which `name` counts the groups. With an
 * `Idempotency-Key` a repeated request gets the report of the first and takes in nothing.
 */
export async function answerGroupImport<Row>(
  call: Call,
  it: GroupImport<Row>,
  name: string,
  rows_max: number,
): Promise<Response> {
  const open = () => piecesOf(call.raw_body);
  return answerLongWork(call, async () => {
    const { groups, ...report } = await importGroups(writerOf(call), open, it, call.actor, { rows_max });
    return answerWrite(call, 200, async () => ({ ...report, [name]: groups }));
  });
}
