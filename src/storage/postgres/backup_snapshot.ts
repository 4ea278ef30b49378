// Which customers were erased, as a PostgreSQL database tells it: each server's own file has only its own erasures.
import pg from "pg";
import type { Environment } from "../../core/environment.ts";
import type { LoggedErasure } from "../erasures.ts";
import { refuseMarked, refuseUnfinished } from "../migrations/migrate_postgres.ts";
import { sessionSettings } from "./postgres_store.ts";
import { announceCopy } from "./schema_lock.ts";

/** The customers of a world who were erased by now, or are about to be. None where its schema is of before erasures. */
export async function erasuresIn(url: string, mode: Environment): Promise<LoggedErasure[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // Its loss fails the query.
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

// A snapshot of one schema of a PostgreSQL database, which another program can read as well while it is held.

export interface Snapshot {
  /** By what another connection takes the same view. */
  readonly name: string;
  /** The moment at which it was taken, in milliseconds by the database's clock. */
  readonly at: number;
  /** The names of the migrations that the schema has; empty when there is no such schema. */
  readonly migrations: readonly string[];
  /** The database's version, as `150004`. */
  readonly version: number;
  close(): Promise<void>;
}

/**
 * Takes a snapshot of a schema and holds it in a connection of its own. Refuses one that is moved, or is being moved,
 * and a database into which a restore is not finished.
 */
export async function holdSnapshot(url: string, schema: string): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // Its loss ends whoever reads the snapshot.
  client.on("error", () => {});
  await client.connect();
  try {
    // However long it takes to read all of it.
    await client.query(`${sessionSettings(schema)}; set statement_timeout = 0`);
    await client.query("set idle_in_transaction_session_timeout = 0");
    await announceCopy(client, schema);
    await client.query("begin isolation level repeatable read read only");
    await refuseUnfinished(client);
    await refuseMarked(client, schema);
    const { rows } = await client.query<{ name: string; at: number; version: number; there: boolean }>(
      `select pg_export_snapshot() as name, (extract(epoch from clock_timestamp()) * 1000)::float8 as at,
         current_setting('server_version_num')::int as version, to_regclass('migrations') is not null as there`,
    );
    const taken = rows[0];
    if (taken === undefined) throw new Error("PostgreSQL gave no snapshot");
    const names = taken.there
      ? await client.query<{ name: string }>("select name from migrations order by name")
      : null;
    return {
      ...{ name: taken.name, at: Math.floor(taken.at), version: taken.version },
      migrations: names?.rows.map(({ name }) => name) ?? [],
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}
