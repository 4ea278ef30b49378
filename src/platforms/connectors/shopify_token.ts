import { second_ms } from "../../core/time.ts";
import { fieldsOrNone, parsedOrNull, readText, refused, succeeded } from "../../outbound/api.ts";
import type { IssuedToken } from "../connection_state.ts";
import { platform, platformError, requireCredential, secretsOf } from "./call_platform.ts";
import type { PlatformAccess } from "./connector.ts";

// What to do about a refusal, by Shopify's code for it.
const remedies: Readonly<Record<string, string>> = {
  app_not_installed: "The app is not installed in this store. Install it from the Dev Dashboard.",
  application_cannot_be_found: "There is no app with this client_id. Copy it from the app's settings again.",
  invalid_client: "The client_id or client_secret is wrong. Copy both from the app's settings again.",
  shop_not_permitted:
    "The app and the store must belong to one organization. Create the app in the Dev Dashboard of the store's owner.",
};
const any_remedy =
  "Check the client_id and client_secret, that the app is installed in this store, and that the app and the store " +
  "belong to one organization.";
const temporary_statuses = [408, 409, 425, 429];

/**
 * Requests an access token for the app's id and secret. The app must be installed in the store, and both must belong
 * to one organization. Refuses: platform_error.
 */
export async function requestToken(access: PlatformAccess): Promise<IssuedToken> {
  const { api, connection, credentials } = access;
  const client_id = requireCredential(credentials.client_id, "client_id");
  const client_secret = requireCredential(credentials.client_secrets[0] ?? null, "client_secret");
  const answer = await api({
    method: "POST",
    url: `${connection.api_url}/admin/oauth/access_token`,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret }).toString(),
  });
  const { status, body } = answer;
  const is_final = status >= 400 && status < 500 && !temporary_statuses.includes(status);
  if (is_final) throw refusal(status, new TextDecoder().decode(body));
  if (!succeeded(status)) throw refused(platform, { now: access.now, secrets: secretsOf(access) }, answer);
  const { access_token, expires_in, scope } = fieldsOrNone(parsedOrNull(body));
  const token = readText(access_token, 500);
  const seconds = Number(expires_in);
  if (token === null || !(seconds > 0)) {
    throw platformError("Shopify's response contains no access token with its lifetime.", { permanent: false });
  }
  return { token, lifetime_ms: seconds * second_ms, scopes: readText(scope, 2000) ?? "" };
}

/** The refusal names Shopify's code, which is in JSON or in a page. */
function refusal(status: number, text: string) {
  const code = Object.keys(remedies).find((known) => text.includes(known));
  const remedy = code === undefined ? any_remedy : remedies[code];
  return platformError(`Shopify issued no access token (${code ?? status}). ${remedy}`, { permanent: true });
}
