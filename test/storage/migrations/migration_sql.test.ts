// SQL drafted by drizzle-kit is not always right. These checks catch mistakes that a reviewer could miss.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { strict, unqualified, whole } from "../../../scripts/migrations.ts";

const home = join(import.meta.dir, "../../../db/migrations");

interface Migration {
  readonly file: string;
  readonly text: string;
}

function migrationsOf(engine: "sqlite" | "postgres"): Migration[] {
  const folder = join(home, engine);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
}

const rebuild = /INSERT INTO `__new_(\w+)`\([^)]*\) SELECT (.*?) FROM `\w+`/g;

/**
 * Runs the migrations on an empty database and finds each that both rebuilds a table and adds a column to it:
 * either the rebuild copies a column that the old table lacks (SQLite then stores the column's name as data), or an ADD
 * of the same table accompanies it.
 */
function mixed(migrations: readonly Migration[]): string[] {
  const problems: string[] = [];
  const database = new Database(":memory:");
  for (const { file, text } of migrations) {
    for (const [, table = "", columns = ""] of text.matchAll(rebuild)) {
      const known = database.query<{ name: string }, [string]>("select name from pragma_table_info(?)").all(table);
      const names = new Set(known.map(({ name }) => name));
      const copied = [...columns.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
      const unknown = copied.filter((name) => !names.has(name));
      if (unknown.length > 0) problems.push(`${file} rebuilds ${table} and adds ${unknown.join(", ")}`);
      if (text.includes(`ALTER TABLE \`${table}\` ADD `)) problems.push(`${file} rebuilds ${table} and has an ADD`);
    }
    database.run("PRAGMA foreign_keys=OFF");
    database.run(text);
  }
  database.close();
  return problems;
}

/** Tables that are not STRICT after these migrations. */
function loose(migrations: readonly Migration[]): string[] {
  const database = new Database(":memory:");
  for (const { text } of migrations) database.run(text);
  const tables = database.query<{ name: string }, []>(
    `select name from pragma_table_list
     where schema = 'main' and type = 'table' and strict = 0 and name not like 'sqlite_%'`,
  );
  const names = tables.all().map(({ name }) => name);
  database.close();
  return names.sort();
}

describe("the migrations", () => {
  test("have the same names in the same order on both engines, numbered from 0001", () => {
    const names = migrationsOf("sqlite").map(({ file }) => file);
    expect(migrationsOf("postgres").map(({ file }) => file)).toEqual(names);
    expect(
      names.filter((name, at) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name) || Number(name.slice(0, 4)) !== at + 1),
    ).toEqual([]);
  });

  test("keep only the last schema snapshot, for the next draft", () => {
    for (const engine of ["sqlite", "postgres"] as const) {
      const last = migrationsOf(engine).at(-1)?.file ?? "";
      const files = readdirSync(join(home, engine, "meta")).sort();
      expect(files).toEqual([`${last.slice(0, 4)}_snapshot.json`, "_journal.json"]);
      const journal = JSON.parse(readFileSync(join(home, engine, "meta/_journal.json"), "utf8"));
      const tags = journal.entries.map(({ tag }: { tag: string }) => `${tag}.sql`);
      expect(tags).toEqual(migrationsOf(engine).map(({ file }) => file));
    }
  });

  test("create STRICT tables on SQLite", () => {
    expect(loose(migrationsOf("sqlite"))).toEqual([]);
  });

  test("never rebuild a table and add a column to it in one migration", () => {
    expect(mixed(migrationsOf("sqlite"))).toEqual([]);
  });

  test("name no schema on PostgreSQL, where live and test data are two schemas", () => {
    const naming = migrationsOf("postgres").filter(({ text }) => text.includes('"public".'));
    expect(naming.map(({ file }) => file)).toEqual([]);
  });
});

describe("the checks themselves", () => {
  const first = { file: "0001_initial.sql", text: "CREATE TABLE `lots` (\n\t`id` integer PRIMARY KEY NOT NULL\n);\n" };
  const rebuilt = "CREATE TABLE `__new_lots` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`extra` text\n);\n";
  const moved = "DROP TABLE `lots`;\nALTER TABLE `__new_lots` RENAME TO `lots`;\n";

  test("refuse a rebuild that adds a column", () => {
    const copy = 'INSERT INTO `__new_lots`("id", "extra") SELECT "id", "extra" FROM `lots`;\n';
    const second = { file: "0002_extra.sql", text: rebuilt + copy + moved };
    expect(mixed([first, second])).toEqual(["0002_extra.sql rebuilds lots and adds extra"]);
  });

  test("refuse an added column alongside a rebuild", () => {
    const copy = 'INSERT INTO `__new_lots`("id") SELECT "id" FROM `lots`;\n';
    const added = "ALTER TABLE `lots` ADD `later` text;\n";
    const second = { file: "0002_extra.sql", text: rebuilt + copy + moved + added };
    expect(mixed([first, second])).toEqual(["0002_extra.sql rebuilds lots and has an ADD"]);
  });

  test("accept a plain rebuild", () => {
    const copy = 'INSERT INTO `__new_lots`("id") SELECT "id" FROM `lots`;\n';
    expect(mixed([first, { file: "0002_extra.sql", text: rebuilt + copy + moved }])).toEqual([]);
  });

  test("find a table that is not STRICT, which the draft's clean-up fixes", () => {
    expect(loose([first])).toEqual(["lots"]);
    expect(loose([{ ...first, text: strict(first.text) }])).toEqual([]);
  });

  test("the draft's clean-up joins an index expression and leaves columns unchanged", () => {
    const split = "CREATE INDEX `a` ON `lots` (`replace(\"b\"`,` ' '`,` '')`,`c`) WHERE b is not null;";
    expect(whole(split)).toBe(`CREATE INDEX \`a\` ON \`lots\` (replace("b", ' ', ''),c) WHERE b is not null;`);
    const downward = 'CREATE INDEX `a` ON `lots` (`b`,`"c" desc`) WHERE held = true;';
    expect(whole(downward)).toBe('CREATE INDEX `a` ON `lots` (b,"c" desc) WHERE held = true;');
    const plain = "CREATE UNIQUE INDEX `a` ON `lots` (`b`,`c`);";
    expect(whole(plain)).toBe(plain);
  });

  test("find a schema name, which the draft's clean-up removes", () => {
    expect(unqualified('REFERENCES "public"."lots"("id")')).toBe('REFERENCES "lots"("id")');
  });
});
