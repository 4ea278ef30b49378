// How long it takes on PostgreSQL to upgrade a million orders with a breaking migration that rewrites them, backup
// included, and to roll back. The baseline is PostgreSQL's own dump of the same database.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { environments } from "../../src/core/environment.ts";
import { migratePostgres } from "../../src/storage/migrations/migrate_postgres.ts";
import { startPostgres } from "../postgres.ts";
import { default_secret_key } from "../service.ts";
import { otherVersion, type Planted } from "../versions.ts";

const orders = 1_000_000;
const most_seconds = 60;

const rewriting: Planted = {
  name: "9001_rewriting",
  mark: "breaking: it is planted",
  sqlite: [],
  postgres: [
    "alter table orders add column planted text",
    "update orders set planted = order_number",
    "alter table order_lines add column planted text",
    "update order_lines set planted = sku",
    "create index orders_planted on orders (planted)",
  ],
};

/** Measures an upgrade and its rollback. Returns how many goals are missed. */
export async function measureUpgrade(): Promise<number> {
  console.log(`\n${orders.toLocaleString("en")} orders on PostgreSQL, upgraded and rolled back`);
  const postgres = await startPostgres(undefined, true);
  const newer = otherVersion([rewriting]);
  const data = mkdtempSync(join(tmpdir(), "packhouse-upgrade-"));
  try {
    await seed(postgres.url);
    const dumped = await seconds([
      "pg_dump",
      "--format=custom",
      "--compress=1",
      `--file=${join(data, "dump")}`,
      postgres.url,
    ]);
    const packhouse = (...words: string[]) =>
      seconds([...newer.program, ...words, "--database-url", postgres.url, "--data", data]);
    const upgraded = await packhouse("upgrade");
    const back = await packhouse("rollback");
    const shown = (took: number) => `${took.toFixed(1)} s, ${(took / dumped).toFixed(2)} of a plain pg_dump`;
    console.log(`  upgraded in ${shown(upgraded)} (goal: at most a minute); rolled back in ${shown(back)}`);
    return upgraded > most_seconds ? 1 : 0;
  } finally {
    newer.remove();
    await postgres.stop();
    rmSync(data, { recursive: true });
  }
}

/** Creates a million orders with one line each, in SQL. */
async function seed(url: string): Promise<void> {
  for (const mode of environments) await migratePostgres(url, mode, mode);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set search_path to live; ${seeding.join(";\n")}`);
  await client.end();
}

const seeding = [
  `insert into customers (id, merchant_id, email, email_key, metadata, revision, created_at, updated_at)
   values (1, 1, 'a@b.example', 'a@b.example', '{}', 1, 0, 0)`,
  `insert into products (id, merchant_id, sku, name, type, currency, temperature_zone, lot_tracking,
     expiration_tracking, min_shelf_life_days, reorder_point, status, revision, created_at, updated_at, metadata)
   values (1, 1, 'A', '', 'simple', 'USD', 'ambient', false, false, 0, 0, 'active', 1, 0, 0, '{}')`,
  `insert into orders (id, merchant_id, order_number, status, held, customer_id, customer_email, customer_name,
     shipping_address_id, shipping_address, requires_cold_storage, priority, allow_backorder, subtotal_cents,
     shipping_amount_cents, currency, source_platform, metadata, revision, created_at, updated_at)
   select nth, 1, 'M-' || nth, 'delivered', false, 1, 'a@b.example', 'A B', 1,
     '{"name":"A B","address_line1":"1 Main St","city":"Austin","country":"US"}', false, 0, false, 500, 0, 'USD',
     'api', '{}', 5, nth, nth
   from generate_series(1, ${orders}) nth`,
  `insert into order_lines (merchant_id, order_id, product_id, sku, name, quantity, unit_price_cents, quantity_packed,
     quantity_shipped, quantity_delivered, quantity_returned, quantity_cancelled, ordered_at)
   select 1, nth, 1, 'A', '', 1, 500, 1, 1, 1, 0, 0, nth from generate_series(1, ${orders}) nth`,
  "analyze",
];

/** How long a program takes. Throws unless it exits with 0. */
async function seconds(words: readonly string[]): Promise<number> {
  const begun_at = performance.now();
  const env = { ...process.env, PACKHOUSE_SECRET_KEY: default_secret_key, PACKHOUSE_DATABASE_URL: "" };
  const child = Bun.spawn([...words], { env, stdout: "ignore", stderr: "pipe" });
  const complaint = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`${words.slice(0, 3).join(" ")}: ${complaint}`);
  return (performance.now() - begun_at) / 1000;
}
