// Finds the route of a request, and refuses requests for unknown ones.
import { Memoirist } from "memoirist";
import { closest } from "../../core/did_you_mean.ts";
import { Fault } from "../../core/faults.ts";
import type { Route } from "../route.ts";

/** The routes of an app. Filled once, when the app is complete. */
export class RouteTable {
  readonly #router = new Memoirist<Route>();
  readonly #routes = new Map<string, Route>();
  #methods: readonly string[] = [];
  /** The segments of each path. */
  #patterns: readonly (readonly string[])[] = [];

  fill(routes: readonly Route[]): void {
    for (const route of routes) {
      this.#routes.set(route.name, route);
      this.#router.add(route.method, route.path, route);
    }
    this.#methods = [...new Set(routes.map(({ method }) => method))];
    this.#patterns = [...new Set(routes.map(({ path }) => path))].map(segmentsOf);
  }

  /** All routes, by name. */
  get all(): ReadonlyMap<string, Route> {
    return this.#routes;
  }

  /** The route of a method and a path after the version; null when there is none. */
  find(method: string, path: string): Route | null {
    return (isReadable(path) ? this.#router.find(method, path) : null)?.store ?? null;
  }

  /** Creates the fault of a request for an unknown path or method. */
  unknown(method: string, path: string): Fault {
    const allowed_methods = this.#methodsOf(path);
    if (allowed_methods.length > 0) {
      return new Fault("method_not_allowed", `${method} is not allowed on this path.`, { allowed_methods });
    }
    return new Fault("route_not_found", `The path ${path} does not exist${this.hint(path, "")}.`);
  }

  /**
   * Returns ` (did you mean /orders?)` when one of the paths was likely meant, with `before` as a prefix; else an empty
   * text.
   */
  hint(path: string, before: string): string {
    const requested = segmentsOf(path.replace(/^(?:\/api)?(?:\/v\d+)?(?=\/)/, ""));
    let patterns = this.#patterns.filter(({ length }) => length === requested.length);
    for (const [at, word] of requested.entries()) {
      const names = new Set(patterns.flatMap((pattern) => (isParameter(pattern[at]) ? [] : (pattern[at] ?? []))));
      const meant = names.has(word) ? word : closest(word, names);
      patterns = patterns.filter((pattern) => pattern[at] === meant || isParameter(pattern[at]));
    }
    const [found] = patterns;
    if (!found?.length) return "";
    const meant = found.map((name, at) => (isParameter(name) ? requested[at] : name));
    return ` (did you mean ${[before, ...meant].join("/")}?)`;
  }

  #methodsOf(path: string): string[] {
    const found = this.#methods.filter((method) => this.find(method, path) !== null);
    // HEAD is allowed where GET is, and OPTIONS everywhere.
    if (found.length > 0) found.push(...(found.includes("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]));
    return found;
  }
}

const segmentsOf = (path: string) => path.split("/").filter((segment) => segment !== "");
const isParameter = (segment: string | undefined) => segment?.startsWith(":");

/** Whether every escape of a path is printable text. `%E0%A4%A` and `%00` are not, so they match no route. */
function isReadable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
