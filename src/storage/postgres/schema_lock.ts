// Who works on a schema of PostgreSQL at this moment: each connection of a store holds a lock with others, and what
// must be alone takes the same lock for itself. It ends with the connection, so that a killed server is gone at once.
import type pg from "pg";

const lock_key = 0x5041434c;
const look_every_ms = 500;
const reported_every_ms = 30_000;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** What a connection says that works on a schema. */
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

/** Keeps everybody from a schema while this client is connected; false, at once, when somebody works on it. */
export async function holdSchemaExclusively(client: pg.ClientBase, schema: string): Promise<boolean> {
  const taken = `select pg_try_advisory_lock(${lock_key}, hashtext($1)) as taken`;
  return (await client.query<{ taken: boolean }>(taken, [schema])).rows[0]?.taken === true;
}

/** Lets others in again. */
export async function shareSchema(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(${lock_key}, hashtext($1))`, [schema]);
}

/** Whether somebody keeps others from a schema; if not, nobody can until the transaction of this client ends. */
export async function isLockedOut(client: pg.ClientBase, schema: string): Promise<boolean> {
  const free = `select pg_try_advisory_xact_lock_shared(${lock_key}, hashtext($1)) as free`;
  return (await client.query<{ free: boolean }>(free, [schema])).rows[0]?.free === false;
}

/** Whether nobody works on the schemas, who is then kept out until the transaction of this client ends. */
export async function takeSchemasExclusively(client: pg.ClientBase, schemas: readonly string[]): Promise<boolean> {
  const taken = `select bool_and(pg_try_advisory_xact_lock(${lock_key}, hashtext(name))) as taken
    from unnest($1::text[]) as name`;
  // A lock that is waited for would keep out those who come as well; it is asked for again and again instead.
  const { rows } = await client.query<{ taken: boolean }>(taken, [schemas]);
  return rows[0]?.taken === true;
}

/** From where the schemas are worked on: `10.0.0.7 (9 connections)`. */
export async function otherHolders(client: pg.ClientBase, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; number: number }>(others, [schemas]);
  return rows.map(({ name, number }) => `${name} (${number} ${number === 1 ? "connection" : "connections"})`);
}

/** Somebody works on the schemas; what must be alone with them is undone, and tried again. */
class SchemaInUse extends Error {
  /** From where they work on them; null while a backup is made of them. */
  readonly there: readonly string[] | null;
  constructor(there: readonly string[] | null) {
    super(there === null ? "a backup of the database is being made" : `others work on it: ${there.join(", ")}`);
    this.there = there;
  }
}

const copy_lock_key = 0x50414342;

/** Says that a schema is copied until this client's connection ends: nothing of it is changed meanwhile. */
export async function announceCopy(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${copy_lock_key}, hashtext($1))`, [schema]);
}

/**
 * Keeps copies of the schemas from beginning until the transaction of this client ends. Throws, for `untilAlone`, while
 * one is made: a copy reads each table, so a change of one would wait for it, and all work with that table behind it.
 */
export async function requireNoCopy(client: pg.ClientBase, schemas: readonly string[]): Promise<void> {
  const taken = `select bool_and(pg_try_advisory_xact_lock(${copy_lock_key}, hashtext(name))) as taken
    from unnest($1::text[]) as name`;
  const { rows } = await client.query<{ taken: boolean }>(taken, [schemas]);
  if (rows[0]?.taken !== true) throw new SchemaInUse(null);
}

/** As `takeAlone`; throws, for `untilAlone`, when somebody works on the schemas. */
export async function requireAlone(client: pg.ClientBase, schemas: readonly string[]): Promise<void> {
  if (!(await takeSchemasExclusively(client, schemas))) throw new SchemaInUse(await otherHolders(client, schemas));
}

/**
 * Does work that requires to be alone, again and again until it is. In between it holds nothing, so that those who are
 * not in its way can come and go. Tells every half minute from where the schemas are worked on; null for a backup.
 */
export async function untilAlone<T>(
  work: () => Promise<T>,
  tell: (there: readonly string[] | null) => void,
): Promise<T> {
  for (let told_at = Number.NEGATIVE_INFINITY; ; await Bun.sleep(look_every_ms)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SchemaInUse)) throw error;
      if (performance.now() - told_at < reported_every_ms) continue;
      tell(error.there);
      told_at = performance.now();
    }
  }
}
