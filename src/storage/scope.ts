// Whose records a statement sees and makes. A scoped handle is a Drizzle object of the same connection whose dialect
// says so by itself, in each statement over a table that has a column `merchant_id`: nobody writes the condition.
import {
  type AnyColumn,
  eq,
  exists,
  getTableColumns,
  getTableName,
  is,
  Param,
  Placeholder,
  SQL,
  Table,
  sql as template,
} from "drizzle-orm";
import { type AnyPgColumn, PgDatabase, PgDialect, type PgTable } from "drizzle-orm/pg-core";
import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { engine } from "../core/config.ts";
import { assert } from "../core/faults.ts";
import type { ReadStatements, TenantScope, WriteStatements } from "./database.ts";

/** The scope of a bare store: all records are seen, and each says by itself whose it is. */
export const unscoped: TenantScope = { sees: null, makes: null };

/** The places of a prepared statement where the scope it runs in puts its merchants. */
export const scope_places = { sees: "merchant_of_scope", makes: "maker_of_scope" } as const;

/** A scope as text, to keep apart what belongs to different ones; empty for that of a bare store. */
export function scopeKey({ sees, makes }: TenantScope): string {
  return sees === null && makes === null ? "" : `${sees ?? ""}/${makes ?? ""}`;
}

/** The column that says whose rows a table's are; null for a table that has none, and for anything but a table. */
export function ownerOf(source: unknown): AnyColumn | null {
  if (!is(source, Table)) return null;
  const { merchant_id }: { readonly merchant_id?: AnyColumn } = getTableColumns(source);
  return merchant_id ?? null;
}

/** What a handle puts into its statements: ids of merchants, or the places for them. */
type OwnerReference = number | Placeholder | null;
interface OwnerReferences {
  readonly sees: OwnerReference;
  readonly makes: OwnerReference;
}

/** What a handle does for a connection: statements prepared by its pattern serve all handles that share it. */
interface ScopedHandles {
  /** The connection's own handle, which adds nothing. */
  readonly bare: WriteStatements;
  /** Builds what is prepared, with places instead of merchants. */
  readonly pattern: WriteStatements;
  /** Tells the names of statements prepared by this pattern from those of the bare handle. */
  readonly mark: string;
  readonly scope: TenantScope;
}

const within = new WeakMap<ReadStatements, ScopedHandles>();
/** The handles that see the records of one merchant alone, and the patterns of such. */
const narrow = new WeakSet<ReadStatements>();
/** The handles of a connection by their scope, and its patterns by their mark. */
interface ConnectionHandles {
  readonly handles: Map<string, WriteStatements>;
  readonly patterns: Map<string, WriteStatements>;
}
const connections = new WeakMap<ReadStatements, ConnectionHandles>();
const handles_max = 256;

/** What scope a handle is of; null for the bare one of a connection. */
export function withinOf(sql: ReadStatements): ScopedHandles | null {
  return within.get(sql) ?? null;
}

/** The handle that all handles of a connection come from: what is kept for each connection is kept by it. */
export function bareOf<S extends ReadStatements>(sql: S): S {
  return (within.get(sql)?.bare as unknown as S | undefined) ?? sql;
}

/**
 * That a row belongs to a record that the handle sees, by its parent's id: for tables whose rows are somebody's through
 * their parent alone. Undefined where the handle sees all, so that nothing is asked there.
 */
export function isOfSeen(
  sql: ReadStatements,
  parent: PgTable & { readonly id: AnyPgColumn },
  id: AnyPgColumn,
): SQL | undefined {
  if (!narrow.has(sql)) return undefined;
  return exists(sql.select({ one: template`1` }).from(parent).where(eq(parent.id, id)));
}

/** The handle of the same connection for a scope; the same one each time, while it is not forgotten. */
export function scopedSql<S extends ReadStatements>(sql: S, scope: TenantScope): S {
  const bare = bareOf(sql) as unknown as WriteStatements;
  const key = scopeKey(scope);
  if (key === "") return bare as unknown as S;
  const known = connections.get(bare);
  const { handles, patterns } = known ?? {
    handles: new Map<string, WriteStatements>(),
    patterns: new Map<string, WriteStatements>(),
  };
  if (known === undefined) connections.set(bare, { handles, patterns });
  return unwrappedScope(handles, key, () => {
    const mark = scope.sees === null ? "f" : "m";
    const sees = scope.sees === null ? null : template.placeholder(scope_places.sees);
    const makes = template.placeholder(scope_places.makes);
    const pattern = unwrappedScope(patterns, mark, () => handleOf(bare, { sees, makes }));
    const handle = handleOf(bare, scope);
    within.set(handle, { bare, pattern, mark, scope });
    return handle;
  }) as unknown as S;
}

/** What was made under a key. Of many the oldest are forgotten, which costs no more than to make them again. */
export function unwrappedScope<Thing>(things: Map<string, Thing>, key: string, make: () => Thing): Thing {
  const known = things.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (things.size >= handles_max) {
    let left = handles_max / 2;
    for (const old of things.keys()) if (left-- > 0) things.delete(old);
  }
  things.set(key, made);
  return made;
}

/** What is read of a query before it is built. */
interface QueryConfig {
  readonly table: unknown;
  readonly where?: SQL | undefined;
  /** Of an update alone. */
  readonly from?: unknown;
  readonly set?: { readonly merchant_id?: unknown };
  readonly joins?: readonly JoinConfig[] | undefined;
}
interface JoinConfig {
  readonly table: unknown;
  readonly joinType: string;
  readonly on?: SQL | undefined;
}
interface InsertConfig {
  readonly table: Table;
  /** Rows, or the SQL that selects them. */
  readonly values: readonly { readonly merchant_id?: Param | SQL }[] | SQL;
}

/** What is changed in the dialects of both engines. */
interface PatchedDialect {
  buildSelectQuery(query: QueryConfig): SQL;
  buildUpdateQuery(query: QueryConfig): SQL;
  buildDeleteQuery(query: QueryConfig): SQL;
  buildInsertQuery(insertion: InsertConfig): SQL;
}

/** What is changed in the handles of both engines. */
interface PatchedHandle {
  $count(source: unknown, filters?: SQL): unknown;
  insert(table: Table): { values: UpsertBuilder; select: UpsertBuilder };
}
type UpsertBuilder = (rows: unknown) => UpsertConfig;
interface UpsertConfig {
  onConflictDoUpdate(config: { readonly setWhere?: SQL | undefined }): unknown;
}

function handleOf(bare: WriteStatements, owners: OwnerReferences): WriteStatements {
  const { session } = bare as unknown as { readonly session: never };
  const dialect = engine === "postgres" ? new PgDialect() : new SQLiteSyncDialect();
  const handle =
    engine === "postgres"
      ? new PgDatabase(dialect as PgDialect, session, undefined)
      : new BaseSQLiteDatabase("sync", dialect as SQLiteSyncDialect, session, undefined);
  fillInserts(dialect as unknown as PatchedDialect, owners.makes);
  if (owners.sees !== null) {
    narrowQueries(dialect as unknown as PatchedDialect, owners.sees);
    narrowHandle(handle as unknown as PatchedHandle, owners.sees);
    narrow.add(handle as unknown as WriteStatements);
  }
  return handle as unknown as WriteStatements;
}

/** Makes each query of a dialect see one merchant's rows alone. Queries within it are built by the same dialect. */
function narrowQueries(dialect: PatchedDialect, sees: OwnerReference): void {
  const select = dialect.buildSelectQuery.bind(dialect);
  const update = dialect.buildUpdateQuery.bind(dialect);
  const remove = dialect.buildDeleteQuery.bind(dialect);
  dialect.buildSelectQuery = (query) => select(narrowed(query, sees));
  dialect.buildDeleteQuery = (query) => remove(narrowed(query, sees));
  dialect.buildUpdateQuery = (query) => {
    const gives = ownerOf(query.table) !== null && query.set?.merchant_id !== undefined;
    assert(!gives, `rows of ${nameOf(query.table)} do not change hands in the scope of one merchant`);
    return update(narrowed(query, sees));
  };
}

/** Makes what Drizzle builds without its dialect see one merchant's rows alone: counts, and rows that are met. */
function narrowHandle(handle: PatchedHandle, sees: OwnerReference): void {
  const count = handle.$count.bind(handle);
  const insert = handle.insert.bind(handle);
  handle.$count = (source, filters) => count(source, both(filters, mine(source, sees)));
  handle.insert = (table) => {
    const begun = insert(table);
    const own = mine(table, sees);
    if (own === undefined) return begun;
    for (const name of ["values", "select"] as const) {
      const begin = begun[name].bind(begun);
      begun[name] = (rows) => {
        const query = begin(rows);
        const update = query.onConflictDoUpdate.bind(query);
        query.onConflictDoUpdate = (config) => update({ ...config, setWhere: both(config.setWhere, own) });
        return query;
      };
    }
    return begun;
  };
}

/** Makes each insert of a dialect say whose the rows are that do not say it. */
function fillInserts(dialect: PatchedDialect, makes: OwnerReference): void {
  const insert = dialect.buildInsertQuery.bind(dialect);
  dialect.buildInsertQuery = (insertion) => {
    const owner = ownerOf(insertion.table);
    // Rows that are selected give each column.
    if (owner === null || is(insertion.values, SQL)) return insert(insertion);
    assert(Array.isArray(insertion.values), `rows for ${nameOf(insertion.table)} are selected by plain SQL alone`);
    const values = insertion.values.map((row) => {
      const said = row.merchant_id;
      if (said !== undefined && !(is(said, Param) && said.value === undefined)) return row;
      return { ...row, merchant_id: new Param(ownerOfScope(owner, makes), owner) };
    });
    return insert({ ...insertion, values });
  };
}

/** Who is to own a row of the column's table that does not say it. */
export function ownerOfScope(owner: AnyColumn, makes: OwnerReference): OwnerReference {
  assert(makes !== null || !owner.notNull, `nothing says whose a row of ${nameOf(owner.table)} is`);
  return makes;
}

function narrowed(query: QueryConfig, sees: OwnerReference): QueryConfig {
  let where = both(query.where, both(mine(query.table, sees), mine(query.from, sees)));
  const joins = query.joins?.map((join) => {
    const own = mine(join.table, sees);
    // Rows that only the other side has would come without any condition of theirs.
    const turned = join.joinType === "right" || join.joinType === "full";
    assert(!turned, `a ${join.joinType} join is not built in the scope of one merchant`);
    if (own === undefined) return join;
    if (join.on !== undefined) return { ...join, on: both(join.on, own) };
    where = both(where, own);
    return join;
  });
  return { ...query, where, joins };
}

/** The condition that the rows of a table are a merchant's; undefined where nobody owns them. */
function mine(source: unknown, sees: OwnerReference): SQL | undefined {
  const owner = ownerOf(source);
  if (owner === null) return undefined;
  const isOwner = eq(owner, sees);
  // SQLite takes any index to find ten rows. Where another one helps, it shall not read all that a merchant has.
  return engine === "postgres" ? isOwner : template`likelihood(${isOwner}, 0.5)`;
}

/** Both conditions, in brackets: one that is written in plain SQL may be an `or`. */
function both(first: SQL | undefined, second: SQL | undefined): SQL | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return template`(${first}) and (${second})`;
}

const nameOf = (table: unknown) => (is(table, Table) ? getTableName(table) : "a table");

/** What of the scope a statement runs in goes into a place of it; null for a place that the scope does not fill. */
export function scopePlace(param: unknown): keyof TenantScope | null {
  const place = is(param, Param) ? param.value : param;
  if (!is(place, Placeholder)) return null;
  if (place.name === scope_places.sees) return "sees";
  return place.name === scope_places.makes ? "makes" : null;
}

/** Whether values of a statement come from the scope that it runs in. */
export function usesScope(params: readonly unknown[]): boolean {
  return params.some((param) => scopePlace(param) !== null);
}
