// The numbers that records are given, as the database keeps them.
import { sql as template } from "drizzle-orm";
import { int, table, text } from "../../db/kit.ts";
import { engine } from "../config.ts";
import type { Tx } from "./store.ts";

/** SQLite's own table of how far each table's ids have come; it holds a row for each table from its first migration. */
const sqlite_sequence = table("sqlite_sequence", { name: text().notNull(), seq: int().notNull() });

/** Lets every record that is made from now on have a number that is greater by so much than it would have been. */
export async function advanceSequences(tx: Tx, by: number): Promise<void> {
  if (engine === "sqlite") {
    await tx.sql.update(sqlite_sequence).set({ seq: template`${sqlite_sequence.seq} + ${by}` });
    return;
  }
  const sequence = template`pg_class sequence join pg_namespace on pg_namespace.oid = sequence.relnamespace`;
  await tx.sql
    .select({
      at: template`setval(sequence.oid, coalesce(pg_sequence_last_value(sequence.oid), 0) + cast(${by} as bigint))`,
    })
    .from(sequence)
    .where(template`sequence.relkind = 'S' and nspname = current_schema()`);
}
