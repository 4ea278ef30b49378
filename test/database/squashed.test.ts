// Databases of before the migrations began anew with `0001_base`: they come to the very schema that new ones have.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { databaseUrl } from "../../src/config.ts";
import { isLacking, migrateSqlite, standingOnSqlite } from "../../src/database/migrate.ts";
import { migratePostgres } from "../../src/database/migrate_postgres.ts";
import { type Migration, migrations } from "../../src/database/migration_sql.ts";
import { type Mode, modes } from "../../src/kit/mode.ts";
import { formerMigrations } from "./squashed/former.ts";
import { schemaOfPostgres, schemaOfSqlite } from "./squashed/schema.ts";

const killed = join(import.meta.dir, "squashed/killed.ts");
const today = migrations.sqlite.map(({ name }) => name);
const row = (id: number, bytes: string) =>
  `insert into zone_systems (id, name, overrides, version, updated_at) values (${id}, 'kept', ${bytes}, 1, 0)`;

if (databaseUrl === null) {
  describe("on SQLite", () => {
    const former = formerMigrations("sqlite");
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "packhouse-squashed-"));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    /** A database with these of the former migrations, in a file. */
    function older(mode: Mode, some: readonly Migration[], name: string): string {
      const path = join(folder, `${name}.db`);
      using raw = new Database(path, { create: true, readwrite: true, strict: true });
      migrateSqlite(raw, mode, path, some);
      return path;
    }
    const open = (path: string) => new Database(path, { readwrite: true, strict: true });
    const applied = (raw: Database) => raw.query("select name from migrations order by name").values().flat();

    for (const mode of modes) {
      test(`a ${mode} database of before comes to the schema of a new one, and keeps its rows and ids`, () => {
        using raw = open(older(mode, former, `whole_${mode}`));
        expect(isLacking(standingOnSqlite(raw, "it"))).toBe(true);
        migrateSqlite(raw, mode, "it");
        using fresh = new Database(":memory:", { strict: true });
        migrateSqlite(fresh, mode, "new");
        expect(schemaOfSqlite(raw)).toEqual(schemaOfSqlite(fresh));
        expect(schemaOfSqlite(raw).length).toBeGreaterThan(900);
        expect(applied(raw)).toEqual(today);
        expect(raw.query("pragma user_version").values()).toEqual([[today.length]]);
        expect(isLacking(standingOnSqlite(raw, "it"))).toBe(false);
      });
    }

    test("its rows stay, and its ids go on", () => {
      const path = older("live", former, "filled");
      using raw = open(path);
      raw.run(row(1500, "x'00'"));
      migrateSqlite(raw, "live", path);
      const next = "insert into zone_systems (name, overrides, version, updated_at) values ('next', x'00', 1, 0)";
      raw.run(next);
      expect(raw.query("select id, name from zone_systems").values()).toEqual([
        [1500, "kept"],
        [1501, "next"],
      ]);
    });

    test("one that lacks some of the former migrations, or has others, is refused as it is", () => {
      for (const [name, some] of Object.entries({ one: former.slice(0, 1), most: former.slice(0, -1) })) {
        const path = older("live", some, name);
        using raw = open(path);
        const before = raw.serialize();
        const refusal = expect.objectContaining({ exit_code: 78, message: expect.stringContaining("0048_people") });
        expect(thrown(() => standingOnSqlite(raw, path))).toEqual(refusal);
        expect(thrown(() => migrateSqlite(raw, "live", path))).toEqual(refusal);
        expect(raw.serialize().equals(before)).toBe(true);
      }
      using raw = open(older("live", former, "more"));
      raw.run("insert into migrations (name) values ('0049_other')");
      expect(thrown(() => migrateSqlite(raw, "live", "it"))).toMatchObject({ exit_code: 78 });
    });

    test("a kill just before the commit leaves it as it was, and the next start takes it over", async () => {
      const path = older("test", former, "killed");
      const child = Bun.spawn([process.execPath, killed, path], { stderr: "inherit" });
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      using raw = open(path);
      expect(applied(raw)).toEqual(former.map(({ name }) => name));
      expect(raw.query("select 1 from sqlite_schema where name = 'events_type_new'").values()).toEqual([]);
      migrateSqlite(raw, "test", path);
      expect(applied(raw)).toEqual(today);
    });
  });
} else {
  const url = databaseUrl;
  describe("on PostgreSQL", () => {
    const former = formerMigrations("postgres");
    const schemas: string[] = [];
    let admin: pg.Client;
    beforeAll(async () => {
      admin = new pg.Client({ connectionString: url });
      await admin.connect();
    });
    afterAll(async () => {
      for (const schema of schemas) await admin.query(`drop schema if exists ${schema} cascade`);
      await admin.end();
    });

    async function older(mode: Mode, some: readonly Migration[], name: string): Promise<string> {
      const schema = `temporary_${process.pid}_squashed_${name}`;
      schemas.push(schema);
      await migratePostgres(url, schema, mode, some);
      return schema;
    }
    const applied = async (schema: string) =>
      (await admin.query<{ name: string }>(`select name from ${schema}.migrations order by name`)).rows.map(
        ({ name }) => name,
      );

    for (const mode of modes) {
      test(`a ${mode} schema of before comes to what a new one is, and keeps its rows and ids`, async () => {
        const schema = await older(mode, former, `whole_${mode}`);
        await migratePostgres(url, schema, mode);
        const fresh = await older(mode, migrations.postgres, `fresh_${mode}`);
        const facts = await schemaOfPostgres(admin, schema);
        expect(facts).toEqual(await schemaOfPostgres(admin, fresh));
        expect(facts.length).toBeGreaterThan(900);
        expect(await applied(schema)).toEqual(today);
      });
    }

    test("its rows stay, its ids go on, and servers that start at once take it over one after another", async () => {
      const schema = await older("live", former, "filled");
      await admin.query(`set search_path to ${schema}; ${row(1500, "'\\x00'")}`);
      await admin.query("select setval(pg_get_serial_sequence('zone_systems', 'id'), 1500)");
      await Promise.all(Array.from({ length: 4 }, () => migratePostgres(url, schema, "live")));
      expect(await applied(schema)).toEqual(today);
      const next = "insert into zone_systems (name, overrides, version, updated_at) values ('next', '\\x00', 1, 0)";
      const { rows } = await admin.query<{ id: unknown }>(`${next} returning id`);
      expect(rows.map(({ id }) => Number(id))).toEqual([1501]);
    });

    test("one that lacks some of the former migrations is refused as it is", async () => {
      for (const [name, some] of Object.entries({ one: former.slice(0, 1), most: former.slice(0, -1) })) {
        const schema = await older("live", some, name);
        const before = await schemaOfPostgres(admin, schema);
        const refused = await migratePostgres(url, schema, "live").catch((error) => error);
        expect(refused).toMatchObject({ exit_code: 78, message: expect.stringContaining("0048_people") });
        expect(await schemaOfPostgres(admin, schema)).toEqual(before);
        expect(await applied(schema)).toEqual(some.map((one) => one.name));
      }
    });

    test("a kill just before the commit leaves it as it was, and the next start takes it over", async () => {
      const schema = await older("test", former, "killed");
      const child = Bun.spawn([process.execPath, killed, schema], { stderr: "inherit" });
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      expect(await applied(schema)).toEqual(former.map(({ name }) => name));
      await migratePostgres(url, schema, "test");
      expect(await applied(schema)).toEqual(today);
    });
  });
}

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}
