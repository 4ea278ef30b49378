// Databases from before the first release: the start replaces their list of migrations and changes nothing else.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { databaseUrl } from "../../../src/core/config.ts";
import { type Environment, environments } from "../../../src/core/environment.ts";
import { migrateSqlite, migrationStateOnSqlite } from "../../../src/storage/migrations/migrate.ts";
import { migratePostgres } from "../../../src/storage/migrations/migrate_postgres.ts";
import { type Migration, migrations } from "../../../src/storage/migrations/migration_sql.ts";
import { listed, relisting } from "./squashed/pre_release.ts";
import { schemaOfPostgres, schemaOfSqlite } from "./squashed/schema.ts";

const killed = join(import.meta.dir, "squashed/killed.ts");
/** The base alone: what the databases that it replaces are brought to. Later migrations are tested with their own. */
const base = { sqlite: migrations.sqlite.slice(0, 1), postgres: migrations.postgres.slice(0, 1) };
const today = base.sqlite.map(({ name }) => name);
/** Lists that are refused: a prefix, one without its last migration, one with an extra, and older ones. */
const refused: Readonly<Record<string, readonly string[]>> = {
  first: listed.slice(0, 1),
  most: listed.slice(0, -1),
  more: [...listed, "0020_other"],
  oldest: ["0001_initial", "0002_order_search"],
};
const refusal = expect.objectContaining({
  exit_code: 78,
  message: expect.stringMatching(/before the first release.*ends with migration 0019_invitation_proofs/),
});
const row = (id: number, bytes: string) =>
  `insert into zone_systems (id, name, overrides, version, updated_at) values (${id}, 'kept', ${bytes}, 1, 0)`;
const later = (statement: string): Migration => ({ name: "0002_later", kind: "additive", statements: [statement] });

if (databaseUrl === null) {
  describe("on SQLite", () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "packhouse-squashed-"));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    /** A database file with this list of migrations. */
    function older(mode: Environment, names: readonly string[], name: string): string {
      const path = join(folder, `${name}.db`);
      using raw = new Database(path, { create: true, readwrite: true, strict: true });
      migrateSqlite(raw, mode, path, base.sqlite);
      for (const statement of [row(1500, "x'00'"), ...relisting(names)]) raw.run(statement);
      raw.run(`pragma user_version=${names.length}`);
      return path;
    }
    const open = (path: string) => new Database(path, { readwrite: true, strict: true });
    const applied = (raw: Database) => raw.query("select name from migrations order by name").values().flat();

    for (const mode of environments) {
      test(`a ${mode} database keeps its schema, its rows and its ids, and lists the base`, () => {
        using raw = open(older(mode, listed, `whole_${mode}`));
        expect(migrationStateOnSqlite(raw, "it", base.sqlite).missing.map(({ name }) => name)).toEqual(today);
        const before = schemaOfSqlite(raw);
        migrateSqlite(raw, mode, "it", base.sqlite);
        expect(schemaOfSqlite(raw)).toEqual(before);
        expect(before.length).toBeGreaterThan(900);
        expect(applied(raw)).toEqual(today);
        expect(raw.query("pragma user_version").values()).toEqual([[today.length]]);
        expect(migrationStateOnSqlite(raw, "it", base.sqlite).missing).toEqual([]);
        raw.run("insert into zone_systems (name, overrides, version, updated_at) values ('next', x'00', 1, 0)");
        const next = raw.query("select id from zone_systems where name = 'next'").values();
        expect(next).toEqual([[mode === "live" ? 1501 : 1_000_000_001]]);
      });
    }

    test("later migrations run in the same transaction, so that a failure leaves the list unchanged", () => {
      const path = older("live", listed, "later");
      using raw = open(path);
      const broken = [...base.sqlite, later("select no_such_thing")];
      expect(() => migrateSqlite(raw, "live", path, broken)).toThrow("no_such_thing");
      expect(applied(raw)).toEqual(listed);
      migrateSqlite(raw, "live", path, [...base.sqlite, later("create table later (id integer) strict")]);
      expect(applied(raw)).toEqual([...today, "0002_later"]);
      expect(raw.query("select id from later").values()).toEqual([]);
    });

    test.each(Object.entries(refused))("any other list (%s) is refused and nothing changes", (name, names) => {
      const path = older("live", names, name);
      using raw = open(path);
      const before = raw.serialize();
      expect(thrown(() => migrationStateOnSqlite(raw, path))).toEqual(refusal);
      expect(thrown(() => migrateSqlite(raw, "live", path))).toEqual(refusal);
      expect(raw.serialize().equals(before)).toBe(true);
    });

    test("a kill just before the commit leaves the list unchanged, and the next start replaces it", async () => {
      const path = older("test", listed, "killed");
      const child = Bun.spawn([process.execPath, killed, path], { stderr: "inherit" });
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      using raw = open(path);
      expect(applied(raw)).toEqual(listed);
      migrateSqlite(raw, "test", path, base.sqlite);
      expect(applied(raw)).toEqual(today);
    });
  });
} else {
  const url = databaseUrl;
  describe("on PostgreSQL", () => {
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

    async function older(mode: Environment, names: readonly string[], name: string): Promise<string> {
      const schema = `temporary_${process.pid}_squashed_${name}`;
      schemas.push(schema);
      await migratePostgres(url, schema, mode, base.postgres);
      await admin.query(`set search_path to ${schema}`);
      for (const statement of [row(1500, "'\\x00'"), ...relisting(names)]) await admin.query(statement);
      if (mode === "live") await admin.query("select setval(pg_get_serial_sequence('zone_systems', 'id'), 1500)");
      return schema;
    }
    const applied = async (schema: string) =>
      (await admin.query<{ name: string }>(`select name from ${schema}.migrations order by name`)).rows.map(
        ({ name }) => name,
      );

    for (const mode of environments) {
      test(`a ${mode} schema keeps its tables, rows and ids when four servers start at once`, async () => {
        const schema = await older(mode, listed, `whole_${mode}`);
        const before = await schemaOfPostgres(admin, schema);
        await Promise.all(Array.from({ length: 4 }, () => migratePostgres(url, schema, mode, base.postgres)));
        expect(await schemaOfPostgres(admin, schema)).toEqual(before);
        expect(before.length).toBeGreaterThan(900);
        expect(await applied(schema)).toEqual(today);
        const next = "insert into zone_systems (name, overrides, version, updated_at) values ('next', '\\x00', 1, 0)";
        const { rows } = await admin.query<{ id: unknown }>(`${next} returning id`);
        expect(rows.map(({ id }) => Number(id))).toEqual([mode === "live" ? 1501 : 1_000_000_001]);
      });
    }

    test("later migrations run in the same transaction, so that a failure leaves the list unchanged", async () => {
      const schema = await older("live", listed, "later");
      const broken = [...base.postgres, later("select no_such_thing")];
      await expect(migratePostgres(url, schema, "live", broken)).rejects.toThrow("no_such_thing");
      expect(await applied(schema)).toEqual(listed);
      await migratePostgres(url, schema, "live", [...base.postgres, later("create table later (id bigint)")]);
      expect(await applied(schema)).toEqual([...today, "0002_later"]);
    });

    test.each(Object.entries(refused))("any other list (%s) is refused and nothing changes", async (name, names) => {
      const schema = await older("live", names, name);
      const before = await schemaOfPostgres(admin, schema);
      const told = await migratePostgres(url, schema, "live").catch((error) => error);
      expect(told).toEqual(refusal);
      expect(await schemaOfPostgres(admin, schema)).toEqual(before);
      expect(await applied(schema)).toEqual([...names].sort());
    });

    test("a kill just before the commit leaves the list unchanged, and the next start replaces it", async () => {
      const schema = await older("test", listed, "killed");
      const child = Bun.spawn([process.execPath, killed, schema], { stderr: "inherit" });
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      expect(await applied(schema)).toEqual(listed);
      await migratePostgres(url, schema, "test", base.postgres);
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
