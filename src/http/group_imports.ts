// Imports of files in which several rows form one record, such as an order. All rows of a record are imported, or none.
import { Type } from "@sinclair/typebox";
import type { Tx, Writer } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { hasLostDigits } from "../kit/csv.ts";
import { Fault } from "../kit/fault.ts";
import { readTable, type SheetFile, type Table, type TableRow } from "../kit/read_table.ts";
import { closed } from "../kit/schema.ts";
import {
  type Column,
  type Group,
  type GroupOutcome,
  type RowProblem,
  refused,
  rowProblems,
  type SheetRow,
} from "../kit/sheet.ts";
import { answerLongWork, answerWrite, writerOf } from "./answer.ts";
import type { Call } from "./call.ts";
import { type FileQuery, withFile } from "./files.ts";
import { type ImportReport, ImportView, rows_max, Tally, tooMany, type Watching } from "./imports.ts";

/** How files of one kind are imported. */
export interface GroupImport<Row> extends Table {
  /** Checks the record of a row by itself. Refuses: validation_failed. */
  readonly read: (record: Record<string, unknown>) => Row;
  /** Writes groups and answers the outcome of each, in their order. Of a group that fails nothing is written. */
  readonly save: (tx: Tx, groups: readonly Group<Row>[], actor: Actor) => Promise<GroupOutcome[]>;
  /**
   * A column that a group must have, the same in all of its rows that do not leave it empty; `keyOf` tells which texts
   * are the same. A row that names no group may belong to each group that says the same.
   */
  readonly same: { readonly column: string; readonly keyOf: (text: string) => string };
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
 * is saved when its last row was read. A bad row fails its own group only; one that names no group fails each group
 * that it may belong to. Importing the same file again changes nothing. Refuses: validation_failed, malformed_request
 * and unsupported_media_type, when it is no such file.
 */
export async function importGroups<Row>(
  store: Writer,
  file: SheetFile,
  it: GroupImport<Row>,
  actor: Actor,
  { onStart = () => {}, onRow = () => {}, rows_max = Number.POSITIVE_INFINITY }: Watching = {},
): Promise<GroupReport> {
  const { rows, counts, strays } = await countRows(file, it, rows_max);
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
    const group = waiting.get(key) ?? { key, line: read.line, owners: new Set(), rows: [], problems: [] };
    const owner = ownerOf(it, read);
    if (owner !== null) group.owners.add(owner);
    if ("problems" in row) group.problems.push(...row.problems);
    else group.rows.push(row);
    waiting.set(key, group);
    const left = (counts.get(key) ?? 1) - 1;
    counts.set(key, left);
    if (left > 0) continue;
    waiting.delete(key);
    const stray = strays.near(group);
    if (stray !== null && group.problems.length === 0) group.problems.push(incomplete(it, group, stray));
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
  readonly line: number;
  /** What its rows say in the column that is the same in all of them. */
  readonly owners: Set<string>;
  readonly rows: SheetRow<Row>[];
  readonly problems: RowProblem[];
}

/** Rows of a file without a group, or whose group number has lost digits in a spreadsheet. */
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

  /** The line of a row that may belong to a group; null where there is none. */
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

function ownerOf<Row>({ same }: GroupImport<Row>, row: TableRow): string | null {
  const text = row.textOf(same.column);
  return text === null ? null : same.keyOf(text);
}

/** Why a group is refused that may lack a row. */
function incomplete<Row>(
  { required: [field] }: GroupImport<Row>,
  { key, line }: Gathered<Row>,
  stray: number,
): RowProblem {
  const message = `may not have all its rows: line ${stray} may belong to it, and does not show its ${field}`;
  return { line, name: key, field, message };
}

async function countRows<Row>(file: SheetFile, it: GroupImport<Row>, max: number) {
  const counts = new Map<string, number>();
  const strays = new Strays();
  let rows = 0;
  for await (const row of readTable(file, it)) {
    strays.add(row.line, row.name, ownerOf(it, row));
    rows += 1;
    if (rows > max) throw tooMany(max);
    counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  }
  return { rows, counts, strays };
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
export async function answerGroupImport<Row>(
  call: Call,
  it: GroupImport<Row>,
  name: string,
  query: FileQuery,
): Promise<Response> {
  return withFile(call, query, (file) =>
    answerLongWork(call, async () => {
      const { groups, ...report } = await importGroups(writerOf(call), file, it, call.actor, { rows_max });
      return answerWrite(call, 200, async () => ({ ...report, [name]: groups }));
    }),
  );
}
