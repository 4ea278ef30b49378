// End-of-day and peak storage, compared with the ledger as the test adds it up.

import { expect, test } from "bun:test";
import { asc, sql } from "drizzle-orm";
import { billable_events, storage_closes, storage_days } from "../../db/schema/billing.ts";
import { movements } from "../../db/schema/inventory.ts";
import { closeStorage } from "../../src/billing/storage_days.jobs.ts";
import { verifyStore } from "../../src/cli/verify.ts";
import { seededRandom } from "../../src/core/random.ts";
import { day_ms, hour_ms } from "../../src/core/time.ts";
import type { Store } from "../../src/storage/database.ts";

import { openShop } from "../build/shop.ts";

const zone = "America/New_York";

const shop = await openShop({ verified: false });
const store = shop.app.service.stores.live;

const setClock = (at: number) => shop.app.clocks.live.advance(at - store.clock.now());
const close = () => closeStorage(store, shop.app.service);
const rowsNow = () =>
  store.read((db) =>
    db.sql.select().from(storage_days).orderBy(asc(storage_days.business_date), asc(storage_days.stock_item_id)),
  );
const closesNow = () =>
  store.read((db) => db.sql.select().from(storage_closes).orderBy(asc(storage_closes.business_date)));

/** The date in New York at a time, by the runtime's own calendar. */
const dayOf = (at: number) => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(at);

/** The units of each item at the end of each day, and their peak, from the ledger. */
async function naively(): Promise<string[]> {
  const rows = await store.read((db) => db.sql.select().from(movements).orderBy(asc(movements.id)));
  const [first] = rows;
  const days: string[] = [];
  for (let at = first?.created_at ?? 0; dayOf(at) < dayOf(store.clock.now()); at += 6 * hour_ms) {
    if (days.at(-1) !== dayOf(at)) days.push(dayOf(at));
  }
  const found: string[] = [];
  const units = new Map<number, number>();
  for (const day of days) {
    const peaks = new Map(units);
    for (const row of rows.filter((one) => dayOf(one.created_at) === day)) {
      for (const [item, by] of [
        [row.from_item_id, -row.quantity],
        [row.to_item_id, row.quantity],
      ] as const) {
        if (item === null) continue;
        units.set(item, (units.get(item) ?? 0) + by);
        peaks.set(item, Math.max(peaks.get(item) ?? 0, units.get(item) ?? 0));
      }
    }
    for (const [item, peak] of peaks) if (peak > 0) found.push(`${day} ${item}: ${units.get(item) ?? 0} of ${peak}`);
  }
  return found.sort();
}

const shown = (rows: Awaited<ReturnType<typeof rowsNow>>) =>
  rows.map((row) => `${row.business_date} ${row.stock_item_id}: ${row.units_at_close} of ${row.units_peak}`).sort();

test("sixty days of traffic match the ledger, across a clock change and missed days", async () => {
  const random = seededRandom(7);
  // The clocks go forward in New York on 8 March, a day of 23 hours.
  setClock(Date.parse("2026-02-01T15:00:00Z"));
  const goods = [
    await shop.product({ sku: "TEA" }),
    await shop.product({ sku: "SALT" }),
    await shop.product({ sku: "OATS" }),
  ];
  await shop.app.patch(`/products/${goods[0]?.id}`, { dimensions: { length: 10, width: 10, height: 2.5, unit: "in" } });
  await close();
  const begun = await closesNow();
  let now = store.clock.now();
  for (let act = 0; act < 150; act += 1) {
    now += random.integer(1, 19) * hour_ms;
    setClock(now);
    const { sku } = goods[random.integer(0, 2)] ?? { sku: "" };
    const quantity = random.integer(1, 9);
    if (random.integer(0, 2) > 0) await shop.app.stock(sku, quantity, { bin: `B-${random.integer(1, 3)}` });
    else {
      const { body } = await shop.app.get(`/inventory/${sku}`);
      const [place] = body.data?.locations ?? [];
      if (place === undefined) continue;
      const adjustment = -Math.min(quantity, place.quantity ?? place.available ?? 1);
      await shop.app.patch(`/inventory/${sku}`, { adjustment, reason: "damaged", bin: place.location });
    }
    // The job pauses for days now and then, and runs twice at other times.
    for (let runs = random.integer(0, 4) - 2; runs > 0; runs -= 1) await close();
  }
  setClock(now + 2 * day_ms + hour_ms);
  await close();
  expect(shown(await rowsNow())).toEqual(await naively());
  const closes = await closesNow();
  expect(closes.length).toBeGreaterThan(60);
  expect(new Set(closes.map(({ business_date }) => business_date)).size).toBe(closes.length);
  const hours = closes.map(({ began_at, ended_at }) => (ended_at - began_at) / hour_ms);
  expect(hours.filter((count) => count !== 24)).toEqual([23]);
  expect(begun.every((one) => closes.some((same) => same.business_date === one.business_date))).toBe(true);
  expect(await store.read(verifyStore)).toEqual([]);
  // 250 cubic inches.
  const volumes = new Set((await rowsNow()).map((row) => row.unit_volume_cm3));
  expect([...volumes].sort()).toEqual([4097, null]);
}, 120_000);

test("a day is recorded 15 minutes after midnight, and only once", async () => {
  const before = (await closesNow()).length;
  const at = (await closesNow()).at(-1)?.ended_at ?? 0;
  setClock(at + day_ms + 14 * 60_000);
  await close();
  expect((await closesNow()).length).toBe(before);
  setClock(at + day_ms + 15 * 60_000);
  await Promise.all([close(), close()]);
  expect((await closesNow()).length).toBe(before + 1);
  const rows = await rowsNow();
  await close();
  expect(await rowsNow()).toEqual(rows);
});

test("the list and the CSV file show closed days, newest first, by warehouse and day", async () => {
  const days = [...new Set((await rowsNow()).map((row) => row.business_date))];
  const [from, to] = [days.at(-3), days.at(-2)];
  const { body } = await shop.app.get(`/billing/storage?from=${from}&to=${to}&warehouse=whs_1001&limit=100`);
  const listed = body.data as { business_date: string; sku: string; units_at_close: number }[];
  expect([...new Set(listed.map((row) => row.business_date))]).toEqual([to, from] as string[]);
  expect(listed[0]).toMatchObject({
    merchant_id: "mer_1",
    warehouse_id: "whs_1001",
    sku: expect.any(String),
    temperature_zone: "ambient",
    oldest_receipt_date: expect.stringMatching(/^2026-\d\d-\d\d$/),
  });
  const file = (await shop.app.get(`/billing/storage/export.csv?from=${from}&to=${to}`)).body as string;
  expect(file.trim().split("\r\n").length).toBe(listed.length + 1);
  expect((await shop.app.get("/billing/storage?warehouse=whs_77")).body.data).toEqual([]);
  const refused = await shop.app.get("/billing/storage?from=2026-02-30");
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "from"]);
});

test("an interrupted day is continued, and rows are neither changed nor deleted", async () => {
  const at = (await closesNow()).at(-1)?.ended_at ?? 0;
  setClock(at + day_ms + hour_ms);
  const ending = new AbortController();
  let writes = 0;
  // The service is stopped as soon as the day is started.
  const stopped = Object.assign(Object.create(store), {
    write: (work: Parameters<Store["write"]>[0]) => {
      writes += 1;
      ending.abort();
      return store.write(work);
    },
    read: store.read.bind(store),
    clock: store.clock,
  }) as Store;
  await closeStorage(stopped, { ...shop.app.service, ending: ending.signal });
  expect(writes).toBe(1);
  expect((await closesNow()).at(-1)?.closed_at).toBe(null);
  expect((await shop.app.get("/billing/storage?limit=1")).body.data[0].business_date).not.toBe(dayOf(at + hour_ms));
  await close();
  expect((await closesNow()).at(-1)?.closed_at).toBe(store.clock.now());
  expect(shown(await rowsNow())).toEqual(await naively());
  const changed = store.write((tx) => tx.sql.update(storage_days).set({ units_peak: 99 }).where(sql`true`));
  await expect(changed).rejects.toThrow();
  await expect(store.write((tx) => tx.sql.delete(storage_days).where(sql`true`))).rejects.toThrow();
});

test("verify finds storage that differs from the ledger, and events without an act", async () => {
  expect(await store.read(verifyStore)).toEqual([]);
  const [first] = await closesNow();
  const late = (await rowsNow()).at(-1);
  const early = await rowsNow();
  const item = early.find((row) => row.business_date !== first?.business_date) ?? late;
  const bogus = { ...item, business_date: first?.business_date, units_at_close: 4, units_peak: 5 };
  await store.write((tx) => tx.sql.insert(storage_days).values(bogus as never));
  const [fact] = await store.read((db) => db.sql.select().from(billable_events).limit(1));
  const { id: _, ...same } = fact as NonNullable<typeof fact>;
  const more = { source_id: 424_242, source_revision: 7 };
  const pick = { ...same, ...more, kind: "pick", act: "order.pick", source_type: "order" } as const;
  await store.write((tx) => tx.sql.insert(billable_events).values([{ ...same, ...more }, pick]));
  const found = (await store.read(verifyStore)).map(({ rule, subject, expected, actual }) => {
    return [rule.slice(0, 3), subject.replace(/\d{4}-.*|billable event \d+/, "…"), expected, actual];
  });
  expect(found.sort()).toEqual(
    [
      ["I17", "…", same.quantity, null],
      ["I17", "order 424242", 0, same.quantity],
      ["I18", `stock item ${item?.stock_item_id} on …`, 0, 4],
      ["I18", `stock item ${item?.stock_item_id} on …`, 0, 5],
    ].sort(),
  );
});
