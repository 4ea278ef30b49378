import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { day_ms } from "../../../src/core/time.ts";
import { localTime, momentAt, periodOf, readDay } from "../../../src/core/time_zone.ts";
import { costsByDay, type QuarterCost, quarter_ms } from "../../../src/shipping/labels/label_costs.ts";
import { openApp } from "../../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../../build/shop.ts";

// Newest first, like the list: each on a different day, the second voided, the third express.
let bought: Record<string, string>[] = [];
const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);
for (const service of ["standard", "express", "standard", "standard"]) {
  bought.unshift((await shop.label((await shop.order()).id, { service })).body.data);
  app.clocks.live.advance(day_ms);
}
await app.post(`/shipping/labels/${bought[1]?.["label_id"]}/void`);
await app.post("/shipping/manifests", { label_ids: [bought[0]?.["label_id"]] });
bought = await Promise.all(
  bought.map(async ({ label_id }) => (await app.get(`/shipping/labels/${label_id}`)).body.data),
);

const idsOf = (labels: readonly Record<string, string>[]) => labels.map(({ label_id }) => label_id);
const at = (...places: number[]) => idsOf(places.map((place) => bought[place] ?? {}));

describe("the list", () => {
  test("shows each label as in its own response, newest first", async () => {
    expect((await app.get("/shipping/labels")).body.data).toEqual(bought);
  });

  test("is exported as CSV, with the same filters", async () => {
    const answer = await app.get("/shipping/labels/export.csv?on_manifest=false");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="labels.csv"');
    const [head = [], ...rows] = (answer.body as string).split("\r\n").map((row) => row.split(","));
    const records = rows.slice(0, -1).map((row) => Object.fromEntries(row.map((cell, place) => [head[place], cell])));
    expect(records.map(({ label_id }) => label_id)).toEqual(at(1, 2, 3) as string[]);
    expect(records[1]).toMatchObject({
      service: "express",
      order_number: "SO-2",
      cost: "40.54",
      sample: "true",
      to_zip: "90210",
    });
  });
});

describe("the costs", () => {
  test("are summed by day and carrier, without voided labels", async () => {
    const { data } = (await app.get("/shipping/labels/costs?from=2026-01-01&to=2026-01-04")).body;
    const day = { carrier: "local", currency: "USD" };
    const costs = data.costs.map(({ carrier_cost: _, ...cost }: Record<string, unknown>) => cost);
    expect({ ...data, costs }).toEqual({
      timezone: "America/New_York",
      from: "2026-01-01",
      to: "2026-01-04",
      costs: [
        { date: "2026-01-04", ...day, label_count: 1, cost: 15.67, voided_count: 0 },
        { date: "2026-01-03", ...day, label_count: 0, cost: 0, voided_count: 1 },
        { date: "2026-01-02", ...day, label_count: 1, cost: 40.54, voided_count: 0 },
        { date: "2026-01-01", ...day, label_count: 1, cost: 15.67, voided_count: 0 },
      ],
    });
    expect((await app.get("/shipping/labels/costs?carrier=ups")).body.data.costs).toEqual([]);
    const csv = await app.get("/shipping/labels/costs/export.csv?from=2026-01-02&to=2026-01-02");
    expect(csv.body.split("\r\n").slice(0, 2)).toEqual([
      "date,carrier,currency,label_count,cost,carrier_cost,voided_count",
      `2026-01-02,local,USD,1,40.54,${data.costs[2].carrier_cost},0`,
    ]);
  });

  test.each(["?from=2026-02-30", "?to=yesterday", "?from=2026-02-01&to=2026-01-01", "?from=2024-01-01&to=2026-01-01"])(
    "refuse the days %s",
    async (query) => {
      expect((await app.get(`/shipping/labels/costs${query}`)).status).toBe(422);
      expect((await app.get(`/shipping/labels/costs/export.csv${query}`)).status).toBe(422);
    },
  );

  test("of a period are the sum of its days, in any zone and across clock changes", () => {
    const zone = fc.constantFrom("America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC", "Pacific/Apia");
    const day = fc.integer({ min: 20_000, max: 21_000 });
    fc.assert(
      fc.property(
        zone,
        day,
        fc.nat(40),
        fc.array(fc.nat(60 * 96), { maxLength: 60 }),
        (timezone, from, days, places) => {
          const text = (one: number) => new Date(one * day_ms).toISOString().slice(0, 10);
          const period = periodOf({ from: text(from), to: text(from + days) }, timezone, 0);
          expect(localTime(period.since, timezone)).toEqual({ day: from, minute: 0 });
          expect(period.until).toBe(momentAt({ day: from + days + 1, minute: 0 }, timezone));
          const base = Math.floor(((from - 1) * day_ms) / quarter_ms);
          const labels = places.map((place) => (base + place) * quarter_ms + 1);
          const inside = labels.filter((moment) => moment >= period.since && moment < period.until);
          const quarters = inside.map(
            (moment): QuarterCost => ({
              quarter: Math.floor(moment / quarter_ms),
              carrier: "local",
              currency: "USD",
              label_count: 1,
              voided_count: 0,
              cost_cents: 3,
              carrier_cost_cents: 2,
            }),
          );
          const costs = costsByDay(quarters, timezone);
          expect(costs.reduce((sum, one) => sum + one.cost_cents, 0)).toBe(3 * inside.length);
          for (const { date, label_count } of costs) {
            const of_day = inside.filter((moment) => localTime(moment, timezone).day === readDay(date));
            expect(label_count).toBe(of_day.length);
          }
        },
      ),
    );
  });
});
