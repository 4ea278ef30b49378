// What a test of a connection reads from Shopify.

import { fieldsIn, fieldsOrNone, readText } from "../../outbound/api.ts";
import { platformError, withoutSecrets } from "./call_platform.ts";
import type { PlatformAccess, PlatformChecks, PlatformPermission, PlatformWebhook } from "./connector.ts";
import { graphql, pages, scopes_query, webhook_mutation, webhooks_query } from "./shopify_api.ts";

// biome-ignore format: a table is read by its columns.
const scopes = [
  { name: "read_orders",                               use: "import orders",       is_needed: true },
  { name: "read_products",                             use: "import orders",       is_needed: true },
  { name: "read_merchant_managed_fulfillment_orders",  use: "report parcels",      is_needed: true },
  { name: "write_merchant_managed_fulfillment_orders", use: "report parcels",      is_needed: true },
  { name: "read_locations",                            use: "keep stock in the shop", is_needed: false },
  { name: "read_inventory",                            use: "keep stock in the shop", is_needed: false },
  { name: "write_inventory",                           use: "keep stock in the shop", is_needed: false },
];

/** Webhooks of orders, as the API names their topics. */
const order_topics = ["ORDERS_CREATE", "ORDERS_UPDATED"];

export const checks: PlatformChecks = {
  permissions,
  webhooks,
  createWebhook,
  are_webhooks_complete: false,
  order_topics,
};

/** Lists the app's scopes. One for writing includes the one for reading. Refuses: platform_error. */
async function permissions(access: PlatformAccess): Promise<PlatformPermission[]> {
  const data = await graphql(access, scopes_query, {});
  const granted = fieldsIn(fieldsOrNone(data["currentAppInstallation"])["accessScopes"]).map(({ handle }) => handle);
  return scopes.map((scope) => {
    const is_granted = granted.includes(scope.name) || granted.includes(scope.name.replace(/^read_/, "write_"));
    return { ...scope, is_granted };
  });
}

/** Lists the app's webhooks, without those that were created in the store's admin. Refuses: platform_error. */
async function webhooks(access: PlatformAccess): Promise<PlatformWebhook[]> {
  const found = await pages(
    (after) => graphql(access, webhooks_query, { after }),
    (data) => data["webhookSubscriptions"],
  );
  // Shopify deletes a webhook that keeps failing, so every listed one is active.
  return found.map(({ topic, uri }) => ({
    topic: readText(topic, 100) ?? "",
    url: readText(uri, 2048) ?? "",
    is_active: true,
  }));
}

/** Creates a webhook of the app, which signs with the client secret. Refuses: platform_error. */
async function createWebhook(access: PlatformAccess, topic: string, uri: string): Promise<void> {
  const data = await graphql(access, webhook_mutation, { topic, uri });
  const [refusal] = fieldsIn(fieldsOrNone(data["webhookSubscriptionCreate"])["userErrors"]);
  if (refusal === undefined) return;
  const words = `Shopify refused the webhook: ${readText(refusal["message"], 200) ?? "no message"}`;
  throw platformError(withoutSecrets(words, access), { permanent: true });
}
