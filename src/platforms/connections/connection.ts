import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { open } from "../../kit/seal.ts";
import type { Credentials, StoreConnection } from "../platform.ts";

/** The purpose under which the secrets of connections are sealed. */
export const secret_purpose = "platforms.secret";

/** How long the previous client secret stays valid: a platform may go on signing with it for a while. */
export const secret_overlap_ms = 3_600_000;

/** The secrets of a connection, opened. A secret sealed under another key of the service counts as missing. */
export function credentialsOf(connection: StoreConnection, secret_key: Uint8Array, now: number): Credentials {
  const opened = (sealed: string | null) => (sealed === null ? null : open(sealed, secret_key, secret_purpose));
  const overlaps = (connection.previous_client_secret_expires_at ?? 0) > now;
  const signing = [connection.client_secret, overlaps ? connection.previous_client_secret : null].map(opened);
  return {
    api_key: opened(connection.api_key),
    api_token: opened(connection.api_token),
    client_secrets: signing.filter((secret) => secret !== null),
  };
}

/** The callback address to enter at the platform, for a service that is reached at `origin`. */
function callbackUrl({ platform, key }: Pick<StoreConnection, "platform" | "key">, origin: string): string {
  const path = `${origin}/v1/webhooks/${platform}/orders`;
  // BigCommerce sends an API key instead, and names its store in the body.
  return platform === "bigcommerce" ? path : `${path}?connection=${key}`;
}

const told_from_characters = 16;

/** The last four characters of a secret that is long enough. */
function lastFour(secret: string | null | undefined): string | null {
  return secret == null || secret.length < told_from_characters ? null : secret.slice(-4);
}

/** The connection as the API shows it: of each secret at most the last four characters. */
export function connectionView(connection: StoreConnection, secret_key: Uint8Array, origin: string, now: number) {
  const { id, merchant_id, platform, name, store_id, api_url, order_prefix, status, version } = connection;
  const { api_key, api_token, client_secrets } = credentialsOf(connection, secret_key, now);
  return {
    id: wireId("connection", id),
    merchant_id: wireId("merchant", merchant_id),
    platform,
    name,
    store_id,
    api_url,
    order_prefix,
    status,
    callback_url: callbackUrl(connection, origin),
    has_api_key: connection.api_key !== null,
    api_key_last_four: lastFour(api_key),
    has_api_token: connection.api_token !== null,
    api_token_last_four: lastFour(api_token),
    has_client_secret: connection.client_secret !== null,
    client_secret_last_four: connection.client_secret === null ? null : lastFour(client_secrets[0]),
    previous_client_secret_expires_at: isoOrNull(connection.previous_client_secret_expires_at),
    version,
    created_at: iso(connection.created_at),
    updated_at: iso(connection.updated_at),
  };
}
