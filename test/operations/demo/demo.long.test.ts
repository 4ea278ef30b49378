import { expect, test } from "bun:test";
import { addresses } from "../../../db/schema/customers.ts";
import { labels } from "../../../db/schema/shipments.ts";
import { tracking_records } from "../../../db/schema/tracking.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { type Clock, manualClock } from "../../../src/core/clock.ts";
import { engine } from "../../../src/core/config.ts";
import { customerList } from "../../../src/customers/customers.sql.ts";
import { toteList } from "../../../src/floor/picking/totes.sql.ts";
import { waveList } from "../../../src/floor/picking/waves.sql.ts";
import { cartonList } from "../../../src/floor/printing/cartons.sql.ts";
import { stationList } from "../../../src/floor/printing/printers.sql.ts";
import { exceptionKinds } from "../../../src/floor/work/exception.ts";
import { countExceptions } from "../../../src/floor/work/exceptions.ts";
import { verifyInventory } from "../../../src/inventory/inventory_audit.sql.ts";
import { ensureWarehouse } from "../../../src/inventory/warehouses/warehouses.ts";
import { listMerchants } from "../../../src/merchants/merchants.sql.ts";
import { createMerchant } from "../../../src/merchants/merchants.ts";
import { runDemo, settleMerchants, storyClock } from "../../../src/operations/demo/demo.jobs.ts";
import { equipFloor } from "../../../src/operations/demo/floor.ts";
import { planOperator } from "../../../src/operations/demo/plan.ts";
import { publicOrderStatuses } from "../../../src/orders/order.transitions.ts";
import { countOrders } from "../../../src/orders/search/order_list.sql.ts";
import { productList } from "../../../src/products/products.sql.ts";
import { createProduct } from "../../../src/products/products.ts";
import type { Db, Store } from "../../../src/storage/database.ts";
import { openTemporaryStore } from "../../storage/temporary_database.ts";

const until = Date.parse("2026-03-02T12:00:00Z");
const quiet = { write: () => true };

// Ten thousand acts one after another. PostgreSQL performs the same acts in the Northwind flow, in parallel.
if (engine === "sqlite")
  test("the sample business matches its plan, and the ledger explains every unit", async () => {
    const clock = storyClock(manualClock(until));
    const stores = await openEnvironments(clock);
    const store = stores.test;
    const lines = await runDemo(stores, { mode: "test", seed: 1, merchant: undefined }, clock, quiet);
    const merchants = await store.read(listMerchants);
    expect(await stores.live.read(listMerchants)).toEqual(merchants);
    expect(merchants.map(({ code }) => code)).toEqual(["MAIN", "ROAST", "BOOKS"]);
    expect(lines.filter((line) => /^\S.*\)$/.test(line))).toEqual([
      "Cold Harbor Grocers (MAIN)",
      "Blue Door Coffee (ROAST)",
      "Lantern Books (BOOKS)",
    ]);
    let held = 0;
    for (const { merchant, plan } of planOperator({ seed: 1, until })) {
      held += plan.totals.orders_by_status.on_hold;
      const { id = 0, name } = merchants.find(({ code }) => code === merchant.code) ?? {};
      expect(name).toBe(merchant.name);
      const found = await store.scoped({ visible: id, owner: null }).read(async (db) => {
        const orders_by_status: Record<string, number> = {};
        for (const status of publicOrderStatuses)
          orders_by_status[status] = await countOrders(db, { statuses: [status] });
        return {
          orders_by_status,
          products: await productList.count(db, {}),
          customers: await customerList.count(db, {}),
        };
      });
      const { orders_by_status, products, customers } = plan.totals;
      expect({ merchant: merchant.code, ...found }).toEqual({
        merchant: merchant.code,
        orders_by_status,
        products,
        customers,
      });
    }
    expect(await store.read(verifyInventory)).toEqual([]);
    const kept = await store.read((db) => db.sql.selectDistinct({ of: bins.dedicated_merchant_id }).from(bins));
    expect(new Set(kept.map(({ of }) => of))).toEqual(new Set([null, ...merchants.slice(1).map(({ id }) => id)]));
    const {
      labels: sold,
      records,
      places,
    } = await store.read(async (db) => {
      const ofLabels = { service: labels.service, zone: labels.zone };
      return {
        labels: await db.sql.selectDistinct(ofLabels).from(labels),
        records: await db.sql
          .selectDistinct({ carrier: tracking_records.carrier, look_at: tracking_records.look_at })
          .from(tracking_records),
        places: await db.sql.select({ verification: addresses.verification }).from(addresses),
      };
    });
    const byZone = new Set(sold.filter(({ service }) => service === "ground").map(({ zone }) => zone));
    expect(byZone.size).toBeGreaterThanOrEqual(6);
    expect(new Set(records.map(({ carrier }) => carrier))).toEqual(new Set(["sim", "ups", "usps", "fedex"]));
    // The business has its own scans, so nothing moves its parcels later.
    expect(records.filter(({ look_at }) => look_at !== null)).toEqual([]);
    const checks = new Set(places.map(({ verification }) => verification?.status));
    expect(checks).toEqual(new Set(["verified", "unverified", "error"]));
    const waves = ["batch planned", "cluster released"];
    expect(await store.read(floorOf)).toEqual({ ...equipped, waves, holds: held });
    expect(held).toBeGreaterThan(0);
    // An environment with orders is refused.
    await expect(runDemo(stores, { mode: "test", seed: 1, merchant: undefined }, clock, quiet)).rejects.toThrow(
      "can only be loaded into an empty environment",
    );
    await close(stores);
  }, 180_000);

test("the sample merchants are created once in an unused installation, and others stay unchanged", async () => {
  const stores = await openEnvironments(manualClock(until));
  expect(await settleMerchants(stores)).toBe(true);
  const settled = await stores.live.read(listMerchants);
  expect(settled.map(({ code, name }) => [code, name])).toEqual([
    ["MAIN", "Cold Harbor Grocers"],
    ["ROAST", "Blue Door Coffee"],
    ["BOOKS", "Lantern Books"],
  ]);
  expect(await settleMerchants(stores)).toBe(true);
  expect(await stores.live.read(listMerchants)).toEqual(settled);
  expect(await stores.test.read(listMerchants)).toEqual(settled);
  await close(stores);
});

test("sample data for test creates no merchants if live data is in use", async () => {
  const stores = await openEnvironments(manualClock(until));
  await stores.live.scoped({ visible: null, owner: 1 }).write((tx) => createProduct(tx, { sku: "TEA", name: "Tea" }));
  expect(await settleMerchants(stores)).toBe(false);
  expect((await stores.live.read(listMerchants)).map(({ name }) => name)).toEqual(["Main"]);
  await close(stores);
  const other = await openEnvironments(manualClock(until));
  await other.live.write((tx) => createMerchant(tx, { code: "ACME", name: "Acme" }, null));
  expect(await settleMerchants(other)).toBe(false);
  await close(other);
});

test("a floor is equipped once, and waves wait for orders that can be picked", async () => {
  const stores = await openEnvironments(manualClock(until));
  await stores.test.write((tx) => ensureWarehouse(tx));
  for (let time = 0; time < 2; time++) await equipFloor(stores.test);
  expect(await stores.test.read(floorOf)).toEqual({ ...equipped, waves: [], holds: 0 });
  await close(stores);
});

/** The floor of the sample warehouse, without its waves and holds. No station has a printer that would be called. */
const equipped = {
  totes: 24,
  cartons: 4,
  stations: [
    [null, null],
    [null, null],
  ],
};

async function floorOf(db: Db) {
  const all = { limit: 100, offset: 0, after: null };
  const stations = await stationList.rows(db, {}, all);
  const waves = await waveList.rows(db, {}, all);
  const exceptions = await countExceptions(db, exceptionKinds, {
    warehouse_ids: null,
    before: until,
    newest_first: false,
  });
  return {
    totes: await toteList.count(db, {}),
    cartons: await cartonList.count(db, {}),
    stations: stations.map((one) => [one.label_printer_id, one.document_printer_id]),
    waves: waves.map(({ mode, status }) => `${mode} ${status}`).sort(),
    holds: exceptions.get("hold"),
  };
}

type OpenedStores = Record<"live" | "test", Store>;

async function openEnvironments(clock: Clock): Promise<OpenedStores> {
  const [live, test] = [
    await openTemporaryStore({ mode: "live", clock }),
    await openTemporaryStore({ mode: "test", clock }),
  ];
  return { live, test };
}

async function close({ live, test }: OpenedStores): Promise<void> {
  await live.close();
  await test.close();
}
