// Imports of files in which several rows form one record, such as an order. All rows of a record are imported, or none.
import { Type } from "@sinclair/typebox";
import type { Tx, Writer } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { Fault } from "../kit/fault.ts";
import { closed } from "../kit/schema.ts";
import {
  type Column,
  type Group,
  type GroupOutcome,
  type RowProblem,
  readTable,
  refused,
  rowProblems,
  type SheetFile,
  type SheetRow,
  type Table,
  type TableRow,
} from "../kit/sheet.ts";
import { answerLongWork, answerWrite, writerOf } from "./answer.ts";
import type { Call } from "./call.ts";
import { withFile } from "./files.ts";
import { type ImportReport, ImportView, rows_max, Tally, tooMany, type Watching } from "./imports.ts";

/** How files of one kind are imported. */
export interface GroupImport<Row> extends Table {
  /** Checks the record of a row by itself. Refuses: validation_failed. */
  readonly read: (record: Record<string, unknown>) => Row;
  /** Writes groups and answers the outcome of each, in their order. Of a group that fails nothing is written. */
  readonly save: (tx: Tx, groups: readonly Group<Row>[], actor: Actor) => Promise<GroupOutcome[]>;
}

/** The result of an import: the number of rows, and how many groups were created, existed already or failed. */
export type GroupReport = ImportReport & { readonly groups: number };

/** The schema of a report; `groups` is the name under which it counts them. */
export const GroupImportView = (groups: string) =>
  closed({ ...ImportView.properties, [groups]: Type.Integer({ description: "What the other numbers count." }) });

const batch_rows = 50;
const problems_max = 100;

/**
 * Imports a file. It is read twice: first to count the rows of each group, which need not be adjacent; then each group
 * is saved when its last row was read. A bad row fails its own group only, and importing the same file again changes
 * nothing. Refuses: validation_failed, malformed_request and unsupported_media_type, when it is no such file.
 */
export async function importGroups<Row>(
  store: Writer,
  file: SheetFile,
  it: GroupImport<Row>,
  actor: Actor,
  { onStart = () => {}, onRow = () => {}, rows_max = Number.POSITIVE_INFINITY }: Watching = {},
): Promise<GroupReport> {
  const { rows, counts } = await countRows(file, it, rows_max);
  onStart(rows);
  const tally = new Tally(it.columns);
  const waiting = new Map<string, Gathered<Row>>();
  let batch: Group<Row>[] = [];
  let size = 0;
  const flush = async () => {
    await saveGroups(store, it, batch, tally, actor);
    batch = [];
    size = 0;
  };
  for await (const read of readTable(file, it)) {
    onRow();
    const key = keyOf(read);
    const row = readRow(it, read);
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

async function countRows(file: SheetFile, table: Table, max: number) {
  const counts = new Map<string, number>();
  let rows = 0;
  for await (const row of readTable(file, table)) {
    rows += 1;
    if (rows > max) throw tooMany(max);
    counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  }
  return { rows, counts };
}

/** The name of a row's group, also when the rest of the row cannot be read; a row without one is its own group. */
const keyOf = ({ name, line }: TableRow) => name ?? `\n${line}`;

type Read<Row> = SheetRow<Row> | { readonly problems: readonly RowProblem[] };

function readRow<Row>(it: GroupImport<Row>, { line, name, record }: TableRow): Read<Row> {
  try {
    return { line, name, row: it.read(record()) };
  } catch (error) {
    return { problems: rowProblems(refused(line, error), name, it.columns) };
  }
}

async function saveGroups<Row>(
  store: Writer,
  it: GroupImport<Row>,
  groups: readonly Group<Row>[],
  tally: Tally,
  actor: Actor,
): Promise<void> {
  // Other requests run between two transactions.
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

/** The problems of a group, each with its row: else with the first row that has the field. */
function problemsOf(fault: Fault, rows: readonly SheetRow<unknown>[], columns: readonly Column[]): RowProblem[] {
  const { fields = [] } = fault.facts;
  const [first] = rows;
  if (fields.length === 0)
    return [{ line: first?.line ?? 0, name: first?.name ?? null, field: null, message: fault.message }];
  return fields.slice(0, problems_max).flatMap((problem) => {
    const [, at, field = problem.field] = /^rows\[(\d+)\]\.(.*)$/.exec(problem.field) ?? [];
    const row = at === undefined ? (rows.find(({ row }) => says(row, field)) ?? first) : (rows[Number(at)] ?? first);
    const own = new Fault(fault.code, fault.message, { fields: [{ ...problem, field }] });
    return rowProblems({ line: row?.line ?? 0, change: "failed", fault: own }, row?.name ?? null, columns);
  });
}

/** Whether a row has a value for a field such as `shipping_address.city`. */
function says(row: unknown, field: string): boolean {
  const found = field.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], row);
  return found !== undefined && found !== null;
}

/**
 * Imports the file in a request's body and answers 200 with the report, in which `name` counts the groups. With an
 * `Idempotency-Key` a repeated request gets the first report and imports nothing.
 */
export async function answerGroupImport<Row>(call: Call, it: GroupImport<Row>, name: string): Promise<Response> {
  return withFile(call, (file) =>
    answerLongWork(call, async () => {
      const { groups, ...report } = await importGroups(writerOf(call), file, it, call.actor, { rows_max });
      return answerWrite(call, 200, async () => ({ ...report, [name]: groups }));
    }),
  );
}
