// How far the numbers of a PostgreSQL database have advanced, and which rows were stored since.
import type pg from "pg";
import type { Environment } from "../../core/environment.ts";
import { byImportance, type WrittenSince } from "./rollback_losses.ts";
import type { ReachedNumbers } from "./upgrade.ts";

const counted = `select tables.relname as name, attname as column,
    coalesce(pg_sequence_last_value(sequences.oid), 0) as last
  from pg_class sequences
  join pg_depend on objid = sequences.oid and deptype = 'i' and classid = 'pg_class'::regclass
  join pg_class tables on tables.oid = refobjid
  join pg_attribute on attrelid = tables.oid and attnum = refobjsubid
  where sequences.relkind = 'S' and tables.relnamespace = (select oid from pg_namespace where nspname = $1)`;

interface Counted {
  readonly name: string;
  readonly column: string;
  readonly last: unknown;
}

const tablesOf = async (client: pg.ClientBase, schema: Environment) =>
  (await client.query<Counted>(counted, [schema])).rows;

/** Reads the numbers that both environments have reached. */
export async function reachedOnPostgres(client: pg.ClientBase): Promise<Record<Environment, ReachedNumbers>> {
  const of = async (schema: Environment): Promise<ReachedNumbers> => {
    const tables = await tablesOf(client, schema);
    return { commits: null, last_ids: Object.fromEntries(tables.map(({ name, last }) => [name, Number(last)])) };
  };
  return { live: await of("live"), test: await of("test") };
}

/** Counts the rows stored in a schema since it had reached `since`. */
export async function writtenOnPostgres(
  client: pg.ClientBase,
  schema: Environment,
  since: ReachedNumbers,
): Promise<WrittenSince> {
  const records: { table: string; rows: number }[] = [];
  for (const { name, column, last } of await tablesOf(client, schema)) {
    const before = since.last_ids[name] ?? 0;
    if (Number(last) <= before) continue;
    const count = `select count(*)::int as rows from "${schema}"."${name}" where "${column}" > $1`;
    const { rows } = await client.query<{ rows: number }>(count, [before]);
    records.push({ table: name, rows: rows[0]?.rows ?? 0 });
  }
  return { commits: null, records: byImportance(records) };
}
