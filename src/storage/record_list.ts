// Lists of records. A list is declared once, as its filters and orders. From these come the schema of its query, its
// pages, the number of its records and its cursors.
import {
  type Static,
  type TArray,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox";
import { and, asc, desc, eq, gte, inArray, lt, or, type SQL, type SQLWrapper, sql as template } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, contains, list } from "../../db/kit.ts";
import { momentOf } from "../core/clock.ts";
import { csvExportFields } from "../core/csv_columns.ts";
import { assert } from "../core/faults.ts";
import { type IdNoun, readIds } from "../core/ids.ts";
import {
  choice,
  closed,
  idField,
  type PagePosition,
  type PageWindow,
  pageFields,
  several,
  type TimeFilterName,
  textField,
  timeSchemas,
} from "../core/schema.ts";
import type { Db, ReadStatements } from "./database.ts";
import type { LongRecords } from "./long_records.ts";

type Condition = SQL | undefined;

/** A filter of a list: the schema of its parameter, and the condition for a value. */
interface ListFilter<Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  condition(value: Static<Schema>, db: Db): Condition | Promise<Condition>;
}

/** A filter with a condition of its own. */
export function filter<Schema extends TSchema>(
  schema: Schema,
  condition: (value: Static<Schema>, db: Db) => Condition | Promise<Condition>,
): ListFilter<Schema> {
  return { schema, condition };
}

/** A filter by one or several values, separated by commas: records that meet the condition of one of them. */
export function anyOf<Item extends TSchema>(
  item: Item,
  condition: (value: Static<Item>, db: Db) => Condition | Promise<Condition>,
): ListFilter<TArray<Item>> {
  return filter(several(item), async (values, db) =>
    or(...(await Promise.all((values as readonly Static<Item>[]).map((value) => condition(value, db))))),
  );
}

/** Condition: a column has one of these values. */
export const isAmong = (column: AnyPgColumn, values: readonly unknown[]) =>
  values.length === 1 ? eq(column, values[0]) : inArray(column, [...values]);

/** Records whose column has this value, or one of several. */
export function equals<Item extends TSchema>(column: AnyPgColumn, item: Item): ListFilter<TArray<Item>> {
  return filter(several(item), (values) => isAmong(column, values as readonly unknown[]));
}

/** Records whose column has this value, which is only one: a text may contain commas. */
export function exactly<Schema extends TSchema>(column: AnyPgColumn, schema: Schema): ListFilter<Schema> {
  return filter(schema, (value) => eq(column, value));
}

/** Records that refer to the record with this identifier, or to one of several. A malformed one matches none. */
export function refersTo(column: AnyPgColumn, noun: IdNoun, description?: string) {
  return filter(several(idField(noun, description)), (ids) => isAmong(column, readIds(noun, ids)));
}

/** Records with the value in one of these texts, or that meet one of these conditions. */
export function search(
  description: string,
  places: readonly (SQLWrapper | ((piece: string, db: Db) => Condition))[],
  max_length = 100,
) {
  return filter(textField(max_length, { description }), (piece, db) =>
    or(...places.map((place) => (typeof place === "function" ? place(piece, db) : contains(place, piece)))),
  );
}

/** A parameter without a condition of its own: `within` of the list reads it. */
export function parameter<Schema extends TSchema>(schema: Schema): ListFilter<Schema> {
  return filter(schema, () => undefined);
}

/** `<name>_after` and `<name>_before`: records whose time is this moment or later, and records whose time is before. */
export function timeFilters<const Name extends string>(name: Name, column: AnyPgColumn) {
  const { after, before } = timeSchemas(name);
  return {
    [`${name}_after`]: filter(after, (moment) => gte(column, momentOf(moment))),
    [`${name}_before`]: filter(before, (moment) => lt(column, momentOf(moment))),
  } as Readonly<Record<TimeFilterName<Name>, ListFilter<typeof after>>>;
}

/** The filters that every list has by itself: by the time of creation, and of the last change if records change. */
function ownTimeFilters(table: PgTable, created_at?: AnyPgColumn): Filters {
  const columns = table as unknown as { readonly [Name in "created_at" | "updated_at"]?: AnyPgColumn };
  const created = created_at ?? columns.created_at;
  return {
    ...(created && timeFilters("created", created)),
    ...(columns.updated_at && timeFilters("updated", columns.updated_at)),
  };
}

/** An order of a list. */
interface ListOrder {
  readonly by: readonly SQL[];
  /** Condition: a record comes after this position. */
  readonly beyond: (position: PagePosition) => SQL;
  readonly position: (record: never) => PagePosition;
}

interface OrderOptions {
  /** The unique column that decides between equal keys; the `id` of the same table by default. */
  readonly id?: AnyPgColumn;
  /** The record's field that holds the key, if it is not named as the column. */
  readonly field?: string;
}

const never = Number.MAX_SAFE_INTEGER;

function orderBy(
  key: AnyPgColumn,
  { id = idOf(key), field = key.name }: OrderOptions,
  rising: boolean,
  last?: number,
): ListOrder {
  const sorted = last === undefined ? template`${key}` : template`coalesce(${key}, ${template.raw(String(last))})`;
  const direction = rising ? asc : desc;
  const sign = template.raw(rising ? ">" : "<");
  return {
    by: [direction(sorted), direction(id)],
    beyond: (position) => template`(${sorted}, ${id}) ${sign} (${position[0]}, ${position[1]})`,
    position: (record: Readonly<Record<string, number | null>>) => {
      const [at, own] = [record[field] ?? last, record[id.name]];
      assert(at != null && own != null, `a record of a list has the fields ${field} and ${id.name}`);
      return [at, own];
    },
  };
}

const idOf = (column: AnyPgColumn) => (column.table as unknown as { readonly id: AnyPgColumn }).id;

/** Lowest first. */
export const ascending = (key: AnyPgColumn, options: OrderOptions = {}) => orderBy(key, options, true);

/** Highest first. */
export const descending = (key: AnyPgColumn, options: OrderOptions = {}) => orderBy(key, options, false);

/** Lowest first; records without a value come last. */
export const soonest = (key: AnyPgColumn, options: OrderOptions = {}) => orderBy(key, options, true, never);

/** Newest first by id alone, which is the order of creation. Positions also hold the time of creation. */
export const newestIds = (column: AnyPgColumn): ListOrder => ({
  by: [desc(column)],
  beyond: ([, id]) => lt(column, id),
  position: ({ created_at, id }: { readonly created_at: number; readonly id: number }) => [created_at, id],
});

type Filters = Readonly<Record<string, ListFilter>>;
type FilterFields<F extends Filters> = { -readonly [Name in keyof F]: TOptional<F[Name]["schema"]> };
type SortField<S extends string> = [S] extends [never] ? unknown : { sort: TOptional<ReturnType<typeof choice<S[]>>> };
type ObjectOf<Fields> = TObject<Extract<Fields, TProperties>>;

/** The values of a list's filters, and its order. */
type ListValues<F extends Filters, S extends string> = {
  readonly [Name in keyof F]?: Static<F[Name]["schema"]> | undefined;
} & { readonly [Name in TimeFilterName<"created" | "updated">]?: string | undefined } & {
  readonly sort?: S | undefined;
};

/** How a list is declared. */
interface ListSpec<Row, Listed, F extends Filters, S extends string> {
  /** The columns of a row, with joins; the table's columns by default. */
  readonly select?: (sql: ReadStatements) => { readonly _: { readonly result: Row[] } };
  readonly filters?: F;
  /** The time of creation, which `created_after` and `created_before` compare; the column `created_at` by default. */
  readonly created_at?: AnyPgColumn;
  /** The condition of all records of the list. `parent` is the `id` in the path of its route. */
  readonly within?: SQL | ((db: Db, values: ListValues<F, S>, parent: string) => Condition | Promise<Condition>);
  /** Selects `count`, from the joins that filters refer to. */
  readonly counted?: (
    sql: ReadStatements,
    values: ListValues<F, S>,
  ) => { readonly _: { readonly result: { count: number }[] } };
  /** Newest first by default. */
  readonly order?: ListOrder;
  /** Orders by the values of `sort`. The default is `-created_at`, or else the first. */
  readonly sorts?: Readonly<Record<S, ListOrder>>;
  readonly sort_note?: string;
  /** Makes records of the rows of a page. */
  readonly records?: (rows: readonly Row[], db: Db) => readonly Listed[] | Promise<readonly Listed[]>;
  /** For records that may be long, such as receipts with their lines. */
  readonly long?: LongRecords<NoInfer<Listed>>;
}

/** The window of a page; by default from the start. */
type Window = Pick<PageWindow, "limit"> & Partial<PageWindow>;

/** A list: the source of its route, and of its CSV file. */
interface RecordList<Listed, F extends Filters, S extends string> {
  /** The schema of the query of its route. */
  readonly query: ObjectOf<typeof pageFields & FilterFields<F> & SortField<S>>;
  /** The schema of the query of its CSV file. */
  readonly export_query: ObjectOf<FilterFields<F> & typeof csvExportFields>;
  readonly rows: (db: Db, values: ListValues<F, S>, window: Window, parent?: string) => Promise<readonly Listed[]>;
  /** The records after one (null: from the start). */
  readonly after: (db: Db, values: ListValues<F, S>, last: Listed | null, limit: number) => Promise<readonly Listed[]>;
  readonly count: (db: Db, values: ListValues<F, S>, parent?: string) => Promise<number>;
  /** The records of the list with these ids. */
  readonly ofIds: (db: Db, ids: readonly number[]) => Promise<readonly Listed[]>;
  /** How a route reads the list for a request. */
  readonly listing: (request: { readonly query: ListValues<F, S>; readonly params: unknown }) => {
    readonly rows: (db: Db, window: PageWindow) => Promise<readonly Listed[]>;
    readonly count: (db: Db) => Promise<number>;
    readonly position: (record: Listed) => PagePosition;
    readonly long?: LongRecords<Listed>;
  };
}

/** What every query builder of Drizzle has, without its types. */
interface RowQuery extends PromiseLike<unknown[]> {
  where(condition: Condition): RowQuery;
  orderBy(...by: readonly SQL[]): RowQuery;
  limit(rows: number): RowQuery;
  offset(rows: number): RowQuery;
}

/** Declares the list of a table's records. */
export function recordList<
  T extends PgTable,
  Row = T["$inferSelect"],
  Listed = Row,
  const F extends Filters = Readonly<Record<never, ListFilter>>,
  S extends string = never,
>(table: T, spec: ListSpec<Row, Listed, F, S> = {}): RecordList<Listed, F, S> {
  const { select, counted, within, records, long } = spec;
  const all: Filters = { ...spec.filters, ...ownTimeFilters(table, spec.created_at) };
  const filters = Object.entries(all);
  const orderOf = ordersOf(table, spec);
  const conditionOf = async (db: Db, values: ListValues<F, S>, parent = ""): Promise<Condition> => {
    const conditions = [typeof within === "function" ? await within(db, values, parent) : within];
    for (const [name, { condition }] of filters) {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      if (value !== undefined) conditions.push(await condition(value, db));
    }
    return and(...conditions);
  };
  const rowsOf = async (
    db: Db,
    condition: Condition,
    sort: S | undefined,
    window: Window,
  ): Promise<readonly Listed[]> => {
    const { limit, offset = 0, after = null } = window;
    const { by, beyond } = orderOf(sort);
    const from = (select?.(db.sql) ?? db.sql.select().from(table as PgTable)) as unknown as RowQuery;
    const rows = (await from
      .where(and(condition, after === null ? undefined : beyond(after)))
      .orderBy(...by)
      .limit(limit)
      .offset(offset)) as Row[];
    return records === undefined ? (rows as unknown as Listed[]) : records(rows, db);
  };
  const countOf = async (db: Db, condition: Condition, values: ListValues<F, S>): Promise<number> => {
    if (counted === undefined) return db.sql.$count(table, condition);
    const [row] = (await (counted(db.sql, values) as unknown as RowQuery).where(condition)) as { count: number }[];
    return row?.count ?? 0;
  };
  const positionIn = (values: ListValues<F, S>) => orderOf(values.sort).position as (record: Listed) => PagePosition;
  return {
    ...schemasOf({ ...spec, filters: all as unknown as F }),
    rows: async (db, values, window, parent) => rowsOf(db, await conditionOf(db, values, parent), values.sort, window),
    count: async (db, values, parent) => countOf(db, await conditionOf(db, values, parent), values),
    ofIds: async (db, ids) => {
      const isNamed = among((table as unknown as { readonly id: AnyPgColumn }).id, template`${list(ids)}`);
      return rowsOf(db, and(await conditionOf(db, {}), isNamed), undefined, { limit: ids.length });
    },
    after: async (db, values, last, limit) => {
      const after = last === null ? null : positionIn(values)(last);
      return rowsOf(db, await conditionOf(db, values), values.sort, { limit, after });
    },
    listing: ({ query, params }) => {
      const id = (params as { readonly id?: string } | undefined)?.id;
      // The rows and their count have the same condition, which may look up the records that the request names.
      const conditions = new WeakMap<Db, Promise<Condition>>();
      const conditionIn = (db: Db) => conditions.getOrInsertComputed(db, () => conditionOf(db, query, id));
      return {
        rows: async (db, window) => rowsOf(db, await conditionIn(db), query.sort, window),
        count: async (db) => countOf(db, await conditionIn(db), query),
        position: positionIn(query),
        ...(long && { long }),
      };
    },
  };
}

function ordersOf<S extends string>(
  table: PgTable,
  { order, sorts }: Pick<ListSpec<never, never, never, S>, "order" | "sorts">,
): (sort: S | undefined) => ListOrder {
  if (sorts === undefined) {
    const only = order ?? descending((table as unknown as { readonly created_at: AnyPgColumn }).created_at);
    return () => only;
  }
  const names = Object.keys(sorts) as S[];
  const default_sort = names.find((name) => name === "-created_at") ?? (names[0] as S);
  return (sort = default_sort) => sorts[sort];
}

/** The schemas of the queries of a list and of its CSV file. */
function schemasOf<F extends Filters, S extends string>({
  filters = {} as F,
  sorts,
  sort_note,
}: Pick<ListSpec<never, never, F, S>, "filters" | "sorts" | "sort_note">) {
  const fields = Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, Type.Optional(schema)]));
  const words = sorts && choice(Object.keys(sorts), { ...(sort_note && { description: sort_note }) });
  const query = closed({ ...pageFields, ...fields, ...(words && { sort: Type.Optional(words) }) });
  const export_query = closed({ ...fields, ...csvExportFields });
  return { query, export_query } as unknown as Pick<RecordList<never, F, S>, "query" | "export_query">;
}
