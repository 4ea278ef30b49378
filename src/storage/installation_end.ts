// One end of a move: an installation reached by its engine's own driver, whichever the process was started for. Tables
// and columns come from the database's catalog, so that a table which is added later is moved without new code.
import type { Environment } from "../core/environment.ts";

/** A value in the form that both engines' values are brought to: integers as digits, truth as 0 or 1, bytes as hex. */
export type CopiedValue = string | null;
/** The values of a row in the order of its table's columns. */
export type CopiedRow = readonly CopiedValue[];
export type CopiedType = "integer" | "text" | "bytes";

/** A table that is moved row by row. */
export interface CopiedTable {
  readonly name: string;
  /** In the order of their names, which is the same at both ends. */
  readonly columns: readonly { readonly name: string; readonly kind: CopiedType }[];
  /** The places of the columns of its primary key; empty when it has none, and is read as a whole. */
  readonly key: readonly number[];
}

/** One of the two worlds of an installation. */
export interface InstallationStore {
  readonly mode: Environment;
  /** The names of the migrations that made its schema. */
  migrations(): Promise<readonly string[]>;
  /** All tables but those that belong to the database itself (`kept_apart`), in the order of their names. */
  tables(): Promise<readonly CopiedTable[]>;
  count(table: CopiedTable): Promise<number>;
  /** The rows after the one with this key, in the order of the key; all rows of a table without one. */
  page(table: CopiedTable, after: CopiedRow | null, limit: number): Promise<readonly CopiedRow[]>;
  /** The key of the last row; null when the table is empty. */
  last(table: CopiedTable): Promise<CopiedRow | null>;
  /** The last id that each table has allotted. */
  sequences(): Promise<ReadonlyMap<string, string>>;
  /** The store's time as it was kept last (ms); 0 when none was. */
  time(): Promise<string>;
  /** What the database says of itself (`installation`) by column, without its mode and its mark. */
  itself(): Promise<ReadonlyMap<string, CopiedValue>>;
  mark(): Promise<string | null>;
  setMark(mark: string | null): Promise<void>;

  /** What must rest while rows arrive (triggers, foreign keys, indexes), as statements that make it anew. */
  resting(): Promise<readonly { readonly drop: string; readonly restore: string }[]>;
  /** Runs statements and sets the mark, all or nothing. */
  run(statements: readonly string[], mark: string | null): Promise<void>;
  /** Deletes all rows of tables, and sets the mark, all or nothing. */
  clear(tables: readonly CopiedTable[]): Promise<void>;
  /** Adds rows, all or nothing. */
  put(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  /** Sets what `sequences`, `time` and `itself` tell, all or nothing. Refuses rows that refer to nothing. */
  settle(facts: InstallationFacts): Promise<void>;
}

/** What a world keeps beside its tables. */
export interface InstallationFacts {
  readonly sequences: ReadonlyMap<string, string>;
  readonly time: string;
  readonly itself: ReadonlyMap<string, CopiedValue>;
}

/** How an end is opened: a `source` is only read and must be there, a `target` is made where there is none. */
export type EndPurpose = "source" | "target";

/** An installation that nobody else can use until it is closed, or only looked at. */
export interface InstallationEnd {
  readonly engine: "sqlite" | "postgres";
  /** For people: its folder, or its database without user and password. */
  readonly place: string;
  readonly worlds: Readonly<Record<Environment, InstallationStore>>;
  /** Lets others look at it while this one goes on to have it. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Tables of the database itself: what its schema is, how its commits are counted, what its time was. `installation` is
 * moved by `itself`, the time by `time`.
 */
export const kept_apart: readonly string[] = ["migrations", "commit_sequence", "store_clock", "installation"];

/** Columns of `installation` that each end has of its own. */
export const own_columns: readonly string[] = ["id", "mode", "moving"];

/** Orders names as both engines' catalogs are compared: by their bytes. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** The key of a row. */
export const keyOf = (table: CopiedTable, row: CopiedRow): CopiedRow => table.key.map((at) => row[at] ?? null);

/** Rows of a table without a key, in an order that does not depend on the engine. */
export function inOrder(rows: readonly CopiedRow[]): readonly CopiedRow[] {
  const texts = rows.map((row) => ({ row, name: JSON.stringify(row) }));
  return texts.sort(byName).map(({ row }) => row);
}
