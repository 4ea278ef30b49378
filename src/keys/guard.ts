import { Memoirist } from "memoirist";
import type { Db, Store } from "../database/store.ts";
import type { Call } from "../http/call.ts";
import type { Admit } from "../http/conventions.ts";
import { checkDeprecations, type Deprecation, deprecationHeaders, deprecations } from "../http/deprecations.ts";
import { nearestPath } from "../http/nearest_path.ts";
import { placeOf } from "../http/path.ts";
import { clientOf, type Service } from "../http/service.ts";
import { traceOf } from "../http/trace.ts";
import { type AddressList, addressList, networkOf } from "../kit/address.ts";
import { assert } from "../kit/assert.ts";
import { Fault, type FaultCode } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import { type ApiKey, hashOf, modeOf } from "./key.ts";
import {
  type Bucket,
  failureCounter,
  fullBucket,
  type Rate,
  rateOf,
  secondsToFull,
  take,
  tellLimit,
} from "./limits.ts";
import { grants } from "./permission.ts";
import { type RouteNeed, routeNeeds } from "./permissions.ts";
import { misplacedKey, statusOf } from "./rules.ts";
import { findKeyByHash, keys_changed, touchKey } from "./store.ts";

const remembered_ms = 500;
const remembered_max = 1000;
// What is asked with a key, but is of no version.
const beside: readonly string[] = ["/metrics"];
const touch_every_ms = 600_000;

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
}

/**
 * The gate every request passes: API key, address, rate, route, permission, in this order. What becomes of a key in
 * this process acts at once, also on requests that were let in and have not written yet; what another process decides
 * of it acts within half a second, for so long is a key remembered.
 * Refuses: authentication_required, invalid_api_key, api_key_revoked, api_key_expired, ip_not_allowed, rate_limited,
 * insufficient_permission, route_not_found, method_not_allowed.
 */
export function guard(service: Service, tables: RouteTables = { needs: routeNeeds, deprecated: deprecations }): Admit {
  const routes = routeTable(tables, service.base_url);
  const keys = keyFinder(service);
  const limit = limiter();
  const failed = failureCounter();
  const { live } = service.stores;
  const { secret_key: cursor_secret, base_url, known_hosts } = service;
  const base = { cursor_secret, base_url, known_hosts };
  return async (request, request_id) => {
    const { path, versioned } = placeOf(request.url);
    const route = routes.find(request.method === "HEAD" ? "GET" : request.method, path);
    const trace = traceOf(request);
    const { headers } = trace;
    trace.route = route?.path ?? null;
    if (route?.headers !== undefined) Object.assign(headers, route.headers);
    const call = { ...base, request, request_id, path, raw_body: "", headers };
    if (route?.need === "none") {
      const actor = { type: "system", id: "public", name: "Public", request_id } as const;
      return { ...call, key: null, writes: false, store: live, actor, confirm: async () => {} };
    }
    if (!versioned && !beside.includes(path)) {
      throw new Fault("route_not_found", `There is no such path; the API begins at /v1${routes.hint(path, "/v1")}.`);
    }
    const found = await keys.find(request).catch((error) => {
      throw refusalOf(error, () => failed(networkOf(clientOf(service, request) ?? "unknown"), live.clock.now()));
    });
    const { key, store } = found;
    trace.key_id = found.id;
    trace.mode = store.mode;
    if (request.url.includes("/api/v1/")) addLink(headers, `<${service.base_url}/v1${path}>; rel="canonical"`);
    checkAddress(service, request, found, headers);
    if (found.rate !== null) limit(key.id, found.rate, live.clock.now(), headers);
    if (route === null) throw unknownRoute(routes, path, request.method);
    if (!grants(key.permission, route.need)) {
      throw new Fault("insufficient_permission", `This needs a key with permission ${route.need}.`, {
        required: route.need,
        granted: key.permission,
      });
    }
    const actor = { type: "api_key", id: found.id, name: key.name, request_id } as const;
    const writes = request.method !== "GET" && request.method !== "HEAD" && route.need !== "read";
    const confirm = async (db: Db) => {
      const renewed = await keys.renew(found, db);
      if (renewed !== found) checkAddress(service, request, renewed, {});
    };
    return { ...call, key, writes, store, actor, confirm } satisfies Call;
  };
}

function addLink(headers: Record<string, string>, link: string): void {
  headers["link"] = headers["link"] === undefined ? link : `${headers["link"]}, ${link}`;
}

interface RouteRow {
  /** Its pattern below the version. */
  readonly path: string;
  readonly need: RouteNeed;
  /** What each of its answers carries. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

interface RouteTable {
  readonly find: (method: string, path: string) => RouteRow | null;
  readonly methodsOf: (path: string) => string[];
  /** ` (did you mean /orders?)` when one of the paths was likely meant; `before` stands before it. */
  readonly hint: (path: string, before: string) => string;
}

function routeTable({ needs, deprecated }: RouteTables, base_url: string): RouteTable {
  const router = new Memoirist<RouteRow>();
  const methods = new Set<string>();
  for (const [route, need] of Object.entries(needs)) {
    const [method = "", path = ""] = route.split(" ");
    const deprecation = deprecated[route];
    methods.add(method);
    router.add(method, path, { path, need, headers: deprecation && deprecationHeaders(deprecation, base_url) });
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
  return { find, methodsOf, hint };
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

function unknownRoute(routes: RouteTable, path: string, method: string): Fault {
  const allowed_methods = routes.methodsOf(path);
  if (allowed_methods.length === 0) {
    return new Fault("route_not_found", `There is no path ${path}${routes.hint(path, "")}.`);
  }
  return new Fault("method_not_allowed", `${method} is not possible here.`, { allowed_methods });
}

/** A key and what follows from it for each of its requests. */
interface Found {
  readonly key: ApiKey;
  readonly id: string;
  readonly store: Store;
  readonly rate: Rate | null;
  /** Null while every address will do. */
  readonly allowed: AddressList | null;
  /** Monotonic ms: until then nobody need look again, unless a key is changed in this process. */
  readonly until: number;
  /** How many changes of keys this process knew of when the key was looked up. */
  readonly changes: number;
}

/** How keys are found, and looked at again. */
interface KeyFinder {
  /** The key of a request. Refuses: authentication_required, invalid_api_key, api_key_revoked, api_key_expired. */
  readonly find: (request: Request) => Promise<Found>;
  /** What a key is in a view of its store, looked up where it may have changed. Refuses as `find` does. */
  readonly renew: (found: Found, db: Db) => Promise<Found>;
}

/** Finds keys. One found is remembered for half a second, by the header that shows it, unless a commit changes keys. */
function keyFinder({ stores, log }: Service): KeyFinder {
  const remembered = new Map<string, Found>();
  let changes = 0;
  for (const store of Object.values(stores)) {
    store.onWake((name) => {
      if (name !== keys_changed) return;
      changes += 1;
      remembered.clear();
    });
  }
  const isFresh = (found: Found) => found.changes === changes && performance.now() < found.until;
  // Taken before a look: what changes meanwhile may not be seen by it.
  const asOfNow = () => ({ until: performance.now() + remembered_ms, changes });
  const lookUp = async (db: Db, store: Store, hash: string, as_of: ReturnType<typeof asOfNow>): Promise<Found> => {
    const key = await findKeyByHash(db, hash);
    if (key === null) throw new Fault("invalid_api_key", "There is no such API key.");
    const allowed = key.ip_mode === "off" ? null : addressList(key.ip_list);
    const rate = rateOf(key.rate_limit_per_minute);
    return { key, id: wireId("key", key.id), store, rate, allowed, ...as_of };
  };
  const find = async (request: Request) => {
    const header = request.headers.get("authorization") ?? "";
    const known = remembered.get(header);
    if (known !== undefined && isFresh(known)) return alive(known, known.store.clock.now());
    const text = bearerOf(request);
    const mode = modeOf(text);
    if (mode === null) throw new Fault("invalid_api_key", "This is not an API key, or it was copied incompletely.");
    const store = stores[mode];
    const now = store.clock.now();
    const as_of = asOfNow();
    const found = await store.read((db) => lookUp(db, store, hashOf(text), as_of));
    if (remembered.size >= remembered_max) remembered.clear();
    remembered.set(header, found);
    alive(found, now);
    const { id, last_used_at } = found.key;
    if (now - (last_used_at ?? 0) > touch_every_ms) {
      store.write((tx) => touchKey(tx, id)).catch(() => log.warn("the last use of a key was not noted"));
    }
    return found;
  };
  const renew = async (found: Found, db: Db) =>
    alive(isFresh(found) ? found : await lookUp(db, found.store, found.key.hash, asOfNow()), db.now);
  return { find, renew };
}

function alive(found: Found, now: number): Found {
  const status = statusOf(found.key, now);
  if (status === "revoked") throw new Fault("api_key_revoked", "This API key was revoked.");
  if (status === "expired") throw new Fault("api_key_expired", "This API key has expired.");
  return found;
}

function bearerOf({ headers, url }: Request): string {
  const authorization = headers.get("authorization") ?? "";
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token !== undefined) return token;
  const at = url.indexOf("?");
  const misplaced = misplacedKey(headers, at < 0 ? "" : url.slice(at + 1));
  throw new Fault("authentication_required", `${misplaced}Send your API key as Authorization: Bearer ph_….`);
}

const failures: readonly FaultCode[] = ["invalid_api_key", "api_key_revoked", "api_key_expired"];

/**
 * What a request is told that failed to authenticate: why, or, when its address has failed too often, to wait. Who
 * shows no key tries none, so that is not counted.
 */
function refusalOf(error: unknown, secondsToWait: () => number): unknown {
  if (!(error instanceof Fault) || !failures.includes(error.code)) return error;
  const retry_after_seconds = secondsToWait();
  if (retry_after_seconds === 0) return error;
  return new Fault("rate_limited", "Too many requests with keys that are not valid.", { retry_after_seconds });
}

/** Refuses a client outside the key's list, or only tells it so while the list is observed. */
function checkAddress(
  service: Service,
  request: Request,
  { allowed: list, key: { ip_mode } }: Found,
  headers: Record<string, string>,
): void {
  if (list === null) return;
  const address = clientOf(service, request);
  const allowed = address !== null && list.includes(address);
  if (ip_mode === "observe") headers["x-ip-allowlist"] = allowed ? "allowed" : "denied";
  else if (!allowed) throw new Fault("ip_not_allowed", "This API key may not be used from your address.");
}

/** Takes a token of a key's bucket for each request, and tells it what is left. Refuses: rate_limited. */
function limiter() {
  // One for each key that was ever shown here: they are few, and each was made by an operator.
  const buckets = new Map<number, Bucket>();
  return (id: number, rate: Rate, now: number, headers: Record<string, string>): void => {
    let bucket = buckets.get(id);
    if (bucket === undefined) {
      bucket = fullBucket(rate, now);
      buckets.set(id, bucket);
    }
    const taken = take(bucket, rate, now);
    tellLimit(headers, bucket, rate, now);
    if (taken) return;
    const retry_after_seconds = secondsToFull(bucket, rate);
    const limit = `at most ${rate.burst} requests at once, and ${rate.per_minute} a minute`;
    throw new Fault("rate_limited", `This key may send ${limit}.`, { retry_after_seconds });
  };
}
