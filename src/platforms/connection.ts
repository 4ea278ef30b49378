import { iso, isoOrNull } from "../core/clock.ts";
import { open } from "../core/crypto.ts";
import { type FieldProblem, invalid, invalidFields } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { PlatformCredentials, StoreConnection } from "./platform.ts";
import type { Platform } from "./platforms.transitions.ts";

/** The purpose under which the secrets of connections are sealed. */
export const secret_purpose = "platforms.secret";

/** How long the previous client secret stays valid: a platform may keep signing with it for a while. */
export const secret_overlap_ms = 3_600_000;

/** Opens the secrets of a connection. A secret sealed with another key of the service counts as missing. */
export function credentialsOf(connection: StoreConnection, secret_key: Uint8Array, now: number): PlatformCredentials {
  const opened = (sealed: string | null) => (sealed === null ? null : open(sealed, secret_key, secret_purpose));
  const overlaps = (connection.previous_client_secret_expires_at ?? 0) > now;
  const signing = [connection.client_secret, overlaps ? connection.previous_client_secret : null].map(opened);
  return {
    api_key: opened(connection.api_key),
    api_token: opened(connection.api_token),
    client_id: connection.client_id,
    client_secrets: signing.filter((secret) => secret !== null),
  };
}

/** Whether the service can call the store's API. */
export function hasApiAccess(connection: Pick<StoreConnection, "api_token" | "client_id">): boolean {
  return connection.api_token !== null || connection.client_id !== null;
}

/** The callback URL to enter at the platform, for a service that is reached at `origin`. */
export function callbackUrl({ platform, key }: Pick<StoreConnection, "platform" | "key">, origin: string): string {
  const path = `${origin}/v1/webhooks/${platform}/orders`;
  // BigCommerce sends an API key instead, and its body names the store.
  return platform === "bigcommerce" ? path : `${path}?connection=${key}`;
}

const last_four_min_characters = 16;

/** The last four characters of a secret that is long enough; null for others. */
function lastFour(secret: string | null | undefined): string | null {
  return secret == null || secret.length < last_four_min_characters ? null : secret.slice(-4);
}

/** Returns the connection as the API shows it, with at most the last four characters of each secret. */
export function connectionView(connection: StoreConnection, secret_key: Uint8Array, origin: string, now: number) {
  const { id, merchant_id, platform, name, store_id, api_url, order_prefix, pickup_orders, status, revision } =
    connection;
  const { api_key, api_token, client_secrets } = credentialsOf(connection, secret_key, now);
  return {
    id: wireId("connection", id),
    merchant_id: wireId("merchant", merchant_id),
    platform,
    name,
    store_id,
    api_url,
    order_prefix,
    pending_orders: connection.pending_orders,
    test_orders: connection.test_orders,
    pickup_orders,
    status,
    callback_url: callbackUrl(connection, origin),
    has_api_key: connection.api_key !== null,
    api_key_last_four: lastFour(api_key),
    has_api_token: connection.api_token !== null,
    api_token_last_four: lastFour(api_token),
    client_id: connection.client_id,
    has_client_secret: connection.client_secret !== null,
    client_secret_last_four: connection.client_secret === null ? null : lastFour(client_secrets[0]),
    previous_client_secret_expires_at: isoOrNull(connection.previous_client_secret_expires_at),
    revision,
    created_at: iso(connection.created_at),
    updated_at: iso(connection.updated_at),
  };
}

const examples: Readonly<Record<Platform, string>> = {
  bigcommerce: "the store hash, such as abc123",
  shopify: "the store's domain, such as my-store.myshopify.com",
  woocommerce: "the URL of the site, such as https://store.example",
};

/** Normalizes the name of a store at its platform; null if it is invalid. */
export function readStore(platform: Platform, text: string): string | null {
  const name = text.trim().toLowerCase();
  if (platform === "bigcommerce") return /^(?:stores\/)?([a-z0-9]{1,60})$/.exec(name)?.[1] ?? null;
  if (platform === "shopify") {
    return /^(?:https?:\/\/)?([a-z0-9][a-z0-9-]{0,62}\.myshopify\.com)\/?$/.exec(name)?.[1] ?? null;
  }
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(text) || url.username !== "") return null;
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Reads the store of a new connection. Refuses: validation_failed. */
export function storeOf(platform: Platform, text: string): string {
  const store_id = readStore(platform, text);
  if (store_id === null) throw invalid("store_id", `must be ${examples[platform]}`, "invalid_format");
  return store_id;
}

/** Whether a notification with these store names can belong to a connection. Without a name it can. */
export function isOfStore({ platform, store_id }: StoreConnection, names: readonly string[]): boolean {
  const bare = (name: string | null) => name?.replace(/^https?:\/\//, "");
  return names.length === 0 || names.some((name) => bare(readStore(platform, name)) === bare(store_id));
}

/** Returns the default base URL of a store's API. */
export function defaultApi(platform: Platform, store_id: string): string {
  if (platform === "bigcommerce") return "https://api.bigcommerce.com";
  return platform === "shopify" ? `https://${store_id}` : store_id;
}

type PlatformSecrets = Record<"api_key" | "api_token" | "client_secret" | "client_id", unknown>;

/** Refuses a connection without the secrets that its platform needs. Refuses: validation_failed. */
export function checkSecrets(
  platform: Platform,
  { api_key, api_token, client_secret, client_id }: PlatformSecrets,
): void {
  const fields: FieldProblem[] = [];
  const need = (field: string, why: string) => fields.push({ field, code: "required", message: `is required: ${why}` });
  if (platform === "bigcommerce") {
    if (api_token == null) need("api_token", "notifications contain only the order's id, so the order must be fetched");
  } else if (client_secret == null) {
    need("client_secret", "only the signature proves that a notification comes from the platform");
  }
  if (platform === "woocommerce") {
    if (api_token == null && api_key != null) need("api_token", "it is the secret of the consumer key");
    if (api_key == null && api_token != null) need("api_key", "it is the consumer key of the secret");
  } else if (api_key != null) {
    fields.push({ field: "api_key", code: "invalid_value", message: "is only for WooCommerce" });
  }
  if (platform !== "shopify" && client_id != null) {
    fields.push({ field: "client_id", code: "invalid_value", message: "is only for Shopify" });
  }
  if (fields.length > 0) throw invalidFields(fields);
}

/** Refuses a choice that the platform does not offer. Refuses: validation_failed. */
export function checkChoices(
  platform: Platform,
  choices: Partial<Pick<StoreConnection, "pending_orders" | "test_orders">>,
): void {
  if (platform === "shopify") return;
  const chosen = (["pending_orders", "test_orders"] as const).filter((name) => choices[name] === "import");
  if (chosen.length === 0) return;
  throw invalidFields(chosen.map((field) => ({ field, code: "invalid_value", message: "is only for Shopify" })));
}
