// Compiled statements: Drizzle's SQL, run without the work that Drizzle repeats for each run, value and row. Its type
// checks there cost more than SQLite itself.
import { Column, is, noopDecoder, Param, Placeholder, SQL } from "drizzle-orm";
import type { TenantScope } from "./database.ts";
import type { PostgresStatement } from "./postgres/pipeline.ts";
import { ownerOfScope, scope_places, scopePlace, unscoped, usesScope } from "./scope.ts";

type BoundValues = Readonly<Record<string, unknown>>;
type DriverRow = Record<string, unknown>;

/** A statement that is ready to run. */
export interface CompiledStatement<R> {
  /** Runs it with values for its placeholders. The merchant ids of the scope are added. */
  execute(values?: Record<string, unknown>, scope?: TenantScope): Promise<R>;
}

/** Runs compiled statements on PostgreSQL. */
export interface StatementRunner {
  ask(statement: PostgresStatement, values: readonly unknown[]): Promise<{ readonly rows: unknown[][] }>;
  /** As `ask`, without waiting for the result. A failure fails the next statement or the commit. */
  askLater(statement: PostgresStatement, values: readonly unknown[]): Promise<void>;
}

interface ValueEncoder {
  mapToDriverValue(value: unknown): unknown;
}

type SelectedField = Column | SQL | SQL.Aliased;

/** The internals of a Drizzle statement that are used here. */
interface DrizzleInternals {
  readonly fields?: readonly { readonly path: readonly string[]; readonly field: SelectedField }[];
  customResultMapper?: ((rows: unknown[][]) => unknown[]) | undefined;
  getQuery(): { readonly params: readonly unknown[] };
  /** PostgreSQL only. */
  readonly rawQueryConfig?: PostgresStatement;
  readonly client?: StatementRunner;
  /** SQLite only. */
  readonly executeMethod?: "run" | "all" | "get" | "values";
  readonly stmt?: {
    readonly columnNames: readonly string[];
    run(...values: unknown[]): unknown;
    all(...values: unknown[]): DriverRow[];
    values(...values: unknown[]): unknown[][];
  };
}

/** Compiles a statement. Statements with nested rows are returned as they are. */
export function compileStatement<R>(ready: CompiledStatement<R>): CompiledStatement<R> {
  // Drizzle runs a query each time it is awaited, so its internals are read instead.
  const internals = ready as unknown as DrizzleInternals;
  const fallback: CompiledStatement<R> = usesScope(internals.getQuery().params)
    ? { execute: async (values, scope = unscoped) => ready.execute({ ...values, ...ofScope(scope) }) }
    : { execute: async (values) => ready.execute(values) };
  keepNulls(internals);
  const shape = shapeOf(internals);
  const { stmt, executeMethod, client, rawQueryConfig } = internals;
  if (client !== undefined && rawQueryConfig !== undefined) {
    if (shape === null && internals.fields !== undefined) return fallback;
    const bind = binderOf(internals.getQuery().params);
    const { text, name } = rawQueryConfig;
    const statement = { text, name };
    return {
      execute: async (values = {}, scope = unscoped) => {
        const { rows } = await client.ask(statement, bind(values, scope));
        return (shape === null ? rows : rows.map((row) => objectOf(row, shape))) as R;
      },
    };
  }
  if (stmt === undefined) return fallback;
  const bind = binderOf(internals.getQuery().params);
  if (executeMethod === "run") return runningBy(bind, (values) => stmt.run(...values) as R);
  if (executeMethod !== "all" || shape === null) return fallback;
  const { names } = shape;
  // SQLite names the values itself, faster than code here could.
  const isNamed = stmt.columnNames.join() === names.join() && new Set(names).size === names.length;
  if (isNamed) return runningBy(bind, (values) => decoded(stmt.all(...values), shape) as R);
  return runningBy(bind, (values) => stmt.values(...values).map((row) => objectOf(row, shape)) as R);
}

/** A multi-row insert on PostgreSQL. */
export interface CompiledRows {
  /** Inserts the rows and returns the values that the statement returns for each. */
  execute(rows: readonly BoundValues[], scope: TenantScope): Promise<unknown[][]>;
  /** Inserts the rows without waiting. A failure fails the next statement or the commit. */
  later(rows: readonly BoundValues[], scope: TenantScope): Promise<void>;
}

/** Compiles a multi-row insert from one Drizzle insert of a single row and one of all rows. */
export function compileRowInsert(single: CompiledStatement<unknown>, all: CompiledStatement<unknown>): CompiledRows {
  const internals = single as unknown as DrizzleInternals;
  keepNulls(internals);
  const bind = binderOf(internals.getQuery().params);
  const { client, rawQueryConfig } = all as unknown as DrizzleInternals;
  if (client === undefined || rawQueryConfig === undefined) throw new Error("the statement is not PostgreSQL's");
  const { text, name } = rawQueryConfig;
  const statement = { text, name };
  const bound = (rows: readonly BoundValues[], scope: TenantScope) => rows.flatMap((row) => bind(row, scope));
  return {
    execute: async (rows, scope) => (await client.ask(statement, bound(rows, scope))).rows,
    later: async (rows, scope) => client.askLater(statement, bound(rows, scope)),
  };
}

function runningBy<R>(bind: ValueBinder, run: (values: unknown[]) => R): CompiledStatement<R> {
  return { execute: async (values = {}, scope = unscoped) => run(bind(values, scope)) };
}

/** Whether a column takes values without encoding. */
const isPlain = (encoder: ValueEncoder) => encoder.mapToDriverValue === Column.prototype.mapToDriverValue;

/** Keeps null as null: Drizzle passes a late-bound null to the column's encoder, which turns it into 0 or "null". */
function keepNulls(internals: DrizzleInternals): void {
  for (const param of internals.getQuery().params) {
    if (!is(param, Param) || !is(param.value, Placeholder) || isPlain(param.encoder)) continue;
    const encoder = param.encoder;
    const mapToDriverValue = (value: unknown) => (value === null ? null : encoder.mapToDriverValue(value));
    Object.assign(param, { encoder: { mapToDriverValue } });
  }
}

/** Fills the placeholders of a statement with values and the merchants of a scope. */
type ValueBinder = (values: BoundValues, scope: TenantScope) => unknown[];

/** The values of the placeholders that a scope fills. */
function ofScope({ visible, owner }: TenantScope): BoundValues {
  return { [scope_places.visible]: visible, [scope_places.owner]: owner };
}

function binderOf(params: readonly unknown[]): ValueBinder {
  const bind = bindingOf(params.map(valuePlaceholderOf));
  const owned = params.flatMap(scopePlaceholderOf);
  if (owned.length === 0) return bind;
  return (values, scope) => {
    const bound = bind(values);
    for (const { at, kind, owner } of owned) {
      bound[at] = owner === null ? scope[kind] : ownerOfScope(owner, scope[kind]);
    }
    return bound;
  };
}

function bindingOf(places: readonly ValuePlaceholder[]): (values: BoundValues) => unknown[] {
  return (values) => {
    const bound: unknown[] = [];
    for (const { name, encoder, constant } of places) {
      const value = name === null ? constant : values[name];
      if (value === undefined && !(String(name) in values)) throw new Error(`no value was passed for ${name}`);
      bound.push(encoder === null ? value : encoder.mapToDriverValue(value));
    }
    return bound;
  };
}

/** A placeholder that a scope fills, and the column of a row to insert that it belongs to. */
interface ScopePlaceholder {
  readonly at: number;
  readonly kind: keyof TenantScope;
  readonly owner: Column | null;
}

function scopePlaceholderOf(param: unknown, at: number): ScopePlaceholder[] {
  const kind = scopePlace(param);
  if (kind === null) return [];
  return [{ at, kind, owner: is(param, Param) && is(param.encoder, Column) ? param.encoder : null }];
}

/** A placeholder: the value with this name, or a constant. `encoder` is null for a value that is bound unchanged. */
interface ValuePlaceholder {
  readonly name: string | null;
  readonly encoder: ValueEncoder | null;
  readonly constant: unknown;
}

function valuePlaceholderOf(param: unknown): ValuePlaceholder {
  if (scopePlace(param) !== null) return { name: null, encoder: null, constant: null };
  if (is(param, Placeholder)) return { name: param.name, encoder: null, constant: null };
  if (!is(param, Param) || !is(param.value, Placeholder)) return { name: null, encoder: null, constant: param };
  const { encoder, value } = param;
  return { name: value.name, encoder: isPlain(encoder) ? null : encoder, constant: null };
}

interface ValueDecoder {
  mapFromDriverValue(value: unknown): unknown;
}

/** The names of a row's values and their decoders; null for values that need no decoding. */
interface ResultShape {
  readonly names: readonly string[];
  readonly decoders: readonly (ValueDecoder | null)[];
}

function shapeOf({ fields, customResultMapper }: DrizzleInternals): ResultShape | null {
  if (!fields || customResultMapper) return null;
  if (!fields.every(({ path, field }) => path.length === 1 && isField(field))) return null;
  return { names: fields.map(({ path }) => path[0] as string), decoders: fields.map(({ field }) => decoderOf(field)) };
}

const isField = (field: unknown) => is(field, Column) || is(field, SQL) || is(field, SQL.Aliased);

function decoderOf(field: SelectedField): ValueDecoder | null {
  const source = is(field, SQL.Aliased) ? field.sql : field;
  const decoder: ValueDecoder = is(source, SQL) ? (source as unknown as { decoder: ValueDecoder }).decoder : source;
  return decoder === noopDecoder || decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue ? null : decoder;
}

function decoded(rows: DriverRow[], { names, decoders }: ResultShape): DriverRow[] {
  for (let at = 0; at < decoders.length; at += 1) {
    const decoder = decoders[at] ?? null;
    if (decoder === null) continue;
    const name = names[at] as string;
    for (const row of rows) if (row[name] !== null) row[name] = decoder.mapFromDriverValue(row[name]);
  }
  return rows;
}

function objectOf(values: readonly unknown[], { names, decoders }: ResultShape): DriverRow {
  const row: DriverRow = {};
  for (let at = 0; at < names.length; at += 1) {
    const decoder = decoders[at] ?? null;
    const value = values[at];
    row[names[at] as string] = value === null || decoder === null ? value : decoder.mapFromDriverValue(value);
  }
  return row;
}
