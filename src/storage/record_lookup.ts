// Records by their identifier. A lookup is declared once, as its table, its noun and what completes its rows.
import { eq } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { forUpdate } from "../../db/kit.ts";
import { missing } from "../core/faults.ts";
import { type IdNoun, readId } from "../core/ids.ts";
import type { Db, ReadStatements, Tx } from "./database.ts";
import { prepared, type StatementArgs } from "./statements.ts";

/** A table whose rows have an integer id. */
type IdentifiedTable = PgTable & { readonly id: AnyPgColumn };

interface LookupOptions<Row, Found> {
  /** The noun in refusals, if it differs from that of identifiers. */
  readonly called?: string;
  /** Completes a row to its record, for example with its lines; or `records` completes several. */
  readonly record?: (db: Db, row: Row) => Found | Promise<Found>;
  readonly records?: (db: Db, rows: readonly Row[]) => Promise<readonly Found[]>;
}

/**
 * Finds the record of a table that an identifier names, such as `rcp_1001` or `1001`. `lock` also locks its row until
 * the transaction ends. Both refuse: resource_missing.
 */
export function recordLookup<Table extends IdentifiedTable, Found = Table["$inferSelect"]>(
  table: Table,
  noun: IdNoun,
  { called = noun, record, records }: LookupOptions<Table["$inferSelect"], Found> = {},
) {
  type Row = Table["$inferSelect"];
  const rowById = (sql: ReadStatements, id: StatementArgs<{ id: number }>["id"]) =>
    sql
      .select()
      .from(table as IdentifiedTable)
      .where(eq(table.id, id));
  const byId = prepared((sql, a: StatementArgs<{ id: number }>) => rowById(sql, a.id));
  const lockedById = prepared((sql, a: StatementArgs<{ id: number }>) => forUpdate(rowById(sql, a.id)));
  const find = async (db: Db, id: string | number, read: typeof byId): Promise<Found> => {
    const [row] = (await read(db, { id: readId(noun, id) ?? 0 })) as readonly Row[];
    if (row === undefined) throw missing(called, id);
    const [found = row as Found] = (await records?.(db, [row])) ?? [];
    return record?.(db, row) ?? found;
  };
  return {
    get: (db: Db, id: string | number) => find(db, id, byId),
    lock: (tx: Tx, id: string | number) => find(tx, id, lockedById),
  };
}
