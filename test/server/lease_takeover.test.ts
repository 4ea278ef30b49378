// A server is killed while it holds claims. Within seconds, they are taken over: by another server on the same
// PostgreSQL database, or by the next process on SQLite.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import type { StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { client, freshDatabase, stockUp } from "../flows/service.ts";
import { startWatchedService } from "../flows/watched_service.ts";
import { openStore } from "../platforms/shipment_updates/connected.ts";
import { openEasyPost } from "../shipping/carriers/easypost_mock.ts";

setDefaultTimeout(120_000);
// A claim of a delivery expires after 30 seconds, the others after minutes.
const soon_ms = 20_000;

describe.if(engine === "postgres")("a server that is killed", () => {
  let database_url: string;
  let database: pg.Client;
  const started: StartedService[] = [];
  const start = async () => {
    const service = await startWatchedService({ database_url });
    started.push(service);
    return service;
  };
  beforeAll(async () => {
    database_url = (await freshDatabase()) ?? "";
    database = new pg.Client({ connectionString: database_url });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    for (const service of started) await service.remove();
  });

  const registered = async () => {
    const found = await database.query<{ id: string }>("select id from live.servers order by id");
    return found.rows.map(({ id }) => Number(id));
  };

  test("has its pending delivery sent once by another; a clean shutdown leaves nothing to take over", async () => {
    const first = await start();
    const api = client(first.url, first.first_keys.test);
    const arrived = Promise.withResolvers<void>();
    const again = Promise.withResolvers<string>();
    const ids: string[] = [];
    const receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        ids.push(request.headers.get("webhook-id") ?? "");
        if (ids.length > 1) again.resolve(ids.at(-1) ?? "");
        else {
          arrived.resolve();
          // The first attempt is pending until its server is killed.
          await again.promise;
        }
        return new Response("ok");
      },
    });
    await api.must("POST", "/products", { sku: "TEA", name: "Tea" });
    const hook = { url: `http://127.0.0.1:${receiver.port}/`, events: ["inventory.received"], version: "v2" };
    await api.must("POST", "/webhooks", hook);
    await api.must("POST", "/inventory", { sku: "TEA", quantity: 1 });
    await arrived.promise;
    const second = await start();
    expect(await registered()).toHaveLength(2);
    const killed_at = performance.now();
    await first.kill();
    expect(await again.promise).toBe(ids[0] ?? "");
    const took_ms = performance.now() - killed_at;
    console.log(`The delivery was handed on after ${(took_ms / 1000).toFixed(1)} s.`);
    expect(took_ms).toBeLessThan(soon_ms);
    await receiver.stop(true);
    while ((await registered()).length > 1) await Bun.sleep(50);
    expect(await second.stop()).toBe(0);
    expect(await registered()).toEqual([]);
  });
});

test("an import goes on soon after a kill, and a label that may be bought already is left alone", async () => {
  const database_url = await freshDatabase();
  const first = await startWatchedService({ database_url });
  const api = client(first.url, first.first_keys.test);
  const { location: _, ...to } = await stockUp(api, ["TEA"], 10);
  const easypost = await openEasyPost({ now: Date.now });
  const credentials = { api_key: easypost.key, api_url: easypost.url };
  const account = (await api.must("POST", "/shipping/carrier_accounts", { connector: "easypost", credentials })).data;
  await api.must("POST", `/shipping/carrier_accounts/${account.id}/test`, {});
  const store = await openStore("bigcommerce");
  const { id, callback_url } = (await api.must("POST", "/platforms", store.connection)).data;
  const ours = { ...to, order_number: "OURS", line_items: [{ sku: "TEA", quantity: 1, unit_price: "5.00" }] };
  const order = (await api.must("POST", "/orders", ours)).data;
  const sold = store.sell(7, [{ sku: "TEA", quantity: 1 }]);
  store.fail("hang", { having: "/orders/7" });
  easypost.fail("hang", { having: "/buy" });
  const count = (mock: typeof store | typeof easypost, part: string) =>
    mock.asked.filter(({ path }) => path.endsWith(part)).length;
  const headers = { ...sold.headers, authorization: `Bearer ${first.first_keys.test}` };
  void fetch(callback_url, { method: "POST", body: sold.body, headers }).catch(() => null);
  const package_ = { weight: 1, weight_unit: "lb", dimensions: { length: 10, width: 8, height: 4, unit: "in" } };
  const [carrier, service] = ["usps", "GroundAdvantage"];
  const label = { order_id: order.id, account_id: account.id, carrier, service, package: package_ };
  void api.send("POST", "/shipping/labels", label).catch(() => null);
  while (count(store, "/orders/7") === 0 || count(easypost, "/buy") === 0) await Bun.sleep(20);
  const killed_at = performance.now();
  await first.kill();
  const second = await startWatchedService({ data: first.data, database_url });
  const again = client(second.url, first.first_keys.test);
  const imported = async () => (await again.must("GET", `/platforms/${id}/imports`)).data[0].status;
  while ((await imported()) !== "imported") await Bun.sleep(100);
  expect(performance.now() - killed_at).toBeLessThan(soon_ms);
  await Bun.sleep(1000);
  expect([count(store, "/orders/7"), count(easypost, "/buy")]).toEqual([2, 1]);
  await second.remove();
  for (const mock of [store, easypost]) mock.stop();
});
