// The source or target of a migration of an installation. It uses the engine's own driver, independent of the engine of
// this process. Tables and columns come from the database's catalog, so new tables need no new code.
import type { Environment } from "../core/environment.ts";

/** A value in a form common to both engines: integers as digits, booleans as 0 or 1, bytes as hexadecimal. */
export type CopiedValue = string | null;
/** The values of a row, in the order of its table's columns. */
export type CopiedRow = readonly CopiedValue[];
export type CopiedType = "integer" | "text" | "bytes";

/** A table that is copied row by row. */
export interface CopiedTable {
  readonly name: string;
  /** Sorted by name, which is the same order in both engines. */
  readonly columns: readonly { readonly name: string; readonly kind: CopiedType }[];
  /** The positions of the primary key's columns. Empty without a key; the table is then read as a whole. */
  readonly key: readonly number[];
}

/** One environment of an installation. */
export interface InstallationStore {
  readonly mode: Environment;
  /** The names of its applied migrations. */
  migrations(): Promise<readonly string[]>;
  /** All tables except those of the database itself (`kept_apart`), sorted by name. */
  tables(): Promise<readonly CopiedTable[]>;
  count(table: CopiedTable): Promise<number>;
  /** The rows after this key, in key order; all rows of a table without a key. */
  page(table: CopiedTable, after: CopiedRow | null, limit: number): Promise<readonly CopiedRow[]>;
  /** The key of the last row; null when the table is empty. */
  last(table: CopiedTable): Promise<CopiedRow | null>;
  /** The last id that each table has allocated. */
  sequences(): Promise<ReadonlyMap<string, string>>;
  /** The store's last saved time (ms); 0 without one. */
  time(): Promise<string>;
  /** The row of `installation`, by column, without its environment and its mark. */
  itself(): Promise<ReadonlyMap<string, CopiedValue>>;
  mark(): Promise<string | null>;
  setMark(mark: string | null): Promise<void>;

  /** What must be dropped while rows are copied (triggers, foreign keys, indexes), with statements that restore it. */
  resting(): Promise<readonly { readonly drop: string; readonly restore: string }[]>;
  /** Runs statements and sets the mark, all or nothing. */
  run(statements: readonly string[], mark: string | null): Promise<void>;
  /** Deletes all rows of these tables, all or nothing. */
  clear(tables: readonly CopiedTable[]): Promise<void>;
  /** Inserts rows, all or nothing. */
  put(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  /** Stores the results of `sequences`, `time` and `itself`, all or nothing. Refuses rows with dangling references. */
  settle(facts: InstallationFacts): Promise<void>;
}

/** What an environment stores in addition to its tables. */
export interface InstallationFacts {
  readonly sequences: ReadonlyMap<string, string>;
  readonly time: string;
  readonly itself: ReadonlyMap<string, CopiedValue>;
}

/** How it is opened: a `source` must exist and is only read; a `target` is created if it does not exist. */
export type EndPurpose = "source" | "target";

/** An installation that is open exclusively until it is closed. */
export interface InstallationEnd {
  readonly engine: "sqlite" | "postgres";
  /** For display: its folder, or its database URL without user and password. */
  readonly place: string;
  readonly environments: Readonly<Record<Environment, InstallationStore>>;
  /** Lets other processes read it during `work`, while it stays open here. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Tables of the database itself: applied migrations, commit numbers, saved time. `installation` is copied with
 * `itself`, the time with `time`.
 */
export const excluded_tables: readonly string[] = ["migrations", "commit_sequence", "store_clock", "installation"];

/** Columns of `installation` that are not copied. */
export const own_columns: readonly string[] = ["id", "mode", "moving"];

/** Compares names by their bytes, as both engines' catalogs do. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** The key of a row. */
export const keyOf = (table: CopiedTable, row: CopiedRow): CopiedRow => table.key.map((at) => row[at] ?? null);

/** Sorts the rows of a table without a key, independently of the engine. */
export function inOrder(rows: readonly CopiedRow[]): readonly CopiedRow[] {
  const texts = rows.map((row) => ({ row, name: JSON.stringify(row) }));
  return texts.sort(byName).map(({ row }) => row);
}
