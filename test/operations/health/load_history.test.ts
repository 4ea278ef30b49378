import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { silentLog } from "../../../src/core/log.ts";
import { openRequestPipeline } from "../../../src/http/request_pipeline.ts";
import { notePoint } from "../../../src/operations/health/health.jobs.ts";
import { type LoadCounts, percentile } from "../../../src/operations/health/load_history.ts";
import { openApp, type TestApp } from "../../build/service.ts";

setDefaultTimeout(30_000);
let app: TestApp;
beforeEach(async () => {
  app = await openApp();
});

describe("the load history", () => {
  test("contains rates of one environment since the previous point", async () => {
    const { live } = app.service.stores;
    const entrance = openRequestPipeline({ log: silentLog, slow_ms: 60_000, now: () => 0 }, async (request) =>
      app.app.handle(request),
    );
    const send = (path: string, key: string) =>
      entrance.answer(new Request(`http://packhouse.test/v1${path}`, { headers: { authorization: `Bearer ${key}` } }));
    const history = async () => (await app.call("GET", "/metrics/history")).body.data;
    await notePoint(live);
    expect((await history()).at).toEqual([]);
    for (let count = 0; count < 60; count += 1) await send("/products", app.keys.live.read);
    for (let count = 0; count < 15; count += 1) await send("/products/none", app.keys.live.read);
    await send("/products", app.keys.test.read);
    app.clocks.live.pass(30_000);
    await notePoint(live);
    app.clocks.live.pass(30_000);
    await notePoint(live);
    const { at, requests_2xx, requests_4xx, duration_p50_ms, deliveries_waiting, ...sizes } = await history();
    expect(at).toEqual(["2026-01-02T03:04:35.000Z", "2026-01-02T03:05:05.000Z"]);
    expect([requests_2xx, requests_4xx]).toEqual([
      [2, 0],
      [0.5, 0],
    ]);
    expect([duration_p50_ms[0] > 0, duration_p50_ms[1]]).toEqual([true, null]);
    expect(deliveries_waiting).toEqual([0, 0]);
    expect(sizes.database_bytes[0]).toBeGreaterThan(0);
    expect(sizes.memory_bytes[0]).toBeGreaterThan(0);
  });

  test("covers one day", async () => {
    const { live } = app.service.stores;
    for (let count = 0; count < 2890; count += 1) {
      app.clocks.live.pass(30_000);
      await notePoint(live);
    }
    const { at } = (await app.call("GET", "/metrics/history")).body.data;
    expect(at.length).toBe(2880);
    // On a busy machine each of these writes takes PostgreSQL ten milliseconds.
  }, 120_000);

  test("a quantile is the time that a share of the requests did not exceed", () => {
    const bounds = [0.001, 0.01, 0.1, 1, Number.POSITIVE_INFINITY];
    const countsOf = (took: readonly number[]): LoadCounts => ({
      requests: { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
      deliveries: 0,
      failed_deliveries: 0,
      took: new Map(bounds.map((bound) => [bound, took.filter((seconds) => seconds <= bound).length])),
    });
    const seconds = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 50 });
    const check = (before: readonly number[], more: readonly number[], share: number) => {
      const told = percentile(countsOf(before), countsOf([...before, ...more]), share) ?? -1;
      const above = bounds.find((bound) => bound * 1000 >= told - 1e-9) ?? 0;
      expect(more.filter((took) => took <= above).length).toBeGreaterThanOrEqual(Math.floor(share * more.length));
      expect(told).toBeGreaterThanOrEqual(0);
    };
    fc.assert(fc.property(seconds, seconds, fc.constantFrom(0.5, 0.99), check));
  });
});
