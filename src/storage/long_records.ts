// Records that may be long because of rows of another table, such as orders because of their lines: what a list has to
// know before it reads them as a whole.
import type { SQL } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "./database.ts";
import { unscoped } from "./scope.ts";
import { preparedCounts, preparedOf } from "./statements.ts";

export interface LongRecords<Row> {
  /** About how many bytes each record of these rows takes as JSON. */
  readonly bytes: (db: Db, rows: readonly Row[]) => Promise<readonly number[]> | readonly number[];
  /**
   * The rows with these ids as they are in a later view, in the same order. Absent where a row says only which record
   * it is.
   */
  readonly again?: (db: Db, ids: readonly number[]) => Promise<readonly Row[]>;
}

/** About how many bytes of JSON a record takes by itself, and each row that belongs to it. */
interface Sizes {
  readonly record: number;
  readonly part: number;
}

/** About how large records are, by the rows of `of`, which names their records; only those that meet `where`. */
export function sizesBy(of: AnyPgColumn, { record, part }: Sizes, where?: SQL) {
  const counts = preparedCounts(of, where);
  // The ids are those of records that were seen: without an owner, an index alone tells the count.
  return async (db: Db, ids: readonly number[]) =>
    (await counts(db.scoped(unscoped), ids)).map((parts) => record + parts * part);
}

/** The records of a table that are as long as the rows are many which name them in `of`. */
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

/** Rows in the order of their ids; ids that name none are left out. */
export function inOrderOf<Row extends { readonly id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
