// The test of a connection, and its health.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { reconcile } from "../../src/platforms/imports/imports.jobs.ts";
import { openTestApp } from "../build/service.ts";
import { openBigCommerce, storeOrder } from "./mocks/bigcommerce.ts";
import { openShopify } from "./mocks/shopify.ts";
import { shopOrder } from "./mocks/shopify_shop.ts";
import { openWooCommerce } from "./mocks/woocommerce.ts";

setDefaultTimeout(30_000);

const app = await openTestApp();
afterAll(() => app.close());
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.call(method, path, body, { key: app.keys.test.full, headers });
const data = async (method: string, path: string, body?: unknown) => (await send(method, path, body)).body.data;

interface Check {
  readonly check: string;
  readonly result: string;
  readonly message: string;
}

async function connect(fields: object) {
  const { id, callback_url } = await data("POST", "/platforms", fields);
  const checks = async (): Promise<Check[]> => (await data("POST", `/platforms/${id}/test`, {})).checks;
  return {
    id: id as string,
    callback_url: callback_url as string,
    /** The results of the test, without their messages. */
    results: async () => (await checks()).map(({ check, result }) => `${check} ${result}`),
    message: async (name: string, result: string) =>
      (await checks()).find((one) => one.check === name && one.result === result)?.message,
    view: () => data("GET", `/platforms/${id}`),
    async tell({ body, headers }: { body: string; headers: Record<string, string> }) {
      const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      await send("POST", callback_url.replace(/^.*\/v1/, ""), body, named);
      await app.runJobs();
    },
  };
}

async function shopify(name: string) {
  const mock = await openShopify({ shop: `${name}.myshopify.com`, now: () => Date.now() - 60_000 });
  afterAll(() => mock.stop());
  const { client_id, client_secret } = mock.app;
  const store = { platform: "shopify", store_id: mock.shop, api_url: mock.url, client_id, client_secret };
  return { mock, ...(await connect(store)) };
}

describe("the test of a connection", () => {
  test("at Shopify: scopes, webhooks, locations and addresses", async () => {
    const shop = await shopify("tested");
    const scopes = ["scope ok", "scope ok", "scope ok", "scope ok", "scope warning", "scope warning", "scope warning"];
    const rest = ["locations ok", "addresses ok"];
    expect(await shop.results()).toEqual(["credentials ok", ...scopes, "notifications warning", ...rest]);
    expect(await shop.message("notifications", "warning")).toContain(shop.callback_url);
    shop.mock.app.scopes = ["write_orders", "write_inventory", "read_locations", "read_products"];
    shop.mock.app.webhooks.push({ topic: "ORDERS_CREATE", uri: shop.callback_url });
    const less = ["scope ok", "scope ok", "scope failed", "scope failed", "scope ok", "scope ok", "scope ok"];
    expect(await shop.results()).toEqual(["credentials ok", ...less, "notifications warning", ...rest]);
    expect(await shop.message("scope", "failed")).toStartWith("read_merchant_managed_fulfillment_orders is missing.");
    expect(await shop.message("notifications", "warning")).toContain("ORDERS_UPDATED");
    shop.mock.app.webhooks.push({ topic: "ORDERS_UPDATED", uri: shop.callback_url });
    expect(await shop.results()).toContain("notifications ok");
    shop.mock.app.refusal = { status: 400, body: "<title>Oauth error app_not_installed</title>" };
    shop.mock.app.revoke();
    expect(await shop.results()).toEqual(["credentials failed", "addresses ok"]);
    expect(await shop.message("credentials", "failed")).toContain("Install it");
    expect((await shop.view()).warnings).toMatchObject([{ code: "no_access_token" }]);
  });

  test("at WooCommerce: what the key allows, and webhooks that were disabled", async () => {
    const mock = await openWooCommerce({ key: "ck_mock_key", secret: "cs_mock_secret" });
    afterAll(() => mock.stop());
    const secrets = { api_key: mock.key, api_token: mock.secret, client_secret: "hush-hush" };
    const shop = await connect({ platform: "woocommerce", store_id: mock.url, ...secrets });
    const all = ["credentials ok", "scope ok", "scope ok"];
    expect(await shop.results()).toEqual([...all, "notifications failed", "locations ok"]);
    const webhook = { delivery_url: shop.callback_url, status: "active" };
    for (const topic of ["order.created", "order.updated"]) mock.shop.webhooks.push({ ...webhook, topic });
    expect(await shop.results()).toEqual([...all, "notifications ok", "locations ok"]);
    mock.shop.is_read_only = true;
    for (const one of mock.shop.webhooks.slice(1)) one.status = "disabled";
    expect(await shop.results()).toEqual([
      ...["credentials ok", "scope ok", "scope failed", "notifications failed", "locations ok"],
    ]);
    expect(await shop.message("notifications", "failed")).toContain("order.updated is disabled");
    mock.shop.webhooks.push({ ...webhook, topic: "order.updated" });
    expect(await shop.results()).toContain("notifications ok");
  });

  test("at BigCommerce: scopes that are missing, and a webhook for all topics of orders", async () => {
    const mock = await openBigCommerce({ hash: "tested1" });
    afterAll(() => mock.stop());
    const { hash: store_id, token: api_token, url: api_url } = mock;
    const shop = await connect({ platform: "bigcommerce", store_id, api_url, api_token });
    mock.add(storeOrder(1, Date.now()));
    mock.store.hooks.push({ scope: "store/order/*", destination: shop.callback_url, is_active: true });
    const good = ["credentials ok", "scope ok", "scope ok", "notifications ok", "locations ok"];
    expect(await shop.results()).toEqual(good);
    expect(await shop.message("notifications", "ok")).toBe("One webhook calls this connection.");
    expect(mock.orders.get(1)?.shipments).toEqual([]);
    mock.store.is_limited = true;
    expect(await shop.results()).toEqual([
      ...["credentials ok", "scope failed", "scope warning", "notifications ok", "locations warning"],
    ]);
    await data("PATCH", `/platforms/${shop.id}`, { api_token: "another-token" });
    expect(await shop.results()).toEqual(["credentials failed"]);
  });

  test("creates webhooks that are missing if it is asked to, which sign with the connection's secret", async () => {
    const shop = await shopify("created");
    const { client_secret } = shop.mock.app;
    const create = async (id: string) => {
      const { checks } = await data("POST", `/platforms/${id}/test`, { create_webhooks: true });
      return (checks as Check[]).find(({ check }) => check === "notifications")?.result;
    };
    shop.mock.app.webhooks.push({ topic: "ORDERS_CREATE", uri: shop.callback_url });
    expect([await create(shop.id), await create(shop.id)]).toEqual(["ok", "ok"]);
    const topics = ["ORDERS_CREATE", "ORDERS_UPDATED"];
    expect(shop.mock.app.webhooks).toEqual(topics.map((topic) => ({ topic, uri: shop.callback_url })));
    const mock = await openWooCommerce({ key: "ck_mock_key", secret: "cs_mock_secret" });
    afterAll(() => mock.stop());
    const secrets = { api_key: mock.key, api_token: mock.secret, client_secret };
    const site = await connect({ platform: "woocommerce", store_id: mock.url, ...secrets });
    expect([await create(site.id), await create(site.id)]).toEqual(["ok", "ok"]);
    expect(mock.shop.webhooks.map(({ topic, secret }) => [topic, secret])).toEqual([
      ["order.created", client_secret],
      ["order.updated", client_secret],
    ]);
    mock.shop.is_read_only = true;
    mock.shop.webhooks.length = 0;
    expect(await create(site.id)).toBe("failed");
  });

  test("without API access it says what does not work, and unknown connections have none", async () => {
    const store = { platform: "shopify", store_id: "no-api.myshopify.com", api_url: "https://93.184.216.34" };
    const shop = await connect({ ...store, client_secret: "hush-hush" });
    expect(await shop.results()).toEqual(["credentials warning", "addresses ok"]);
    expect((await send("POST", "/platforms/plt_999/test", {})).status).toBe(404);
  });
});

describe("the health of a connection", () => {
  test("has the last notification, fetch and report, failures, the token's end, and warnings", async () => {
    const shop = await shopify("healthy");
    const unknown = { last_notification_at: null, last_fetch_at: null, last_report_at: null, token_expires_at: null };
    const { health, warnings } = await shop.view();
    const of_stock = { last_stock_push_at: null, failed_listings: 0, stock_differences: 0 };
    expect([health, warnings]).toEqual([{ ...unknown, ...of_stock, failed_imports: 0, failed_reports: 0 }, []]);
    const hidden = { shipping_address: { country_code: "US", country: "United States", province_code: "NV" } };
    const order = shop.mock.add(shopOrder(8001, Date.now() - 60_000, hidden));
    await shop.tell(shop.mock.notification(order, { secret: "hush-hush", topic: "orders/edited" }));
    const seen = await shop.view();
    expect(seen.warnings).toMatchObject([{ code: "addresses_hidden" }]);
    expect(seen.health).toMatchObject({
      last_notification_at: new Date(app.clocks.test.now()).toISOString(),
      token_expires_at: expect.stringMatching(/^20\d\d-/),
    });
    expect((await data("GET", "/platforms")).find(({ id }: { id: string }) => id === shop.id)).toEqual(seen);
    expect(await shop.results()).toContain("notifications ok");
    expect(await shop.results()).toContain("addresses warning");
    const night = () => reconcile(app.service.stores.test, app.service);
    shop.mock.fail({ status: 403, body: {} }, { having: "Changes" });
    await night();
    expect((await shop.view()).warnings).toMatchObject([{ code: "fetch_failed" }, { code: "addresses_hidden" }]);
    await night();
    const { health: after, warnings: left } = await shop.view();
    expect([after.last_fetch_at === null, left.length]).toEqual([false, 1]);
    const broken = shop.mock.add(shopOrder(8002, Date.now() - 60_000, { currency: "DOUBLOON" }));
    await shop.tell(shop.mock.notification(broken, { secret: "hush-hush", topic: "orders/edited" }));
    expect((await shop.view()).health).toMatchObject({ failed_imports: 1 });
    // A store that is connected again starts without warnings.
    await send("DELETE", `/platforms/${shop.id}`);
    const { shop: store_id, url: api_url, app: own } = shop.mock;
    const secrets = { client_id: own.client_id, client_secret: own.client_secret };
    const again = await data("POST", "/platforms", { platform: "shopify", store_id, api_url, ...secrets });
    expect([again.id, again.warnings, again.health.last_fetch_at]).toEqual([shop.id, [], null]);
  });

  test("changes the entity tag, but no condition of a change", async () => {
    const shop = await shopify("tagged");
    const before = (await send("GET", `/platforms/${shop.id}`)).headers.get("etag") ?? "";
    await shop.results();
    const after = (await send("GET", `/platforms/${shop.id}`)).headers.get("etag") ?? "";
    expect(after).not.toBe(before);
    const change = (etag: string) => send("PATCH", `/platforms/${shop.id}`, { name: "Lamps" }, { "if-match": etag });
    expect((await change(before)).status).toBe(200);
    expect((await change(after)).status).toBe(412);
  });
});
