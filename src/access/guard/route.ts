// Which route a request names, and what is said of one that names none.
import { Memoirist } from "memoirist";
import { checkDeprecations, type Deprecation, deprecationHeaders, deprecations } from "../../http/deprecations.ts";
import { nearestPath } from "../../http/nearest_path.ts";
import type { Operations } from "../../http/recording.ts";
import { assert } from "../../kit/assert.ts";
import { Fault } from "../../kit/fault.ts";
import { ofSettings, type Permission } from "../permission.ts";
import { isOfLive, onlyAsks, type RouteNeed, routeNeeds } from "../route_needs.ts";

/** Throws when a route of the app has no row in the table of permissions, or a row has no route. */
export function checkRouteNeeds(routes: readonly string[]): void {
  const rows = new Set(Object.keys(routeNeeds));
  checkDeprecations(deprecations, rows);
  for (const route of routes) assert(rows.delete(route), `${route} has no row in the table of permissions`);
  assert(rows.size === 0, `the table of permissions has rows without a route: ${[...rows].join(", ")}`);
}

/** What the guard knows of the routes. */
export interface RouteTables {
  readonly needs: Readonly<Record<string, RouteNeed>>;
  readonly deprecated: Readonly<Record<string, Deprecation>>;
  /** What the reference calls them. */
  readonly operations?: Operations;
}

/** The routes of the service. */
export const allRoutes: RouteTables = { needs: routeNeeds, deprecated: deprecations };

/** A route that a request names. */
export interface Route {
  /** Its pattern below the version. */
  readonly path: string;
  readonly need: RouteNeed;
  /** Whether it may change something. */
  readonly writes: boolean;
  /** Whether it changes the settings of the house. */
  readonly of_settings: boolean;
  /** Whether it is about what is kept once for both worlds: users, who did what, and e-mail. */
  readonly of_live: boolean;
  /** What each of its answers carries. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** Finds routes. */
export interface RouteTable {
  readonly find: (method: string, path: string) => Route | null;
  /** What is said of a request that names no route. */
  readonly unknown: (method: string, path: string) => Fault;
  /** ` (did you mean /orders?)` when one of the paths was likely meant; `before` stands before it. */
  readonly hint: (path: string, before: string) => string;
}

/** Makes the table by which routes are found. */
export function routeTable({ needs, deprecated }: RouteTables, base_url: string): RouteTable {
  const router = new Memoirist<Route>();
  const methods = new Set<string>();
  for (const [route, need] of Object.entries(needs)) {
    const [method = "", path = ""] = route.split(" ");
    const deprecation = deprecated[route];
    const writes = method !== "GET" && need !== "none" && !onlyAsks(need);
    const of_live = isOfLive(path, need);
    const of_settings = writes && ofSettings.has(need as Permission);
    const headers = deprecation && deprecationHeaders(deprecation, base_url);
    methods.add(method);
    router.add(method, path, { path, need, writes, of_settings, of_live, headers });
  }
  const find = (method: string, path: string) => (isReadable(path) ? router.find(method, path) : null)?.store ?? null;
  const methodsOf = (path: string) => {
    const found = [...methods].filter((method) => find(method, path) !== null);
    // Whoever may GET may ask for the headers alone, and everyone for the methods.
    if (found.length > 0) found.push(...(found.includes("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]));
    return found;
  };
  const paths = new Set(Object.keys(needs).map((route) => route.slice(route.indexOf(" ") + 1)));
  const hint = (path: string, before: string) => {
    const meant = nearestPath(path, paths);
    return meant === null ? "" : ` (did you mean ${before}${meant}?)`;
  };
  const unknown = (method: string, path: string) => {
    const allowed_methods = methodsOf(path);
    if (allowed_methods.length === 0) return new Fault("route_not_found", `There is no path ${path}${hint(path, "")}.`);
    return new Fault("method_not_allowed", `${method} is not possible here.`, { allowed_methods });
  };
  return { find, unknown, hint };
}

/** Whether every escape of a path is printable text; `%E0%A4%A` and `%00` are not, so they name nothing. */
function isReadable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
