// Routes that will go: the one place that says so. Their answers carry it as headers, and the reference marks them.
import { assert } from "../kit/assert.ts";

/** What is said of a route that will go: dates as `2027-01-31`, and a path with its version, `/v2/orders`. */
export interface Deprecation {
  readonly since: string;
  readonly sunset: string | null;
  readonly successor: string | null;
}

/** The routes that will go, by method and path below the version: `GET /orders/:id`. */
export const deprecations: Readonly<Record<string, Deprecation>> = {};

/** What of a table cannot be: a route that there is not, a sunset less than a year after the announcement. */
export function checkDeprecations(table: Readonly<Record<string, Deprecation>>, routes: ReadonlySet<string>): void {
  for (const [route, { since, sunset }] of Object.entries(table)) {
    assert(routes.has(route), `${route} is deprecated, but there is no such route`);
    const year_later = new Date(`${since}T00:00:00Z`);
    year_later.setUTCFullYear(year_later.getUTCFullYear() + 1);
    assert(sunset === null || Date.parse(sunset) >= year_later.getTime(), `${route} must live a year from ${since} on`);
  }
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
