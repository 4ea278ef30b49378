import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openEntrance } from "../../src/http/entrance.ts";
import { silentLog } from "../../src/kit/log.ts";
import { counter, exposition, gauge, histogram, reading } from "../../src/kit/meter.ts";
import { openTestApp, type TestApp } from "../harness.ts";
import { readExposition } from "./exposition.ts";

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(() => app.close());

async function figures(key = app.keys.live.read) {
  const { status, body, headers } = await app.call("GET", "/metrics", undefined, { key });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const families = readExposition(body);
  return (family: string, sample = "") => families.get(family)?.samples.get(`${family}${sample}`);
}

describe("metrics: works", () => {
  test("tells of queues, storage and the process in Prometheus' format", async () => {
    await app.post("/webhooks", { url: "https://one.example/hook", events: ["order.created", "inventory.updated"] });
    await app.post("/products", { sku: "TEA", name: "Tea" });
    await app.post("/inventory", { sku: "TEA", quantity: 1 });
    const before = await figures();
    expect(before("packhouse_events_waiting", '{mode="live"}')).toBe(2);
    expect(before("packhouse_deliveries_pending", '{lane="first",mode="live"}')).toBe(0);
    await app.clocks.live.advance(5000);
    const now = await figures();
    expect(now("packhouse_events_waiting_seconds", '{mode="live"}')).toBe(5);
    expect(now("packhouse_events_waiting", '{mode="test"}')).toBe(0);
    expect(now("packhouse_subscriptions", '{mode="live",status="active"}')).toBe(1);
    expect(now("packhouse_store_up", '{mode="live"}')).toBe(1);
    for (const queue of ["platform_imports", "platform_reports", "mails"]) {
      expect(now(`packhouse_${queue}_waiting`, '{mode="live"}')).toBe(0);
    }
    expect(now("packhouse_database_bytes", '{mode="live"}')).toBeGreaterThan(100_000);
    expect(now("process_resident_memory_bytes", "{}")).toBeGreaterThan(1e7);
    expect(now("packhouse_migrations", "{}")).toBeGreaterThan(10);
  });

  test("counts a backorder, a pending delivery and how long it is overdue", async () => {
    await app.post("/webhooks", { url: "https://one.example/hook", events: ["order.created"] });
    await app.post("/products", { sku: "TEA", name: "Tea" });
    const address = { address_line1: "1 Pier", city: "Portland", state: "ME", postal_code: "04101", country: "US" };
    const { body: customer } = await app.post("/customers", { email: "a@b.example", shipping_addresses: [address] });
    const order = await app.post("/orders", {
      order_number: "A-1",
      customer_id: customer.id,
      shipping_address_id: customer.shipping_addresses[0].id,
      line_items: [{ sku: "TEA", quantity: 3, unit_price: "1.00" }],
    });
    expect(order.status).toBe(201);
    const { wokenJobs } = await import("../../src/schedule.ts");
    const fanOut = wokenJobs.find(({ when }) => when === "webhooks.fan_out");
    await fanOut?.job(app.service.stores.live, app.service);
    app.clocks.live.advance(7000);
    const now = await figures();
    expect(now("packhouse_backorder_lines", '{mode="live"}')).toBe(1);
    expect(now("packhouse_events_waiting", '{mode="live"}')).toBe(0);
    expect(now("packhouse_deliveries_pending", '{lane="first",mode="live"}')).toBe(1);
    expect(now("packhouse_deliveries_overdue_seconds", '{lane="first",mode="live"}')).toBe(7);
  });

  test("counts requests by the pattern of their route, their status and their mode", async () => {
    const settings = { log: silentLog, slow_ms: 1000, now: () => 0 };
    const entrance = openEntrance(settings, async (request) => app.app.handle(request));
    const send = (path: string, key: string | null, method = "GET") =>
      entrance.answer(
        new Request(`http://packhouse.test${path}`, {
          method,
          headers: key === null ? {} : { authorization: `Bearer ${key}` },
        }),
      );
    const read = async () => {
      const now = await figures();
      return {
        missing:
          now("packhouse_http_requests_total", '{method="GET",route="/orders/:id",status="404",mode="live"}') ?? 0,
        test: now("packhouse_http_requests_total", '{method="GET",route="/orders/:id",status="404",mode="test"}') ?? 0,
        strange: now("packhouse_http_requests_total", '{method="other",route="none",status="401",mode="none"}') ?? 0,
        timed: now("packhouse_http_request_seconds_count", "") ?? 0,
        under_way: now("packhouse_http_requests_under_way", "{}"),
      };
    };
    const before = await read();
    await send("/v1/orders/1?secret=1", app.keys.live.read);
    await send("/v1/orders/2", app.keys.live.read);
    await send("/v1/orders/2", app.keys.test.read);
    await send("/v1/whatever/the/client/says", null, "PROPFIND");
    const after = await read();
    expect(after.missing - before.missing).toBe(2);
    expect(after.test - before.test).toBe(1);
    expect(after.strange - before.strange).toBe(1);
    expect(after.under_way).toBe(before.under_way ?? Number.NaN);
  });

  test("counts commits, and how many writes shared them", async () => {
    const before = await figures();
    await app.post("/products", { sku: "TEA", name: "Tea" });
    const after = await figures();
    const more = (family: string, sample: string) => (after(family, sample) ?? 0) - (before(family, sample) ?? 0);
    expect(more("packhouse_commits_total", '{mode="live"}')).toBeGreaterThanOrEqual(1);
  });
});

describe("metrics: refuses", () => {
  test("a stranger, and tells a test key nothing of the live world", async () => {
    expect((await app.call("GET", "/metrics", undefined, { key: null })).status).toBe(401);
    const { body } = await app.call("GET", "/metrics", undefined, { key: app.keys.test.read });
    readExposition(body);
    expect(body).toContain('mode="test"');
    expect(body).not.toContain('mode="live"');
  });
});

describe("metrics: guards", () => {
  test("write labels and help so that no value can break a line", () => {
    const wild = reading("wild", "A\nB\\", [{ labels: { name: 'a"b\\c\nd' }, value: 1 }]);
    const text = exposition([wild]);
    expect(text).toBe('# HELP wild A\\nB\\\\\n# TYPE wild gauge\nwild{name="a\\"b\\\\c\\nd"} 1\n');
    expect(readExposition(text).get("wild")?.samples.size).toBe(1);
  });

  test("a histogram puts what equals a bound below it", () => {
    const spread = histogram("test_spread", "A spread.", [1, 2.5], ["of"]);
    for (const amount of [1, 1.1, 2.5, 3]) spread.observe(amount, "a");
    const samples = readExposition(exposition([spread])).get("test_spread")?.samples;
    expect(samples?.get('test_spread_bucket{of="a",le="1"}')).toBe(1);
    expect(samples?.get('test_spread_bucket{of="a",le="2.5"}')).toBe(3);
    expect(samples?.get('test_spread_bucket{of="a",le="+Inf"}')).toBe(4);
    expect(samples?.get('test_spread_sum{of="a"}')).toBeCloseTo(7.6);
  });

  test("a meter is made once, with a value for each label", () => {
    const seen = counter("test_seen_total", "Seen.", ["a", "b"]);
    expect(() => counter("test_seen_total", "Seen again.")).toThrow();
    expect(() => counter("test_seen", "Without its ending.")).toThrow();
    expect(() => seen.add(1, "one")).toThrow();
    const level = gauge("test_level", "A level.");
    level.add(2);
    level.add(-3);
    expect(exposition([level])).toContain("test_level -1\n");
  });

  test.each([
    ["without an end", "# HELP a b\n# TYPE a gauge\na 1"],
    ["a sample alone", "a 1\n"],
    ["a family twice", "# HELP a b\n# TYPE a gauge\na 1\n# HELP a b\n# TYPE a gauge\na 1\n"],
    ["a sample twice", "# HELP a b\n# TYPE a gauge\na 1\na 1\n"],
    ["a counter by another name", "# HELP a b\n# TYPE a counter\na 1\n"],
    ["an open quote", '# HELP a b\n# TYPE a gauge\na{b="c} 1\n'],
    ["a number that is none", "# HELP a b\n# TYPE a gauge\na one\n"],
    ["buckets that shrink", '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\n'],
  ])("the reader of this test refuses %s", (_, text) => {
    expect(() => readExposition(text)).toThrow();
  });
});
