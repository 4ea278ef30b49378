import { Memoirist } from "memoirist";
import type { Store } from "../database/store.ts";
import { addressList, clientAddress } from "../http/address.ts";
import type { Call } from "../http/call.ts";
import type { Admit } from "../http/conventions.ts";
import type { Service } from "../http/service.ts";
import { traceOf } from "../http/trace.ts";
import { assert } from "../kit/assert.ts";
import { Fault } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import { type ApiKey, hashOf, modeOf } from "./key.ts";
import { grants } from "./permission.ts";
import { type RouteNeed, routeNeeds } from "./permissions.ts";
import { findKeyByHash, touchKey } from "./store.ts";

const remembered_ms = 500;
const remembered_max = 1000;
const touch_every_ms = 600_000;

/** Throws when a route of the app has no row in the table of permissions, or a row has no route. */
export function checkRouteNeeds(routes: readonly string[]): void {
  const rows = new Set(Object.keys(routeNeeds));
  for (const route of routes) assert(rows.delete(route), `${route} has no row in the table of permissions`);
  assert(rows.size === 0, `the table of permissions has rows without a route: ${[...rows].join(", ")}`);
}

/**
 * The gate every request passes: route, API key, address, permission, in this order. Revoking a key acts within half a
 * second, for so long is a key remembered.
 * Refuses: authentication_required, invalid_api_key, api_key_revoked, api_key_expired, ip_not_allowed,
 * insufficient_permission, route_not_found, method_not_allowed.
 */
export function guard(service: Service): Admit {
  const routes = routeTable();
  const keyOf = keyFinder(service);
  const { secret_key: cursor_secret, base_url } = service;
  return async (request, request_id) => {
    const path = pathOf(request.url);
    const route = routes.find(request.method === "HEAD" ? "GET" : request.method, path);
    const call = { request, request_id, path, raw_body: "", cursor_secret, base_url };
    const trace = traceOf(request);
    trace.route = route?.path ?? null;
    if (route?.need === "none") {
      const actor = { type: "system", id: "public", name: "Public", request_id } as const;
      return { ...call, key: null, store: service.stores.live, actor, headers: {} };
    }
    const { key, store } = await keyOf(request);
    trace.key_id = wireId("key", key.id);
    trace.mode = store.mode;
    const headers: Record<string, string> = {};
    if (request.url.includes("/api/v1/")) headers["link"] = `<${base_url}/v1${path}>; rel="canonical"`;
    checkAddress(service, request, key, headers);
    if (route === null) throw await unknownRoute(routes, path, request.method);
    if (!grants(key.permission, route.need)) {
      throw new Fault("insufficient_permission", `This needs a key with permission ${route.need}.`, {
        required: route.need,
        granted: key.permission,
      });
    }
    const actor = { type: "api_key", id: trace.key_id, name: key.name, request_id } as const;
    return { ...call, key, store, actor, headers } satisfies Call;
  };
}

/** The path of an address below its version: `/orders/ord_1042` for `/v1/…` and `/api/v1/…` alike. */
function pathOf(url: string): string {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", from);
  const path = from < 0 ? "/" : url.slice(from, query < 0 ? undefined : query);
  if (path.startsWith("/v1/")) return path.slice("/v1".length);
  return path.startsWith("/api/v1/") ? path.slice("/api/v1".length) : path;
}

interface RouteRow {
  /** Its pattern below the version. */
  readonly path: string;
  readonly need: RouteNeed;
}

interface RouteTable {
  readonly find: (method: string, path: string) => RouteRow | null;
  readonly methodsOf: (path: string) => string[];
}

function routeTable(): RouteTable {
  const router = new Memoirist<RouteRow>();
  const methods = new Set<string>();
  for (const [route, need] of Object.entries(routeNeeds)) {
    const [method = "", path = ""] = route.split(" ");
    methods.add(method);
    router.add(method, path, { path, need });
  }
  const find = (method: string, path: string) =>
    (isReadable(path) ? router.find(method, path) : null)?.store ?? null;
  return { find, methodsOf: (path) => [...methods].filter((method) => find(method, path) !== null) };
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

async function unknownRoute(routes: RouteTable, path: string, method: string): Promise<Fault> {
  const allowed_methods = routes.methodsOf(path);
  if (allowed_methods.length === 0) return new Fault("route_not_found", `There is no path ${path}.`);
  return new Fault("method_not_allowed", `${method} is not possible here.`, { allowed_methods });
}

interface Found {
  readonly key: ApiKey;
  readonly store: Store;
}

/** Finds the key of a request; one found is remembered for half a second. */
function keyFinder({ stores, log }: Service): (request: Request) => Promise<Found> {
  const remembered = new Map<string, Found & { readonly until: number }>();
  return async (request) => {
    const text = bearerOf(request);
    const mode = modeOf(text);
    if (mode === null) throw new Fault("invalid_api_key", "This is not an API key, or it was copied incompletely.");
    const store = stores[mode];
    const now = store.clock.now();
    const known = remembered.get(text);
    if (known !== undefined && performance.now() < known.until) return alive(known, now);
    const key = await store.read((db) => findKeyByHash(db, hashOf(text)));
    if (key === null) throw new Fault("invalid_api_key", "There is no such API key.");
    if (remembered.size >= remembered_max) remembered.clear();
    const found = { key, store, until: performance.now() + remembered_ms };
    remembered.set(text, found);
    if (now - (key.last_used_at ?? 0) > touch_every_ms) {
      store.write((tx) => touchKey(tx, key.id)).catch(() => log.warn("the last use of a key was not noted"));
    }
    return alive(found, now);
  };
}

function alive(found: Found, now: number): Found {
  const { revoked_at, expires_at } = found.key;
  if (revoked_at !== null && revoked_at <= now) throw new Fault("api_key_revoked", "This API key was revoked.");
  if (expires_at !== null && expires_at <= now) throw new Fault("api_key_expired", "This API key has expired.");
  return found;
}

function bearerOf(request: Request): string {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === undefined) {
    throw new Fault("authentication_required", "Send your API key as Authorization: Bearer ph_….");
  }
  return token;
}

/** Refuses a client outside the key's list, or only tells it so while the list is observed. */
function checkAddress(service: Service, request: Request, key: ApiKey, headers: Record<string, string>): void {
  if (key.ip_mode === "off") return;
  const forwarded_for = request.headers.get("x-forwarded-for");
  const address = clientAddress(service.peerOf(request), forwarded_for, service.trusted_proxies);
  const allowed = address !== null && addressList(key.ip_list).includes(address);
  if (key.ip_mode === "observe") headers["x-ip-allowlist"] = allowed ? "allowed" : "denied";
  else if (!allowed) throw new Fault("ip_not_allowed", "This API key may not be used from your address.");
}
