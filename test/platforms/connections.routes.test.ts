import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { platform_connections } from "../../db/schema/platforms.ts";
import { hour_ms } from "../../src/core/time.ts";
import type { Service } from "../../src/http/service.ts";
import { createApp } from "../../src/server/app.ts";
import { openApp } from "../build/service.ts";
import { connectShopify, secret, shopifyOrder, take } from "./stores.ts";

setDefaultTimeout(30_000);

const app = await openApp();

const secrets = {
  api_key: "ck_2222222222222222key1",
  api_token: "tok_3333333333333333tok1",
  client_secret: "sec_4444444444444444sec1",
};
const { api_token, client_secret } = secrets;
// A public address that needs no resolving; nothing is ever sent there.
const api_url = "https://93.184.216.34";

describe("works", () => {
  test("a store is connected, shown with its callback URL, changed and found", async () => {
    const body = { platform: "woocommerce", store_id: `${api_url}/tea/`, name: "Tea", ...secrets };
    const made = await app.post("/platforms", body);
    expect(made.status).toBe(201);
    const { id, callback_url } = made.body.data;
    expect(callback_url).toMatch(
      /^http:\/\/packhouse\.test\/v1\/webhooks\/woocommerce\/orders\?connection=live_[0-9a-f]{32}$/,
    );
    expect(made.body.data).toMatchObject({
      platform: "woocommerce",
      store_id: `${api_url}/tea`,
      api_url: `${api_url}/tea`,
      status: "active",
      order_prefix: "",
      revision: 1,
      has_api_key: true,
      api_key_last_four: "key1",
      has_api_token: true,
      api_token_last_four: "tok1",
      has_client_secret: true,
      client_secret_last_four: "sec1",
    });
    expect((await app.get(`/platforms/${id}`)).body.data).toEqual(made.body.data);
    // The response of a GET can be sent back.
    expect((await app.patch(`/platforms/${id}`, made.body.data)).body.data).toEqual(made.body.data);
    expect((await app.patch(`/platforms/${id}`, secrets)).body.data).toEqual(made.body.data);
    const changed = await app.patch(`/platforms/${id}`, { name: "Fine tea", order_prefix: "T-", status: "paused" });
    expect(changed.body.data).toMatchObject({ name: "Fine tea", order_prefix: "T-", status: "paused", revision: 2 });
    expect((await app.get("/platforms")).body.data).toContainEqual(changed.body.data);
  });

  test("the platform determines the URLs of its API and of the callback", async () => {
    // Their names are resolved, which may take a while without a network.
    const shopify = await app.post("/platforms", {
      platform: "shopify",
      store_id: "Mugs.myshopify.com",
      client_secret,
    });
    expect(shopify.body.data).toMatchObject({
      store_id: "mugs.myshopify.com",
      name: "mugs.myshopify.com",
      api_url: "https://mugs.myshopify.com",
      callback_url: expect.stringMatching(/^http:\/\/packhouse\.test\/v1\/webhooks\/shopify\/orders\?connection=live_/),
    });
    const big = await app.post("/platforms", { platform: "bigcommerce", store_id: "stores/AB12", api_token });
    expect(big.body.data).toMatchObject({
      store_id: "ab12",
      api_url: "https://api.bigcommerce.com",
      has_client_secret: false,
      callback_url: "http://packhouse.test/v1/webhooks/bigcommerce/orders",
      client_secret_last_four: null,
    });
  }, 30_000);

  test("the callback URL is absolute: the service's own, or that of the request", async () => {
    const { id, path } = await connectShopify(app);
    const asked = async (service: Service, origin: string) => {
      const headers = { authorization: `Bearer ${app.keys.live.full}` };
      const request = new Request(`${origin}/v1/platforms/${id}`, { headers });
      const { data } = (await (await createApp(service).handle(request)).json()) as { data: { callback_url: string } };
      return data.callback_url;
    };
    const at_home = { ...app.service, known_hosts: new Set(["10.0.0.7"]) };
    expect(await asked(at_home, "http://10.0.0.7:8080")).toBe(`http://10.0.0.7:8080/v1${path}`);
    expect(await asked(app.service, "http://10.0.0.7:8080")).toBe(`/v1${path}`);
    const named = { ...app.service, base_url: "https://ship.example.com" };
    expect(await asked(named, "http://10.0.0.7:8080")).toBe(`https://ship.example.com/v1${path}`);
  });

  test("after a new client secret, the previous one stays valid for an hour", async () => {
    const shop = await connectShopify(app);
    const next = "shpss_fedcba9876543210";
    const rotated = await app.patch(`/platforms/${shop.id}`, { client_secret: next });
    const ends = app.clocks.live.now() + hour_ms;
    expect(rotated.body.data.previous_client_secret_expires_at).toBe(new Date(ends).toISOString());
    const status = async (signed_with: string) => (await shop.tell(shopifyOrder(1), { signed_with })).status;
    expect([await status(secret), await status(next)]).toEqual([200, 200]);
    app.clocks.live.advance(hour_ms);
    expect([await status(secret), await status(next)]).toEqual([401, 200]);
  });

  test("a paused connection accepts orders, and imports them once it is active", async () => {
    const shop = await connectShopify(app, { status: "paused" });
    const { body } = await shop.tell(shopifyOrder(2));
    await app.runJobs();
    expect((await app.get(`/orders/${body.order_id}`)).status).toBe(404);
    expect(await shop.imports()).toMatchObject([{ status: "queued", attempts: 0 }]);
    await app.patch(`/platforms/${shop.id}`, { status: "active" });
    await app.runJobs();
    expect((await app.get(`/orders/${body.order_id}`)).body.data).toMatchObject({ order_number: "2" });
  });

  test("a deleted store sends no more orders; connected again, it has the earlier ones", async () => {
    const shop = await connectShopify(app);
    const order = await take(app, shop, shopifyOrder(3));
    const late = await shop.tell(shopifyOrder(4));
    expect((await app.call("DELETE", `/platforms/${shop.id}`)).body.data).toEqual({ id: shop.id, deleted: true });
    await app.runJobs();
    expect((await app.get(`/platforms/${shop.id}`)).status).toBe(404);
    expect((await app.get(`/platforms/${shop.id}/imports`)).status).toBe(404);
    expect((await shop.tell(shopifyOrder(5))).status).toBe(401);
    expect((await app.get(`/orders/${late.body.order_id}`)).status).toBe(404);
    expect((await app.get(`/orders/${order.id}`)).status).toBe(200);
    const { store_id } = shop;
    const again = await app.post("/platforms", { platform: "shopify", store_id, client_secret: secret, api_url });
    expect(again.body.data.id).toBe(shop.id);
    expect(again.body.data.callback_url.endsWith(shop.path)).toBe(false);
    await app.runJobs();
    expect((await app.get(`/orders/${late.body.order_id}`)).status).toBe(200);
    const path = again.body.data.callback_url.replace(/^.*\/v1/, "");
    expect(await take(app, { ...shop, tell: (await reconnected(path, store_id)).tell }, shopifyOrder(3))).toEqual(
      order,
    );
  });
});

/** A store that was connected before, at its new callback URL. */
async function reconnected(path: string, store_id: string) {
  const shop = await connectShopify(app);
  return {
    tell: (...[order, telling = {}]: Parameters<typeof shop.tell>) =>
      shop.tell(order, { ...telling, path, headers: { "x-shopify-shop-domain": store_id } }),
  };
}

describe("refuses", () => {
  const shopify = { platform: "shopify", store_id: "refused.myshopify.com", client_secret, api_url };
  const woocommerce = { platform: "woocommerce", store_id: `${api_url}/refused`, client_secret };
  test.each([
    ["no fields", {}, ["platform", "store_id"]],
    ["an unknown platform", { ...shopify, platform: "magento" }, ["platform"]],
    ["a store that is none", { ...shopify, store_id: "shop.example.com" }, ["store_id"]],
    ["a store hash that is none", { platform: "bigcommerce", store_id: "a b", api_token }, ["store_id"]],
    ["a site that is none", { ...woocommerce, store_id: "tea" }, ["store_id"]],
    ["no signature", { ...shopify, client_secret: null }, ["client_secret"]],
    ["no token to fetch with", { platform: "bigcommerce", store_id: "abc", api_url }, ["api_token"]],
    ["half of what the API needs", { ...woocommerce, api_token }, ["api_key"]],
    ["the other half", { ...woocommerce, api_key: api_token }, ["api_token"]],
    ["a key that is for another platform", { ...shopify, api_key: api_token }, ["api_key"]],
    ["a secret with a space", { ...shopify, client_secret: "a secret with spaces" }, ["client_secret"]],
    ["plain http", { ...shopify, api_url: "http://shop.example" }, ["api_url"]],
    ["a query in the address", { ...shopify, api_url: "https://127.0.0.1/?a=b" }, ["api_url"]],
  ])("%s", async (_, body, fields) => {
    const answer = await app.post("/platforms", body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "validation_failed"]);
    expect(answer.body.error.details.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test("an API at an address that is not public", async () => {
    for (const blocked of ["https://127.0.0.1", "https://169.254.169.254", "https://[::1]:8443"]) {
      const answer = await app.post("/platforms", { ...shopify, api_url: blocked });
      expect([answer.status, answer.body.error.code]).toEqual([422, "blocked_address"]);
      expect(answer.body.error.details[0].field).toBe("api_url");
    }
  });

  test("a second connection to a store", async () => {
    const first = await app.post("/platforms", { ...shopify, store_id: "once.myshopify.com" });
    const second = await app.post("/platforms", { ...shopify, store_id: "https://ONCE.myshopify.com/" });
    expect([second.status, second.body.error.code]).toEqual([409, "duplicate_connection"]);
    expect(second.body.error.existing_id).toBe(first.body.data.id);
  });

  test("a different store or platform, removing the last proof, and sending the token elsewhere", async () => {
    const made = await app.post("/platforms", { ...shopify, store_id: "fixed.myshopify.com", api_token });
    const { id } = made.body.data;
    const cases = [
      [{ store_id: "other.myshopify.com" }, "immutable_field", "store_id"],
      [{ platform: "woocommerce" }, "immutable_field", "platform"],
      [{ client_secret: null }, "validation_failed", "client_secret"],
      [{ api_url: "https://198.51.100.7" }, "blocked_address", "api_url"],
      [{ api_url: "https://93.184.216.35" }, "validation_failed", "api_token"],
    ] as const;
    for (const [body, code, field] of cases) {
      const answer = await app.patch(`/platforms/${id}`, body);
      expect([answer.body.error.code, answer.body.error.details[0].field]).toEqual([code, field]);
    }
    expect((await app.get(`/platforms/${id}`)).body.data).toEqual(made.body.data);
  });

  test("an outdated change", async () => {
    const { id } = (await app.post("/platforms", { ...shopify, store_id: "seen.myshopify.com" })).body.data;
    const headers = { "if-match": '"1"' };
    expect((await app.call("PATCH", `/platforms/${id}`, { name: "A" }, { headers })).status).toBe(200);
    expect((await app.call("PATCH", `/platforms/${id}`, { name: "B" }, { headers })).status).toBe(412);
    expect((await app.call("DELETE", `/platforms/${id}`, undefined, { headers })).status).toBe(412);
  });
});

describe("guards", () => {
  test("secrets are encrypted in the database, and in no response", async () => {
    const body = { platform: "woocommerce", store_id: `${api_url}/sealed`, ...secrets };
    const headers = { "idempotency-key": "sealed-store" };
    const made = await app.call("POST", "/platforms", body, { headers });
    const { id } = made.body.data;
    const answers = [made, await app.call("POST", "/platforms", body, { headers })];
    answers.push(await app.patch(`/platforms/${id}`, { client_secret: "sec_5555555555555555sec2" }));
    answers.push(await app.get(`/platforms/${id}`), await app.get("/platforms"), await app.post("/platforms", body));
    const rows = await app.service.stores.live.read((db) => db.sql.select().from(platform_connections));
    const text = JSON.stringify([answers.map((answer) => answer.body), rows]);
    for (const plain of [...Object.values(secrets), "sec_5555555555555555sec2"]) expect(text).not.toContain(plain);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 409]);
    const deleted = await app.call("DELETE", `/platforms/${id}`);
    expect(deleted.status).toBe(200);
    const after = await app.service.stores.live.read((db) => db.sql.select().from(platform_connections));
    const row = after.find(({ store_id }) => store_id === `${api_url}/sealed`);
    expect([row?.api_key, row?.api_token, row?.client_secret, row?.previous_client_secret]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
