/** Whether an address is below a version of the API; few are not. */
export function isVersioned(url: string): boolean {
  return /^https?:\/\/[^/]*\/(?:api\/)?v1(?:[/?]|$)/.test(url);
}

/** The path of an address below its version: `/orders/ord_1042` for `/v1/…` and `/api/v1/…` alike. */
export function pathOf(url: string): string {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", from);
  const path = from < 0 ? "/" : url.slice(from, query < 0 ? undefined : query);
  if (path.startsWith("/v1/")) return path.slice("/v1".length);
  return path.startsWith("/api/v1/") ? path.slice("/api/v1".length) : path;
}
