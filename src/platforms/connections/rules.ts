import { type FieldProblem, invalid, invalidFields } from "../../kit/fault.ts";
import type { StoreConnection } from "../platform.ts";
import type { Platform } from "../status.ts";

const examples: Readonly<Record<Platform, string>> = {
  bigcommerce: "the store hash, such as abc123",
  shopify: "the store's domain, such as my-store.myshopify.com",
  woocommerce: "the address of the site, such as https://store.example",
};

/** A store's name at its platform, in the form in which it is kept and compared; null if it is not one. */
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

/** The name of the store of a new connection. Refuses: validation_failed. */
export function storeOf(platform: Platform, text: string): string {
  const store_id = readStore(platform, text);
  if (store_id === null) throw invalid("store_id", `must be ${examples[platform]}`, "invalid_format");
  return store_id;
}

/** Whether a notification that names its store so belongs to a connection. Without a name it may. */
export function isOfStore({ platform, store_id }: StoreConnection, names: readonly string[]): boolean {
  const bare = (name: string | null) => name?.replace(/^https?:\/\//, "");
  return names.length === 0 || names.some((name) => bare(readStore(platform, name)) === bare(store_id));
}

/** The usual address of a store's API. */
export function defaultApi(platform: Platform, store_id: string): string {
  if (platform === "bigcommerce") return "https://api.bigcommerce.com";
  return platform === "shopify" ? `https://${store_id}` : store_id;
}

type Secrets = Record<"api_key" | "api_token" | "client_secret", unknown>;

/** Refuses: validation_failed, for a connection without the secrets that its platform needs. */
export function checkSecrets(platform: Platform, { api_key, api_token, client_secret }: Secrets): void {
  const fields: FieldProblem[] = [];
  const need = (field: string, why: string) => fields.push({ field, code: "required", message: `is required: ${why}` });
  if (platform === "bigcommerce") {
    if (api_token == null)
      need("api_token", "notifications contain only the order's id, and the order has" + " to be fetched");
  } else if (client_secret == null) {
    need("client_secret", "the signature is the only proof that a notification is the platform's");
  }
  if (platform === "woocommerce") {
    if (api_token == null && api_key != null) need("api_token", "it is the secret of the consumer key");
    if (api_key == null && api_token != null) need("api_key", "it is the consumer key that the secret belongs to");
  } else if (api_key != null) {
    fields.push({ field: "api_key", code: "invalid_value", message: "is used for WooCommerce only" });
  }
  if (fields.length > 0) throw invalidFields(fields);
}
