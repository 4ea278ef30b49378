// Records that may be long because of rows in another table, such as orders because of their lines. A list needs their
// sizes before it reads them completely.
import type { SQL } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "./database.ts";
import { unscoped } from "./scope.ts";
import { preparedCounts, preparedOf } from "./statements.ts";

export interface LongRecords<Row> {
  /** The approximate size of each record as JSON, in bytes. */
  readonly bytes: (db: Db, rows: readonly Row[]) => Promise<readonly number[]> | readonly number[];
  /** The rows with these ids as of a later view, in the same order. Absent if rows hold only ids. */
  readonly again?: (db: Db, ids: readonly number[]) => Promise<readonly Row[]>;
}

/** The approximate size in bytes of a record alone, and of each row that belongs to it. */
interface Sizes {
  readonly record: number;
  readonly part: number;
}

/**
 * Returns a function for the approximate sizes of records by their ids. Counts the rows whose `of` is the record's id
 * and that satisfy `where`.
 */
export function sizesBy(of: AnyPgColumn, { record, part }: Sizes, where?: SQL) {
  const counts = preparedCounts(of, where);
  // The ids were read in scope. Without an owner condition, the index alone provides the count.
  return async (db: Db, ids: readonly number[]) =>
    (await counts(db.scoped(unscoped), ids)).map((parts) => record + parts * part);
}

/** Long records of a table whose size depends on the number of rows whose `of` is the record's id. */
export function longRecords<T extends PgTable & { readonly id: AnyPgColumn }>(table: T, of: AnyPgColumn, sizes: Sizes) {
  type Row = T["$inferSelect"] & { readonly id: number };
  const sizesOf = sizesBy(of, sizes);
  const byIds = preparedOf((sql, isOf) =>
    sql
      .select()
      .from(table as PgTable)
      .where(isOf(table.id)),
  );
  return {
    bytes: (db, rows) =>
      sizesOf(
        db,
        rows.map(({ id }) => id),
      ),
    again: async (db, ids) => inOrderOf(ids, (await byIds(db, { ids })) as Row[]),
  } satisfies LongRecords<Row>;
}

/** Sorts rows in the order of these ids. Ids without a row are left out. */
export function inOrderOf<Row extends { readonly id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
