// Storage of days while other transactions write to the ledger: late commits, requests over midnight, failures.

import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asc, eq, sql } from "drizzle-orm";
import { storage_closes, storage_days } from "../../db/schema/billing.ts";
import { movements } from "../../db/schema/inventory.ts";
import type { StorageDayClose } from "../../src/billing/storage_day.ts";
import { StorageDayTotals } from "../../src/billing/storage_day.ts";
import { closeStorage } from "../../src/billing/storage_days.jobs.ts";
import { verifyStore } from "../../src/cli/verify.ts";
import { systemActor } from "../../src/core/actor.ts";
import { engine } from "../../src/core/config.ts";
import type { Log } from "../../src/core/log.ts";
import { day_ms, hour_ms } from "../../src/core/time.ts";
import { adjustStock } from "../../src/inventory/counts/adjust_stock.ts";
import { addStock } from "../../src/inventory/receiving/receive_units.ts";
import type { Store, Tx } from "../../src/storage/database.ts";
import { openApp, start, type TestApp } from "../build/service.ts";
import { openWest } from "../build/west.ts";

const actor = systemActor("test");
const main = "whs_1001";

setDefaultTimeout(30_000);

let app: TestApp;
let store: Store;
const said: { level: string; message: string; facts: Readonly<Record<string, unknown>> }[] = [];
beforeEach(async () => {
  app = await openApp({ verified: false });
  store = app.service.stores.live.scoped({ visible: null, owner: 1 });
  said.length = 0;
  for (const sku of ["TEA", "RICE"]) await app.must("POST", "/products", { sku, name: sku });
});

const add = (sku: string, quantity: number, more: object = {}) =>
  app.must("POST", "/inventory", { sku, quantity, location: main, bin: `B-${sku}`, ...more });

/** Sets the clock to an hour after the next midnight in New York. */
const toNextDay = () => {
  const since = (store.clock.now() - Date.parse("2026-01-01T05:00:00Z")) % day_ms;
  app.clocks.live.advance(day_ms - since + hour_ms);
};

function close(patience_ms?: number): Promise<void> {
  const noted = (level: string) => (message: string, facts: object) =>
    said.push({ level, message, facts: { ...facts } });
  const log = { debug() {}, info() {}, warn: noted("warn"), error: noted("error") } as unknown as Log;
  return closeStorage(app.service.stores.live, { ...app.service, log }, patience_ms);
}

const closesNow = () =>
  store.read((db) => db.sql.select().from(storage_closes).orderBy(asc(storage_closes.business_date)));

/** The storage of each day, as `day SKU: units at the end of peak`. */
async function shown(): Promise<string[]> {
  const { body } = await app.get("/billing/storage?limit=100");
  return body.data
    .map((row: Record<string, unknown>) => {
      return `${row["business_date"]} ${row["sku"]}: ${row["units_at_close"]} of ${row["units_peak"]}`;
    })
    .sort();
}

/** The database process of a transaction. */
async function pidOf(tx: Tx): Promise<number[]> {
  const rows = await tx.sql.select({ pid: sql<number>`pg_backend_pid()` }).from(sql`(select 1) as one`);
  return rows.map(({ pid }) => pid);
}

/** A transaction that does some work and stays open until it is released. */
async function held(act: (tx: Tx) => Promise<unknown>) {
  const gate = Promise.withResolvers<void>();
  const inside = Promise.withResolvers<void>();
  const ended = store.write(async (tx) => {
    await act(tx);
    // Inserts are not awaited, but this runs after them.
    await tx.sql.select({ id: movements.id }).from(movements).limit(1);
    inside.resolve();
    await gate.promise;
  });
  await Promise.race([inside.promise, ended]);
  return async () => {
    gate.resolve();
    await ended;
  };
}

const rice = { sku: "RICE", location: main, bin: "B-RICE" } as const;

describe.if(engine === "postgres")("a transaction that ends after the day was started", () => {
  test("counts for that day, once, although its rows have lower ids than others already seen", async () => {
    await add("TEA", 50);
    app.clocks.live.advance(hour_ms);
    const letGo = await held((tx) => addStock(tx, { ...rice, quantity: 7 }, actor));
    await add("TEA", 5);
    toNextDay();
    let ended = false;
    const closing = close().finally(() => {
      ended = true;
    });
    for (let asked = 0; asked < 10; asked += 1) await Bun.sleep(20);
    expect([ended, (await closesNow()).map(({ closed_at }) => closed_at)]).toEqual([false, [null]]);
    await letGo();
    await closing;
    expect(await shown()).toEqual(["2026-01-01 RICE: 7 of 7", "2026-01-01 TEA: 55 of 55"]);
    // More units leave than arrived afterwards.
    await app.must("PATCH", "/inventory/RICE", { adjustment: -7, reason: "lost", location: main, bin: "B-RICE" });
    toNextDay();
    await close();
    expect((await shown()).slice(2)).toEqual(["2026-01-02 RICE: 0 of 7", "2026-01-02 TEA: 55 of 55"]);
    expect(await store.read(verifyStore)).toEqual([]);
    expect(said).toEqual([]);
  });

  test("keeps the day open until it ends, with a warning", async () => {
    await add("TEA", 50);
    let pid = 0;
    const letGo = await held(async (tx) => {
      [pid = 0] = await pidOf(tx);
      await addStock(tx, { ...rice, quantity: 7 }, actor);
    });
    await add("TEA", 5);
    toNextDay();
    await close(100);
    const facts = { waiting: `2026-01-01 in ${main}`, pid: String(pid), mode: "live" };
    expect(said).toEqual([{ level: "warn", message: expect.stringContaining("pg_stat_activity"), facts }]);
    expect((await closesNow()).map(({ closed_at }) => closed_at)).toEqual([null]);
    await letGo();
    // Later movements have their own day.
    await add("TEA", 1);
    await close(100);
    expect(await shown()).toEqual(["2026-01-01 RICE: 7 of 7", "2026-01-01 TEA: 55 of 55"]);
    expect(await store.read(verifyStore)).toEqual([]);
  });

  test("delays the days of all warehouses, with one warning per round", async () => {
    const west = await openWest(app);
    await add("TEA", 50);
    // It changes stock of the first warehouse only.
    const letGo = await held((tx) => addStock(tx, { ...rice, quantity: 7 }, actor));
    await add("TEA", 20, { location: west, bin: "W-1" });
    await add("TEA", 1);
    toNextDay();
    for (let round = 0; round < 2; round += 1) await close(100);
    const both = { waiting: `2026-01-01 in ${main}, 2026-01-01 in ${west}` };
    expect(said).toMatchObject([{ facts: both }, { facts: both }]);
    expect(said.map(({ message }) => message.includes("waits for an open transaction"))).toEqual([true, true]);
    expect((await closesNow()).map(({ closed_at }) => closed_at)).toEqual([null, null]);
    await letGo();
    await close(100);
    expect(await shown()).toEqual(["2026-01-01 RICE: 7 of 7", "2026-01-01 TEA: 20 of 20", "2026-01-01 TEA: 51 of 51"]);
    expect(said.length).toBe(2);
    expect(await store.read(verifyStore)).toEqual([]);
  });

  test("does not delay the day if it writes no movements", async () => {
    await add("TEA", 50);
    const letGo = await held(async () => {});
    toNextDay();
    await close(0);
    expect(await shown()).toEqual(["2026-01-01 TEA: 50 of 50"]);
    expect(said).toEqual([]);
    await letGo();
  });

  test("that began before midnight and takes later units: both count for the later day", async () => {
    await add("RICE", 2);
    const go = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<number>();
    const late = store.write(async (tx) => {
      inside.resolve(tx.now);
      await go.promise;
      await adjustStock(tx, "RICE", { adjustment: -7, reason: "lost", location: main, bin: "B-RICE" }, actor);
    });
    expect(await inside.promise).toBe(start);
    toNextDay();
    await add("RICE", 5);
    go.resolve();
    await late;
    await close();
    toNextDay();
    await close();
    expect(await shown()).toEqual(["2026-01-01 RICE: 2 of 2", "2026-01-02 RICE: 0 of 7"]);
    expect(await store.read(verifyStore)).toEqual([]);
  });
});

test("a movement after a later one of the same item belongs to the later day, whatever its time", () => {
  const day = (business_date: string, began_at: number, last_movement_id: number): StorageDayClose => {
    const ended_at = began_at + 100;
    return {
      warehouse_id: 1,
      business_date,
      began_at,
      ended_at,
      last_movement_id,
      next_movement_id: 0,
      closed_at: null,
    };
  };
  const [first, second] = [day("2026-01-01", 0, 4), day("2026-01-02", 100, 5)];
  const flow = (id: number, created_at: number, from_item_id: number | null, to_item_id: number | null) => {
    return { id, created_at, quantity: 5, from_item_id, to_item_id };
  };
  // The second row waited for the first until after midnight, and the third for the second.
  const flows = [flow(1, 101, null, 7), flow(2, 99, 7, 8), flow(3, 98, 8, null), flow(4, 97, null, 9)];
  const today = new StorageDayTotals(first, null, []);
  for (const one of flows) today.count(one);
  expect(today.items).toEqual([{ stock_item_id: 9, units_at_close: 5, units_peak: 5 }]);
  expect(today.next_movement_id).toBe(1);
  const tomorrow = new StorageDayTotals(second, first, today.items);
  for (const one of flows) tomorrow.count(one);
  expect(tomorrow.items).toEqual([
    { stock_item_id: 7, units_at_close: 0, units_peak: 5 },
    { stock_item_id: 9, units_at_close: 5, units_peak: 5 },
  ]);
  expect(tomorrow.next_movement_id).toBe(6);
});

test("a failure in one warehouse is reported, and the others are recorded", async () => {
  const west = await openWest(app);
  await add("TEA", 5);
  await add("TEA", 5, { location: west, bin: "W-1" });
  toNextDay();
  await close();
  // A day of the first warehouse without its units.
  const [done] = (await closesNow()).filter(({ warehouse_id }) => warehouse_id === 1001);
  const gone = { business_date: "2026-01-02", began_at: done?.ended_at ?? 0, ended_at: (done?.ended_at ?? 0) + day_ms };
  await store.write((tx) => tx.sql.insert(storage_closes).values({ ...(done as StorageDayClose), ...gone }));
  toNextDay();
  for (const location of [main, west]) {
    const bin = location === west ? "W-1" : "B-TEA";
    await app.must("PATCH", "/inventory/TEA", { adjustment: -2, reason: "lost", location, bin });
  }
  for (let round = 0; round < 2; round += 1) {
    toNextDay();
    await expect(close()).rejects.toThrow(`the storage of ${main} could not be recorded`);
  }
  expect(said).toMatchObject(
    [1, 2].map(() => ({
      level: "error",
      message: expect.stringContaining("packhouse verify"),
      facts: { warehouse: main, mode: "live" },
    })),
  );
  const units = await store.read((db) =>
    db.sql
      .select({ day: storage_days.business_date, units: storage_days.units_at_close })
      .from(storage_days)
      .where(eq(storage_days.warehouse_id, Number(west.slice(4))))
      .orderBy(asc(storage_days.business_date)),
  );
  expect(units.map(({ day, units }) => `${day} ${units}`)).toEqual([
    "2026-01-01 5",
    "2026-01-02 5",
    "2026-01-03 3",
    "2026-01-04 3",
  ]);
});
