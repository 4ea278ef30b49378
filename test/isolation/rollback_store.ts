// A wrapper between the service and its stores for the isolation check. It rolls writes back after they have been
// inspected, so that every case starts from the same records, and it plants leaks.
import { getTableName, type Table } from "drizzle-orm";
import { engine } from "../../src/core/config.ts";
import type { Db, ReadStatements, Store, TenantScope, Tx } from "../../src/storage/database.ts";
import { unscoped } from "../../src/storage/scope.ts";
import { scopedStore } from "../../src/storage/scoped_store.ts";

/** A planted leak: what is missing between the service and its stores. */
export interface Leak {
  /** The tables that are read without a tenant scope. */
  readonly tables?: ReadonlySet<string>;
  /** Whether these are also written without it. */
  readonly writes?: boolean;
  /** Whether a store hides its tenant scope. */
  readonly hides_scope?: boolean;
}

export interface Seam {
  /** If set, writes are rolled back, and this is called for each that would have been committed. */
  judge: ((store: Store, tx: Tx) => Promise<void>) | null;
  leak: Leak | null;
  readonly through: (store: Store) => Store;
}

/** Opens a seam that changes nothing. */
export function openSeam(): Seam {
  const seam: Seam = { judge: null, leak: null, through: (store) => between(store, seam) };
  return seam;
}

function between(store: Store, seam: Seam): Store {
  const view = <D extends Db>(db: D): D => (seam.leak?.tables === undefined ? db : leaky(db, seam.leak));
  const outer: Store = {
    mode: store.mode,
    clock: store.clock,
    scope: unscoped,
    get base() {
      return outer;
    },
    scoped: (scope) => (seam.leak?.hides_scope ? silent(outer, scope) : scopedStore(outer, scope)),
    read: (work) => store.read((db) => work(view(db))),
    readLatest: (work) => store.readLatest((db) => work(view(db))),
    write: (work) => writing(store, seam, (tx) => work(view(tx))),
    onWake: (listener) => store.onWake(listener),
    onChange: (listener) => store.onChange(listener),
    onStep: (listener) => store.onStep(listener),
    facts: () => store.facts(),
    findDamage: (depth, ending) => store.findDamage(depth, ending),
    shred: () => store.shred(),
    close: () => store.close(),
  };
  return outer;
}

class TakenBack extends Error {}

async function writing<T>(store: Store, seam: Seam, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { judge } = seam;
  if (judge === null) return store.write(work);
  let result: { readonly done: T } | null = null;
  try {
    await store.write(async (tx) => {
      result = null;
      const done = await work(tx);
      await judge(store, tx);
      result = { done };
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
  return (result as unknown as { readonly done: T }).done;
}

/** A scoped store that claims to be unscoped. */
function silent(base: Store, scope: TenantScope): Store {
  const store = scopedStore(base, scope);
  return new Proxy(store, { get: (_, name) => (name === "scope" ? unscoped : part(store, name)) });
}

const leaks = new WeakMap<object, object>();

/** A handle whose scoped handles read some tables without their scope. */
function leaky<D extends Db>(bare: D, leak: Leak): D {
  const scoped = (scope: TenantScope) => {
    const view = bare.scoped(scope);
    const known = leaks.get(view) as Db | undefined;
    if (known !== undefined || scope.visible === null) return known ?? view;
    const sql = leakySql(unnamed(bare.sql), unnamed(view.sql), leak);
    const made: Db = new Proxy(view, {
      get: (_, name) => (name === "sql" ? sql : name === "scoped" ? scoped : part(view, name)),
    });
    leaks.set(view, made);
    return made;
  };
  return new Proxy(bare, { get: (_, name) => (name === "scoped" ? scoped : part(bare, name)) });
}

type Select = (fields?: unknown) => { from: (table: Table) => unknown };

/** The part of Drizzle's PostgreSQL session that is used here. */
interface Session {
  prepareQuery(query: unknown, fields: unknown, name: string | undefined, ...rest: unknown[]): unknown;
}
interface Handle {
  readonly session: Session;
  insert(table: Table): object;
}

/**
 * The same handle with unnamed statements. PostgreSQL would reuse a statement that a connection knows by name: the
 * operator's, or that of another leak.
 */
function unnamed(sql: ReadStatements): ReadStatements {
  if (engine !== "postgres") return sql;
  const handle = sql as unknown as Handle;
  const prepareQuery: Session["prepareQuery"] = (query, fields, _, ...rest) =>
    handle.session.prepareQuery(query, fields, "", ...rest);
  const session = Object.create(handle.session, { prepareQuery: { value: prepareQuery } });
  // A scoped handle builds its inserts itself.
  const insert = (table: Table) => Object.assign(handle.insert(table), { session });
  // A proxy may bind only what is configurable.
  return Object.create(handle, {
    session: { value: session, configurable: true },
    insert: { value: insert, configurable: true },
  });
}

/**
 * A handle that reads some tables through the unscoped one. Each leak has its own handles, and so its own statements.
 */
function leakySql(
  bare: ReadStatements,
  own: ReadStatements,
  { tables = new Set(), writes = false }: Leak,
): ReadStatements {
  const begin = (name: "select" | "selectDistinct") => (fields?: unknown) => ({
    from: (table: Table) => {
      const forgets = tables.has(nameOf(table));
      return (part(forgets ? bare : own, name) as Select)(fields).from(table);
    },
  });
  const count = (table: Table, ...rest: unknown[]) =>
    (part(tables.has(nameOf(table)) ? bare : own, "$count") as (...given: unknown[]) => unknown)(table, ...rest);
  const write = (name: "update" | "delete") => (table: Table) =>
    (part(writes && tables.has(nameOf(table)) ? bare : own, name) as (table: Table) => unknown)(table);
  const changed: Record<PropertyKey, unknown> = {
    update: write("update"),
    delete: write("delete"),
    select: begin("select"),
    selectDistinct: begin("selectDistinct"),
    $count: count,
  };
  return new Proxy(own, { get: (_, name) => changed[name] ?? part(own, name) });
}

function nameOf(source: Table): string {
  try {
    return getTableName(source);
  } catch {
    return "";
  }
}

/** A member of an object, bound to it, since private fields exist only on the object itself. */
function part(of: object, name: PropertyKey): unknown {
  const value = Reflect.get(of, name, of);
  return typeof value === "function" ? value.bind(of) : value;
}
