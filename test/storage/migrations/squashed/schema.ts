// A normalized view of a database: it ignores whitespace and the order of columns and rules.
import type { Database } from "bun:sqlite";
import type pg from "pg";

type Lines = string[];

/** One line per element of a SQLite database's schema, and one per row of its tables. */
export function schemaOfSqlite(raw: Database): Lines {
  const rows = (query: string, ...values: string[]) => raw.query<unknown[], string[]>(query).values(...values);
  const said = (values: unknown) => JSON.stringify(values);
  const tables = rows("select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%'");
  const ofTable = ([name, sql]: unknown[]): Lines => {
    const table = String(name);
    const rowsOf = table === "migrations" ? [] : rows(`select * from "${table}"`);
    return [
      ...rows("select name, type, strict, wr from pragma_table_list(?)", table),
      ...rows('select name, type, "notnull", dflt_value, pk, hidden from pragma_table_xinfo(?)', table),
      ...rows('select "from", "table", "to", on_update, on_delete from pragma_foreign_key_list(?)', table),
      ...checksOf(String(sql)),
      ...(String(sql).toLowerCase().includes("autoincrement") ? ["autoincrement"] : []),
      ...rowsOf,
    ].map((fact) => `${table} ${said(fact)}`);
  };
  const others = rows("select type, name, tbl_name, sql from sqlite_schema where type in ('index', 'trigger', 'view')");
  return [
    ...tables.flatMap(ofTable),
    ...others.map((values) => said(values.map((value) => (typeof value === "string" ? plain(value) : value)))),
  ].sort();
}

const plain = (sql: string) =>
  sql
    .replace(/[`";]/g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1")
    .trim();

/** The CHECK expressions of a table, by name. */
function checksOf(sql: string): Lines {
  return [...sql.matchAll(/constraint\s+"?(\w+)"?\s+check\s*\(/gi)].map(({ 0: all, 1: name, index }) => {
    let depth = 1;
    let at = index + all.length;
    for (; depth > 0; at++) depth += sql[at] === "(" ? 1 : sql[at] === ")" ? -1 : 0;
    return `check ${name}: ${plain(sql.slice(index + all.length, at - 1))}`;
  });
}

/** One line per element of a PostgreSQL schema, and one per row of its tables. */
export async function schemaOfPostgres(client: pg.Client, schema: string): Promise<Lines> {
  const lines = async (query: string) => {
    const { rows } = await client.query<unknown[]>({ text: query, values: [schema], rowMode: "array" });
    return rows.map((values) => JSON.stringify(values).replaceAll(`${schema}.`, "").replaceAll(schema, ""));
  };
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = $1 and tablename <> 'migrations'",
    [schema],
  );
  const kept: Lines = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: unknown }>(
      `select to_jsonb(kept) as row from ${schema}.${name} as kept`,
    );
    kept.push(...rows.map(({ row }) => `${name} ${JSON.stringify(row)}`));
  }
  const facts: Lines = [];
  for (const query of factsOfPostgres) facts.push(...(await lines(query)));
  return [...facts, ...kept].sort();
}

const here = "relnamespace = $1::regnamespace";
const factsOfPostgres = [
  `select relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, collname, attstorage,
     pg_get_expr(adbin, adrelid) from pg_attribute join pg_class on pg_class.oid = attrelid
     left join pg_attrdef on adrelid = attrelid and adnum = attnum
     left join pg_collation on pg_collation.oid = attcollation
   where ${here} and relkind = 'r' and attnum > 0 and not attisdropped`,
  `select conrelid::regclass::text, conname, contype, convalidated, pg_get_constraintdef(oid)
   from pg_constraint where connamespace = $1::regnamespace and contype <> 'n'`,
  "select indexname, indexdef from pg_indexes where schemaname = $1",
  `select tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(pg_trigger.oid)
   from pg_trigger join pg_class on pg_class.oid = tgrelid where ${here} and not tgisinternal`,
  "select proname, prosrc, proconfig from pg_proc where pronamespace = $1::regnamespace",
  `select sequencename, data_type, start_value, increment_by, cycle, cache_size, last_value
   from pg_sequences where schemaname = $1`,
];
