// How soon a shop shows a change of stock, and how many requests that takes, with a running service.
import { expect, test } from "bun:test";
import { client, startFreshService } from "../../flows/service.ts";
import { openShopify } from "../mocks/shopify.ts";

const products = 50;
const changes = 1000;
const at_once = 4;

test("a shop shows changes within a minute, with fewer requests than changes", async () => {
  const mock = await openShopify();
  const service = await startFreshService({});
  const api = client(service.url, service.first_keys.test);
  const [{ warehouse_id }] = (await api.must("GET", "/inventory/locations")).data;
  const skus = Array.from({ length: products }, (_, at) => `PACE-${at}`);
  for (const sku of skus) {
    await api.must("POST", "/products", { sku, name: sku });
    await api.must("POST", "/inventory", { sku, quantity: 1000, location: warehouse_id });
    mock.shelf.stock({ sku, units: 1000 });
  }
  const access = { api_url: mock.url, api_token: mock.token, client_secret: "hush-hush" };
  const { id } = (await api.must("POST", "/platforms", { platform: "shopify", store_id: mock.shop, ...access })).data;
  await api.must("PATCH", `/platforms/${id}/stock`, { enabled: true });
  const settled = async () => {
    for (let tries = 0; tries < 600; tries += 1) {
      const { reading, queued_listings, listings } = (await api.must("GET", `/platforms/${id}/stock`)).data;
      if (reading === null && queued_listings === 0 && listings === products) return;
      await Bun.sleep(100);
    }
    throw new Error("the pushes do not end");
  };
  await settled();
  const before = mock.asked.length;
  const removed = new Map<string, number>();
  for (let done = 0; done < changes; done += at_once) {
    const some = Array.from({ length: at_once }, (_, at) => skus[(done * 7 + at) % products] ?? "");
    await Promise.all(
      some.map((sku) => api.must("PATCH", `/inventory/${sku}`, { adjustment: -1, reason: "stock_count" })),
    );
    // A key may send 100 requests per second.
    await Bun.sleep(50);
    for (const sku of some) removed.set(sku, (removed.get(sku) ?? 0) + 1);
  }
  // The last events get their positions.
  await Bun.sleep(3000);
  await settled();
  const requests = mock.asked.length - before;
  for (const sku of skus) expect([sku, mock.shelf.units(sku)]).toEqual([sku, 1000 - (removed.get(sku) ?? 0)]);
  const seconds: number[] = [];
  for (let page = 1; ; page += 1) {
    const some = (await api.must("GET", `/platforms/${id}/stock_pushes?limit=100&page=${page}`)).data;
    seconds.push(...some.flatMap((push: { seconds: number | null }) => push.seconds ?? []));
    if (some.length < 100) break;
  }
  seconds.sort((a, b) => a - b);
  const at = (part: number) => seconds[Math.min(seconds.length - 1, Math.floor(seconds.length * part))] ?? 0;
  console.log(
    `p50 ${at(0.5)} s, p99 ${at(0.99)} s, ${seconds.length} pushes, ${requests} requests per ${changes} changes`,
  );
  expect(at(0.99)).toBeLessThan(60);
  expect(requests).toBeLessThan(changes);
  mock.stop();
  await service.stop();
}, 180_000);
