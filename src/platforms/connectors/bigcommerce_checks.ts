// What a test of a connection reads from BigCommerce.

import { type ApiResult, readText } from "../../outbound/api.ts";
import { call, get, listed, page_size } from "./bigcommerce_api.ts";
import type { PlatformAccess, PlatformChecks, PlatformPermission, PlatformWebhook } from "./connector.ts";

/** Webhooks of orders. */
const order_topics = ["store/order/created", "store/order/updated"];

export const checks: PlatformChecks = {
  permissions,
  webhooks,
  // Its webhooks need an API key of this service in a header.
  createWebhook: null,
  are_webhooks_complete: true,
  order_topics,
};

/**
 * Tries what the token allows. No order has the number 0, so its shipment is either forbidden or not found. Refuses:
 * platform_error.
 */
async function permissions(access: PlatformAccess): Promise<PlatformPermission[]> {
  await get(access, "/orders?limit=1");
  const shipment = await call(access, "POST", "/v2/orders/0/shipments", {}, { also: [400, 401, 403, 405, 422] });
  const inventory = await call(access, "GET", "/v3/inventory/locations?limit=1", undefined, { also: [401, 403] });
  return [
    {
      name: "Orders (modify)",
      use: "report parcels",
      is_granted: isAllowed(shipment),
      is_needed: true,
    },
    {
      name: "Store Inventory",
      use: "keep stock in the shop",
      is_granted: isAllowed(inventory),
      is_needed: false,
    },
  ];
}

function isAllowed({ status }: Pick<ApiResult, "status">): boolean {
  return status !== 401 && status !== 403;
}

/** Lists the webhooks of the API account. Refuses: platform_error. */
async function webhooks(access: PlatformAccess): Promise<PlatformWebhook[]> {
  const found = await listed(access, `/hooks?limit=${page_size}`);
  return found.map(({ scope, destination, is_active }) => ({
    topic: readText(scope, 100) ?? "",
    url: readText(destination, 2048) ?? "",
    is_active: is_active === true,
  }));
}
