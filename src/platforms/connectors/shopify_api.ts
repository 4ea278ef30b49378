import { second_ms } from "../../core/time.ts";
import {
  type ApiCallOptions,
  type ApiResult,
  fieldsIn,
  fieldsOrNone,
  type JsonFields,
  readText,
  secondsOf,
} from "../../outbound/api.ts";
import { ask, platformError, requireCredential, withoutSecrets } from "./call_platform.ts";
import type { PlatformAccess } from "./connector.ts";
import { requestToken } from "./shopify_token.ts";

// Queries of Shopify's GraphQL Admin API. Order fields have aliases like in webhooks, so that one reader handles
// both. Page sizes respect the cost limit of one query.

/** The API version. Shopify supports each version for a year. */
const api_version = "2026-07";

export const order_query = `query Order($id: ID!, $after: String) {
  order(id: $id) {
    id name email phone note test currency: currencyCode
    note_attributes: customAttributes { name: key value }
    created_at: createdAt updated_at: updatedAt cancelled_at: cancelledAt closed_at: closedAt
    financial_status: displayFinancialStatus fulfillment_status: displayFulfillmentStatus
    billing_address: billingAddress { name phone }
    shipping_address: shippingAddress {
      name company address1 address2 city province_code: provinceCode province zip country_code: countryCodeV2 phone
    }
    shipping_lines: shippingLines(first: 10) {
      nodes {
        title code is_removed: isRemoved
        discounted_price_set: discountedPriceSet { shop_money: shopMoney { amount } }
      }
    }
    fulfillment_orders: fulfillmentOrders(first: 20) { nodes { status deliveryMethod { methodType } } }
    line_items: lineItems(first: 50, after: $after) {
      nodes {
        id name sku requires_shipping: requiresShipping gift_card: isGiftCard
        quantity current_quantity: currentQuantity fulfillable_quantity: unfulfilledQuantity
        price_set: originalUnitPriceSet { shop_money: shopMoney { amount } }
        discount_allocations: discountAllocations {
          amount_set: allocatedAmountSet { shop_money: shopMoney { amount } }
        }
        properties: customAttributes { name: key value }
        variant { id }
        product { id }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const scopes_query = "query Scopes { currentAppInstallation { accessScopes { handle } } }";

export const webhooks_query = `query Webhooks($after: String) {
  webhookSubscriptions(first: 100, after: $after) {
    nodes { topic uri }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const webhook_mutation = `mutation Subscribe($topic: WebhookSubscriptionTopic!, $uri: String!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $uri }) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`;

export const changes_query = `query Changes($filter: String!, $after: String) {
  orders(first: 250, after: $after, sortKey: UPDATED_AT, query: $filter) {
    nodes { id updated_at: updatedAt }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const parcels_query = `query Parcels($id: ID!, $after: String) {
  order(id: $id) {
    fulfillments(first: 100) { id status trackingInfo { number } }
    fulfillmentOrders(first: 50, after: $after) {
      nodes { id status supportedActions { action } assignedLocation { location { id } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const fulfilled_query = `query Fulfilled($id: ID!, $after: String) {
  fulfillment(id: $id) {
    fulfillmentLineItems(first: 100, after: $after) {
      nodes { quantity lineItem { id } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const fulfillable_query = `query Fulfillable($id: ID!, $after: String) {
  fulfillmentOrder(id: $id) {
    lineItems(first: 100, after: $after) {
      nodes { id remainingQuantity lineItem { id } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const fulfill_mutation = `mutation Fulfill($fulfillment: FulfillmentInput!) {
  fulfillmentCreate(fulfillment: $fulfillment) {
    fulfillment { id }
    userErrors { field message }
  }
}`;

export const locations_query = `query Locations($after: String) {
  locations(first: 250, after: $after, includeInactive: true) {
    nodes { id name isActive }
    pageInfo { hasNextPage endCursor }
  }
}`;

// `inventoryLevel` is null where an item was never stocked.
const level = `inventoryLevel(locationId: $location) { isActive quantities(names: ["available"]) { quantity } }`;

export const listings_query = `query Listings($after: String, $location: ID!, $located: Boolean!) {
  productVariants(first: 100, after: $after) {
    nodes {
      id sku barcode displayName requiresComponents
      inventoryItem { id tracked ... @include(if: $located) { ${level} } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const stock_query = `query Stock($ids: [ID!]!, $location: ID!) {
  nodes(ids: $ids) { ... on InventoryItem { id tracked ${level} } }
}`;

export const set_stock_mutation = `mutation Set($input: InventorySetQuantitiesInput!, $location: ID!, $key: String!) {
  inventorySetQuantities(input: $input) @idempotent(key: $key) {
    inventoryAdjustmentGroup { changes { item { id ${level} } } }
    userErrors { code field message }
  }
}`;

export const stock_at_mutation = `mutation StockAt($item: ID!, $location: ID!, $key: String!) {
  inventoryActivate(inventoryItemId: $item, locationId: $location) @idempotent(key: $key) {
    inventoryLevel { isActive quantities(names: ["available"]) { quantity } }
    userErrors { field message }
  }
}`;

const pages_max = 400;
const temporary_codes = ["THROTTLED", "INTERNAL_SERVER_ERROR", "TIMEOUT"];

/** Runs a query or mutation and returns its data. A throttled one sets a delay. Refuses: platform_error. */
export async function graphql(access: PlatformAccess, query: string, variables: JsonFields): Promise<JsonFields> {
  const { status, json } = await send(access, JSON.stringify({ query, variables }));
  if (status === 404)
    throw platformError("There is no Shopify store at the connection's api_url.", { permanent: true });
  const { errors, data, extensions } = fieldsOrNone(json);
  const [error] = fieldsIn(errors);
  if (error === undefined) return fieldsOrNone(data);
  const code = String(fieldsOrNone(error["extensions"])["code"] ?? "");
  const words = `Shopify refused the query (${code || "no code"}): ${readText(error["message"], 200) ?? "no message"}`;
  throw platformError(withoutSecrets(words, access), {
    permanent: !temporary_codes.includes(code),
    retry_after_seconds: code === "THROTTLED" ? secondsOf(throttledWait(fieldsOrNone(extensions))) : null,
  });
}

/** Sends a query with the access token. An issued token that is not accepted any more is replaced once. */
async function send(access: PlatformAccess, body: string): Promise<ApiResult> {
  const call = (token: string, options: ApiCallOptions) =>
    ask(
      { ...access, credentials: { ...access.credentials, api_token: token } },
      {
        method: "POST",
        url: `${access.connection.api_url}/admin/api/${api_version}/graphql.json`,
        headers: { "X-Shopify-Access-Token": token, "Content-Type": "application/json" },
        body,
      },
      options,
    );
  const { api_token, client_id } = access.credentials;
  if (client_id === null) return call(requireCredential(api_token, "access token"), {});
  const request = () => requestToken(access);
  const token = await access.tokenFor(null, request);
  const first = await call(token, { also: [401] });
  return first.status === 401 ? call(await access.tokenFor(token, request), {}) : first;
}

/** The time until the budget covers the query's cost again (ms). */
function throttledWait(extensions: JsonFields): number {
  const cost = fieldsOrNone(extensions["cost"]);
  const { currentlyAvailable, restoreRate } = fieldsOrNone(cost["throttleStatus"]);
  const missing = Number(cost["requestedQueryCost"]) - Number(currentlyAvailable);
  const wait_ms = (missing / Number(restoreRate)) * second_ms;
  return Number.isFinite(wait_ms) ? Math.max(second_ms, wait_ms) : second_ms;
}

/** The number at the end of a global id such as `gid://shopify/Order/123`; anything else as it is. */
export function withoutType(id: unknown): unknown {
  return typeof id === "string" ? id.replace(/^gid:\/\/shopify\/\w+\//, "") : id;
}

/** Reads all pages of a GraphQL connection; `pageOf` takes a page from a reply. Refuses: platform_error. */
export async function pages(
  ask: (after: string | null) => Promise<JsonFields>,
  pageOf: (data: JsonFields) => unknown,
): Promise<JsonFields[]> {
  const all: JsonFields[] = [];
  let after: string | null = null;
  for (let page = 0; page < pages_max; page += 1) {
    const { nodes, pageInfo } = fieldsOrNone(pageOf(await ask(after)));
    all.push(...fieldsIn(nodes));
    const { hasNextPage, endCursor } = fieldsOrNone(pageInfo);
    if (hasNextPage !== true || typeof endCursor !== "string") break;
    after = endCursor;
  }
  return all;
}
