// Deprecated routes. Their answers say so in headers, and the reference marks them.
import { assert } from "../kit/assert.ts";

/** The deprecation of a route: dates as `2027-01-31`, and the path that replaces it, with its version: `/v2/orders`. */
export interface Deprecation {
  readonly since: string;
  readonly sunset: string | null;
  readonly successor: string | null;
}

/** Throws when a route, called `name`, is to go less than a year after that was announced. */
export function checkDeprecation(name: string, { since, sunset }: Deprecation): void {
  const year_later = new Date(`${since}T00:00:00Z`);
  year_later.setUTCFullYear(year_later.getUTCFullYear() + 1);
  assert(sunset === null || Date.parse(sunset) >= year_later.getTime(), `${name} must live a year from ${since} on`);
}

/** The headers of each answer of such a route (RFC 9745, RFC 8594); links begin at `base_url`. */
export function deprecationHeaders({ since, sunset, successor }: Deprecation, base_url: string) {
  const docs = `<${base_url}/docs>`;
  const links = [
    `${docs}; rel="deprecation"; type="text/html"`,
    ...(sunset === null ? [] : [`${docs}; rel="sunset"; type="text/html"`]),
    ...(successor === null ? [] : [`<${base_url}${successor}>; rel="successor-version"`]),
  ];
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset !== null && { sunset: new Date(sunset).toUTCString() }),
    link: links.join(", "),
  };
}
