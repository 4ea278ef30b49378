import { expect, test } from "bun:test";
import { addresses } from "../../db/schema/customers.ts";
import { labels } from "../../db/schema/shipments.ts";
import { tracking_records } from "../../db/schema/tracking.ts";
import { engine } from "../../src/config.ts";
import { runDemo, storyClock } from "../../src/demo/jobs.ts";
import { planBusiness } from "../../src/demo/plan.ts";
import { countUnits, verifyInventory } from "../../src/inventory/audit/store.ts";
import { stillClock } from "../../src/kit/clock.ts";
import { countOrders } from "../../src/orders/list/store.ts";
import { publicOrderStatuses } from "../../src/orders/status.ts";
import { openTemporaryStore } from "../database/temporary.ts";

const until = Date.parse("2026-03-02T12:00:00Z");
const quiet = { write: () => true };

// Ten thousand commands one after another: PostgreSQL does the same ones in the Northwind flow, many at a time.
if (engine === "sqlite")
  test("the sample business comes out as planned, and the ledger explains every unit", async () => {
    const clock = storyClock(stillClock(until));
    const store = (await openTemporaryStore({ mode: "test", clock })).scoped({ sees: null, makes: 1 });
    await runDemo(store, clock, 1, quiet);
    const { totals } = planBusiness({ seed: 1, until });
    const found = await store.read(async (db) => {
      const counts: Record<string, number> = {};
      for (const status of publicOrderStatuses) counts[status] = await countOrders(db, { statuses: [status] });
      return { counts, differences: await verifyInventory(db), units: await countUnits(db) };
    });
    expect(found.counts).toEqual(totals.orders_by_status);
    expect(found.differences).toEqual([]);
    expect(found.units.on_hand).toBeGreaterThan(0);
    const {
      labels: sold,
      records,
      places,
    } = await store.read(async (db) => {
      const ofLabels = { service: labels.service, zone: labels.zone };
      return {
        labels: await db.sql.selectDistinct(ofLabels).from(labels),
        records: await db.sql.selectDistinct({ carrier: tracking_records.carrier }).from(tracking_records),
        places: await db.sql.select({ verification: addresses.verification }).from(addresses),
      };
    });
    const byZone = new Set(sold.filter(({ service }) => service === "ground").map(({ zone }) => zone));
    expect(byZone.size).toBeGreaterThanOrEqual(6);
    expect(new Set(records.map(({ carrier }) => carrier))).toEqual(new Set(["sim", "ups", "usps", "fedex"]));
    const checks = new Set(places.map(({ verification }) => verification?.status));
    expect(checks).toEqual(new Set(["verified", "unverified", "error"]));
    // It is no toy for a world with orders in it.
    await expect(runDemo(store, clock, 1, quiet)).rejects.toThrow("needs an empty world");
    await store.close();
  }, 180_000);
