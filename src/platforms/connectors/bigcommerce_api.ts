// Calls to BigCommerce's REST API: version 2 for orders, version 3 for the catalogue and stock.

import {
  type ApiCallOptions,
  type ApiRequest,
  type ApiResult,
  fieldsIn,
  fieldsOrNone,
  type JsonFields,
} from "../../outbound/api.ts";
import { ask, platformError, readPages, requireCredential } from "./call_platform.ts";
import type { PlatformAccess } from "./connector.ts";

/** The entries of a page. */
export const page_size = 250;

/** Calls the store; the path begins with the version. Refuses: platform_error. */
export async function call(
  access: PlatformAccess,
  method: ApiRequest["method"],
  path: string,
  body?: unknown,
  options?: Pick<ApiCallOptions, "also">,
): Promise<ApiResult> {
  const { connection, credentials } = access;
  const token = requireCredential(credentials.api_token, "access token");
  const request = {
    method,
    url: `${connection.api_url}/stores/${encodeURIComponent(connection.store_id)}${path}`,
    headers: { "X-Auth-Token": token, ...(body !== undefined && { "Content-Type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
  };
  const waitOf = (headers: Readonly<Record<string, string>>) => {
    const wait = headers["x-rate-limit-time-reset-ms"] ?? "";
    return /^\d{1,9}$/.test(wait) ? Number(wait) : null;
  };
  return await ask(access, request, { ...options, waitOf });
}

/** Reads from version 2. Refuses: platform_error. */
export const get = (access: PlatformAccess, path: string) => call(access, "GET", `/v2${path}`);

/** Fetches all objects of a paged list of version 2. An empty page has status 204. Refuses: platform_error. */
export const listAll = (access: PlatformAccess, path: string) =>
  readPages<JsonFields>(page_size, async (page) => {
    const { status, json } = await get(access, `${path}?page=${page}&limit=${page_size}`);
    if (status === 404) throw platformError("BigCommerce no longer has the order.", { permanent: true });
    return fieldsIn(json);
  });

/** Reads one page of a list of version 3. Refuses: platform_error. */
export async function listed(access: PlatformAccess, path: string): Promise<JsonFields[]> {
  const { status, json } = await call(access, "GET", `/v3${path}`);
  if (status === 404) throw platformError("BigCommerce no longer has the location.", { permanent: true });
  return fieldsIn(fieldsOrNone(json)["data"]);
}
