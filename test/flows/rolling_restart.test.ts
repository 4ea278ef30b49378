// Two servers behind a balancer are restarted in turn under a steady load of orders: none fails.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { ordersOf, startBalancer, steadily } from "./balancer.ts";
import { client, freshDatabase, stockUp } from "./service.ts";
import { startWatchedService } from "./watched_service.ts";

setDefaultTimeout(120_000);

const per_second = Number(process.env["ORDERS_PER_SECOND"] ?? 20);
const restarts = Number(process.env["RESTARTS"] ?? 2);
// The balancer probes four times a second.
const env = { PACKHOUSE_DRAIN_SECONDS: "2", PACKHOUSE_SLOW_REQUEST_MS: "60000" };

describe.if(engine === "postgres")("servers that are restarted in turn", () => {
  const started: StartedService[] = [];
  afterAll(async () => {
    for (const service of started) await service.remove();
  });

  test("answer every request, and lose no order", async () => {
    const database_url = await freshDatabase();
    const start = async () => {
      const service = await startWatchedService({ database_url, env });
      started.push(service);
      return service;
    };
    const servers = [await start(), await start()];
    const balancer = await startBalancer();
    await balancer.use(servers.map(({ url }) => url));
    const key = (await servers[0]?.makeKey("test")) ?? "";
    const api = client(balancer.url, key);
    const to = await stockUp(api, ["TEA"], 1_000_000);
    const { customer_id, shipping_address_id } = to;
    const order = { customer_id, shipping_address_id, line_items: [{ sku: "TEA", quantity: 1, unit_price: "5.00" }] };
    const end = steadily(per_second, ordersOf(balancer.url, key, order));
    for (let n = 0; n < restarts; n += 1) {
      const at = n % servers.length;
      expect(await servers[at]?.stop()).toBe(0);
      servers[at] = await start();
      await balancer.use(servers.map(({ url }) => url));
    }
    const { sent, failed, slowest_ms, per_second: rate } = await end();
    const figures = `${failed.length} failed, the slowest took ${Math.round(slowest_ms)} ms`;
    console.log(`${restarts} restarts: ${sent} orders at ${rate.toFixed(1)}/s, ${figures}`);
    expect(failed).toEqual([]);
    const { meta } = await api.must("GET", "/orders?limit=1");
    expect(meta.pagination.total).toBe(sent);
    await balancer.stop();
  });
});
