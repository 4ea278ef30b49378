// Migrations on SQLite: all or nothing, child rows survive a table rebuild, ids continue where they were.
import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import {
  checkEnvironmentOnSqlite,
  migrateSqlite,
  migrationStateFrom,
} from "../../../src/storage/migrations/migrate.ts";
import { type Migration, migrations } from "../../../src/storage/migrations/migration_sql.ts";

const key = "integer primary key autoincrement";
const first: Migration = {
  name: "0001_first",
  statements: [
    `create table parents (id ${key}, name text) strict`,
    `create table children (id ${key}, parent_id integer not null references parents (id) on delete cascade) strict`,
  ],
};
const rebuilt: Migration = {
  name: "0002_rebuilt",
  statements: [
    `create table __new_parents (id ${key}, name text, note text) strict`,
    "insert into __new_parents (id, name) select id, name from parents",
    "drop table parents",
    "alter table __new_parents rename to parents",
    `create table later (id ${key}) strict`,
  ],
};

describe("migrations", () => {
  let raw: Database;
  beforeEach(() => {
    raw = new Database(":memory:", { strict: true });
    raw.run("pragma foreign_keys=on");
  });
  const all = (query: string) => raw.query(query).values();

  test("a rebuilt table keeps its child rows and ids; a later table starts in the environment's range", () => {
    migrateSqlite(raw, "live", "memory", [first]);
    raw.run("insert into parents (name) values ('a'), ('b'), ('c')");
    raw.run("insert into children (parent_id) values (1001), (1002)");
    raw.run("delete from parents where id = 1003");
    migrateSqlite(raw, "live", "memory", [first, rebuilt]);
    expect(all("select id from children")).toEqual([[1001], [1002]]);
    expect(all("insert into parents (name) values ('d') returning id")).toEqual([[1004]]);
    expect(all("insert into later default values returning id")).toEqual([[1001]]);
    expect(all("pragma foreign_keys")).toEqual([[1]]);
    expect(all("pragma user_version")).toEqual([[2]]);
  });

  test("a migration that fails or leaves dangling references changes nothing", () => {
    migrateSqlite(raw, "test", "memory", [first]);
    raw.run("insert into parents (name) values ('a')");
    raw.run("insert into children (parent_id) values (1000000001)");
    const wrong = { name: "0002_wrong", statements: ["create table more (id integer)", "no sql"] };
    expect(() => migrateSqlite(raw, "test", "memory", [first, wrong])).toThrow("syntax error");
    const orphans = { name: "0002_orphans", statements: ["delete from parents"] };
    expect(() => migrateSqlite(raw, "test", "memory", [first, orphans])).toThrow("dangling references");
    expect(all("select count(*) from parents")).toEqual([[1]]);
    expect(all("select name from sqlite_schema where name = 'more'")).toEqual([]);
    expect(all("select name from migrations")).toEqual([["0001_first"]]);
    expect(raw.inTransaction).toBe(false);
  });

  test("an applied migration is not applied again", () => {
    migrateSqlite(raw, "test", "memory", [first]);
    migrateSqlite(raw, "test", "memory", [first]);
    expect(all("select count(*) from migrations")).toEqual([[1]]);
  });

  test("a database with a foreign migration that lacks one of ours is refused", () => {
    const has = [{ name: first.name, kind: "breaking" } as const, { name: "9999_other", kind: "additive" } as const];
    expect(migrationStateFrom([first], has, "memory").missing).toEqual([]);
    expect(() => migrationStateFrom([first, rebuilt], has, "memory")).toThrow("lacks 0002_rebuilt of this one");
  });

  test("a database records its environment; if it does not, its ids determine it", () => {
    migrateSqlite(raw, "test", "memory", [first]);
    raw.run("insert into parents (name) values ('a')");
    expect(() => checkEnvironmentOnSqlite(raw, "live", "memory")).toThrow("memory holds test data, not live data.");
    checkEnvironmentOnSqlite(raw, "test", "memory");
    const other = new Database(":memory:", { strict: true });
    migrateSqlite(other, "test", "memory");
    expect(other.query("select mode, seal from installation").values()).toEqual([["test", null]]);
    other.run("delete from sqlite_sequence");
    expect(() => checkEnvironmentOnSqlite(other, "live", "memory")).toThrow("swapped");
    other.close();
  });

  test("the program has the same migrations for both engines", () => {
    const names = migrations.sqlite.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(migrations.postgres.map(({ name }) => name)).toEqual(names);
    for (const { statements } of migrations.postgres) expect(statements.join()).not.toContain('"public"');
  });
});
