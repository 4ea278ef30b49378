// Stores at platforms, their notifications, and the resulting orders.
import { systemClock } from "../../../../src/core/clock.ts";
import { hmacBase64 } from "../../../../src/core/crypto.ts";
import { addListings } from "../../../platforms/stock_updates/listed.ts";
import { address, shopifyLine, shopifyOrder } from "../../../platforms/stores.ts";
import type { Teller } from "./record_example.ts";

// A public address that needs no DNS lookup. Nothing is sent there: one store has no token, the other is paused.
const api_url = "https://93.184.216.34";
// Differs from the value in the example, so that it can be searched for.
const client_secret = `shpss_${Bun.randomUUIDv7("hex").replaceAll("-", "").slice(-16)}`;

/** A store that sends two orders, one of them unpaid, and a store that is paused. */
export async function platforms({ app, mode, warehouse_id, tell, act }: Teller): Promise<void> {
  const store_id = "fine-tea.myshopify.com";
  const body = { platform: "shopify", store_id, name: "Fine tea", client_secret, order_prefix: "FT-", api_url };
  const made = await tell("createPlatform", { body });
  const path = { id: made.data.id };
  await tell("getPlatform", { path });
  await tell("testPlatform", { path, body: {} });
  await tell("updatePlatform", { path, body: { name: "Fine tea, the shop" } });
  const told = (order: object, topic: string) => notification(made.data, order, topic);
  const { data: product } = await act("createProduct", { body: { sku: "GREEN-50", name: "Green tea, 50 bags" } });
  await act("addInventory", { body: { sku: "GREEN-50", quantity: 5, location: warehouse_id } });
  const goods = { line_items: [shopifyLine(1, { sku: "GREEN-50", title: "Green tea", name: "Green tea" })] };
  const paid = shopifyOrder(4501, { ...goods, shipping_address: address() });
  const { order_id } = await tell("shopifyOrder", told(paid, "orders/create"));
  await act("shopifyOrder", told(shopifyOrder(4502, { ...goods, financial_status: "pending" }), "orders/create"));
  await app.runJobs();
  await tell("listPlatformImports", { path });
  const [waiting] = (await act("listPlatformImports", { path, query: { status: "waiting" } })).data;
  await tell("listPlatformShippingMethods", { path });
  await tell("retryPlatformImport", { path: { ...path, import_id: waiting.id } });
  const parcel = { carrier: "ups", service: "ground", tracking_number: "1Z999AA10123456784" };
  await act("shipOrder", { path: { id: order_id }, body: parcel });
  await app.runJobs();
  const [report] = (await tell("listPlatformReports", { path })).data;
  await tell("retryPlatformReport", { path: { ...path, report_id: report.id } });
  const listing_id = await addListings(app.service.stores[mode], made.data.id, product.id, "GREEN-50");
  await tell("listPlatformListings", { path });
  await tell("updatePlatformListing", { path: { ...path, listing_id }, body: { buffer: 2 } });
  await tell("listUnlistedProducts", { path });
  await tell("updatePlatformStock", { path, body: { buffer: 1, share_percent: 80 } });
  await tell("getPlatformStock", { path });
  await tell("listStockPushes", { path });
  await tell("listStockDifferences", { path });
  await tell("readPlatformListings", { path });
  await fromOthers({ app, mode, tell, act });
  await tell("listPlatforms");
  await tell("deletePlatform", { path });
}

/** The notification of an order from a Shopify store. */
function notification(store: { callback_url: string; store_id: string }, order: object, topic: string) {
  return {
    query: { connection: new URL(store.callback_url).searchParams.get("connection") ?? "" },
    body: order,
    headers: {
      "x-shopify-topic": topic,
      "x-shopify-shop-domain": store.store_id,
      "x-shopify-hmac-sha256": hmacBase64(client_secret, JSON.stringify(order)),
    },
  };
}

/** An unpaid order, before and after its import. */
export async function unfinishedImport({ app, refuse, act }: Teller): Promise<void> {
  const body = { platform: "shopify", store_id: "slow-tea.myshopify.com", client_secret, api_url };
  const { data: store } = await act("createPlatform", { body });
  const order = shopifyOrder(4601, { financial_status: "pending" });
  const path = { id: (await act("shopifyOrder", notification(store, order, "orders/create"))).order_id };
  await refuse("import_pending", "getOrder", { path });
  await app.runJobs();
  await refuse("order_not_imported", "getOrder", { path });
}

/** A notification from BigCommerce and the ping of a WooCommerce webhook. */
async function fromOthers({ app, mode, tell, act }: Pick<Teller, "app" | "mode" | "tell" | "act">): Promise<void> {
  const api_token = "bc-token-0123456789";
  await act("createPlatform", {
    body: { platform: "bigcommerce", store_id: "k3v9x2", api_token, status: "paused", api_url },
  });
  const about = { scope: "store/order/created", store_id: "1025646", data: { type: "order", id: 250 } };
  // A platform does not know the clock of test.
  const created_at = Math.floor((mode === "live" ? app.clocks.live : systemClock()).now() / 1000);
  const hash = "dd70c0976e06b67aaf671e73f49dcb79230ebf9d";
  await tell("bigcommerceOrder", { body: { ...about, hash, created_at, producer: "stores/k3v9x2" } });
  const body = { platform: "woocommerce", store_id: `${api_url}/shop`, client_secret };
  const { callback_url } = (await act("createPlatform", { body })).data;
  const connection = new URL(callback_url).searchParams.get("connection") ?? "";
  const order = {
    id: 812,
    number: "812",
    status: "processing",
    currency: "EUR",
    shipping_total: "5.00",
    refunds: [],
    date_created_gmt: "2026-01-02T03:00:00",
    date_modified_gmt: "2026-01-02T03:00:00",
    customer_note: "",
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
      {
        id: 1,
        sku: "GREEN-50",
        name: "Green tea",
        quantity: 1,
        total: "9.00",
        product_id: 5,
        variation_id: 0,
        price: 9,
      },
    ],
    shipping_lines: [{ method_title: "Post" }],
  };
  await tell("woocommerceOrder", {
    query: { connection },
    body: order,
    headers: {
      "x-wc-webhook-topic": "order.created",
      "x-wc-webhook-source": `${api_url}/shop`,
      "x-wc-webhook-signature": hmacBase64(client_secret, JSON.stringify(order)),
    },
  });
}
