// A statement that Drizzle has built, run without what Drizzle does anew for each run, each value and each row: it asks
// what class everything is of, which costs more than SQLite does.
import { Column, is, noopDecoder, Param, Placeholder, SQL } from "drizzle-orm";
import type { Statement } from "./postgres_trip.ts";
import { makerOf, scope_places, scopePlace, unscoped, usesScope } from "./scope.ts";
import type { Scope } from "./store.ts";

type Values = Readonly<Record<string, unknown>>;
type Row = Record<string, unknown>;

/** A statement that is ready to run. */
export interface Ready<R> {
  /** Runs it with values for its places; the merchants of those that a scope fills are taken from it. */
  execute(values?: Record<string, unknown>, scope?: Scope): Promise<R>;
}

/** How PostgreSQL is asked a statement that is ready. */
export interface Asked {
  ask(statement: Statement, values: readonly unknown[]): Promise<{ readonly rows: unknown[][] }>;
  /** As `ask`, but no answer is waited for: what fails it fails what is asked next, or the commit. */
  askLater(statement: Statement, values: readonly unknown[]): Promise<void>;
}

interface Encoder {
  mapToDriverValue(value: unknown): unknown;
}

type Field = Column | SQL | SQL.Aliased;

/** What Drizzle keeps of a statement. */
interface Kept {
  readonly fields?: readonly { readonly path: readonly string[]; readonly field: Field }[];
  customResultMapper?: ((rows: unknown[][]) => unknown[]) | undefined;
  getQuery(): { readonly params: readonly unknown[] };
  /** Of PostgreSQL alone. */
  readonly rawQueryConfig?: Statement;
  readonly client?: Asked;
  /** Of SQLite alone. */
  readonly executeMethod?: "run" | "all" | "get" | "values";
  readonly stmt?: {
    readonly columnNames: readonly string[];
    run(...values: unknown[]): unknown;
    all(...values: unknown[]): Row[];
    values(...values: unknown[]): unknown[][];
  };
}

/** The same statement, faster. Statements whose rows are nested stay as they are. */
export function quickened<R>(ready: Ready<R>): Ready<R> {
  // Drizzle runs a query each time it is awaited, so it is awaited here, once.
  const kept = ready as unknown as Kept;
  const usual: Ready<R> = usesScope(kept.getQuery().params)
    ? { execute: async (values, scope = unscoped) => ready.execute({ ...values, ...ofScope(scope) }) }
    : { execute: async (values) => ready.execute(values) };
  keepNulls(kept);
  const shape = shapeOf(kept);
  const { stmt, executeMethod, client, rawQueryConfig } = kept;
  if (client !== undefined && rawQueryConfig !== undefined) {
    if (shape === null && kept.fields !== undefined) return usual;
    const bind = binderOf(kept.getQuery().params);
    const { text, name } = rawQueryConfig;
    const statement = { text, name };
    return {
      execute: async (values = {}, scope = unscoped) => {
        const { rows } = await client.ask(statement, bind(values, scope));
        return (shape === null ? rows : rows.map((row) => objectOf(row, shape))) as R;
      },
    };
  }
  if (stmt === undefined) return usual;
  const bind = binderOf(kept.getQuery().params);
  if (executeMethod === "run") return runningBy(bind, (values) => stmt.run(...values) as R);
  if (executeMethod !== "all" || shape === null) return usual;
  const { names } = shape;
  // SQLite names the values itself, faster than anything here could.
  const isNamed = stmt.columnNames.join() === names.join() && new Set(names).size === names.length;
  if (isNamed) return runningBy(bind, (values) => decoded(stmt.all(...values), shape) as R);
  return runningBy(bind, (values) => stmt.values(...values).map((row) => objectOf(row, shape)) as R);
}

/** An insert of some rows on PostgreSQL. */
export interface ReadyRows {
  /** Inserts the rows and answers what is returned of each. */
  execute(rows: readonly Values[], scope: Scope): Promise<unknown[][]>;
  /** Inserts the rows without waiting: what fails it fails what is asked next, or the commit. */
  later(rows: readonly Values[], scope: Scope): Promise<void>;
}

/** The insert of some rows, faster than Drizzle runs it, from one of a single row and one of them all. */
export function quickenedRows(single: Ready<unknown>, all: Ready<unknown>): ReadyRows {
  const kept = single as unknown as Kept;
  keepNulls(kept);
  const bind = binderOf(kept.getQuery().params);
  const { client, rawQueryConfig } = all as unknown as Kept;
  if (client === undefined || rawQueryConfig === undefined) throw new Error("the statement is not PostgreSQL's");
  const { text, name } = rawQueryConfig;
  const statement = { text, name };
  const bound = (rows: readonly Values[], scope: Scope) => rows.flatMap((row) => bind(row, scope));
  return {
    execute: async (rows, scope) => (await client.ask(statement, bound(rows, scope))).rows,
    later: async (rows, scope) => client.askLater(statement, bound(rows, scope)),
  };
}

function runningBy<R>(bind: Bind, run: (values: unknown[]) => R): Ready<R> {
  return { execute: async (values = {}, scope = unscoped) => run(bind(values, scope)) };
}

/** Whether a column takes values as they are. */
const isPlain = (encoder: Encoder) => encoder.mapToDriverValue === Column.prototype.mapToDriverValue;

/** Drizzle hands a null that is bound late to the column's encoder, which makes 0 of it in a bool, "null" in JSON. */
function keepNulls(kept: Kept): void {
  for (const param of kept.getQuery().params) {
    if (!is(param, Param) || !is(param.value, Placeholder) || isPlain(param.encoder)) continue;
    const encoder = param.encoder;
    const mapToDriverValue = (value: unknown) => (value === null ? null : encoder.mapToDriverValue(value));
    Object.assign(param, { encoder: { mapToDriverValue } });
  }
}

/** Puts values where a statement wants them, and the merchants of a scope. */
type Bind = (values: Values, scope: Scope) => unknown[];

/** The values of the places that a scope fills. */
function ofScope({ sees, makes }: Scope): Values {
  return { [scope_places.sees]: sees, [scope_places.makes]: makes };
}

function binderOf(params: readonly unknown[]): Bind {
  const bind = bindingOf(params.map(placeOf));
  const owned = params.flatMap(scopedPlaceOf);
  if (owned.length === 0) return bind;
  return (values, scope) => {
    const bound = bind(values);
    for (const { at, kind, owner } of owned) {
      bound[at] = owner === null ? scope[kind] : makerOf(owner, scope[kind]);
    }
    return bound;
  };
}

function bindingOf(places: readonly Place[]): (values: Values) => unknown[] {
  return (values) => {
    const bound: unknown[] = [];
    for (const { name, encoder, constant } of places) {
      const value = name === null ? constant : values[name];
      if (value === undefined && !(String(name) in values)) throw new Error(`there is no value for ${name}`);
      bound.push(encoder === null ? value : encoder.mapToDriverValue(value));
    }
    return bound;
  };
}

/** A place that a scope fills, and the column that a row to be stored has it in. */
interface ScopedPlace {
  readonly at: number;
  readonly kind: keyof Scope;
  readonly owner: Column | null;
}

function scopedPlaceOf(param: unknown, at: number): ScopedPlace[] {
  const kind = scopePlace(param);
  if (kind === null) return [];
  return [{ at, kind, owner: is(param, Param) && is(param.encoder, Column) ? param.encoder : null }];
}

/** What stands in a place of a statement: the value of this name, or a constant; null for what is bound as it is. */
interface Place {
  readonly name: string | null;
  readonly encoder: Encoder | null;
  readonly constant: unknown;
}

function placeOf(param: unknown): Place {
  if (scopePlace(param) !== null) return { name: null, encoder: null, constant: null };
  if (is(param, Placeholder)) return { name: param.name, encoder: null, constant: null };
  if (!is(param, Param) || !is(param.value, Placeholder)) return { name: null, encoder: null, constant: param };
  const { encoder, value } = param;
  return { name: value.name, encoder: isPlain(encoder) ? null : encoder, constant: null };
}

interface Decoder {
  mapFromDriverValue(value: unknown): unknown;
}

/** The names of a row's values, and what each is decoded by; null for what the program takes as it is. */
interface Shape {
  readonly names: readonly string[];
  readonly decoders: readonly (Decoder | null)[];
}

function shapeOf({ fields, customResultMapper }: Kept): Shape | null {
  if (!fields || customResultMapper) return null;
  if (!fields.every(({ path, field }) => path.length === 1 && isField(field))) return null;
  return { names: fields.map(({ path }) => path[0] as string), decoders: fields.map(({ field }) => decoderOf(field)) };
}

const isField = (field: unknown) => is(field, Column) || is(field, SQL) || is(field, SQL.Aliased);

function decoderOf(field: Field): Decoder | null {
  const source = is(field, SQL.Aliased) ? field.sql : field;
  const decoder: Decoder = is(source, SQL) ? (source as unknown as { decoder: Decoder }).decoder : source;
  return decoder === noopDecoder || decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue ? null : decoder;
}

function decoded(rows: Row[], { names, decoders }: Shape): Row[] {
  for (let at = 0; at < decoders.length; at += 1) {
    const decoder = decoders[at] ?? null;
    if (decoder === null) continue;
    const name = names[at] as string;
    for (const row of rows) if (row[name] !== null) row[name] = decoder.mapFromDriverValue(row[name]);
  }
  return rows;
}

function objectOf(values: readonly unknown[], { names, decoders }: Shape): Row {
  const row: Row = {};
  for (let at = 0; at < names.length; at += 1) {
    const decoder = decoders[at] ?? null;
    const value = values[at];
    row[names[at] as string] = value === null || decoder === null ? value : decoder.mapFromDriverValue(value);
  }
  return row;
}
