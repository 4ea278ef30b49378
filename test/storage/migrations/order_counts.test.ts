// The triggers that count orders by state: each order is counted exactly once.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import pg from "pg";
import { databaseUrl } from "../../../src/core/config.ts";
import { migrateSqlite } from "../../../src/storage/migrations/migrate.ts";
import { migratePostgres } from "../../../src/storage/migrations/migrate_postgres.ts";

const customer = `insert into customers (id, merchant_id, email, email_key, metadata, revision, created_at, updated_at)
  values (7, 1, 'a@b.example', 'a@b.example', '{}', 1, 0, 0)`;
const order = (number: string, status: string, held = false) => `insert into orders
  (merchant_id, order_number, status, held, customer_id, customer_email, customer_name, shipping_address_id,
   shipping_address, requires_cold_storage, priority, allow_backorder, subtotal_cents, shipping_amount_cents,
   currency, source_platform, metadata, revision, created_at, updated_at)
  values
  (1, '${number}', '${status}', ${held}, 7, '', '', 1, '{}', false, 0, false, 0, 0, 'USD', 'api', '{}', 1, 0, 0)`;
const there = [order("A", "pending"), order("B", "pending"), order("C", "pending", true), order("D", "cancelled")];
const changes = [
  order("E", "shipped"),
  "update orders set status = 'cancelled' where order_number = 'A'",
  "update orders set held = true where order_number in ('A', 'B')",
  // An update that keeps the state, or an insert refused as a duplicate, does not change the counts.
  "update orders set status = 'cancelled', revision = 2 where order_number = 'D'",
  `${order("B", "pending")} on conflict (order_number, merchant_id) do nothing`,
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
  test("on SQLite", () => {
    using raw = new Database(":memory:", { strict: true });
    migrateSqlite(raw, "live", "memory");
    for (const statement of [customer, ...there]) raw.run(statement);
    expect(raw.query(told).values()).toEqual(before_changes);
    for (const statement of changes) raw.run(statement);
    expect(raw.query(told).values()).toEqual(after_changes);
  });
} else {
  const url = databaseUrl;
  test("on PostgreSQL, only in the schema of the connection", async () => {
    const schema = `temporary_${process.pid}_order_counts`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await migratePostgres(url, schema, "live");
      await client.query(`set search_path to ${schema}`);
      for (const statement of [customer, ...there]) await client.query(statement);
      const counts = async () => (await client.query({ text: told, rowMode: "array" })).rows;
      expect(await counts()).toEqual(before_changes);
      for (const statement of changes) await client.query(statement);
      expect(await counts()).toEqual(after_changes);
      // Counts of another schema are not mixed up with these.
      await client.query("set search_path to public");
      await expect(client.query(`delete from ${schema}.orders`)).rejects.toThrow(`SET search_path TO ${schema}`);
    } finally {
      await client.query(`drop schema if exists ${schema} cascade`);
      await client.end();
    }
  });
}
