import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { type Api, callers, open, replay, send } from "./service.ts";
import { expectShape, oneOf, record, text } from "./shape.ts";
import { fresh } from "./supplies.ts";

const answered = record({
  success: oneOf(true),
  order_id: text,
  status: oneOf("processing"),
  estimated_ship_date: text,
});

/** Connects a store of this platform. Nobody listens where its API is said to be. */
async function connect(api: Api, platform: string, store_id: string, fields: object): Promise<string> {
  const body = { platform, store_id, api_url: "https://127.0.0.1:8443", ...fields };
  return (await api.post("/platforms", body)).textAt("data.callback_url");
}

const notification = (hash: string, scope = "store/order/created") => ({
  scope,
  store_id: "1025646",
  data: { type: "order", id: 250 },
  hash,
  created_at: Math.floor(Date.now() / 1000),
  producer: `stores/${hash}`,
});

describe("inbound e-commerce platform webhook", () => {
  replay("POST /webhooks/<platform>/orders", "answers the documented body, and a repeat alike", async (api) => {
    const store = fresh("store")
      .replaceAll(/[^a-z0-9]/gi, "")
      .toLowerCase();
    await connect(api, "bigcommerce", store, { api_token: "token-of-the-store", status: "paused" });
    const answer = await api.ask("POST", "/webhooks/bigcommerce/orders", notification(store));
    expect(answer.status).toBe(200);
    expectShape(answer.body, answered);
    expect(answer.textAt("estimated_ship_date")).toMatch(/^\d{4}-\d\d-\d\d$/);
    const again = await api.ask("POST", "/webhooks/bigcommerce/orders", notification(store));
    expect([again.status, again.body]).toEqual([200, answer.body]);
    const other = await api.ask("POST", "/webhooks/bigcommerce/orders", notification(store, "store/cart/created"));
    expect(other.status).toBe(200);
    await api.refused(404, "resource_missing", "POST", "/webhooks/bigcommerce/orders", notification("nobody"));
    await api.refused(422, "validation_failed", "POST", "/webhooks/bigcommerce/orders", {
      scope: "store/order/created",
    });
  });

  test.each(callers)(
    "an order that the platform signs becomes an order ($mode key)",
    async (caller) => {
      const api = open(caller);
      const shop = `${fresh("shop")
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, "")}.myshopify.com`;
      const path = await connect(api, "shopify", shop, { client_secret: "the-secret-of-the-app" });
      const number = fresh("N");
      const order = {
        id: 450_789_469,
        name: number,
        email: "buyer@example.com",
        currency: "USD",
        financial_status: "paid",
        created_at: new Date().toISOString(),
        updated_at: new Date().toISOString(),
        line_items: [{ id: 1, variant_id: 2, sku: fresh("SKU"), title: "Tea", quantity: 2, price: "3.50" }],
        shipping_address: {
          name: "A Buyer",
          address1: "1 Main St",
          city: "Louisville",
          zip: "40202",
          country_code: "US",
        },
      };
      const raw = JSON.stringify(order);
      const tell = (secret: string) =>
        send("POST", path.slice(path.indexOf("/v1/")), null, raw, {
          "x-shopify-topic": "orders/create",
          "x-shopify-shop-domain": shop,
          "x-shopify-hmac-sha256": createHmac("sha256", secret).update(raw).digest("base64"),
        });
      const forged = await tell("another-secret-altogether");
      expect([forged.status, forged.at("error.code")]).toEqual([401, "invalid_signature"]);
      const answer = await tell("the-secret-of-the-app");
      expect(answer.status).toBe(200);
      expectShape(answer.body, answered);
      const id = answer.textAt("order_id");
      let found = await api.ask("GET", `/orders/${id}`);
      for (let tries = 0; found.status === 404 && tries < 100; tries += 1) {
        await Bun.sleep(100);
        found = await api.ask("GET", `/orders/${id}`);
      }
      expect(found.at("data")).toMatchObject({ id, order_number: number, source: { platform: "shopify" } });
    },
    30_000,
  );
});
