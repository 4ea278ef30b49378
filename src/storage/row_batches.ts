// Deletes or changes rows in batches, so that no transaction takes long.
import { and, asc, type SQL } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { amongThose } from "../../db/kit.ts";
import type { Tx } from "./database.ts";

type BatchTable = PgTable & { readonly id: AnyPgColumn };

/** The first `limit` rows that match, ordered by these columns. */
interface RowBatch {
  readonly where: SQL | undefined;
  readonly by: readonly AnyPgColumn[];
  readonly limit: number;
  /** A condition of each selected row, such as one that a concurrent transaction may have ended. */
  readonly still?: SQL | undefined;
}

const isIn = (tx: Tx, table: BatchTable, { where, by, limit, still }: RowBatch) => {
  const first = tx.sql
    .select({ id: table.id })
    .from(table as PgTable)
    .where(where)
    .orderBy(...by.map((column) => asc(column)))
    .limit(limit);
  return and(amongThose(table.id, first), still);
};

/** Deletes a batch of rows, and returns how many. */
export async function deleteBatch(tx: Tx, table: BatchTable, batch: RowBatch): Promise<number> {
  const deleted = await tx.sql
    .delete(table)
    .where(isIn(tx, table, batch))
    .returning({ id: table.id });
  return deleted.length;
}

/** Changes a batch of rows, and returns how many. */
export async function changeBatch<T extends BatchTable>(
  tx: Tx,
  table: T,
  changes: Partial<{ readonly [K in keyof T["$inferInsert"]]: T["$inferInsert"][K] | SQL }>,
  batch: RowBatch,
): Promise<number> {
  const changed = await tx.sql
    .update(table as BatchTable)
    .set(changes as never)
    .where(isIn(tx, table, batch))
    .returning({ id: table.id });
  return changed.length;
}
