// The schema advisory lock. Each connection of a store holds it shared, and work that needs exclusive access takes it
// exclusively. It ends with the connection, so a killed server releases it at once.
import type pg from "pg";

const lock_key = 0x5041434c;
const retry_every_ms = 500;
const reported_every_ms = 30_000;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The query by which a connection takes the lock, shared. */
export function schemaLockQuery(schema: string): string {
  return `select pg_advisory_lock_shared(${lock_key}, hashtext(${quoted(schema)}))`;
}

const others = `select distinct coalesce(host(client_addr), 'this machine') as name, count(*)::int as number
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and classid = ${lock_key} and pg_locks.database =
    (select oid from pg_database where datname = current_database())
    and objid in (select (hashtext(name)::bigint & 4294967295)::oid from unnest($1::text[]) as name)
    and pid <> pg_backend_pid()
  group by 1 order by 1`;

/** Takes the lock exclusively while this client is connected; false, at once, when the schema is in use. */
export async function holdSchemaExclusively(client: pg.ClientBase, schema: string): Promise<boolean> {
  const taken = `select pg_try_advisory_lock(${lock_key}, hashtext($1)) as taken`;
  return (await client.query<{ taken: boolean }>(taken, [schema])).rows[0]?.taken === true;
}

/** Releases the exclusive lock. */
export async function shareSchema(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(${lock_key}, hashtext($1))`, [schema]);
}

/** Whether another client holds the lock exclusively. If not, nobody can until this client's transaction ends. */
export async function isLockedOut(client: pg.ClientBase, schema: string): Promise<boolean> {
  const free = `select pg_try_advisory_xact_lock_shared(${lock_key}, hashtext($1)) as free`;
  return (await client.query<{ free: boolean }>(free, [schema])).rows[0]?.free === false;
}

/**
 * Takes the locks of the schemas exclusively until this client's transaction ends; false, at once, when one is in use.
 */
export async function takeSchemasExclusively(client: pg.ClientBase, schemas: readonly string[]): Promise<boolean> {
  const taken = `select bool_and(pg_try_advisory_xact_lock(${lock_key}, hashtext(name))) as taken
    from unnest($1::text[]) as name`;
  // Waiting for the lock would block newcomers, so it is tried again and again instead.
  const { rows } = await client.query<{ taken: boolean }>(taken, [schemas]);
  return rows[0]?.taken === true;
}

/** Where the schemas are in use: `10.0.0.7 (9 connections)`. */
export async function otherHolders(client: pg.ClientBase, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; number: number }>(others, [schemas]);
  return rows.map(({ name, number }) => `${name} (${number} ${number === 1 ? "connection" : "connections"})`);
}

/** The schemas are in use. Work that needs exclusive access is undone and retried. */
class SchemaInUse extends Error {
  /** Where they are in use; null while a backup is being made. */
  readonly there: readonly string[] | null;
  constructor(there: readonly string[] | null) {
    super(there === null ? "a backup of the database is being made" : `it is in use: ${there.join(", ")}`);
    this.there = there;
  }
}

const copy_lock_key = 0x50414342;

/** Marks a schema as being copied until this client's connection ends. It is not migrated during that time. */
export async function announceCopy(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${copy_lock_key}, hashtext($1))`, [schema]);
}

/**
 * Prevents copies of the schemas from starting until this client's transaction ends. Throws, for `untilAlone`, while
 * one is being made: a copy reads each table, so a migration would wait for it, and all work on that table would wait
 * for the migration.
 */
export async function requireNoCopy(client: pg.ClientBase, schemas: readonly string[]): Promise<void> {
  const taken = `select bool_and(pg_try_advisory_xact_lock(${copy_lock_key}, hashtext(name))) as taken
    from unnest($1::text[]) as name`;
  const { rows } = await client.query<{ taken: boolean }>(taken, [schemas]);
  if (rows[0]?.taken !== true) throw new SchemaInUse(null);
}

/** As `takeSchemasExclusively`; throws, for `untilAlone`, when the schemas are in use. */
export async function requireAlone(client: pg.ClientBase, schemas: readonly string[]): Promise<void> {
  if (!(await takeSchemasExclusively(client, schemas))) throw new SchemaInUse(await otherHolders(client, schemas));
}

/**
 * Retries work that needs exclusive access until it succeeds. Between attempts it holds nothing, so that others are not
 * blocked. Reports every 30 seconds where the schemas are in use; null for a backup.
 */
export async function untilAlone<T>(
  work: () => Promise<T>,
  report: (there: readonly string[] | null) => void,
): Promise<T> {
  for (let reported_at = Number.NEGATIVE_INFINITY; ; await Bun.sleep(retry_every_ms)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SchemaInUse)) throw error;
      if (performance.now() - reported_at < reported_every_ms) continue;
      report(error.there);
      reported_at = performance.now();
    }
  }
}
