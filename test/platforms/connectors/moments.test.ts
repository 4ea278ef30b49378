// Platforms send whole seconds, so notifications of one second may arrive in any order.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { openShopify, type ShopifyMock } from "../mocks/shopify.ts";
import { shopOrder } from "../mocks/shopify_shop.ts";
import { openWooCommerce, siteOrder } from "../mocks/woocommerce.ts";

setDefaultTimeout(30_000);
const at = Date.now() - 60_000;
let app: TestApp;
let shop: ShopifyMock;
beforeAll(async () => {
  app = await openTestApp();
  shop = await openShopify();
});
afterAll(async () => {
  shop.stop();
  await app.close();
});

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.call(method, path, body, { key: app.keys.test.full, headers });

async function connect(fields: object): Promise<string> {
  const { status, body } = await call("POST", "/platforms", { client_secret: "hush-hush", ...fields });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data.callback_url.replace(/^.*\/v1/, "");
}

async function tell(path: string, { body, headers }: { body: string; headers: Record<string, string> }) {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const answer = await app.call("POST", path, body, { key: null, headers: named });
  await app.runJobs();
  return answer;
}

test("paid wins over unpaid within a second, and later", async () => {
  const path = await connect({ platform: "shopify", store_id: shop.shop, api_url: shop.url, api_token: shop.token });
  const order = shop.add(shopOrder(5001, at, { financial_status: "paid" }));
  const before = shopOrder(5001, at, { financial_status: "pending" });
  const { order_id } = (await tell(path, shop.notification(order, { topic: "orders/paid", secret: "hush-hush" }))).body;
  expect((await call("GET", `/orders/${order_id}`)).body.data.holds).toMatchObject([{ reason: "unknown_sku" }]);
  // Only the platform knows whether the buyer collects a new order.
  expect(shop.asked.length).toBe(1);
  const told = await tell(path, shop.notification(before, { topic: "orders/create", secret: "hush-hush" }));
  expect(told.body.order_id).toBe(order_id);
  // The order of the two is unknown, so the platform is called.
  expect(shop.asked.length).toBe(2);
  expect((await call("GET", `/orders/${order_id}`)).body.data.holds).toMatchObject([{ reason: "unknown_sku" }]);
});

test("a site with another name than configured is accepted by its signature", async () => {
  const site = await openWooCommerce();
  const path = await connect({ platform: "woocommerce", store_id: "https://shop.example", api_url: "https://1.1.1.1" });
  const order = siteOrder(812, at);
  const about = { signed_with: "hush-hush", source: "https://www.shop.example/de" };
  expect((await tell(path, site.notification(order, about))).status).toBe(200);
  expect((await tell(path, site.notification(order, { ...about, signed_with: "other" }))).status).toBe(401);
  site.stop();
});
