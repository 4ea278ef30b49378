import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { openRequestPipeline } from "../../../src/http/request_pipeline.ts";
import { migrations } from "../../../src/storage/migrations/migration_sql.ts";
import { openApp, type TestApp } from "../../build/service.ts";
import { readExposition } from "./exposition.ts";

setDefaultTimeout(30_000);
let app: TestApp;
beforeEach(async () => {
  app = await openApp();
});

async function figures(key = app.keys.live.read) {
  const { status, body, headers } = await app.call("GET", "/metrics", undefined, { key });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const families = readExposition(body);
  return (family: string, sample = "") => families.get(family)?.samples.get(`${family}${sample}`);
}

describe("metrics: works", () => {
  test("shows queues, storage and the process in Prometheus format", async () => {
    await app.post("/webhooks", { url: "https://one.example/hook", events: ["order.created", "inventory.updated"] });
    await app.product("TEA", { name: "Tea" });
    await app.stock("TEA", 1);
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
    expect(now("packhouse_migrations", "{}")).toBe(migrations.sqlite.length);
  });

  test("counts a backorder, and a pending delivery with the time it is overdue", async () => {
    await app.post("/webhooks", { url: "https://one.example/hook", events: ["order.created"] });
    await app.product("TEA", { name: "Tea" });
    const address = { address_line1: "1 Pier", city: "Portland", state: "ME", postal_code: "04101", country: "US" };
    const { body: customer } = await app.post("/customers", { email: "a@b.example", shipping_addresses: [address] });
    const order = await app.post("/orders", {
      order_number: "A-1",
      customer_id: customer.id,
      shipping_address_id: customer.shipping_addresses[0].id,
      line_items: [{ sku: "TEA", quantity: 3, unit_price: "1.00" }],
    });
    expect(order.status).toBe(201);
    const { triggeredJobs: wokenJobs } = await import("../../../src/server/scheduler.ts");
    await wokenJobs["webhooks.fan_out"].job(app.service.stores.live, app.service);
    app.clocks.live.advance(7000);
    const now = await figures();
    expect(now("packhouse_backorder_lines", '{mode="live"}')).toBe(1);
    expect(now("packhouse_events_waiting", '{mode="live"}')).toBe(0);
    expect(now("packhouse_deliveries_pending", '{lane="first",mode="live"}')).toBe(1);
    expect(now("packhouse_deliveries_overdue_seconds", '{lane="first",mode="live"}')).toBe(7);
  });

  test("counts requests by route pattern, status and environment", async () => {
    const settings = { log: silentLog, slow_ms: 1000, now: () => 0 };
    const entrance = openRequestPipeline(settings, async (request) => app.app.handle(request));
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
        listed: now("packhouse_http_requests_total", '{method="GET",route="/orders",status="200",mode="live"}') ?? 0,
        refused:
          now("packhouse_http_requests_total", '{method="GET",route="/orders/:id",status="422",mode="live"}') ?? 0,
        timed: now("packhouse_http_request_seconds_count", "") ?? 0,
        under_way: now("packhouse_http_requests_under_way", "{}"),
      };
    };
    const before = await read();
    await send("/v1/orders/1", app.keys.live.read);
    await send("/v1/orders/2", app.keys.live.read);
    await send("/v1/orders/2", app.keys.test.read);
    // Neither known nor unknown parameters appear in a label.
    await send("/v1/orders/1?secret=1", app.keys.live.read);
    await send("/v1/orders?limit=37", app.keys.live.read);
    await send("/v1/whatever/the/client/says", null, "PROPFIND");
    const after = await read();
    expect(after.missing - before.missing).toBe(2);
    expect(after.test - before.test).toBe(1);
    expect(after.strange - before.strange).toBe(1);
    expect(after.refused - before.refused).toBe(1);
    expect(after.listed - before.listed).toBe(1);
    expect((await app.call("GET", "/metrics")).body).not.toMatch(/secret|limit=|37"/);
    expect(after.under_way).toBe(before.under_way ?? Number.NaN);
  });

  test("counts commits, and the writes that shared them", async () => {
    const before = await figures();
    await app.product("TEA", { name: "Tea" });
    const after = await figures();
    const more = (family: string, sample: string) => (after(family, sample) ?? 0) - (before(family, sample) ?? 0);
    expect(more("packhouse_commits_total", '{mode="live"}')).toBeGreaterThanOrEqual(1);
  });
});

describe("metrics: refuses", () => {
  test("unauthenticated requests, and shows a test key nothing of live", async () => {
    expect((await app.call("GET", "/metrics", undefined, { key: null })).status).toBe(401);
    const { body } = await app.call("GET", "/metrics", undefined, { key: app.keys.test.read });
    readExposition(body);
    expect(body).toContain('mode="test"');
    expect(body).not.toContain('mode="live"');
  });
});
