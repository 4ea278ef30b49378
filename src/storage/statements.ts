// Prepared statements. Each is built once per connection: building SQL costs ten times as much as running it.
import {
  and,
  count,
  eq,
  getTableColumns,
  type InferInsertModel,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql as template,
} from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, int, list, listed, named, opaque, table, text } from "../../db/kit.ts";
import { engine } from "../core/config.ts";
import { assert } from "../core/faults.ts";
import { type CompiledRows, type CompiledStatement, compileRowInsert, compileStatement } from "./compiled_statement.ts";
import type { Db, InsertableRow, ReadStatements, Tx, WriteStatements } from "./database.ts";
import { bareOf, handlesOf, ownerOf, scope_places, usesScope } from "./scope.ts";

/** The arguments of a prepared statement, by name. They can be used wherever Drizzle takes a value. */
export type StatementArgs<A> = { readonly [K in keyof A & string]: Placeholder<K, A[K]> & SQL<A[K]> };

interface BuiltStatement<R> {
  prepare(name: string): CompiledStatement<R>;
  toSQL(): { readonly params: readonly unknown[] };
}

/** A prepared statement: called with a view or transaction and its arguments. */
type PreparedRunner<S extends ReadStatements, A, R> = (db: { readonly sql: S }, values: A) => Promise<R>;

let made_count = 0;

/**
 * Prepares a query for reuse: `const byId = prepared((sql, a: StatementArgs<{ id: number }>) => sql.select().from(t)…)`
 * with `a.id` where the value goes, then `await byId(db, { id })`. A query that changes rows types its first argument
 * `sql: WriteStatements` and then takes a `Tx`. Values for bool and json columns can be used only in `set` and
 * `values`, where Drizzle knows their column. One statement serves base stores; if a scope adds a condition, a second
 * one serves all merchants.
 */
export function prepared<A, R, S extends ReadStatements = ReadStatements>(
  build: (sql: S, args: StatementArgs<A>) => BuiltStatement<R>,
): PreparedRunner<S, A, R> {
  const made = new WeakMap<ReadStatements, CompiledStatement<R>>();
  const name = `p${made_count++}`;
  const args = new Proxy({}, { get: (_, key) => template.placeholder(String(key)) }) as StatementArgs<A>;
  const make = (sql: S) => {
    const ready = compileStatement(build(sql, args).prepare(name));
    made.set(sql, ready);
    return ready;
  };
  const first = async (sql: S, values: Record<string, unknown>) => {
    const within = handlesOf(sql);
    if (within === null) return make(sql).execute(values);
    const bare = within.bare as unknown as S;
    const query = build(within.pattern as unknown as S, args);
    if (usesScope(query.toSQL().params)) {
      const ready = compileStatement(query.prepare(name + within.mark));
      made.set(within.pattern, ready);
      return ready.execute(values, within.scope);
    }
    const ready = made.get(bare) ?? make(bare);
    made.set(sql, ready);
    return ready.execute(values);
  };
  return ({ sql }, values) => {
    const ready = made.get(sql);
    if (ready !== undefined) return ready.execute(values as never);
    const within = handlesOf(sql);
    const scoped = within === null ? undefined : made.get(within.pattern);
    return scoped === undefined ? first(sql, values as never) : scoped.execute(values as never, within?.scope);
  };
}

/**
 * Prepares a query for rows by integer ids: `const linesOf = preparedOf((sql, isOf) =>
 * sql.select().from(t).where(isOf(t.order_id)))`, then `await linesOf(db, { ids })`. Prepared twice, since on SQLite a
 * list of one id is slower than `=`.
 */
export function preparedOf<R, A = object, S extends ReadStatements = ReadStatements>(
  build: (sql: S, isOf: (column: AnyPgColumn) => SQL, args: StatementArgs<A>) => BuiltStatement<R>,
): PreparedRunner<S, A & { readonly ids: readonly number[] }, R> {
  const one = prepared((sql: S, a: StatementArgs<A & { id: number }>) =>
    build(sql, (column) => eq(column, opaque(a.id)), a),
  );
  const some = prepared((sql: S, a: StatementArgs<A & { ids: string }>) =>
    build(sql, (column) => among(column, a.ids), a),
  );
  return (db, values) => {
    const { ids } = values;
    const [id] = ids;
    return id !== undefined && ids.length === 1 ? one(db, { ...values, id }) : some(db, { ...values, ids: list(ids) });
  };
}

/**
 * Prepares a count of rows per record: `const linesOf = preparedCounts(order_lines.order_id)`, then `await linesOf(db,
 * ids)`. Counts only rows that satisfy `where`: a partial index needs its condition.
 */
export function preparedCounts(of: AnyPgColumn, where?: SQL): (db: Db, ids: readonly number[]) => Promise<number[]> {
  const counted = preparedOf((sql, isOf) =>
    sql
      .select({ id: named(of, "of"), rows: count() })
      .from(of.table)
      .where(and(isOf(of), where))
      .groupBy(of),
  );
  return async (db, ids) => {
    if (ids.length === 0) return [];
    const found = new Map((await counted(db, { ids })).map(({ id, rows }) => [Number(id), rows]));
    return ids.map((id) => found.get(id) ?? 0);
  };
}

/** A query of ids that can become a subquery. */
interface NamedIdQuery {
  as(alias: string): SQLWrapper & { readonly id: SQLWrapper };
}

/**
 * Prepares a query that may return many `id`s: `await found(db, { …, max })` returns them, or null when there are more
 * than `max`. They are fetched as one list in one row: thousands of rows cost ten times as much as finding them.
 */
export function preparedIds<A>(
  build: (sql: ReadStatements, args: StatementArgs<A>) => NamedIdQuery,
): PreparedRunner<ReadStatements, A & { readonly max: number }, number[] | null> {
  const found = prepared((sql, a: StatementArgs<A & { max: number }>) => {
    const rows = build(sql, a as unknown as StatementArgs<A>).as("found");
    const beyond = template`(select 1 from ${rows} limit 1 offset ${opaque(a.max)})`;
    const all = template`(select ${listed(rows.id)} from ${rows})`;
    return sql
      .select({ ids: template<string | null>`case when ${beyond} is null then ${all} end` })
      .from(template`(select 1) as one`);
  });
  return async (db, values) => {
    // PostgreSQL rejects a negative offset.
    if (values.max < 0) return null;
    const [row] = await found(db, values);
    return row?.ids == null ? null : (JSON.parse(row.ids) as number[]);
  };
}

/**
 * Inserts rows: one prepared statement per row on SQLite, where building SQL is slow; one for all on PostgreSQL, where
 * round trips are. PostgreSQL inserts are not awaited: a failure fails the next statement, the savepoint or the commit.
 * Rows without an owner belong to the merchant of the scope.
 */
export async function insert<T extends PgTable>(
  tx: Tx,
  table: T,
  rows: readonly InsertableRow<InferInsertModel<T>>[],
): Promise<void> {
  if (engine === "postgres") {
    for (const some of chunksOf(rows as readonly ReturnedRow[]))
      await insertSome(tx, table, some, null).later(some, tx.scope);
    return;
  }
  for (const row of rows as readonly ReturnedRow[]) await insertOne(tx, table, row);
}

/** Inserts rows as `insert` does and returns their ids, in the order of the rows. */
export async function insertIds<T extends PgTable & { id: AnyPgColumn }>(
  tx: Tx,
  table: T,
  rows: readonly InsertableRow<InferInsertModel<T>>[],
): Promise<number[]> {
  const ids: number[] = [];
  if (engine === "postgres") {
    for (const some of chunksOf(rows as readonly ReturnedRow[])) {
      const returned = await insertSome(tx, table, some, table.id).execute(some, tx.scope);
      for (const [id] of returned) ids.push(id as number);
    }
  } else {
    // SQLite reports the last inserted id in half the time that `returning` takes.
    for (const row of rows as readonly ReturnedRow[]) {
      const { lastInsertRowid } = (await insertOne(tx, table, row)) as { readonly lastInsertRowid: number };
      ids.push(lastInsertRowid);
    }
  }
  assert(ids.length === rows.length, "every inserted row must have an id");
  return ids;
}

// SQLite's own table of the last id of each table.
const sqlite_sequence = table("sqlite_sequence", { name: text().notNull(), seq: int().notNull() });

const nextSeq = prepared((sql: WriteStatements, a: StatementArgs<{ name: string; count: number }>) =>
  sql
    .update(sqlite_sequence)
    .set({ seq: template`${sqlite_sequence.seq} + ${a.count}` })
    .where(template`${sqlite_sequence.name} = ${a.name}`)
    .returning({ last: sqlite_sequence.seq }),
);
const nextValues = prepared((sql, a: StatementArgs<{ name: string; count: number }>) =>
  sql
    .select({ id: template<number>`nextval(pg_get_serial_sequence(${a.name}, 'id'))`.mapWith(Number) })
    .from(template`generate_series(1, cast(${a.count} as integer)) as one`),
);

/** Allocates the next ids of a table, for rows that are inserted under them later. */
export async function allotIds(tx: Tx, name: string, count: number): Promise<number[]> {
  if (engine === "postgres") return (await nextValues(tx, { name, count })).map(({ id }) => id);
  const [row] = await nextSeq(tx, { name, count });
  assert(row !== undefined, `${name} must have an id sequence`);
  return Array.from({ length: count }, (_, at) => row.last - count + 1 + at);
}

/** Allocates the next id of a table. */
export async function allotId(tx: Tx, name: string): Promise<number> {
  const [id = 0] = await allotIds(tx, name, 1);
  return id;
}

type ReturnedRow = Record<string, unknown>;

const namesOf = (row: ReturnedRow) => Object.keys(row).filter((name) => row[name] !== undefined);

// A statement with this many rows stays far below the parameter limit.
const rows_max = 128;

/**
 * Splits rows into chunks for one statement each: adjacent rows with the same columns, at most 8 or a power of two, so
 * that a few prepared statements serve lists of any length.
 */
function* chunksOf(rows: readonly ReturnedRow[]): Generator<readonly ReturnedRow[]> {
  for (let at = 0; at < rows.length; ) {
    const shape = namesOf(rows[at] as ReturnedRow).join();
    let same_shape = 1;
    while (
      same_shape < rows_max &&
      at + same_shape < rows.length &&
      namesOf(rows[at + same_shape] as ReturnedRow).join() === shape
    )
      same_shape += 1;
    const count = same_shape <= 8 ? same_shape : 2 ** Math.floor(Math.log2(same_shape));
    yield rows.slice(at, at + count);
    at += count;
  }
}

const row_inserts = new WeakMap<WriteStatements, Map<PgTable, Map<string, CompiledRows>>>();

/** The statement that inserts rows with these columns on PostgreSQL, prepared once per connection. */
function insertSome(tx: Tx, table: PgTable, rows: readonly ReturnedRow[], id: AnyPgColumn | null): CompiledRows {
  const sql = bareOf(tx.sql);
  const names = namesOf(rows[0] as ReturnedRow);
  const tables = row_inserts.getOrInsertComputed(sql, () => new Map());
  const shapes = tables.getOrInsertComputed(table, () => new Map());
  const shape = `${rows.length} ${names.join()} ${id === null ? "" : "returning"}`;
  return shapes.getOrInsertComputed(shape, () => {
    const [one, all] = [1, rows.length].map((count) => insertOf(sql, table, names, id, count));
    return compileRowInsert(one as CompiledStatement<unknown>, all as CompiledStatement<unknown>);
  });
}

const inserts = new WeakMap<WriteStatements, Map<PgTable, Map<string, CompiledStatement<unknown>>>>();

async function insertOne(tx: Tx, table: PgTable, row: ReturnedRow): Promise<unknown> {
  const sql = bareOf(tx.sql);
  const names = namesOf(row);
  const tables = inserts.getOrInsertComputed(sql, () => new Map());
  const shapes = tables.getOrInsertComputed(table, () => new Map());
  const made = () => compileStatement(insertOf(sql, table, names, null, 1));
  return shapes.getOrInsertComputed(names.join(), made).execute(row, tx.scope);
}

/** Prepares an insert of `count` rows with the named columns. The scope provides a missing owner. */
function insertOf(
  sql: WriteStatements,
  table: PgTable,
  names: readonly string[],
  id: AnyPgColumn | null,
  count: number,
): CompiledStatement<unknown> {
  for (const column of Object.values(getTableColumns(table))) {
    assert(column.defaultFn === undefined, `${column.name} has a default that would be computed only once`);
  }
  const owner = ownerOf(table) === null ? {} : { merchant_id: template.placeholder(scope_places.owner) };
  const values = { ...owner, ...Object.fromEntries(names.map((name) => [name, template.placeholder(name)])) };
  const query = sql.insert(table).values(Array.from({ length: count }, () => values) as never);
  const name = `p${made_count++}`;
  return id === null ? query.prepare(name) : query.returning({ id }).prepare(name);
}
