// Two crowds at once on the same stock: in two processes on PostgreSQL, both in this process on SQLite.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { databaseUrl, engine } from "../../src/core/config.ts";
import { silentLog } from "../../src/core/log.ts";
import { fillBackorders } from "../../src/inventory/inventory.jobs.ts";
import { listBackorderedLines } from "../../src/inventory/reservations/backorders.sql.ts";
import { planStock } from "../../src/inventory/reservations/plan_stock.ts";
import { loadStock } from "../../src/inventory/stock/stock.sql.ts";
import { getOrder } from "../../src/orders/orders.sql.ts";
import { migratePostgres } from "../../src/storage/migrations/migrate_postgres.ts";
import { migrations } from "../../src/storage/migrations/migration_sql.ts";
import { openPostgres } from "../../src/storage/postgres/postgres_store.ts";
import { openTemporaryStore } from "../storage/temporary_database.ts";
import { crowd } from "./crowd.ts";
import { attach, furnish, type Service } from "./service.ts";

const acts = 600;
const seeds = [1, 2];

/** A service on the system's clock, and a way to let the crowds access it. */
async function open(): Promise<{ service: Service; crowds: () => Promise<Record<string, number>[]> }> {
  const clock = systemClock();
  if (engine !== "postgres") {
    const service = await furnished(await openTemporaryStore({ mode: "live", clock }), clock);
    return { service, crowds: () => Promise.all(seeds.map((seed) => crowd(service, seed, acts))) };
  }
  const url = databaseUrl ?? "";
  // A name that the cleanup of ended test processes recognizes.
  const schema = `temporary_${process.pid}_crowd`;
  await migratePostgres(url, schema, "live", migrations.postgres);
  const service = await furnished(openPostgres({ url, schema, mode: "live", clock, log: silentLog }), clock);
  const words = [process.execPath, join(import.meta.dir, "crowd_process.ts"), schema];
  const crowds = () =>
    Promise.all(
      seeds.map(async (seed) => {
        const child = Bun.spawn([...words, String(seed), String(acts)], { stdout: "pipe", stderr: "inherit" });
        return JSON.parse(await new Response(child.stdout).text());
      }),
    );
  return { service, crowds };
}

async function furnished(...[store, clock]: Parameters<typeof attach>): Promise<Service> {
  await furnish(store);
  return attach(store, clock);
}

test(`two crowds of ${acts} acts each violate no invariant, and no order waits for available stock`, async () => {
  const { service, crowds } = await open();
  const met = await crowds();
  const refused = met.flatMap((one) => Object.keys(one).filter((outcome) => outcome.includes(":")));
  // The acts were real: orders were created and shipped, and every kind of refusal occurred.
  for (const one of met) expect([one["order"], one["ship"], one["add"]].every((count = 0) => count > 10)).toBe(true);
  expect(refused).toContain("ship: insufficient_inventory");
  await Bun.sleep(400);
  await service.runJobs();
  await fillBackorders(service.store);
  expect(await service.differences()).toEqual([]);
  await nobodyWaitsBesideStock(service);
  await ordersAddUp(service);
  await service.store.close();
}, 120_000);

async function nobodyWaitsBesideStock(service: Service): Promise<void> {
  await service.store.read(async (db) => {
    for (const shelf of await loadStock(db, service.products)) {
      const { id: product_id, sku } = shelf.product;
      for (const line of await listBackorderedLines(db, product_id, null, 1000)) {
        const { portions } = planStock([{ product_id, quantity: 1 }], new Map([[product_id, shelf]]), {
          now: db.now,
          ...line,
        });
        expect({ sku, line: line.id, portions }).toEqual({ sku, line: line.id, portions: [[]] });
      }
    }
  });
}

/** The quantity that an order's lines want from stock is the ordered one, less what was shipped or cancelled. */
async function ordersAddUp({ store }: Service): Promise<void> {
  for (let id = 1001; ; id += 1) {
    const order = await store.read((db) => getOrder(db, id)).catch(() => null);
    if (order === null && id > 1500) return;
    for (const line of order?.lines ?? []) {
      const open = line.quantity - line.quantity_shipped - line.quantity_cancelled;
      expect({ id, wanted: line.wanted }).toEqual({ id, wanted: open });
    }
  }
}
