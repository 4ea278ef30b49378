// Calls Shopify's GraphQL Admin API, whose refusals have status 200.

import { type Fields, fieldsIn, fieldsOrNone, readText } from "../../outbound/reading.ts";
import { ask, needed, platformError, withoutSecrets } from "./asking.ts";
import type { Access } from "./connector.ts";

import { api_version } from "./shopify_queries.ts";

const second_ms = 1000;
const pages_max = 400;
const passing = ["THROTTLED", "INTERNAL_SERVER_ERROR", "TIMEOUT"];

/** The answer to a query or mutation. A throttled one says when to ask again. Refuses: platform_error. */
export async function graphql(access: Access, query: string, variables: Fields): Promise<Fields> {
  const token = needed(access.credentials.api_token, "access token");
  const { status, json } = await ask(access, {
    method: "POST",
    url: `${access.connection.api_url}/admin/api/${api_version}/graphql.json`,
    headers: { "X-Shopify-Access-Token": token, "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  if (status === 404) throw platformError("There is no shop at the connection's api_url.", { permanent: true });
  const { errors, data, extensions } = fieldsOrNone(json);
  const [error] = fieldsIn(errors);
  if (error === undefined) return fieldsOrNone(data);
  const code = String(fieldsOrNone(error["extensions"])["code"] ?? "");
  const words = `Shopify refuses the query (${code || "no code"}): ${readText(error["message"], 200) ?? "no message"}`;
  throw platformError(withoutSecrets(words, access), {
    permanent: !passing.includes(code),
    wait_ms: code === "THROTTLED" ? throttledWait(fieldsOrNone(extensions)) : null,
  });
}

/** How long until the budget covers the query's cost again. */
function throttledWait(extensions: Fields): number {
  const cost = fieldsOrNone(extensions["cost"]);
  const { currentlyAvailable, restoreRate } = fieldsOrNone(cost["throttleStatus"]);
  const lacking = Number(cost["requestedQueryCost"]) - Number(currentlyAvailable);
  const wait_ms = (lacking / Number(restoreRate)) * second_ms;
  return Number.isFinite(wait_ms) ? Math.max(second_ms, wait_ms) : second_ms;
}

/**
 * Reads a GraphQL connection to its end, page by page; `pageOf` takes a page from an answer. Refuses: platform_error.
 */
export async function pages(
  ask: (after: string | null) => Promise<Fields>,
  pageOf: (data: Fields) => unknown,
): Promise<Fields[]> {
  const found: Fields[] = [];
  let after: string | null = null;
  for (let page = 0; page < pages_max; page += 1) {
    const { nodes, pageInfo } = fieldsOrNone(pageOf(await ask(after)));
    found.push(...fieldsIn(nodes));
    const { hasNextPage, endCursor } = fieldsOrNone(pageInfo);
    if (hasNextPage !== true || typeof endCursor !== "string") break;
    after = endCursor;
  }
  return found;
}
