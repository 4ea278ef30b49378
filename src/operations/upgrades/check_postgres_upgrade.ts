// Checks and rehearses the upgrade of a PostgreSQL database.
import pg from "pg";
import { environments } from "../../core/environment.ts";
import { isLacking, namesOf, toRun } from "../../storage/migrations/migrate.ts";
import {
  isAdditive,
  migratePostgresSchemas,
  migrationStateOf,
  type SchemaMigrationState,
} from "../../storage/migrations/migrate_postgres.ts";
import { migrations } from "../../storage/migrations/migration_sql.ts";
import { otherHolders, takeSchemasExclusively } from "../../storage/postgres/schema_lock.ts";
import { startRefused } from "../../storage/start_refused.ts";
import type { UpgradePlan } from "./upgrade.ts";
import { touchedRows } from "./upgrade.ts";

// Assumed to be twice the time of SQLite. `--rehearse` measures it.
const seconds_a_row = 6e-6;
const schemas = environments.map((mode) => ({ schema: mode, mode }));

/** Returns the upgrade plan. Changes nothing; servers may run. */
export async function checkPostgres(url: string): Promise<UpgradePlan> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin read only");
    const states: SchemaMigrationState[] = [];
    for (const schema of schemas) states.push({ ...schema, ...(await migrationStateOf(client, schema)) });
    const lacking = states.filter(isLacking);
    const names = new Set(lacking.flatMap(({ missing }) => namesOf(missing)));
    const missing = migrations.postgres.filter(({ name }) => names.has(name));
    let rows = 0;
    for (const one of lacking) rows += await rowsOf(client, one);
    return { migrations: missing, seconds: rows * seconds_a_row, notes: notesOf(lacking) };
  } finally {
    await client.end();
  }
}

async function rowsOf(client: pg.Client, state: SchemaMigrationState): Promise<number> {
  const found = "select tablename as name from pg_tables where schemaname = $1";
  const tables = namesOf((await client.query<{ name: string }>(found, [state.schema])).rows);
  const statements = toRun(state, migrations.postgres).flatMap((one) => one.statements);
  return touchedRows(statements, tables, async (table) => {
    const { rows } = await client.query<{ rows: string }>(`select count(*) as rows from "${state.schema}"."${table}"`);
    return Number(rows[0]?.rows ?? 0);
  });
}

function notesOf(lacking: readonly SchemaMigrationState[]): string[] {
  if (lacking.every(isAdditive))
    return ["All migrations are additive: servers of the previous version keep running and can be restarted."];
  return [
    "Start one server of this version. It waits until all others have stopped, then upgrades.",
    "It makes a backup with pg_dump first, in the folder of --data; packhouse rollback restores it.",
    ...missingPrograms(),
  ];
}

/** Returns a note about missing PostgreSQL programs that an upgrade or its rollback needs. */
function missingPrograms(): string[] {
  const missing = ["pg_dump", "pg_restore", "psql"].filter((name) => Bun.which(name) === null);
  if (missing.length === 0) return [];
  const advice = "install the client programs (Debian: apt install postgresql-client), or upgrade without a backup";
  return [`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not installed: ${advice} (--no-backup).`];
}

const undone = new Error("rolling back the rehearsal");

/** Runs the upgrade in a transaction and rolls it back. Returns its duration (s). Refuses while servers run. */
export async function rehearsePostgres(url: string): Promise<number> {
  let begun_at = 0;
  let seconds = 0;
  const before = async (client: pg.Client) => {
    if (!(await takeSchemasExclusively(client, environments))) {
      const there = (await otherHolders(client, environments)).join(", ");
      const advice = "A rehearsal would block them. Stop them, or rehearse on a copy of the database.";
      throw startRefused("in_use", `Servers or commands are using the database: ${there}. ${advice}`);
    }
    begun_at = performance.now();
  };
  const after = async () => {
    seconds = (performance.now() - begun_at) / 1000;
    throw undone;
  };
  try {
    await migratePostgresSchemas(url, schemas, { before, after });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return seconds;
}
