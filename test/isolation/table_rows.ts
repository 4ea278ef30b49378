// A snapshot of all rows of all tables.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns, getTableName, is, sql, Table } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { engine } from "../../src/core/config.ts";
import type { Db, Tx } from "../../src/storage/database.ts";
import { ownerOf } from "../../src/storage/scope.ts";

const folder = join(import.meta.dir, "../../db/schema");

/** Tables without anyone's records: stored responses and request logs. */
const aside = new Set(["idempotency_keys", "requests", "request_blocks", "key_observations"]);

const modules = await Promise.all(readdirSync(folder).map((file) => import(join(folder, file))));
const tables = modules
  .flatMap((module) => Object.values(module as object))
  .filter((one): one is PgTable => is(one, Table) && !aside.has(getTableName(one as Table)));

/** The names of the tables whose rows name their owner. */
export const ownedTables: readonly string[] = modules
  .flatMap((module) => Object.values(module as object))
  .filter((one) => ownerOf(one) !== null)
  .map((one) => getTableName(one as Table));

/** The rows by table name and key, each as text. */
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

/** The rows of each table in one text. PostgreSQL needs none: it reports what a transaction has written. */
export async function contentsOf(db: Db): Promise<ReadonlyMap<string, string | null>> {
  const found = new Map<string, string | null>();
  if (engine === "postgres") return found;
  for (const table of tables) {
    const columns = Object.values(getTableColumns(table)).filter(({ name }) => name !== "last_used_at");
    const row = columns.map(({ name }) => `quote("${name}")`).join(" || ',' || ");
    const [all] = await db.sql.select({ text: sql<string | null>`group_concat(${sql.raw(row)})` }).from(table);
    found.set(getTableName(table), all?.text ?? null);
  }
  return found;
}

/** The names of the tables that a transaction has written to, since they had these contents. */
export async function writtenTables(tx: Tx, before: ReadonlyMap<string, string | null>): Promise<ReadonlySet<string>> {
  if (engine !== "postgres")
    return new Set([...(await contentsOf(tx))].flatMap(([name, text]) => (before.get(name) === text ? [] : [name])));
  const written = sql<boolean>`n_tup_ins + n_tup_upd + n_tup_del > 0`;
  const rows = await tx.sql.select({ name: sql<string>`relname` }).from(sql`pg_stat_xact_user_tables`).where(written);
  return new Set(rows.map(({ name }) => name));
}

/** The key of a row: its id if it has one, else the whole row. */
function keyOf(row: Readonly<Record<string, unknown>>): string {
  return row["id"] === undefined ? JSON.stringify(row) : String(row["id"]);
}

/** The rows that were added or changed between two snapshots. */
export function newRows(before: Rows, after: Rows): Rows {
  const found = new Map<string, Map<string, string>>();
  for (const [table, rows] of after) {
    const old = before.get(table);
    found.set(table, new Map([...rows].filter(([key, text]) => old?.get(key) !== text)));
  }
  return found;
}

/** The changes to the rows of the tables in `now`: a short text for each that was removed or changed. */
export function changesOf(rows: Rows, now: Rows): string[] {
  return [...now].flatMap(([table, found]) =>
    [...(rows.get(table) ?? [])].flatMap(([key, text]) => {
      const other = found.get(key);
      if (other === text) return [];
      return [`${table} ${key.slice(0, 60)} ${other === undefined ? "is gone" : "changed"}`];
    }),
  );
}
