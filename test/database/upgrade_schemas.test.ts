// Data of each schema that was ever out there comes to the schema of today, whole: `verify` finds no difference.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseUrl } from "../../src/config.ts";
import { isLacking, migrateSqlite, standingOnSqlite } from "../../src/database/migrate.ts";
import { type Migration, migrations } from "../../src/database/migration_sql.ts";
import { openSqlite } from "../../src/database/sqlite.ts";
import { stillClock } from "../../src/kit/clock.ts";
import { silentLog } from "../../src/kit/log.ts";
import { verifyStore } from "../../src/verification.ts";
import { start } from "../harness.ts";
import { before } from "./before_merchants.ts";
import { formerMigrations } from "./squashed/former.ts";

// The rows are those of the schema before merchants; older ones lack some of its columns and tables.
const upTo = (name: string): readonly Migration[] =>
  migrations.sqlite.slice(0, migrations.sqlite.findIndex((one) => one.name === name) + 1);
const schemas: Readonly<Record<string, readonly Migration[]>> = {
  "0048_people": formerMigrations("sqlite"),
  "0001_base": upTo("0001_base"),
  "0002_order_counts": upTo("0002_order_counts"),
  "0003_product_orders": upTo("0003_product_orders"),
};

// On PostgreSQL the last of them is upgraded by `upgrade_to_merchants.test.ts`, the first by `squashed.test.ts`.
test.skipIf(databaseUrl !== null).each(Object.entries(schemas))("data of the schema %s", async (_, some) => {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-schema-"));
  const path = join(folder, "live.db");
  try {
    const raw = new Database(path, { create: true, strict: true });
    migrateSqlite(raw, "live", path, some);
    fill(raw);
    expect(isLacking(standingOnSqlite(raw, path))).toBe(true);
    migrateSqlite(raw, "live", path);
    expect(raw.query("select count(*) from orders").values()).toEqual([[before.rows["orders"]?.length ?? 0]]);
    raw.close();
    const clock = stillClock(start + 3_600_000);
    const store = openSqlite({ path, mode: "live", clock, log: silentLog, fatal: (error) => console.error(error) });
    expect(await store.read(verifyStore)).toEqual([]);
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Puts in what of the rows the schema has a place for. Triggers have counted the orders meanwhile. */
function fill(raw: Database): void {
  raw.run("pragma foreign_keys=off");
  const tables = Object.keys(before.rows).sort((a, b) => Number(a === "order_counts") - Number(b === "order_counts"));
  for (const table of tables) {
    const columns = raw.query<{ name: string }, [string]>("select name from pragma_table_info(?)").all(table);
    const has = new Set(columns.map(({ name }) => name));
    if (has.size === 0) continue;
    raw.run(`delete from ${table}`);
    for (const row of before.rows[table] ?? []) {
      const names = Object.keys(row).filter((name) => has.has(name));
      const values = names.map((name) => {
        const value = row[name] ?? null;
        return typeof value === "object" && value !== null ? Buffer.from(value.base64, "base64") : value;
      });
      const places = names.map(() => "?");
      raw.query(`insert into ${table} (${names.join()}) values (${places})`).run(...(values as never[]));
    }
  }
}
