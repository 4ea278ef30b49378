// Every table of the schema and its contents: the rows as the program reads them, unpacked.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns, getTableName, is, Table } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { unpack } from "../../db/packing/packing.ts";
import type { Db } from "../../src/storage/database.ts";

const folder = join(import.meta.dir, "../../db/schema");

/** All tables, by name. */
export async function allTables(): Promise<Map<string, PgTable>> {
  const modules = await Promise.all(readdirSync(folder).map((file) => import(join(folder, file))));
  const found = modules.flatMap((one: object) => Object.values(one)).filter((one) => is(one, Table));
  return new Map(found.map((one) => [getTableName(one as Table), one as unknown as PgTable]));
}

const numbers = /Integer|BigInt|Boolean/;

/** The columns of a table that may contain text: all but numbers, timestamps and booleans. */
export function textColumns(table: PgTable): string[] {
  const columns = Object.values(getTableColumns(table));
  return columns.filter(({ columnType }) => !numbers.test(columnType)).map(({ name }) => name);
}

/**
 * The columns that contain any of the texts, as `orders.customer_name: the text`. An occurrence right after `but` does
 * not count, since it is part of another text.
 */
export async function placesOf(db: Db, texts: readonly string[], but = "nothing"): Promise<string[]> {
  const looked = texts.map((text) => [text, standing(text, but)] as const);
  const found = new Set<string>();
  for (const [name, table] of await allTables()) {
    for (const row of await db.sql.select().from(table)) {
      for (const [column, value] of Object.entries(row as Record<string, unknown>)) {
        const told = value instanceof Uint8Array ? textOf(column, value) : JSON.stringify(value);
        for (const [text, pattern] of looked) if (pattern.test(told)) found.add(`${name}.${column}: ${text}`);
      }
    }
  }
  return [...found].sort();
}

/** The text in bytes: lines of the request log are packed. */
const textOf = (column: string, bytes: Uint8Array): string =>
  column === "lines" ? unpack(bytes) : Buffer.from(bytes).toString();

/** Matches an alphanumeric text in any case, but not right after `but`. */
export const standing = (text: string, but: string): RegExp => new RegExp(`(?<!${but})${text}`, "i");
