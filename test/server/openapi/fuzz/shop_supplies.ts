// A connected store with imports, a report and listings.
import { hmacBase64 } from "../../../../src/core/crypto.ts";
import type { Answered, TestApp } from "../../../build/service.ts";
import { addListings, stockRequests } from "../../../platforms/stock_updates/listed.ts";
import { shopifyOrder } from "../../../platforms/stores.ts";

type Ask = (method: string, path: string, body?: Readonly<Record<string, unknown>>) => Promise<Answered["body"]>;

export const client_secret = "shpss_fedcba9876543210";
// A public address that needs no DNS lookup. Nothing is sent there, since no store has a token.
export const api_url = "https://93.184.216.34";
const with_import = 40;

/** A store at a platform, with unpaid orders and one that has been sent. */
export async function shopWithImports(app: TestApp, ask: Ask) {
  const store_id = "fuzz.myshopify.com";
  const { id, callback_url } = await ask("POST", "/platforms", {
    platform: "shopify",
    store_id,
    client_secret,
    api_url,
  });
  const connection = connectionOf(callback_url);
  const headers = { "x-shopify-topic": "orders/create", "x-shopify-shop-domain": store_id };
  const tell = async (order: object) => {
    const raw = JSON.stringify(order);
    const proof = { ...headers, "x-shopify-hmac-sha256": hmacBase64(client_secret, raw) };
    const path = `/webhooks/shopify/orders?connection=${connection}`;
    return (await app.call("POST", path, raw, { key: null, headers: proof })).body;
  };
  await ask("POST", "/products", { sku: "TEA", name: "Tea" });
  await ask("POST", "/inventory", { sku: "TEA", quantity: 5, location: "whs_1001" });
  const { order_id } = await tell(shopifyOrder(1));
  for (let at = 2; at < with_import; at += 1) await tell(shopifyOrder(at, { financial_status: "pending" }));
  await app.runJobs();
  await ask("POST", `/orders/${order_id}/ship`, { carrier: "ups", service: "ground", tracking_number: "1Z999AA1" });
  await app.runJobs();
  const waiting = await ask("GET", `/platforms/${id}/imports?status=waiting&limit=100`);
  const [report] = await ask("GET", `/platforms/${id}/reports`);
  const [product] = await ask("GET", "/products?sku=TEA");
  const listing_id = await addListings(app.service.stores.live, id, product.id, "TEA");
  const ready = (turn: number) => ({
    retryPlatformImport: { path: { id, import_id: waiting[turn % waiting.length].id } },
    retryPlatformReport: { path: { id, report_id: report.id } },
    ...stockRequests(id, listing_id),
  });
  return { id: id as string, ready };
}

/** The connection that a callback URL names. */
export const connectionOf = (callback_url: string) =>
  new URL(callback_url, "http://packhouse.test").searchParams.get("connection") ?? "";
