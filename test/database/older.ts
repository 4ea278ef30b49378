// A database as an older version of the program left it, with rows of its own, to be migrated in a test.
import { Database } from "bun:sqlite";
import pg from "pg";
import { databaseUrl, engine } from "../../src/config.ts";
import { migrateSqlite, migrations } from "../../src/database/migrate.ts";
import { migratePostgres } from "../../src/database/migrate_postgres.ts";

/** A database of the engine of this process. Rows may refer to others that are not there. */
export interface OlderDatabase {
  readonly run: (sql: string) => Promise<void>;
  readonly all: (sql: string) => Promise<unknown[][]>;
  /** Applies what it lacks. */
  readonly migrate: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a database that has all migrations before this one. */
export async function openOlder(first_missing: string): Promise<OlderDatabase> {
  const before = migrations[engine].slice(
    0,
    migrations[engine].findIndex(({ name }) => name === first_missing),
  );
  return engine === "postgres" ? await onPostgres(before) : onSqlite(before);
}

type Migrations = (typeof migrations)["sqlite"];

function onSqlite(before: Migrations): OlderDatabase {
  const raw = new Database(":memory:", { strict: true });
  migrateSqlite(raw, "live", "The older database", before);
  raw.run("pragma foreign_keys=off");
  return {
    run: async (sql) => void raw.run(sql),
    all: async (sql) => raw.query(sql).values(),
    migrate: async () => {
      for (const { statements } of migrations.sqlite.slice(before.length)) for (const one of statements) raw.run(one);
    },
    close: async () => raw.close(),
  };
}

async function onPostgres(before: Migrations): Promise<OlderDatabase> {
  const url = databaseUrl ?? "";
  const schema = `temporary_${process.pid}_older_${Bun.randomUUIDv7("hex").slice(-8)}`;
  await migratePostgres(url, schema, "live", before);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set search_path = ${schema}; set session_replication_role = replica`);
  return {
    run: async (sql) => void (await client.query(sql)),
    all: async (sql) => (await client.query({ text: sql, rowMode: "array" })).rows,
    // One after another: a row that is changed twice in a transaction is asked whether what it refers to is there.
    migrate: async () => {
      const all = migrations.postgres;
      for (let count = before.length + 1; count <= all.length; count++) {
        await migratePostgres(url, schema, "live", all.slice(0, count));
      }
    },
    close: async () => {
      await client.query(`drop schema ${schema} cascade`);
      await client.end();
    },
  };
}
