// The migration that begins to count orders by state: orders that are there already are counted, each once.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import pg from "pg";
import { databaseUrl } from "../../src/config.ts";
import { migrateSqlite } from "../../src/database/migrate.ts";
import { migratePostgres } from "../../src/database/migrate_postgres.ts";
import { migrations } from "../../src/database/migration_sql.ts";

const before = <Each extends { readonly name: string }>(all: readonly Each[]) =>
  all.slice(
    0,
    all.findIndex(({ name }) => name === "0002_order_counts"),
  );

const customer = `insert into customers (id, email, email_key, metadata, version, created_at, updated_at)
  values (7, 'a@b.example', 'a@b.example', '{}', 1, 0, 0)`;
const order = (number: string, status: string, held = false) => `insert into orders
  (order_number, status, held, customer_id, customer_email, customer_name, shipping_address_id, shipping_address,
   requires_cold_storage, priority, allow_backorder, subtotal_cents, shipping_amount_cents, currency, source_platform,
   metadata, version, created_at, updated_at)
  values ('${number}', '${status}', ${held}, 7, '', '', 1, '{}', false, 0, false, 0, 0, 'USD', 'api', '{}', 1, 0, 0)`;
/** The same order, once a migration has told merchants apart. */
const owned = (insert: string) => insert.replace("(order_number", "(merchant_id, order_number").replace("('", "(1, '");
const there = [order("A", "pending"), order("B", "pending"), order("C", "pending", true), order("D", "cancelled")];
const changes = [
  owned(order("E", "shipped")),
  "update orders set status = 'cancelled' where order_number = 'A'",
  "update orders set held = true where order_number in ('A', 'B')",
  // What changes nothing, or is refused as a double, counts nothing.
  "update orders set status = 'cancelled', version = 2 where order_number = 'D'",
  `${owned(order("B", "pending"))} on conflict (order_number, merchant_id) do nothing`,
  "delete from orders where order_number = 'C'",
];
const told = `select status, cast(held as int) as held, cast(sum(number) as int) as number from order_counts
  group by 1, 2 having sum(number) <> 0 order by 1, 2`;
const [before_changes, after_changes] = [
  [
    ["cancelled", 0, 1],
    ["pending", 0, 2],
    ["pending", 1, 1],
  ],
  [
    ["cancelled", 0, 1],
    ["cancelled", 1, 1],
    ["pending", 1, 1],
    ["shipped", 0, 1],
  ],
];

if (databaseUrl === null) {
  test("on SQLite, with what happens to orders later", () => {
    using raw = new Database(":memory:", { strict: true });
    migrateSqlite(raw, "live", "memory", before(migrations.sqlite));
    for (const statement of [customer, ...there]) raw.run(statement);
    migrateSqlite(raw, "live", "memory");
    expect(raw.query(told).values()).toEqual(before_changes);
    for (const statement of changes) raw.run(statement);
    expect(raw.query(told).values()).toEqual(after_changes);
  });
} else {
  const url = databaseUrl;
  test("on PostgreSQL, with an order that comes meanwhile and with what happens to orders later", async () => {
    const schema = `temporary_${process.pid}_order_counts`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await migratePostgres(url, schema, "live", before(migrations.postgres));
      await client.query(`set search_path to ${schema}`);
      // A server of the version before has begun an order, and commits it when the migration waits for it.
      for (const statement of [customer, ...there.slice(1), "begin", there[0] ?? ""]) await client.query(statement);
      const migrating = migratePostgres(url, schema, "live");
      const waits = "select 1 from pg_locks where not granted and relation = 'orders'::regclass";
      while ((await client.query(waits)).rowCount === 0) await Bun.sleep(5);
      await client.query("commit");
      await migrating;
      const counts = async () => (await client.query({ text: told, rowMode: "array" })).rows;
      expect(await counts()).toEqual(before_changes);
      for (const statement of changes) await client.query(statement);
      expect(await counts()).toEqual(after_changes);
      // The counts of another world are never taken for those of this one.
      await client.query("set search_path to public");
      await expect(client.query(`delete from ${schema}.orders`)).rejects.toThrow(`SET search_path TO ${schema}`);
    } finally {
      await client.query(`drop schema if exists ${schema} cascade`);
      await client.end();
    }
  });
}
