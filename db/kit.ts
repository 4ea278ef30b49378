// The column kit: a table defined once is a SQLite table or a PostgreSQL table. Types come from pg-core, whose builders
// can only be awaited, so that code that compiles runs on both engines; SQLite's tables are cast to them here.
import { type AnyColumn, type GetColumnData, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as pg from "drizzle-orm/pg-core";
import * as lite from "drizzle-orm/sqlite-core";
import { engine } from "../src/core/config.ts";
import { pack, unpack } from "./packing/packing.ts";

const isPostgres = engine === "postgres";
const pick = <T>(postgres: T, sqlite: unknown): T => (isPostgres ? postgres : (sqlite as T));

export const table = pick(pg.pgTable, lite.sqliteTable);
// Text sorts by its bytes on both engines, so that a list and its cursors walk the same order on each.
const plainText = pg.customType<{ data: string }>({ dataType: () => 'text collate "C"' });
export const text = () => pick(plainText() as unknown as ReturnType<typeof pg.text>, lite.text());
export const int = () => pick(pg.bigint({ mode: "number" }), lite.integer());
export const bool = () => pick(pg.boolean(), lite.integer({ mode: "boolean" }));
/** JSON as text on both engines, never queried by path. */
export const json = <T>() => pick(pg.json().$type<T>(), lite.text({ mode: "json" }).$type<T>());
/**
 * A long text, mostly JSON, stored compressed and never queried by its contents; `hasText` checks whether it is empty.
 */
export const packed = () => pick(pgPacked(), litePacked());
const packing = { toDriver: pack, fromDriver: unpack };
const pgPacked = pg.customType<{ data: string; driverData: Uint8Array }>({ dataType: () => "bytea", ...packing });
const litePacked = lite.customType<{ data: string; driverData: Uint8Array }>({ dataType: () => "blob", ...packing });
/** JSON that is stored compressed. */
export const packedJson = <T>() => pick(pgPackedJson().$type<T>(), litePackedJson().$type<T>());
const packingJson = {
  toDriver: (value: unknown) => pack(JSON.stringify(value)),
  fromDriver: (bytes: Uint8Array): unknown => JSON.parse(unpack(bytes)),
};
const pgPackedJson = pg.customType<{ data: unknown; driverData: Uint8Array }>({
  ...{ dataType: () => "bytea", ...packingJson },
});
const litePackedJson = lite.customType<{ data: unknown; driverData: Uint8Array }>({
  ...{ dataType: () => "blob", ...packingJson },
});
/** Raw bytes, such as a document. */
export const bytes = () => pick(pgBytes(), liteBytes());
const pgBytes = pg.customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const liteBytes = lite.customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "blob" });
/** Whether a packed column holds any text. */
export const hasText = (column: AnyColumn | SQLWrapper): SQL => sql`length(${column}) > 0`;
/** A timestamp: milliseconds since 1970, which sort and compute the same on both engines. */
export const time = int;
/** A calendar date without a zone: days since 1970-01-01. */
export const day = int;
/** The integer key of a record, allocated by the database and never reused. */
export const id = () =>
  pick(
    pg.bigint({ mode: "number" }).primaryKey().generatedByDefaultAsIdentity(),
    lite.integer().primaryKey({ autoIncrement: true }),
  );
export const index = pick(pg.index, lite.index);
export const unique = pick(pg.uniqueIndex, lite.uniqueIndex);
export const primaryKey = pick(pg.primaryKey, lite.primaryKey);
export const foreignKey = pick(pg.foreignKey, lite.foreignKey);
// It sorts after any character that a text can contain.
const last_character = "\u{10ffff}";

const constraint = pick(pg.check, lite.check);

/** A CHECK constraint from a condition in plain SQL. */
export const check = (name: string, condition: string) => constraint(name, sql.raw(condition));

/**
 * A CHECK that a text column holds one of a fixed list of words, such as statuses; for lists that grow see `words.ts`.
 * SQLite compares the words one by one, since it would build a table for an `in` list at each insert. PostgreSQL parses
 * the condition for each statement, and one array is parsed faster than a list.
 */
export const oneOf = (name: string, column: string, words: readonly string[]) => {
  const each = words.map((word) => `${column} = '${word}'`).join(" or ");
  return check(`${name}_${column}`, isPostgres ? `${column} = any ('{${words.join(",")}}'::text[])` : each);
};

/** A CHECK that a text column is not empty and contains no space, dash or lower-case ASCII letter. */
export const plainNumber = (name: string, column: string) => {
  const holds = isPostgres ? `${column} ~ '[a-z -]'` : `${column} glob '*[a-z -]*'`;
  return check(`${name}_${column}`, `not (${holds}) and ${column} <> ''`);
};

/** A partial index's condition in plain SQL. */
export const where = (condition: string): SQL => sql.raw(condition);

/**
 * Whether a column holds one of these constant words, written as literals. An engine uses a partial index only if its
 * condition appears in the query, and it does not look into parameters.
 */
export const isOneOf = (column: AnyColumn | SQLWrapper, words: readonly string[]): SQL => {
  const quoted = sql.raw(words.map((word) => `'${word}'`).join(", "));
  return words.length === 1 ? sql`${column} = ${quoted}` : sql`${column} in (${quoted})`;
};

/** Case-insensitive search for a substring; on SQLite only ASCII letters are case-insensitive. */
export const contains = (column: AnyColumn | SQLWrapper, piece: string): SQL =>
  sql`lower(${column}) like ${`%${piece.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`} escape '\\'`;

/** A pattern with `*` for any text, case-sensitive. */
export const matches = (column: AnyColumn | SQLWrapper, pattern: string): SQL =>
  isPostgres
    ? sql`${column} like ${pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")} escape '\\'`
    : sql`${column} glob ${pattern.replace(/[[?]/g, "[$&]")}`;

/** A text in lower case, as an index stores it. Only ASCII letters change on both engines. */
export const folded = (column: AnyColumn | SQLWrapper): SQL => sql`lower(${column})`;

/** An index column in descending order. */
export const descending = (column: AnyColumn | SQLWrapper): SQL => sql`${column} desc`;

/** The digits at the end of a text; empty when it ends in something else. */
export const lastDigits = (column: AnyColumn | SQLWrapper): SQL =>
  sql`substr(${column}, length(rtrim(${column}, '0123456789')) + 1)`;

const between_digits = [" ", "-", "(", ")", ".", "+", "/"];

/** The digits of a telephone number, without separators. */
export const phoneDigits = (column: AnyColumn | SQLWrapper): SQL =>
  between_digits.reduce((text, sign) => sql`replace(${text}, ${sql.raw(`'${sign}'`)}, '')`, sql`${column}`);

/** The last seven digits of a telephone number, which are the same with and without prefixes. */
export const phoneEnd = (column: AnyColumn | SQLWrapper): SQL =>
  isPostgres ? sql`right(${phoneDigits(column)}, 7)` : sql`substr(${phoneDigits(column)}, -7)`;

/** Whether a text contains a substring, ignoring the case of ASCII letters. The substring must be in lower case. */
export const holds = (expression: AnyColumn | SQLWrapper, piece: string): SQL =>
  sql`${folded(expression)} like ${`%${piece.replace(/[\\%_]/g, "\\$&")}%`} escape '\\'`;

/**
 * Whether a text starts with a prefix, in a form that uses an index of the same expression. Without an index, it
 * evaluates the expression once per row.
 */
export const begins = (expression: AnyColumn | SQLWrapper, piece: SQLWrapper): SQL =>
  sql`${expression} between ${piece} and ${piece} || ${last_character}`;

/**
 * Whether a column is one of a list of integers in one parameter (see `list`), so that one prepared statement serves
 * lists of any length. The `select` hides the length from PostgreSQL. Otherwise it would plan the statement again at
 * each run for lists of fewer than ten, which takes longer than most statements.
 */
export const among = (column: AnyColumn | SQLWrapper, values: SQLWrapper): SQL =>
  isPostgres
    ? sql`${column} = any((select ${values}::bigint[])::bigint[])`
    : sql`${column} in (select value from json_each(${values}))`;

/** As `among`, for a text column. */
export const amongTexts = (column: AnyColumn | SQLWrapper, values: SQLWrapper): SQL =>
  isPostgres
    ? sql`${column} = any((select ${values}::text[])::text[])`
    : sql`${column} in (select value from json_each(${values}))`;

/**
 * Whether a column is one of a subquery's results. The subquery runs once. PostgreSQL would otherwise join it, and run
 * it per row if its statistics show a table as empty that has since been filled.
 */
export const amongThose = (column: AnyColumn | SQLWrapper, query: SQLWrapper): SQL =>
  isPostgres ? sql`${column} = any(array(${query}))` : sql`${column} in ${query}`;

/**
 * A bound value that SQLite's planner ignores. A bound limit, or a value compared where a partial index may help, would
 * make SQLite plan the statement again at each run, which takes longer than most queries.
 */
export const opaque = <Value extends SQLWrapper>(value: Value): Value =>
  isPostgres ? value : (sql`+${value}` as unknown as Value);

/**
 * A list of integers or texts as the single parameter of `among` and `amongTexts`. For PostgreSQL it is an array, since
 * its planner expects a hundred values in a JSON list and then reads whole tables.
 */
export const list = (values: readonly (number | string)[]): string =>
  isPostgres ? `{${values.map(element).join()}}` : JSON.stringify(values);
const element = (value: number | string) =>
  typeof value === "number" ? value : `"${value.replace(/[\\"]/g, "\\$&")}"`;

/** A column under another name, so that rows need not be copied to rename their fields. */
export const named = <Column extends AnyColumn>(column: Column, name: string) =>
  sql<GetColumnData<Column>>`${column}`.mapWith(column).as(name);

/** Columns of a table by their own names, for the fields of a select. */
export const columnsOf = <Table extends object, Name extends keyof Table & string>(table: Table, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>;

/** All integers of a query as the text of one JSON list, in the given order. */
export const listed = (column: AnyColumn | SQLWrapper, order: readonly SQL[] = []): SQL => {
  const sorted = order.length === 0 ? column : sql`${column} order by ${sql.join([...order], sql`, `)}`;
  return isPostgres ? sql`coalesce(json_agg(${sorted})::text, '[]')` : sql`json_group_array(${sorted})`;
};

/** The elements of a JSON list column as rows `part(value)`, whose fields are read with `->>`. */
export const eachOf = (column: AnyColumn | SQLWrapper): SQL =>
  isPostgres ? sql`json_array_elements(${column}) as part(value)` : sql`json_each(${column}) as part`;

/**
 * The elements of a JSON list parameter as a table of `value`s, whose fields are read with `->>`. PostgreSQL's planner
 * expects ten elements in an array, but a hundred in a JSON list, for which it would read whole tables.
 */
export const eachIn = (values: SQLWrapper): SQL =>
  isPostgres
    ? sql`(select unnest(array(select json_array_elements(${values}::json))) as value)`
    : sql`json_each(${values})`;

/** The rows of such a list, whose integer fields `inputField` reads. On SQLite, separate statements are faster. */
export const inputRows = (rows: SQLWrapper): SQL => sql`${eachIn(rows)} as input`;
export const inputField = (name: string): SQL<number> => sql.raw(`(input.value->>'${name}')::bigint`) as SQL<number>;

interface Lockable {
  for(
    strength: "update" | "no key update" | "share" | "key share",
    config?: { skipLocked: true } | { of: never },
  ): unknown;
}

/** Locks the rows read until the transaction ends. SQLite has one writer, so there is nothing to lock. */
export const forUpdate = <Q extends Lockable>(query: Q): Q => (isPostgres ? (query.for("no key update") as Q) : query);

/** Prevents changes to the rows read until the transaction ends; other transactions may read them the same way. */
export const forShare = <Q extends Lockable>(query: Q): Q => (isPostgres ? (query.for("share") as Q) : query);

/** As `forUpdate`, but also waits for transactions that have read the rows `forKeyShare`. */
export const forSoleUse = <Q extends Lockable>(query: Q): Q => (isPostgres ? (query.for("update") as Q) : query);

/**
 * Keeps other transactions from locking rows of these tables `forSoleUse` until the transaction ends. Transactions that
 * only update the rows do not wait.
 */
export const forKeyShare = <Q extends Lockable>(query: Q, of: object | readonly object[]): Q =>
  isPostgres ? (query.for("key share", { of: of as never }) as Q) : query;

/** As `forUpdate`, in the order of a column, so that transactions do not deadlock. */
export const forUpdateInOrder = <Q extends Lockable>(query: Q, column: AnyColumn): Q =>
  isPostgres ? forUpdate((query as unknown as { orderBy(column: AnyColumn): Q }).orderBy(column)) : query;

/**
 * Takes the lock of this name until the transaction ends, without waiting. Returns false if another transaction holds
 * it. SQLite has one writer, so it always succeeds.
 */
export const tryLock = (name: SQLWrapper): SQL =>
  isPostgres ? sql`pg_try_advisory_xact_lock(hashtextextended(current_schema() || ${name}::text, 0))` : sql`true`;

/** Locks the rows read and skips those that another transaction holds. */
export const skipLocked = <Q extends Lockable>(query: Q): Q =>
  isPostgres ? (query.for("update", { skipLocked: true }) as Q) : query;
