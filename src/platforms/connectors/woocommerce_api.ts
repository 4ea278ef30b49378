// Calls to WooCommerce's REST API, version 3, and its texts.

import { decodeEntities } from "../../core/html.ts";
import { type ApiResult, fieldsOrNone, readText } from "../../outbound/api.ts";
import { ask, platformError, requireCredential } from "./call_platform.ts";
import type { PlatformAccess } from "./connector.ts";

/** The most entries of a page. */
export const page_size = 100;

/** Decodes HTML entities in WooCommerce's texts. */
export const plain = (value: unknown): unknown => (typeof value === "string" ? decodeEntities(value) : value);

/** Reads a text with HTML entities; null when it is empty or not a text. */
export const readPlain = (value: unknown, characters_max: number) => readText(plain(value), characters_max);

/** Calls the shop. A 404 for a missing route is not taken for a missing order. Refuses: platform_error. */
export async function call(
  access: PlatformAccess,
  method: "GET" | "POST" | "PUT",
  path: string,
  body?: unknown,
): Promise<ApiResult> {
  const { connection, credentials } = access;
  const user = requireCredential(credentials.api_key, "consumer key");
  const password = requireCredential(credentials.api_token, "consumer secret");
  const reply = await ask(access, {
    method,
    url: `${connection.api_url}/wp-json/wc/v3${path}`,
    headers: {
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (reply.status === 404 && !/_invalid_id$/.test(String(fieldsOrNone(reply.json)["code"]))) {
    throw platformError("There is no WooCommerce API at the connection's api_url.", { permanent: true });
  }
  if (reply.status === 404 && method !== "GET") {
    throw platformError("WooCommerce no longer has the order or product.", { permanent: true });
  }
  return reply;
}
