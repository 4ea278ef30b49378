// Statements that are built once for each connection and reused: building SQL costs ten times what running it does.
import { eq, getTableColumns, type InferInsertModel, type Placeholder, type SQL, sql as template } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, given, int, list, table, text } from "../../db/kit.ts";
import { engine } from "../config.ts";
import { assert } from "../kit/assert.ts";
import { quickened, type Ready } from "./ready.ts";
import type { Reading, Tx, Writing } from "./store.ts";

/** The arguments of a prepared statement, as its query names them: usable wherever Drizzle takes a value. */
export type Args<A> = { readonly [K in keyof A & string]: Placeholder<K, A[K]> & SQL<A[K]> };

interface Built<R> {
  prepare(name: string): Ready<R>;
}

/** A statement to be awaited with what it runs in and its arguments. */
type Prepared<S extends Reading, A, R> = (db: { readonly sql: S }, values: A) => Promise<R>;

let made_count = 0;

/**
 * Prepares a query for reuse: `const byId = prepared((sql, a: Args<{ id: number }>) => sql.select().from(t)…)` with
 * `a.id` where the value goes, then `await byId(db, { id })`. A query that changes rows types its first argument
 * `sql: Writing` and then takes a `Tx`. Values for bool and json columns go into `set` and `values` only, where Drizzle
 * knows the column they are for.
 */
export function prepared<A, R, S extends Reading = Reading>(
  build: (sql: S, args: Args<A>) => Built<R>,
): Prepared<S, A, R> {
  const made = new WeakMap<Reading, Ready<R>>();
  const name = `p${made_count++}`;
  const args = new Proxy({}, { get: (_, key) => template.placeholder(String(key)) }) as Args<A>;
  return async (db, values) => {
    let ready = made.get(db.sql);
    if (ready === undefined) {
      ready = quickened(build(db.sql, args).prepare(name));
      made.set(db.sql, ready);
    }
    return await ready.execute(values as Record<string, unknown>);
  };
}

/**
 * Prepares a query for the rows that some integers name: `const linesOf = preparedOf((sql, isOf) =>
 * sql.select().from(t).where(isOf(t.order_id)))`, then `await linesOf(db, { ids })`. It is kept twice, since to read a
 * list of one costs SQLite more than to find its row.
 */
export function preparedOf<R, A = object, S extends Reading = Reading>(
  build: (sql: S, isOf: (column: AnyPgColumn) => SQL, args: Args<A>) => Built<R>,
): Prepared<S, A & { readonly ids: readonly number[] }, R> {
  const one = prepared((sql: S, a: Args<A & { id: number }>) => build(sql, (column) => eq(column, given(a.id)), a));
  const some = prepared((sql: S, a: Args<A & { ids: string }>) => build(sql, (column) => among(column, a.ids), a));
  return (db, values) => {
    const { ids } = values;
    const [id] = ids;
    return id !== undefined && ids.length === 1 ? one(db, { ...values, id }) : some(db, { ...values, ids: list(ids) });
  };
}

/** Inserts rows: a prepared statement a row on SQLite (building SQL costs), one for all on PostgreSQL (trips cost). */
export async function insert<T extends PgTable>(tx: Tx, table: T, rows: readonly InferInsertModel<T>[]): Promise<void> {
  if (engine === "postgres") {
    for (const some of chunksOf(table, rows)) await tx.sql.insert(table).values(some as never);
    return;
  }
  for (const row of rows as readonly Record<string, unknown>[]) await insertOne(tx.sql, table, row);
}

/** Inserts rows as `insert` does and answers their ids, in the order of the rows. */
export async function insertIds<T extends PgTable & { id: AnyPgColumn }>(
  tx: Tx,
  table: T,
  rows: readonly InferInsertModel<T>[],
): Promise<number[]> {
  const ids: number[] = [];
  if (engine === "postgres") {
    for (const some of chunksOf(table, rows)) {
      const query = tx.sql
        .insert(table)
        .values(some as never)
        .returning({ id: table.id } as never);
      for (const { id } of (await query) as unknown as { id: number }[]) ids.push(id);
    }
  } else {
    // SQLite tells the id of a row that was inserted last in half the time that it takes to return it.
    for (const row of rows as readonly Record<string, unknown>[]) {
      const { lastInsertRowid } = (await insertOne(tx.sql, table, row)) as { readonly lastInsertRowid: number };
      ids.push(lastInsertRowid);
    }
  }
  assert(ids.length === rows.length, "each inserted row has an id");
  return ids;
}

// Where SQLite keeps how far the ids of each table have come.
const sqlite_sequence = table("sqlite_sequence", { name: text().notNull(), seq: int().notNull() });

/** The next id of a table, for a row that is stored under it later. */
export async function allotId(tx: Tx, name: string): Promise<number> {
  const { seq } = sqlite_sequence;
  const next = template<number>`nextval(pg_get_serial_sequence(${name}, 'id'))`.mapWith(Number);
  const [row] =
    engine === "postgres"
      ? await tx.sql.select({ id: next }).from(template`(select 1) as one`)
      : await tx.sql
          .update(sqlite_sequence)
          .set({ seq: template`${seq} + 1` })
          .where(template`${sqlite_sequence.name} = ${name}`)
          .returning({ id: seq });
  assert(row !== undefined, `the ids of ${name} have begun`);
  return row.id;
}

const parameters_max = 65_535;

/** The rows in parts that one statement can take. */
function* chunksOf<Row>(table: PgTable, rows: readonly Row[]): Generator<readonly Row[]> {
  const chunk = Math.floor(parameters_max / Object.keys(getTableColumns(table)).length);
  for (let at = 0; at < rows.length; at += chunk) yield rows.slice(at, at + chunk);
}

const inserts = new WeakMap<Writing, Map<PgTable, Map<string, Ready<unknown>>>>();

async function insertOne(sql: Writing, table: PgTable, row: Record<string, unknown>): Promise<unknown> {
  const names = Object.keys(row).filter((name) => row[name] !== undefined);
  const tables = getOrMake(inserts, sql, () => new Map<PgTable, Map<string, Ready<unknown>>>());
  const shapes = getOrMake(tables, table, () => new Map<string, Ready<unknown>>());
  return getOrMake(shapes, names.join(), () => insertOf(sql, table, names)).execute(row);
}

function insertOf(sql: Writing, table: PgTable, names: readonly string[]): Ready<unknown> {
  for (const column of Object.values(getTableColumns(table))) {
    assert(column.defaultFn === undefined, `${column.name} has a default that would be computed once and kept`);
  }
  const values = Object.fromEntries(names.map((name) => [name, template.placeholder(name)]));
  return quickened<unknown>(
    sql
      .insert(table)
      .values(values as never)
      .prepare(""),
  );
}

function getOrMake<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
