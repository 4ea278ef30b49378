// An additive migration must not remove or narrow anything that the previous version reads or writes.
import type { Database } from "bun:sqlite";
import type pg from "pg";

/** The parts of a schema that programs depend on. */
export interface Shape {
  /** The columns of each table, by `table.column`. */
  readonly columns: ReadonlyMap<
    string,
    { readonly type: string; readonly required: boolean; readonly filled: boolean }
  >;
  /** CHECKs, foreign keys, unique indexes and triggers that refuse writes, by `table.name`. */
  readonly rules: ReadonlyMap<string, string>;
}

const tableOf = (name: string) => name.slice(0, name.indexOf("."));
const wordsOf = (rule: string) => new Set([...rule.matchAll(/'?(\w+)'?/g)].map(([, word]) => word ?? ""));
const within = (some: ReadonlySet<string>, all: ReadonlySet<string>) => [...some].every((one) => all.has(one));

/** Reasons why the previous version cannot run on the migrated schema; empty if it can. */
export function brokenBy(before: Shape, after: Shape): string[] {
  const problems: string[] = [];
  const tables = new Set([...before.columns.keys()].map(tableOf));
  for (const [name, column] of before.columns) {
    const now = after.columns.get(name);
    if (now === undefined) problems.push(`${name} is gone`);
    else if (now.type !== column.type) problems.push(`${name} is ${now.type}, and was ${column.type}`);
    else if (now.filled && !column.filled) problems.push(`${name} may no longer be null`);
    else if (now.required && !column.required) problems.push(`${name} has lost its default`);
  }
  for (const [name, { required }] of after.columns) {
    if (required && !before.columns.has(name) && tables.has(tableOf(name))) problems.push(`${name} must be given`);
  }
  for (const [name, rule] of after.rules) {
    if (!tables.has(tableOf(name))) continue;
    const former = before.rules.get(name);
    // A rule on a new column does not affect programs that do not use the column.
    const of_new = [...after.columns.keys()].filter(
      (column) => tableOf(column) === tableOf(name) && !before.columns.has(column),
    );
    const named = (columns: string[]) =>
      columns.some((column) => wordsOf(rule).has(column.slice(column.indexOf(".") + 1)));
    if (former === undefined && !named(of_new)) problems.push(`${name} is new: ${rule}`);
    // A longer list of allowed words is not narrower.
    else if (former !== undefined && !within(wordsOf(former), wordsOf(rule)))
      problems.push(`${name} is another: ${rule}`);
  }
  return problems;
}

/** The shape of a SQLite database. */
export function shapeOfSqlite(raw: Database): Shape {
  const rows = <Row>(query: string) => raw.query<Row, []>(query).all();
  const columns = rows<{ name: string; type: string; filled: number; given: number }>(
    `select m.name || '.' || c.name as name, c.type, c."notnull" as filled, c.dflt_value is not null or c.pk as given
     from sqlite_schema m, pragma_table_xinfo(m.name) c where m.type = 'table'`,
  );
  const keys = rows<{ name: string; rule: string }>(
    `select m.name || '.key ' || k."from" || ' ' || k."table" as name, k."from" as rule
     from sqlite_schema m, pragma_foreign_key_list(m.name) k where m.type = 'table'`,
  );
  const others = rows<{ name: string; rule: string }>(
    `select tbl_name || '.' || name as name, sql as rule from sqlite_schema
     where type = 'index' and sql like 'create unique%' or type = 'trigger' and sql like '%raise(%'`,
  );
  const checks = rows<{ name: string; sql: string }>(
    "select name, sql from sqlite_schema where type = 'table'",
  ).flatMap(({ name, sql }) =>
    [...sql.matchAll(/CONSTRAINT\s+"?(\w+)"?\s+CHECK\s*\((.*)\),?$/gim)].map(([, check = "", rule = ""]) => ({
      name: `${name}.${check}`,
      rule,
    })),
  );
  return {
    columns: new Map(
      columns.map(({ name, type, filled, given }) => [
        name,
        { type: type.toLowerCase(), filled: filled === 1, required: filled === 1 && !given },
      ]),
    ),
    rules: new Map([...keys, ...others, ...checks].map(({ name, rule }) => [name, rule])),
  };
}

const columnsOfPostgres = `select relname || '.' || attname as name, format_type(atttypid, atttypmod) as type,
    attnotnull as filled, attnotnull and not atthasdef and attidentity = '' as required
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where relnamespace = $1::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`;
const rulesOfPostgres = `
  select relname || '.' || conname as name, pg_get_constraintdef(pg_constraint.oid) as rule
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where connamespace = $1::regnamespace and contype in ('c', 'f', 'u', 'p')
  union all select tablename || '.' || indexname, indexdef from pg_indexes
  where schemaname = $2 and indexdef like 'CREATE UNIQUE%'
  union all select relname || '.' || tgname, pg_get_triggerdef(pg_trigger.oid)
  from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid
  where relnamespace = $1::regnamespace and not tgisinternal and proname = 'refuse_word'`;

/** The shape of a PostgreSQL schema. */
export async function shapeOfPostgres(client: pg.Client, schema: string): Promise<Shape> {
  const columns = await client.query<{ name: string; type: string; filled: boolean; required: boolean }>(
    columnsOfPostgres,
    [schema],
  );
  const rules = await client.query<{ name: string; rule: string }>(rulesOfPostgres, [schema, schema]);
  return {
    columns: new Map(columns.rows.map(({ name, ...column }) => [name, column])),
    rules: new Map(rules.rows.map(({ name, rule }) => [name, rule.replaceAll(`${schema}.`, "")])),
  };
}
