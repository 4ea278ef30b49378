// Platform stores connected to a service under test, and their notifications. Invented data in the format of the
// platforms' documentation.
import { hmacBase64 } from "../../src/core/crypto.ts";
import type { TestApp } from "../build/service.ts";

export const secret = "shpss_0123456789abcdef";
// A public address that needs no resolving; without a token nothing is ever sent there.
const api_url = "https://93.184.216.34";

type Json = Record<string, unknown>;

/** An order in Shopify's notifications: paid, one line of two, to a complete address. */
export function shopifyOrder(id: number, changes: Json = {}): Json {
  return {
    id,
    name: `#${id}`,
    email: `buyer-${id}@example.com`,
    currency: "USD",
    financial_status: "paid",
    created_at: "2026-01-02T03:00:00Z",
    updated_at: "2026-01-02T03:00:00Z",
    cancelled_at: null,
    note: null,
    line_items: [shopifyLine(1)],
    shipping_address: address(),
    shipping_lines: [{ title: "Ground", price: "4.00" }],
    ...changes,
  };
}

/** A line of such an order. */
export function shopifyLine(id: number, changes: Json = {}): Json {
  const goods = { sku: "TEA", title: "Tea", name: "Tea", price: "3.50", quantity: 2, current_quantity: 2 };
  return { id, variant_id: 70 + id, requires_shipping: true, gift_card: false, ...goods, ...changes };
}

/** An address of such an order. */
export function address(changes: Json = {}): Json {
  const place = { address1: "12 Quay Street", address2: null, city: "Louisville", province_code: "KY", zip: "40202" };
  return { name: "Ida Holm", company: null, country_code: "US", phone: "502-555-0100", ...place, ...changes };
}

/** How a notification is sent. */
export interface Telling {
  readonly topic?: string;
  readonly event?: string;
  readonly signed_with?: string;
  readonly headers?: Record<string, string>;
  /** Another callback URL than the store's own. */
  readonly path?: string;
}

let events = 0;
let shops = 0;

/** Connects another Shopify store; `tell` sends it an order as the platform does. */
export async function connectShopify(app: TestApp, fields: Json = {}) {
  const store_id = `shop-${++shops}.myshopify.com`;
  const made = await app.post("/platforms", {
    platform: "shopify",
    store_id,
    client_secret: secret,
    api_url,
    ...fields,
  });
  const { id, callback_url } = made.body.data as { id: string; callback_url: string };
  const path = callback_url.replace(/^.*\/v1/, "");
  const tell = (order: Json | string, telling: Telling = {}) => {
    const { topic = "orders/updated", event = `event-${++events}`, signed_with = secret, headers = {} } = telling;
    const to = telling.path ?? path;
    const raw = typeof order === "string" ? order : JSON.stringify(order);
    return app.call("POST", to, raw, {
      key: null,
      headers: {
        "x-shopify-topic": topic,
        "x-shopify-event-id": event,
        "x-shopify-shop-domain": store_id,
        "x-shopify-hmac-sha256": hmacBase64(signed_with, raw),
        ...headers,
      },
    });
  };
  /** The imports of the store's orders, newest first. */
  const imports = async (query = "") => (await app.get(`/platforms/${id}/imports${query}`)).body.data;
  return { id, path, store_id, tell, imports };
}

/** Sends a notification of an order and imports it. Returns the order, or null. */
export async function take(
  app: TestApp,
  shop: Awaited<ReturnType<typeof connectShopify>>,
  order: Json,
  telling: Telling = {},
) {
  const { body } = await shop.tell(order, telling);
  await app.runJobs();
  return (await app.get(`/orders/${body.order_id}`)).body.data ?? null;
}

/** Creates products and adds units of each. */
export async function stock(app: TestApp, ...skus: string[]): Promise<void> {
  const warehouse = (await app.get("/inventory/locations")).body.data[0].warehouse_id;
  for (const sku of skus) {
    await app.post("/products", { sku, name: sku });
    await app.post("/inventory", { sku, quantity: 100, location: warehouse });
  }
}
