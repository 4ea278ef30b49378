// Takes over a database (a path, or a schema on PostgreSQL) and is killed just before the commit.
import { Database } from "bun:sqlite";
import pg from "pg";
import { databaseUrl } from "../../../../src/core/config.ts";
import { migrateSqlite } from "../../../../src/storage/migrations/migrate.ts";
import { migratePostgres } from "../../../../src/storage/migrations/migrate_postgres.ts";
import { migrations } from "../../../../src/storage/migrations/migration_sql.ts";

const place = process.argv[2] ?? "";
const die = () => process.kill(process.pid, "SIGKILL");

if (databaseUrl === null) {
  const raw = new Database(place, { readwrite: true, strict: true });
  const run = raw.run.bind(raw);
  raw.run = (sql: string, ...values: never[]) => {
    if (sql === "commit") die();
    return run(sql, ...values);
  };
  migrateSqlite(raw, "test", place, migrations.sqlite.slice(0, 1));
} else {
  const query = pg.Client.prototype.query as (this: pg.Client, ...values: unknown[]) => unknown;
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...values: unknown[]) {
      if (values[0] === "commit") die();
      return query.apply(this, values);
    },
  });
  await migratePostgres(databaseUrl, place, "test", migrations.postgres.slice(0, 1));
}
