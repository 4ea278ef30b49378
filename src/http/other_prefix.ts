import type { AnyElysia } from "elysia";

/**
 * Lets the routes below one prefix be called below another one, too. To mount them twice would take twice as long at
 * each start, and compile each that is called both ways twice.
 */
export function alsoBelow(app: AnyElysia, prefix: string, other: string): void {
  const { history, http, static: fixed } = app.router;
  for (const [at, route] of history.entries()) {
    if (!route.path.startsWith(prefix)) continue;
    const { method } = route;
    const path = other + route.path.slice(prefix.length);
    if (/[:*]/.test(path)) http.add(method, path, { compile: () => route.compile() });
    else fixed[path] = { ...fixed[path], [method]: at };
  }
}
