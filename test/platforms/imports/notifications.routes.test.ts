import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { platform_connections, platform_imports, platform_notifications } from "../../../db/schema/platforms.ts";
import { hmacBase64 } from "../../../src/core/crypto.ts";
import { day_ms } from "../../../src/core/time.ts";
import { deleteOldNotifications } from "../../../src/platforms/imports/imports.jobs.ts";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import { openApp } from "../../build/service.ts";
import { connectShopify, secret, shopifyOrder, stock } from "../stores.ts";

setDefaultTimeout(30_000);

const app = await openApp();
await stock(app, "TEA");
afterEach(async () => {
  await app.takeEvents();
});

const api_url = "https://93.184.216.34";

/** The number of imports and notifications. */
const stored = () =>
  app.service.stores.live.read(async (db) => [
    await db.sql.$count(platform_imports),
    await db.sql.$count(platform_notifications),
  ]);

/** Connects a BigCommerce store that stays paused, so that nothing is fetched from it. */
async function connectBig(store_id: string, fields = {}) {
  const body = { platform: "bigcommerce", store_id, api_token: "tok_333333333333", status: "paused", api_url };
  return (await app.post("/platforms", { ...body, ...fields })).body.data;
}

/** A notification in the specification's format. */
function notification(store: string, order: number, changes: Record<string, unknown> = {}) {
  return {
    scope: "store/order/created",
    store_id: "1025646",
    data: { type: "order", id: order },
    hash: `hash-of-${order}`,
    created_at: Math.floor(app.clocks.live.now() / 1000),
    producer: `stores/${store}`,
    ...changes,
  };
}
const big = (body: unknown, headers: Record<string, string> = {}) =>
  app.call("POST", "/webhooks/bigcommerce/orders", body, { key: app.keys.live.read_write, headers });

describe("works", () => {
  test("a body with a byte order mark is verified as it was sent", async () => {
    const shop = await connectShopify(app);
    const marked = `\ufeff${JSON.stringify(shopifyOrder(3100))}`;
    expect((await shop.tell(marked)).status).toBe(200);
    const { status, body } = await shop.tell(marked, { signed_with: "another secret" });
    expect([status, body.error.code]).toEqual([401, "invalid_signature"]);
    const headers = { "content-type": "application/json" };
    const product = `\ufeff${JSON.stringify({ sku: "MARKED", name: "Marked" })}`;
    expect((await app.call("POST", "/products", product, { headers })).status).toBe(201);
  });

  test("BigCommerce gets the specified response, and a repeat the same bytes", async () => {
    await connectBig("abc1");
    const body = notification("abc1", 250, { something_else: { that: "is passed over" } });
    const first = await big(body);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      success: true,
      status: "processing",
      order_id: expect.stringMatching(/^ord_\d+$/),
      estimated_ship_date: "2026-01-02",
    });
    const before = await stored();
    app.clocks.live.advance(3 * day_ms - 1);
    const raw = JSON.stringify(body);
    const again = await app.app.handle(
      new Request("http://packhouse.test/api/v1/webhooks/bigcommerce/orders", {
        method: "POST",
        body: raw,
        headers: { "content-type": "application/json", authorization: `Bearer ${app.keys.live.full}` },
      }),
    );
    expect(await again.text()).toBe(JSON.stringify(first.body));
    expect(await stored()).toEqual(before);
    const updated = await big(notification("abc1", 250, { scope: "store/order/updated" }));
    expect(updated.body.order_id).toBe(first.body.order_id);
    const other = await big(notification("abc1", 251));
    expect(other.body.order_id).not.toBe(first.body.order_id);
  });

  test("a store may be named by the number that it sends", async () => {
    await connectBig("2039");
    expect((await big(notification("unknown1", 1, { store_id: "2039" }))).status).toBe(200);
  });

  test("irrelevant notifications are acknowledged", async () => {
    const nothing = { success: true, order_id: null, status: "ignored", estimated_ship_date: null };
    const before = await stored();
    const cart = { ...notification("abc1", 1), scope: "store/cart/created", data: { type: "cart", id: "8f-9a" } };
    const messages = notification("abc1", 1, { scope: "store/order/message/created" });
    for (const body of [cart, { ...cart, producer: "stores/nobody" }, messages]) {
      expect(await big(body)).toMatchObject({ status: 200, body: nothing });
    }
    const shop = await connectShopify(app);
    expect(await shop.tell({ id: 1 }, { topic: "products/update" })).toMatchObject({ status: 200, body: nothing });
    expect(await stored()).toEqual(before);
  });

  test("BigCommerce's signature is required once there is a client secret", async () => {
    const client_secret = "bc-client-secret";
    const { id } = await connectBig("abc2", { client_secret });
    const body = notification("abc2", 7);
    const raw = JSON.stringify(body);
    const signed = (at: number, key = client_secret) => {
      const seconds = String(Math.floor(at / 1000));
      const signature = `v1,${hmacBase64(key, `msg_1.${seconds}.${raw}`)}`;
      return { "webhook-id": "msg_1", "webhook-timestamp": seconds, "webhook-signature": signature };
    };
    const now = app.clocks.live.now();
    const statuses = [];
    for (const headers of [{}, signed(now, "another-secret"), signed(now - 301_000), signed(now)]) {
      statuses.push((await big(raw, headers)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 200]);
    await app.patch(`/platforms/${id}`, { client_secret: null });
    expect((await big(notification("abc2", 8))).status).toBe(200);
  });

  test("a client secret that cannot be decrypted admits nobody", async () => {
    const { id } = await connectBig("abc4", { client_secret: "bc-client-secret" });
    const sealed = "v1.sealed-under-another-key";
    await app.service.stores.live.write(async (tx) => {
      const where = eq(platform_connections.id, Number(id.slice(4)));
      await tx.sql.update(platform_connections).set({ client_secret: sealed }).where(where);
    });
    expect((await big(notification("abc4", 1))).status).toBe(401);
  });

  test("WooCommerce's unsigned ping is answered; its orders must be signed", async () => {
    const client_secret = "woo-secret-0123456789";
    const body = { platform: "woocommerce", store_id: `${api_url}/woo`, client_secret };
    const { id, callback_url } = (await app.post("/platforms", body)).body.data;
    const path = callback_url.replace(/^.*\/v1/, "");
    const send = (raw: string, headers: Record<string, string>) => app.call("POST", path, raw, { key: null, headers });
    const ping = await send("webhook_id=12", { "content-type": "application/x-www-form-urlencoded" });
    expect([ping.status, ping.body.status]).toEqual([200, "ignored"]);
    const order = {
      id: 812,
      number: "812",
      status: "processing",
      currency: "EUR",
      shipping_total: "5.00",
      date_created_gmt: "2026-01-02T03:00:00",
      date_modified_gmt: "2026-01-02T03:00:00",
      refunds: [],
      billing: { first_name: "Ada", last_name: "Marsh", email: "ada@marsh.example", phone: "" },
      shipping: {
        first_name: "Ada",
        last_name: "Marsh",
        address_1: "Kai 1",
        city: "Bremen",
        postcode: "28195",
        country: "DE",
      },
      line_items: [
        { id: 1, sku: "TEA", name: "Tea", quantity: 3, total: "9.00", product_id: 5, variation_id: 0, price: 3 },
      ],
      shipping_lines: [{ method_title: "Post" }],
      customer_note: "",
    };
    const raw = JSON.stringify(order);
    const about = { "x-wc-webhook-topic": "order.created", "x-wc-webhook-source": `${api_url}/woo/` };
    const sign = (key: string) => ({ ...about, "x-wc-webhook-signature": hmacBase64(key, raw) });
    expect((await send(raw, sign("wrong-secret"))).body.error.code).toBe("invalid_signature");
    expect((await send(raw, about)).status).toBe(401);
    const taken = await send(raw, sign(client_secret));
    expect(taken.status).toBe(200);
    await app.runJobs();
    const found = (await app.get(`/orders/${taken.body.order_id}`)).body.data;
    expect(found).toMatchObject({ order_number: "812", currency: "EUR", shipping_address: { country: "DE" } });
    expect((await app.get(`/platforms/${id}/imports`)).body.data).toHaveLength(1);
  });

  test("test data has its own stores", async () => {
    const body = { platform: "shopify", store_id: "sandbox.myshopify.com", client_secret: secret, api_url };
    const made = await app.call("POST", "/platforms", body, { key: app.keys.test.full });
    const { callback_url } = made.body.data;
    expect(callback_url).toContain("connection=test_");
    const raw = JSON.stringify(shopifyOrder(9001));
    const headers = {
      "x-shopify-topic": "orders/create",
      "x-shopify-shop-domain": "sandbox.myshopify.com",
      "x-shopify-hmac-sha256": hmacBase64(secret, raw),
    };
    const answer = await app.call("POST", callback_url.replace(/^.*\/v1/, ""), raw, { key: null, headers });
    expect(answer.body.order_id).toMatch(/^ord_1000000\d{3}$/);
    await app.runJobs();
    const path = `/orders/${answer.body.order_id}`;
    expect((await app.call("GET", path, undefined, { key: app.keys.test.full })).status).toBe(200);
    expect((await app.get(path)).status).toBe(404);
  });

  test("notifications are deleted once platforms no longer repeat them; the orders stay", async () => {
    const shop = await connectShopify(app);
    const first = await shop.tell(shopifyOrder(9100), { event: "once" });
    await app.runJobs();
    app.clocks.live.advance(3 * day_ms);
    await deleteOldNotifications(app.service.stores.live, app.service);
    const [, kept] = await stored();
    app.clocks.live.advance(day_ms + 1);
    await deleteOldNotifications(app.service.stores.live, app.service);
    const [imports, left] = await stored();
    expect(left).toBeLessThan(kept ?? 0);
    // Repeated after all, it is the same order.
    const again = await shop.tell(shopifyOrder(9100), { event: "once" });
    expect(again.body.order_id).toBe(first.body.order_id);
    expect((await stored())[0]).toBe(imports as number);
  });
});

describe("refuses", () => {
  test("invalid signatures, those of another store, and unknown stores", async () => {
    const shop = await connectShopify(app);
    const before = await stored();
    const forged: [string, Parameters<typeof shop.tell>[1]][] = [
      ["another secret", { signed_with: "shpss_another-secret" }],
      ["no signature", { headers: { "x-shopify-hmac-sha256": "" } }],
      ["another store", { headers: { "x-shopify-shop-domain": "other.myshopify.com" } }],
      ["no connection", { path: "/webhooks/shopify/orders" }],
      ["an unknown connection", { path: `${shop.path}0` }],
      ["what is no text", { path: `${shop.path}%00` }],
      ["another platform", { path: shop.path.replace("shopify", "woocommerce") }],
    ];
    for (const [what, telling] of forged) {
      const answer = await shop.tell(shopifyOrder(9200), telling);
      expect([what, answer.status]).toEqual([what, 401]);
      expect(answer.body.error.code).toBe("invalid_signature");
    }
    expect((await shop.tell("[]")).status).toBe(422);
    expect((await shop.tell("{")).status).toBe(400);
    expect((await shop.tell(JSON.stringify({ ...shopifyOrder(9200), id: "x" }))).status).toBe(422);
    await app.runJobs();
    expect(await stored()).toEqual(before);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("BigCommerce without a write key, or of a store that is not connected", async () => {
    await connectBig("abc3");
    const body = notification("abc3", 1);
    const path = "/webhooks/bigcommerce/orders";
    expect((await app.call("POST", path, body, { key: null })).status).toBe(401);
    expect((await app.call("POST", path, body, { key: app.keys.live.read })).status).toBe(403);
    const other = await app.call("POST", path, body, { key: app.keys.test.full });
    expect([other.status, other.body.error.details[0].field]).toEqual([422, "created_at"]);
    const unknown = await big({ ...body, producer: "stores/nobody" });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, "resource_missing"]);
    expect(unknown.body.error.details[0].field).toBe("store_id");
    // The page, the message and its detail name the request that connects the store.
    const page = operationsOf(app.app.routes).find(({ id }) => id === "bigcommerceOrder");
    expect(page?.description).toContain("Connect it first: `POST /platforms` with `platform: bigcommerce`");
    const { message } = unknown.body.error;
    expect(unknown.body.error.details[0].message).toContain("POST /v1/platforms");
    const how = /POST \/v1(\/\S+) with platform (\w+), .* store_id, .* api_token/;
    const [, route = "", platform] = how.exec(message) ?? [];
    const connecting = { platform, store_id: "nobody", api_token: "a-token-0123", api_url, status: "paused" };
    expect((await app.post(route, connecting)).status).toBe(201);
    expect((await big({ ...body, producer: "stores/nobody" })).status).toBe(200);
  });

  test("every bad field of the specified body, and times too far in the past or future", async () => {
    const none = await big({});
    const fields = ({ body }: typeof none) => body.error.details.map(({ field }: { field: string }) => field);
    expect([none.status, fields(none)]).toEqual([422, ["scope", "store_id", "data", "hash", "created_at", "producer"]]);
    const wrong = await big(notification("abc3", 1, { data: { type: "order", id: "1" }, created_at: "now", hash: "" }));
    expect(fields(wrong)).toEqual(["data.id", "hash", "created_at"]);
    const now = Math.floor(app.clocks.live.now() / 1000);
    for (const [at, code] of [
      [now - 72 * 3600 - 1, "too_old"],
      [now + 5 * 60 + 1, "too_new"],
    ] as const) {
      const answer = await big(notification("abc3", 1, { created_at: at }));
      expect([answer.status, answer.body.error.details[0].code]).toEqual([422, code]);
    }
    for (const at of [now - 72 * 3600 + 1, now + 5 * 60]) {
      expect((await big(notification("abc3", at, { created_at: at }))).status).toBe(200);
    }
  });

  test("a body of more than 256 KiB, a form for an order, and another method", async () => {
    const shop = await connectShopify(app);
    const long = await shop.tell(JSON.stringify({ ...shopifyOrder(1), note: "x".repeat(256 << 10) }));
    expect([long.status, long.body.error.code]).toEqual([413, "payload_too_large"]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await big("scope=store%2Forder%2Fcreated", headers)).status).toBe(422);
    expect((await big("scope", { "content-type": "text/plain" })).status).toBe(415);
    expect((await app.get("/webhooks/bigcommerce/orders")).status).toBe(405);
  });
});

describe("guards", () => {
  test("twenty concurrent repeats are one notification with one response and one order", async () => {
    const shop = await connectShopify(app);
    const before = await stored();
    const order = shopifyOrder(9300);
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.tell(order, { event: "at-once" })));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await stored()).toEqual(before.map((count) => count + 1));
    await app.runJobs();
    expect((await app.takeEvents()).filter(({ type }) => type === "order.created")).toHaveLength(1);
    // A repeat needs no fetch.
    await shop.tell(order, { event: "at-once" });
    expect(await shop.imports()).toMatchObject([{ status: "imported" }]);
  });

  test("twenty concurrent notifications of one order are one order, and of twenty orders twenty", async () => {
    const shop = await connectShopify(app);
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.tell(shopifyOrder(9400))));
    expect(new Set(answers.map(({ body }) => body.order_id)).size).toBe(1);
    const others = await Promise.all(Array.from({ length: 20 }, (_, at) => shop.tell(shopifyOrder(9500 + at))));
    expect(new Set(others.map(({ body }) => body.order_id)).size).toBe(20);
    await app.runJobs();
    const made = (await app.takeEvents()).filter(({ type }) => type === "order.created");
    expect(made).toHaveLength(21);
    expect(await shop.imports("?status=imported")).toHaveLength(21);
  }, 30_000);
});
