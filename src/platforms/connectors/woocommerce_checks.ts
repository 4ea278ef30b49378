// What a test of a connection reads from WooCommerce.

import { Fault } from "../../core/faults.ts";
import { fieldsIn, readText } from "../../outbound/api.ts";
import { requireCredential } from "./call_platform.ts";
import type { PlatformAccess, PlatformChecks, PlatformPermission, PlatformWebhook } from "./connector.ts";
import { call, page_size } from "./woocommerce_api.ts";

/** Webhooks of orders. */
const order_topics = ["order.created", "order.updated"];

export const checks: PlatformChecks = {
  permissions,
  webhooks,
  createWebhook,
  are_webhooks_complete: true,
  order_topics,
};

/**
 * Tries what the consumer key allows. An empty batch changes nothing, and is refused without write access. Refuses:
 * platform_error.
 */
async function permissions(access: PlatformAccess): Promise<PlatformPermission[]> {
  await call(access, "GET", "/orders?dates_are_gmt=true&per_page=1&_fields=id");
  const read = { name: "Read access", use: "import orders", is_granted: true, is_needed: true };
  const write = { name: "Write access", use: "report parcels and keep stock in the shop", is_needed: true };
  return [read, { ...write, is_granted: await isAllowed(call(access, "POST", "/orders/batch", {})) }];
}

/** Whether a call is not refused for good. */
async function isAllowed(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof Fault && error.facts["permanent"] === true) return false;
    throw error;
  }
}

/** Lists the shop's webhooks. Refuses: platform_error. */
async function webhooks(access: PlatformAccess): Promise<PlatformWebhook[]> {
  const { json } = await call(access, "GET", `/webhooks?per_page=${page_size}`);
  return fieldsIn(json).map(({ topic, delivery_url, status }) => ({
    topic: readText(topic, 100) ?? "",
    url: readText(delivery_url, 2048) ?? "",
    is_active: status === "active",
  }));
}

/** Creates a webhook that signs with the connection's secret. Refuses: platform_error. */
async function createWebhook(access: PlatformAccess, topic: string, delivery_url: string): Promise<void> {
  const secret = requireCredential(access.credentials.client_secrets[0] ?? null, "client_secret");
  await call(access, "POST", "/webhooks", { name: `Packhouse: ${topic}`, topic, delivery_url, secret });
}
