// Consistent snapshots of a PostgreSQL schema, and its erased customers, for backups.
import pg from "pg";
import type { Environment } from "../../core/environment.ts";
import type { LoggedErasure } from "../erasures.ts";
import { refuseMarked, refuseUnfinished } from "../migrations/migrate_postgres.ts";
import { sessionSettings } from "./postgres_store.ts";
import { announceCopy } from "./schema_lock.ts";

/**
 * The customers of an environment who were erased or are about to be. Each server's own log has only its own erasures.
 * Empty if the schema predates erasures.
 */
export async function erasuresIn(url: string, mode: Environment): Promise<LoggedErasure[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A lost connection fails the query.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(sessionSettings(mode));
    const { rows: found } = await client.query<{ there: boolean }>(
      "select to_regclass('erasures') is not null as there",
    );
    if (found[0]?.there !== true) return [];
    const { rows } = await client.query<Omit<LoggedErasure, "mode">>(
      `select c.id::float8 as customer_id, c.created_at::float8 as created_at,
           coalesce(e.finished_at, floor(extract(epoch from clock_timestamp()) * 1000))::float8 as erased_at
         from erasures e cross join jsonb_array_elements_text(e.customers::jsonb) as one(id)
         join customers c on c.id = one.id::bigint
         where e.status <> 'waiting'`,
    );
    return rows.map((row) => ({ mode, ...row }));
  } finally {
    await client.end();
  }
}

export interface Snapshot {
  /** The name by which another connection uses the same snapshot. */
  readonly name: string;
  /** When it was taken, in milliseconds by the database's clock. */
  readonly at: number;
  /** The schema's migrations; empty when there is no such schema. */
  readonly migrations: readonly string[];
  /** The server's version, such as `150004`. */
  readonly version: number;
  close(): Promise<void>;
}

/** `exclusive`: a transaction of the caller holds the locks of both schemas, which also keep out other copies. */
export type SchemaAccess = "shared" | "exclusive";

/**
 * Takes a snapshot of a schema and holds it on its own connection. Refuses schemas that were moved or are being moved,
 * and a database with an unfinished restore.
 */
export async function holdSnapshot(url: string, schema: string, access: SchemaAccess = "shared"): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A lost connection fails the reader of the snapshot.
  client.on("error", () => {});
  await client.connect();
  try {
    // Reading all of it may take long.
    await client.query(`${sessionSettings(schema)}; set statement_timeout = 0`);
    await client.query("set idle_in_transaction_session_timeout = 0");
    if (access === "shared") await announceCopy(client, schema);
    await client.query("begin isolation level repeatable read read only");
    await refuseUnfinished(client);
    if (access === "shared") await refuseMarked(client, schema);
    const { rows } = await client.query<{ name: string; at: number; version: number; there: boolean }>(
      `select pg_export_snapshot() as name, (extract(epoch from clock_timestamp()) * 1000)::float8 as at,
         current_setting('server_version_num')::int as version, to_regclass('migrations') is not null as there`,
    );
    const taken = rows[0];
    if (taken === undefined) throw new Error("PostgreSQL returned no snapshot");
    const names = taken.there
      ? await client.query<{ name: string }>("select name from migrations order by name")
      : null;
    return {
      name: taken.name,
      at: Math.floor(taken.at),
      version: taken.version,
      migrations: names?.rows.map(({ name }) => name) ?? [],
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}
