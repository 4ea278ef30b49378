import { expect, test } from "bun:test";
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
    const store = await openTemporaryStore({ mode: "test", clock });
    await runDemo(store, clock, 1, quiet);
    const { totals } = planBusiness({ seed: 1, until });
    const found = await store.read(async (db) => {
      const counts: Record<string, number> = {};
      for (const status of publicOrderStatuses) counts[status] = await countOrders(db, { status });
      return { counts, differences: await verifyInventory(db), units: await countUnits(db) };
    });
    expect(found.counts).toEqual(totals.orders_by_status);
    expect(found.differences).toEqual([]);
    expect(found.units.on_hand).toBeGreaterThan(0);
    // It is no toy for a world with orders in it.
    await expect(runDemo(store, clock, 1, quiet)).rejects.toThrow("needs an empty world");
    await store.close();
  }, 180_000);
