// Tenant scopes. A scoped handle is a Drizzle object on the same connection. Its dialect adds the scope to every
// statement on a table with a column `merchant_id`, so that queries need no condition.
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

/** The scope of a base store: all records are visible, and each names its owner. */
export const unscoped: TenantScope = { visible: null, owner: null };

/** The placeholders of a prepared statement that its scope fills. */
export const scope_places = { visible: "merchant_of_scope", owner: "owner_of_scope" } as const;

/** A key that is unique per scope; empty for that of a base store. */
export function scopeKey({ visible, owner }: TenantScope): string {
  return visible === null && owner === null ? "" : `${visible ?? ""}/${owner ?? ""}`;
}

/** The column that holds the owner of a table's rows; null for other tables and for anything that is not a table. */
export function ownerOf(source: unknown): AnyColumn | null {
  if (!is(source, Table)) return null;
  const { merchant_id }: { readonly merchant_id?: AnyColumn } = getTableColumns(source);
  return merchant_id ?? null;
}

/** What a handle puts into its statements: merchant ids, or placeholders for them. */
type OwnerReference = number | Placeholder | null;
interface OwnerReferences {
  readonly visible: OwnerReference;
  readonly owner: OwnerReference;
}

/** The context of a handle. All handles that share a pattern share the statements prepared with it. */
interface ScopedHandles {
  /** The connection's own handle, which adds nothing. */
  readonly bare: WriteStatements;
  /** Builds prepared statements, with placeholders instead of merchants. */
  readonly pattern: WriteStatements;
  /** Distinguishes the names of the pattern's statements from those of the bare handle. */
  readonly mark: string;
  readonly scope: TenantScope;
}

const contexts = new WeakMap<ReadStatements, ScopedHandles>();
/** The handles that see only one merchant's records, and their patterns. */
const restricted = new WeakSet<ReadStatements>();
/** The handles of a connection by scope, and its patterns by mark. */
interface ConnectionHandles {
  readonly handles: Map<string, WriteStatements>;
  readonly patterns: Map<string, WriteStatements>;
}
const connections = new WeakMap<ReadStatements, ConnectionHandles>();
const handles_max = 256;

/** The context of a handle; null for the bare handle of a connection. */
export function handlesOf(sql: ReadStatements): ScopedHandles | null {
  return contexts.get(sql) ?? null;
}

/** The bare handle of a connection, used as the key of per-connection caches. */
export function bareOf<S extends ReadStatements>(sql: S): S {
  return (contexts.get(sql)?.bare as unknown as S | undefined) ?? sql;
}

/**
 * The condition that a row's parent is visible, by the parent's id, for tables that have an owner only through their
 * parent. Undefined if the handle sees all records.
 */
export function isParentVisible(
  sql: ReadStatements,
  parent: PgTable & { readonly id: AnyPgColumn },
  id: AnyPgColumn,
): SQL | undefined {
  if (!restricted.has(sql)) return undefined;
  return exists(sql.select({ one: template`1` }).from(parent).where(eq(parent.id, id)));
}

/** The handle of the same connection for a scope; usually the same object each time. */
export function scopedSql<S extends ReadStatements>(sql: S, scope: TenantScope): S {
  const bare = bareOf(sql) as unknown as WriteStatements;
  const key = scopeKey(scope);
  if (key === "") return bare as unknown as S;
  const none = (): ConnectionHandles => ({ handles: new Map(), patterns: new Map() });
  const { handles, patterns } = connections.getOrInsertComputed(bare, none);
  return cachedByKey(handles, key, () => {
    const mark = scope.visible === null ? "f" : "m";
    const visible = scope.visible === null ? null : template.placeholder(scope_places.visible);
    const owner = template.placeholder(scope_places.owner);
    const pattern = cachedByKey(patterns, mark, () => handleOf(bare, { visible, owner }));
    const handle = handleOf(bare, scope);
    contexts.set(handle, { bare, pattern, mark, scope });
    return handle;
  }) as unknown as S;
}

/** Returns the value cached under a key, or creates it. When the cache is full, the oldest half is evicted. */
export function cachedByKey<Thing>(things: Map<string, Thing>, key: string, make: () => Thing): Thing {
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

/** The parts of a query that are read before it is built. */
interface QueryConfig {
  readonly table: unknown;
  readonly where?: SQL | undefined;
  /** Updates only. */
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

/** The methods that are replaced in both engines' dialects. */
interface PatchedDialect {
  buildSelectQuery(query: QueryConfig): SQL;
  buildUpdateQuery(query: QueryConfig): SQL;
  buildDeleteQuery(query: QueryConfig): SQL;
  buildInsertQuery(insertion: InsertConfig): SQL;
}

/** The methods that are replaced in both engines' handles. */
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
  fillInserts(dialect as unknown as PatchedDialect, owners.owner);
  if (owners.visible !== null) {
    narrowQueries(dialect as unknown as PatchedDialect, owners.visible);
    narrowHandle(handle as unknown as PatchedHandle, owners.visible);
    restricted.add(handle as unknown as WriteStatements);
  }
  return handle as unknown as WriteStatements;
}

/** Restricts a dialect's queries to one merchant's rows. Subqueries are built by the same dialect. */
function narrowQueries(dialect: PatchedDialect, visible: OwnerReference): void {
  const select = dialect.buildSelectQuery.bind(dialect);
  const update = dialect.buildUpdateQuery.bind(dialect);
  const remove = dialect.buildDeleteQuery.bind(dialect);
  dialect.buildSelectQuery = (query) => select(narrowed(query, visible));
  dialect.buildDeleteQuery = (query) => remove(narrowed(query, visible));
  dialect.buildUpdateQuery = (query) => {
    const gives = ownerOf(query.table) !== null && query.set?.merchant_id !== undefined;
    assert(!gives, `the owner of rows of ${nameOf(query.table)} cannot change in the scope of one merchant`);
    return update(narrowed(query, visible));
  };
}

/** Restricts what Drizzle builds without its dialect: counts, and updates on conflict. */
function narrowHandle(handle: PatchedHandle, visible: OwnerReference): void {
  const count = handle.$count.bind(handle);
  const insert = handle.insert.bind(handle);
  handle.$count = (source, filters) => count(source, both(filters, mine(source, visible)));
  handle.insert = (table) => {
    const begun = insert(table);
    const own = mine(table, visible);
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

/** Adds the scope's owner to inserted rows without one. */
function fillInserts(dialect: PatchedDialect, default_owner: OwnerReference): void {
  const insert = dialect.buildInsertQuery.bind(dialect);
  dialect.buildInsertQuery = (insertion) => {
    const owner = ownerOf(insertion.table);
    // Selected rows provide every column.
    if (owner === null || is(insertion.values, SQL)) return insert(insertion);
    assert(Array.isArray(insertion.values), `rows for ${nameOf(insertion.table)} must be selected by plain SQL`);
    const values = insertion.values.map((row) => {
      const named_owner = row.merchant_id;
      if (named_owner !== undefined && !(is(named_owner, Param) && named_owner.value === undefined)) return row;
      return { ...row, merchant_id: new Param(ownerOfScope(owner, default_owner), owner) };
    });
    return insert({ ...insertion, values });
  };
}

/** The owner of an inserted row that names none. */
export function ownerOfScope(owner: AnyColumn, default_owner: OwnerReference): OwnerReference {
  assert(default_owner !== null || !owner.notNull, `a row of ${nameOf(owner.table)} needs an owner`);
  return default_owner;
}

function narrowed(query: QueryConfig, visible: OwnerReference): QueryConfig {
  let where = both(query.where, both(mine(query.table, visible), mine(query.from, visible)));
  const joins = query.joins?.map((join) => {
    const own = mine(join.table, visible);
    // Rows that exist only on the joined side would not be restricted.
    const is_outer = join.joinType === "right" || join.joinType === "full";
    assert(!is_outer, `a ${join.joinType} join is not supported in the scope of one merchant`);
    if (own === undefined) return join;
    if (join.on !== undefined) return { ...join, on: both(join.on, own) };
    where = both(where, own);
    return join;
  });
  return { ...query, where, joins };
}

/** The condition that a table's rows belong to a merchant; undefined for tables without an owner. */
function mine(source: unknown, visible: OwnerReference): SQL | undefined {
  const owner = ownerOf(source);
  if (owner === null) return undefined;
  const isOwner = eq(owner, visible);
  // SQLite picks any index that it expects to return few rows. The hint keeps it from reading all of a merchant's rows
  // where another index is better.
  return engine === "postgres" ? isOwner : template`likelihood(${isOwner}, 0.5)`;
}

/** Both conditions, in parentheses: one in plain SQL may contain `or`. */
function both(first: SQL | undefined, second: SQL | undefined): SQL | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return template`(${first}) and (${second})`;
}

const nameOf = (table: unknown) => (is(table, Table) ? getTableName(table) : "a table");

/** Which part of the scope a placeholder takes; null for other placeholders. */
export function scopePlace(param: unknown): keyof TenantScope | null {
  const place = is(param, Param) ? param.value : param;
  if (!is(place, Placeholder)) return null;
  if (place.name === scope_places.visible) return "visible";
  return place.name === scope_places.owner ? "owner" : null;
}

/** Whether a statement has values from its scope. */
export function usesScope(params: readonly unknown[]): boolean {
  return params.some((param) => scopePlace(param) !== null);
}
