// Copies an installation's rows from a source to a target, and compares both.

import { resolve } from "node:path";
import { databaseUrlProblem, UsageError } from "../core/config.ts";
import {
  byName,
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  type EndPurpose,
  type InstallationEnd,
  type InstallationStore,
  keyOf,
} from "./installation_end.ts";
import { databaseLabel } from "./postgres/postgres_store.ts";
import { isStartRefused, startRefused } from "./start_refused.ts";

/** A table at the source and at the target. */
export interface TablePair {
  readonly from: CopiedTable;
  readonly to: CopiedTable;
}

/** The first difference between two tables, as text; null when there is none. */
export type TableDifference = string | null;

/** Receives the number of rows that were copied or compared, and of those that an earlier run had copied. */
export interface CopyProgress {
  step(rows: number): void;
  skip(rows: number): void;
}

const chunk_chars = 2_000_000;
const rows_max = 2000;

/** The tables to copy. Refuses schemas that differ, and tables that cannot be copied. */
export async function pairsOf(source: InstallationStore, target: InstallationStore): Promise<readonly TablePair[]> {
  const [mine_made, other_made] = [await source.migrations(), await target.migrations()];
  if (mine_made.join() !== other_made.join()) {
    const only = (some: readonly string[], others: readonly string[]) => some.filter((name) => !others.includes(name));
    const difference = [...only(mine_made, other_made), ...only(other_made, mine_made)].join(", ");
    const way = "Upgrade both to the same version first.";
    throw startRefused("unsuitable", `Only one side has the migrations ${difference}. ${way}`);
  }
  const [from, to] = [await source.tables(), await target.tables()];
  const described = (tables: readonly CopiedTable[]) =>
    tables.map(({ name, columns, key }) => ({ name, text: JSON.stringify([name, columns, key]) })).sort(byName);
  const [mine, other] = [described(from), described(to)];
  const difference = mine.find(({ text }, at) => other[at]?.text !== text) ?? other[mine.length];
  if (difference !== undefined)
    throw startRefused(
      "unsuitable",
      `The table ${difference.name} differs between source and target, so it cannot be moved.`,
    );
  return from.map((table) => ({ from: table, to: to.find(({ name }) => name === table.name) as CopiedTable }));
}

/**
 * Copies the rows that the target does not have yet, in key order. Rows from an interrupted run are always the first
 * ones, so copying continues after the last of them.
 */
export async function copyTable(
  source: InstallationStore,
  target: InstallationStore,
  { from, to }: TablePair,
  steps: CopyProgress,
): Promise<void> {
  if (from.key.length === 0) return copyWhole(source, target, { from, to }, steps);
  let after = await target.last(to);
  if (after !== null) steps.skip(await target.count(to));
  let writing: Promise<void> = Promise.resolve();
  for (const pages = new TablePages(); ; ) {
    const rows = await source.page(from, after, pages.limit);
    await writing;
    if (rows.length === 0) return;
    pages.adjustTo(rows);
    after = keyOf(from, rows.at(-1) as CopiedRow);
    writing = putRows(target, to, rows).then(() => steps.step(rows.length));
    // Awaited with the next page, where its failure is thrown.
    writing.catch(() => {});
  }
}

async function copyWhole(
  source: InstallationStore,
  target: InstallationStore,
  { from, to }: TablePair,
  steps: CopyProgress,
): Promise<void> {
  const rows = await source.page(from, null, 0);
  await target.clear([to]);
  if (rows.length > 0) await putRows(target, to, rows);
  steps.step(rows.length);
}

/**
 * Inserts rows. If the target refuses some, the rows before the first refused one are inserted, and the error names
 * that row.
 */
async function putRows(target: InstallationStore, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  try {
    return await target.put(table, rows);
  } catch (error) {
    if (rows.length === 1) throw refused(table, rows[0] as CopiedRow, error);
  }
  for (const row of rows) await putRows(target, table, [row]);
}

function refused(table: CopiedTable, row: CopiedRow, error: unknown): unknown {
  if (isStartRefused(error) || !(error instanceof Error)) return error;
  const at = table.key.length > 0 ? table.key : table.columns.map((_, nth) => nth);
  const which = at.map((nth) => `${table.columns[nth]?.name} ${row[nth]?.slice(0, 60) ?? "null"}`).join(", ");
  return Object.assign(
    startRefused("unsuitable", `The target refused a row of ${table.name} (${which}): ${error.message}`),
    { cause: error },
  );
}

/** Compares both tables row by row, in key order. */
export async function compareTable(
  source: InstallationStore,
  target: InstallationStore,
  { from, to }: TablePair,
  steps: CopyProgress,
): Promise<TableDifference> {
  let after: CopiedRow | null = null;
  for (const pages = new TablePages(); ; ) {
    const [mine, other]: (readonly CopiedRow[])[] = await Promise.all([
      source.page(from, after, pages.limit),
      target.page(to, after, pages.limit),
    ]);
    const rows = mine ?? [];
    const at = Array.from({ length: Math.max(rows.length, other?.length ?? 0) }, (_, nth) => nth);
    const difference = at.find((nth) => !isSame(rows[nth], other?.[nth]));
    if (difference !== undefined) return differing(from, rows[difference], other?.[difference]);
    steps.step(rows.length);
    if (rows.length === 0 || from.key.length === 0) return null;
    pages.adjustTo(rows);
    after = keyOf(from, rows.at(-1) as CopiedRow);
  }
}

function isSame(one: CopiedRow | undefined, other: CopiedRow | undefined): boolean {
  return one !== undefined && other !== undefined && one.every((cell, at) => cell === other[at]);
}

function differing(table: CopiedTable, mine: CopiedRow | undefined, other: CopiedRow | undefined): string {
  const named = (row: CopiedRow) => table.key.map((at) => `${table.columns[at]?.name} ${row[at]}`).join(", ");
  if (mine === undefined) return `${table.name}: only the target has ${named(other ?? [])}`;
  if (other === undefined) return `${table.name}: the target lacks ${named(mine)}`;
  const at = mine.findIndex((cell, nth) => cell !== other[nth]);
  return `${table.name}: ${named(mine)} differs in ${table.columns[at]?.name}`;
}

/** The number of rows per page, adjusted so that pages hold about the same amount of text. */
class TablePages {
  limit = 200;

  /** Adjusts the size of the next page to the rows of the last one. */
  adjustTo(rows: readonly CopiedRow[]): void {
    const chars = rows.reduce(
      (sum, row) => sum + row.reduce((all: number, cell: CopiedValue) => all + (cell?.length ?? 1), 0),
      0,
    );
    const fitting = Math.floor((rows.length * chunk_chars) / Math.max(chars, 1));
    this.limit = Math.max(1, Math.min(rows_max, fitting, this.limit * 4));
  }
}

// Opens an installation by its location: a PostgreSQL URL, or a data directory.

/** Whether a location is a PostgreSQL URL. Refuses an invalid URL, naming the flag it came from. */
export function isDatabase(place: string, flag: "--from" | "--to"): boolean {
  if (!/^\w+:\/\//.test(place)) return false;
  const problem = databaseUrlProblem(place);
  if (problem !== null) throw new UsageError(problem.replaceAll("--database-url", flag));
  return true;
}

/**
 * Opens an installation exclusively. Refuses one that is in use, damaged, of another version, or missing as a source.
 */
export async function openEnd(place: string, flag: "--from" | "--to", purpose: EndPurpose): Promise<InstallationEnd> {
  if (isDatabase(place, flag)) {
    const { openPostgresEnd } = await import("./postgres/postgres_end.ts");
    return openPostgresEnd(place, purpose);
  }
  const { openSqliteEnd } = await import("./sqlite/sqlite_end.ts");
  return openSqliteEnd(place, purpose);
}

/** A location for display and comparison: an absolute folder, or a database URL without user and password. */
export function installationPlaceOf(place: string, flag: "--from" | "--to"): string {
  return isDatabase(place, flag) ? databaseLabel(place) : resolve(place);
}
