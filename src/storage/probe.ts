// Inspects databases without opening them as a service: nothing is migrated or written.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Environment, environments } from "../core/environment.ts";

const connect_ms = 5000;

/** Runs work on its own connection to PostgreSQL. Throws connection errors. */
async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connect_ms,
    query_timeout: connect_ms,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The applied migrations of each environment; null when unknown, such as when PostgreSQL does not respond. */
export async function probeMigrations(
  data: string,
  database_url: string | null,
): Promise<Readonly<Record<Environment, string[] | null>>> {
  const found: Record<Environment, string[] | null> = { live: null, test: null };
  for (const mode of environments) {
    try {
      found[mode] = database_url === null ? onSqlite(join(data, `${mode}.db`)) : await onPostgres(database_url, mode);
    } catch {
      // The cause is reported by other checks.
    }
  }
  return found;
}

function onSqlite(path: string): string[] {
  if (!existsSync(path)) return [];
  const raw = new Database(path, { readonly: true });
  try {
    const there = raw.query("select 1 from sqlite_schema where name = 'migrations'").all().length > 0;
    if (!there) return [];
    const rows = raw.query<{ name: string }, []>("select name from migrations order by name").all();
    return rows.map(({ name }) => name);
  } finally {
    raw.close();
  }
}

function onPostgres(url: string, schema: Environment): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows: there } = await client.query("select to_regclass($1) as found", [`${schema}.migrations`]);
    if (there[0]?.found === null) return [];
    const { rows } = await client.query<{ name: string }>(`select name from ${schema}.migrations order by name`);
    return rows.map(({ name }) => name);
  });
}

/** Facts about a PostgreSQL server and database. */
export interface PostgresFacts {
  readonly settings: Readonly<Record<string, string>>;
  /** Its time at the query, in milliseconds. */
  readonly now: number;
  readonly connections: number;
  readonly encoding: string;
  readonly collation: string;
  /** Whether it is a replica, which accepts no writes. */
  readonly is_replica: boolean;
  readonly may_create: boolean;
  /** Whether the connection is encrypted. */
  readonly is_encrypted: boolean;
  /** The log segment whose last archiving attempt failed; null when the last attempt succeeded. */
  readonly unarchived: string | null;
}

const setting_names = [
  ...["server_version_num", "server_version", "max_connections", "superuser_reserved_connections", "fsync"],
  ...["synchronous_commit", "full_page_writes", "archive_mode", "wal_level", "TimeZone", "statement_timeout"],
  ...["default_transaction_read_only", "idle_in_transaction_session_timeout", "shared_buffers", "track_counts"],
];

/** Queries PostgreSQL's facts. Throws when it does not respond or refuses the connection. */
export function probePostgres(url: string): Promise<PostgresFacts> {
  return withClient(url, async (client) => {
    const { rows: settings } = await client.query<{ name: string; value: string }>(
      "select name, current_setting(name) as value from pg_settings where name = any($1)",
      [setting_names],
    );
    const { rows } = await client.query(
      `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
         (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
         pg_encoding_to_char(encoding) as encoding, datcollate as collation, pg_is_in_recovery() as is_replica,
         has_database_privilege(current_database(), 'create') as may_create,
         coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted,
         (select last_failed_wal from pg_stat_archiver
           where last_failed_time > coalesce(last_archived_time, '-infinity')) as unarchived
       from pg_database where datname = current_database()`,
    );
    return { settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])), ...rows[0] };
  });
}
