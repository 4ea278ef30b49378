// Extensible word lists: the database refuses unknown words, and a later migration can add one without a table scan.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { triggerOnPostgres, type WordList, wordLists } from "../../db/words.ts";
import { readMigrations, wordStatements } from "../../scripts/migrations.ts";
import { databaseUrl } from "../../src/core/config.ts";
import { migrateSqlite } from "../../src/storage/migrations/migrate.ts";
import { migratePostgres } from "../../src/storage/migrations/migrate_postgres.ts";
import { type Migration, migrations } from "../../src/storage/migrations/migration_sql.ts";

const grown: readonly WordList[] = wordLists.map((list) => ({ ...list, words: [...list.words, "word.of_later"] }));
const later = wordStatements(readMigrations("sqlite"), grown);
const bytes = databaseUrl === null ? "x''" : "''";
const event = (type: string) =>
  `insert into events (id, type, body, created_at) values ('evt_${type}', '${type}', ${bytes}, 1)`;
const rename = (type: string) => `update events set type = '${type}' where type = 'order.created'`;

test("after the migrations the lists match the program on both engines", () => {
  expect(wordStatements(readMigrations("sqlite"), wordLists)).toEqual({ sqlite: [], postgres: [] });
  const left = new Map<string, string>();
  for (const statement of readMigrations("postgres").flatMap((text) => text.split("--> statement-breakpoint"))) {
    const name = /^\s*CREATE OR REPLACE TRIGGER "(\w+)"/.exec(statement)?.[1];
    if (name !== undefined) left.set(name, statement.trim().replace(/;$/, ""));
  }
  expect(left).toEqual(new Map(wordLists.map((list) => [`${list.table}_${list.column}`, triggerOnPostgres(list)])));
});

test("a draft for new words or a rebuilt table creates only triggers", () => {
  expect(later.sqlite.length).toBe(4 * wordLists.length);
  expect(later.sqlite.filter((sql) => !/^(DROP|CREATE) TRIGGER /.test(sql))).toEqual([]);
  expect(later.postgres.filter((sql) => !sql.startsWith("CREATE OR REPLACE TRIGGER "))).toEqual([]);
  const rebuilt = wordStatements([...readMigrations("sqlite"), "drop trigger events_type_new"], wordLists);
  expect(rebuilt.sqlite.map((sql) => sql.slice(0, 31))).toEqual(["CREATE TRIGGER `events_type_new"]);
});

if (databaseUrl === null) {
  describe("on SQLite", () => {
    const raw = new Database(":memory:", { strict: true });
    const places = () => raw.query("select name, rootpage, sql from sqlite_schema where type <> 'trigger'").values();
    migrateSqlite(raw, "live", "memory");
    afterAll(() => raw.close());

    test("an unknown word is refused until a later migration adds it, without rebuilding the table", () => {
      raw.run(event("order.created"));
      for (const act of [event("word.of_later"), rename("word.of_later")]) {
        expect(() => raw.run(act)).toThrow(expect.objectContaining({ message: "events_type" }));
      }
      const before = places();
      const added: Migration = { name: "0002_words", statements: later.sqlite };
      migrateSqlite(raw, "live", "memory", [...migrations.sqlite, added]);
      expect(places()).toEqual(before);
      raw.run(event("word.of_later"));
      raw.run(rename("word.of_later"));
      expect(() => raw.run(event("word.of_nobody"))).toThrow("events_type");
    });
  });
} else {
  const url = databaseUrl;
  describe("on PostgreSQL", () => {
    const schema = `temporary_${process.pid}_words`;
    const admin = new pg.Client({ connectionString: url });
    const places = async () =>
      (await admin.query("select relname, relfilenode from pg_class where relnamespace = $1::regnamespace", [schema]))
        .rows;
    beforeAll(async () => {
      await admin.connect();
      await migratePostgres(url, schema, "live");
      await admin.query(`set search_path to ${schema}`);
    });
    afterAll(async () => {
      await admin.query(`drop schema ${schema} cascade`);
      await admin.end();
    });

    test("an unknown word is refused until a later migration adds it, without rebuilding the table", async () => {
      const refusal = { code: "23514", constraint: "events_type", table: "events" };
      const said = (act: string) => admin.query(act).catch((error) => error);
      await admin.query(event("order.created"));
      for (const act of [event("word.of_later"), rename("word.of_later")])
        expect(await said(act)).toMatchObject(refusal);
      const before = await places();
      const added: Migration = { name: "0002_words", statements: later.postgres };
      await migratePostgres(url, schema, "live", [...migrations.postgres, added]);
      expect(await places()).toEqual(before);
      await admin.query(event("word.of_later"));
      await admin.query(rename("word.of_later"));
      expect(await said(event("word.of_nobody"))).toMatchObject(refusal);
    });
  });
}
