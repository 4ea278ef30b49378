// A snapshot of one schema of a PostgreSQL database, which another program can read as well while it is held.
import pg from "pg";
import { refuseMarked, refuseUnfinished } from "./migrate_postgres.ts";
import { sessionSettings } from "./postgres.ts";
import { announceCopy } from "./presence.ts";

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
