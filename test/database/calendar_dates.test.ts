// The migration that makes a calendar date of each stored expiry, which was a moment: midnights keep their date, and
// other moments become the day that it was in the warehouse.
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
    all.findIndex(({ name }) => name.endsWith("_calendar_dates")),
  );

// A lot in Tokyo, its stored moment, and the date that it becomes. Lots without units are in the first warehouse.
const lots = [
  { id: 1, at: "2026-02-01T00:00:00Z", warehouse: 2, date: "2026-02-01" },
  { id: 2, at: "2026-02-01T23:59:59.999Z", warehouse: 2, date: "2026-02-01" },
  { id: 3, at: "2026-02-01T23:59:59Z", warehouse: 1, date: "2026-02-01" },
  { id: 4, at: "2026-02-01T15:30:00Z", warehouse: 2, date: "2026-02-02" },
  { id: 5, at: "2026-02-01T04:30:00Z", warehouse: 1, date: "2026-01-31" },
  { id: 6, at: "2026-07-01T04:30:00Z", warehouse: null, date: "2026-07-01" },
  { id: 7, at: "2026-07-01T03:30:00Z", warehouse: null, date: "2026-06-30" },
  { id: 8, at: null, warehouse: 1, date: null },
  // In a zone that no machine knows: its day in UTC.
  { id: 9, at: "2026-02-01T15:30:00Z", warehouse: 4, date: "2026-02-01" },
] as const;

const warehouse = (id: number, timezone: string, priority: number) => `insert into warehouses
  (id, name, address, timezone, priority, version, created_at, updated_at)
  values (${id}, 'W${id}', '{}', '${timezone}', ${priority}, 1, 0, 0)`;
const there = [
  warehouse(1, "America/New_York", 1),
  warehouse(2, "Asia/Tokyo", 2),
  warehouse(4, "Nowhere/Gone", 4),
  "insert into bins (id, warehouse_id, code, kind, pick_order) values (11, 1, 'A', 'storage', 0)",
  "insert into bins (id, warehouse_id, code, kind, pick_order) values (12, 2, 'A', 'storage', 0)",
  "insert into bins (id, warehouse_id, code, kind, pick_order) values (13, 1, 'S', 'staging', 0)",
  "insert into bins (id, warehouse_id, code, kind, pick_order) values (14, 4, 'A', 'storage', 0)",
  `insert into products (id, merchant_id, sku, name, type, currency, temperature_zone, lot_tracking,
    expiration_tracking, min_shelf_life_days, reorder_point, status, version, created_at, updated_at, metadata)
   values (5, 1, 'MILK', '', 'simple', 'USD', 'ambient', true, true, 10, 0, 'active', 1, 0, 0, '{}')`,
  ...lots.flatMap(({ id, at, warehouse }) => {
    const moment = at === null ? "null" : Date.parse(at);
    const lot = `insert into lots
      (id, merchant_id, product_id, lot_number, received_date, expiration_date, status, created_at)
      values (${id}, 1, 5, 'L${id}', 0, ${moment}, 'available', 0)`;
    if (warehouse === null) return [lot];
    const item = (bin: number) => `insert into stock_items
      (merchant_id, product_id, warehouse_id, bin_id, lot_id, on_hand, reserved, received_at, updated_at)
      values (1, 5, ${warehouse}, ${bin}, ${id}, 5, 0, 0, 0)`;
    return [lot, item(10 + warehouse)];
  }),
  `insert into stock_items
    (merchant_id, product_id, warehouse_id, bin_id, lot_id, on_hand, reserved, received_at, updated_at)
   values (1, 5, 1, 13, 3, 1, 1, 0, 0)`,
  `insert into receipts (id, merchant_id, status, warehouse_id, version, created_at, updated_at)
   values (3, 1, 'expected', 2, 1, 0, 0)`,
  ...["2026-02-01T00:00:00Z", "2026-02-01T15:30:00Z"].map(
    (at) => `insert into receipt_lines
      (receipt_id, product_id, lot_number, expiration_date, quantity, received, set_aside, outstanding)
      values (3, 5, 'L', ${Date.parse(at)}, 1, 0, 0, 1)`,
  ),
];
const lot_days = "select id, expires_on as day from lots order by id";
const line_days = "select id, expires_on as day from receipt_lines order by id";
const turns = "select id, turns_on as day from stock_items order by id";

type Row = { readonly id: number; readonly day: number | string | null };
const dates = (rows: readonly Row[]) =>
  rows.map(({ day }) => (day === null ? null : new Date(Number(day) * 86_400_000).toISOString().slice(0, 10)));

/** The dates of lots and of expected lines, and the days on which time is next to change units. */
async function migrated(): Promise<(string | null)[][]> {
  const all = [lot_days, line_days, turns];
  if (databaseUrl === null) {
    using raw = new Database(":memory:", { strict: true });
    migrateSqlite(raw, "live", "memory", before(migrations.sqlite));
    for (const statement of there) raw.run(statement);
    migrateSqlite(raw, "live", "memory");
    expect(raw.query("select 1 from sqlite_schema where name = 'local_days'").all()).toEqual([]);
    return all.map((query) => dates(raw.query<Row, []>(query).all()));
  }
  const schema = `temporary_${process.pid}_dates`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await migratePostgres(databaseUrl, schema, "live", before(migrations.postgres));
    await client.query(`set search_path to ${schema}`);
    for (const statement of there) await client.query(statement);
    await migratePostgres(databaseUrl, schema, "live");
    const found: Row[][] = [];
    for (const query of all) found.push((await client.query<Row>(query)).rows);
    return found.map(dates);
  } finally {
    await client.query(`drop schema if exists ${schema} cascade`);
    await client.end();
  }
}

test("stored midnights keep their date, and other moments become the warehouse's day", async () => {
  const [found, expected, turning] = await migrated();
  expect(found).toEqual(lots.map(({ date }) => date));
  expect(expected).toEqual(["2026-02-01", "2026-02-02"]);
  // Ten days must be left of it: the day after the last on which it could be promised; none for staging.
  const turns_on = ["2026-01-23", "2026-01-23", "2026-01-23", "2026-01-24", "2026-01-22", null, "2026-01-23", null];
  expect(turning).toEqual(turns_on);
}, 30_000);
