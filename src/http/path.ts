/** What the path of a request names. */
interface Place {
  /** Its path below the version: `/orders/ord_1042` for `/v1/…` and `/api/v1/…` alike. */
  readonly path: string;
  /** Whether it is below a version of the API; few are not. */
  readonly versioned: boolean;
}

/** Reads the path of an address. */
export function placeOf(url: string): Place {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", from);
  const path = from < 0 ? "/" : url.slice(from, query < 0 ? undefined : query);
  const version = path.startsWith("/api/v1") ? "/api/v1" : "/v1";
  // A version by itself is no path below it: `/` is the page of the service's own address.
  if (path === version || path === `${version}/`) return { path, versioned: true };
  if (path.startsWith(`${version}/`)) return { path: path.slice(version.length), versioned: true };
  return { path, versioned: false };
}
