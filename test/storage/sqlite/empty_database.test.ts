// The binary embeds databases migrated at build time: a first start must give the same result as the migrations.
import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { type StartedService, startService } from "../../../scripts/service.ts";
import { environments } from "../../../src/core/environment.ts";
import { migrateSqlite } from "../../../src/storage/migrations/migrate.ts";

const started: StartedService[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.remove();
});

/** The schema, migrations, settings and first ids of a database. */
function madeOf(raw: Database) {
  const all = (query: string) => raw.query(query).values();
  return {
    schema: all("select type, name, tbl_name, sql from sqlite_schema where name <> 'sqlite_stat1' order by 1, 2"),
    migrations: all("select name from migrations order by 1"),
    numbered: all("select name from sqlite_sequence order by 1"),
    installation: all("select id, mode from installation"),
    header: ["application_id", "user_version", "page_size"].map((pragma) => all(`pragma ${pragma}`)),
    broken: all("pragma foreign_key_check"),
  };
}

test("a first start creates the same databases as the migrations", async () => {
  const service = await startService({ database_url: null });
  started.push(service);
  await service.stop();
  for (const mode of environments) {
    using made = new Database(":memory:", { strict: true });
    migrateSqlite(made, mode, "here");
    using found = new Database(join(service.data, `${mode}.db`), { readonly: true });
    expect(madeOf(found)).toEqual(madeOf(made));
    const first = made.query("select min(seq) from sqlite_sequence").values();
    expect(found.query("select min(seq) from sqlite_sequence").values()).toEqual(first);
  }
});
