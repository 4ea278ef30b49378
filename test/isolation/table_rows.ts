// All rows of all tables, as they are at one time.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { getTableName, is, sql, Table } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { engine } from "../../src/core/config.ts";
import type { Db, Tx } from "../../src/storage/database.ts";
import { ownerOf } from "../../src/storage/scope.ts";

const folder = join(import.meta.dir, "../../db/schema");

/** What says nothing of anybody's records: answers that are kept for a repeated request, and what was asked when. */
const aside = new Set(["idempotency_keys", "requests", "request_blocks", "key_observations"]);

const modules = await Promise.all(readdirSync(folder).map((file) => import(join(folder, file))));
const tables = modules
  .flatMap((module) => Object.values(module as object))
  .filter((one): one is PgTable => is(one, Table) && !aside.has(getTableName(one as Table)));

/** The names of the tables whose rows say whose they are. */
export const ownedTables: readonly string[] = modules
  .flatMap((module) => Object.values(module as object))
  .filter((one) => ownerOf(one) !== null)
  .map((one) => getTableName(one as Table));

/** The rows of each table by its name, each as text. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads all rows, or those of some tables. */
export async function allRows(db: Db, of: ReadonlySet<string> | null = null): Promise<Rows> {
  const found = new Map<string, Map<string, string>>();
  for (const table of tables.filter((one) => of?.has(getTableName(one)) ?? true)) {
    const rows = await db.sql.select().from(table);
    const texts = new Map<string, string>();
    for (const { last_used_at: _, ...row } of rows as Record<string, unknown>[]) {
      texts.set(keyOf(row), JSON.stringify(row));
    }
    found.set(getTableName(table), texts);
  }
  return found;
}

/** The names of the tables that a transaction has written to; null where the database does not tell. */
export async function writtenTables(tx: Tx): Promise<ReadonlySet<string> | null> {
  if (engine !== "postgres") return null;
  const written = sql<boolean>`n_tup_ins + n_tup_upd + n_tup_del > 0`;
  const rows = await tx.sql.select({ name: sql<string>`relname` }).from(sql`pg_stat_xact_user_tables`).where(written);
  return new Set(rows.map(({ name }) => name));
}

/** What a row is known by: its id where it has one, else all of it. */
function keyOf(row: Readonly<Record<string, unknown>>): string {
  return row["id"] === undefined ? JSON.stringify(row) : String(row["id"]);
}

/** The rows that came or changed between two times. */
export function newRows(before: Rows, after: Rows): Rows {
  const found = new Map<string, Map<string, string>>();
  for (const [table, rows] of after) {
    const old = before.get(table);
    found.set(table, new Map([...rows].filter(([key, text]) => old?.get(key) !== text)));
  }
  return found;
}

/** What became of rows of the tables that were read: each that is gone or changed, in a few words. */
export function changesOf(rows: Rows, now: Rows): string[] {
  return [...now].flatMap(([table, found]) =>
    [...(rows.get(table) ?? [])].flatMap(([key, text]) => {
      const other = found.get(key);
      if (other === text) return [];
      return [`${table} ${key.slice(0, 60)} ${other === undefined ? "is gone" : "changed"}`];
    }),
  );
}
