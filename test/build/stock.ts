// A small warehouse for stock tests: a store without the API.

import { afterAll, expect } from "bun:test";
import { systemActor } from "../../src/core/actor.ts";
import { iso, manualClock } from "../../src/core/clock.ts";
import { day_ms } from "../../src/core/time.ts";
import { verifyInventory } from "../../src/inventory/inventory_audit.sql.ts";
import { addStock } from "../../src/inventory/receiving/receive_units.ts";
import { allocateForOrder } from "../../src/inventory/reservations/order_allocations.ts";
import type { OrderAllocation } from "../../src/inventory/reservations/reservation.ts";
import { itemView } from "../../src/inventory/stock/product_stock.ts";
import { loadStock } from "../../src/inventory/stock/stock.sql.ts";
import { listWarehouses } from "../../src/inventory/warehouses/warehouses.sql.ts";
import { createWarehouse, ensureWarehouse, updateWarehouse } from "../../src/inventory/warehouses/warehouses.ts";
import { createProduct } from "../../src/products/products.ts";
import type { Store, Tx } from "../../src/storage/database.ts";
import { listEventsAfter } from "../events/stored_events.ts";
import { openTemporaryStore, type TemporarySettings } from "../storage/temporary_database.ts";

export const start = Date.parse("2026-03-01T00:00:00.000Z");
export const clerk = systemActor("test");

/** The requested units of an order in these tests, with defaults. */
export interface Wanted extends Partial<Omit<OrderAllocation, "lines">> {
  readonly lines: readonly (readonly [sku: string, quantity: number])[];
}

const usual = {
  merchant_id: 1,
  source: "api",
  priority: 0,
  warehouse_id: null,
  requires_cold_storage: false,
  allow_backorder: true,
  reservation_id: null,
} as const;

async function openWarehouses(settings: TemporarySettings) {
  const clock = manualClock(start);
  const store = (await openTemporaryStore({ ...settings, mode: "live", clock })).scoped({ visible: null, owner: 1 });
  await store.write(async (tx) => {
    await ensureWarehouse(tx);
    const [main] = await listWarehouses(tx);
    if (main === undefined) throw new Error("there is a warehouse");
    const cold = { zone_id: "COLD", temperature_zone: "refrigerated" as const };
    await updateWarehouse(tx, String(main.id), { location_zones: [{ ...cold, bins: [{ code: "C-01" }] }] });
    const ambient = { zone_id: "AMBIENT", temperature_zone: "ambient" as const, bins: [{ code: "W-01" }] };
    const address = { ...main.address, name: "West" };
    await createWarehouse(tx, { name: "West", priority: 200, address, location_zones: [ambient, cold] });
  });
  const [main = 0, west = 0] = (await store.read(listWarehouses)).map(({ id }) => id);
  return { store, clock, main, west };
}

/**
 * A store with two warehouses, a cold zone in each, and a clock that stands still. It closes itself after the stock has
 * been verified: after the tests of the file, or after the test if a test or `beforeEach` opens it.
 */
export async function openStock(settings: TemporarySettings = {}) {
  const { store, clock, main, west } = await openWarehouses(settings);
  const skus = new Map<string, number>();
  const product_id = (sku: string) => skus.get(sku) ?? 0;
  let taken = 0;
  const write = <T>(work: (tx: Tx) => Promise<T>) => store.write(work);

  /** Creates a product with the API's fields. */
  async function product(sku: string, fields: Record<string, unknown> = {}) {
    const { id } = await write((tx) => createProduct(tx, { sku, name: sku, ...fields }));
    skus.set(sku, id);
  }

  /** Adds units, to the main warehouse by default. `lot` is a lot number, `days` the days until it expires. */
  async function add(sku: string, quantity: number, { location = main, lot = "", days = 0, bin = "" } = {}) {
    const expiry = days === 0 ? {} : { expiration_date: iso(clock.now() + days * day_ms) };
    const where = { location, ...(bin === "" ? {} : { bin }), ...(lot === "" ? {} : { lot_number: lot }) };
    await write((tx) => addStock(tx, { sku, quantity, ...where, ...expiry }, clerk));
  }

  function claimOf(order_id: number, { lines, ...rest }: Wanted): OrderAllocation {
    const wanted = lines.map(([sku, quantity], at) => {
      return { order_line_id: order_id * 10 + at, product_id: product_id(sku), quantity };
    });
    return { ...usual, order_id, order_number: `N-${order_id}`, ...rest, lines: wanted };
  }

  /** Allocates stock to an order. Returns wanted, reserved and picked units of each line. */
  async function claim(order_id: number, wanted: Wanted) {
    return counts(await write((tx) => allocateForOrder(tx, claimOf(order_id, wanted))));
  }

  /** The stock of a SKU as the API shows it. */
  async function item(sku: string) {
    return store.read(async (db) => {
      const [shelf] = await loadStock(db, [product_id(sku)]);
      if (shelf === undefined) throw new Error(`there is no ${sku}`);
      return itemView(shelf, db.now, shelf.updated_at);
    });
  }

  /** The types and SKUs of the events since the last call. */
  async function takeEvents(): Promise<string[]> {
    const rows = await store.read((db) => listEventsAfter(db, taken));
    taken = rows.at(-1)?.seq ?? taken;
    return rows.map(({ type, body }) => `${type} ${(JSON.parse(body) as { data: { sku: string } }).data.sku}`);
  }

  const differences = () => store.read(verifyInventory);
  afterAll(async () => {
    expect(await differences()).toEqual([]);
    await store.close();
  });
  const acts = { product, add, claimOf, claim, item, takeEvents, differences };
  return { store, clock, main, west, product_id, write, ...acts };
}

export type Stock = Awaited<ReturnType<typeof openStock>>;

/** The counts of lines as triples: wanted, reserved, picked. */
export function counts(lines: readonly { wanted: number; reserved: number; picked: number }[]) {
  return lines.map(({ wanted, reserved, picked }) => [wanted, reserved, picked]);
}

/** Runs the stock's jobs until none is due. */
export async function runJobs(store: Store, jobs: readonly ((store: Store) => Promise<number | null>)[]) {
  for (const job of jobs) {
    for (let next: number | null = 0; next !== null && next <= store.clock.now(); ) next = await job(store);
  }
}
