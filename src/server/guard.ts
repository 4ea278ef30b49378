import { Fault } from "../core/faults.ts";
import type { RequestScopes } from "../http/auth/authentication.ts";
import { type Authenticators, authentication, checkAddress, type Identity } from "../http/auth/authentication.ts";
import { type GrantedPermissions, levelFor, missingPermissions, permissions } from "../http/auth/permissions.ts";
import { limiter } from "../http/auth/rate_limits.ts";
import type { RouteTable } from "../http/auth/route_table.ts";
import type { Call } from "../http/call.ts";
import type { AdmitRequest } from "../http/conventions.ts";
import { requestPathOf } from "../http/request_head.ts";
import { json, refuseSize } from "../http/request_input.ts";
import type { Route } from "../http/route.ts";
import { clientOf, type Service } from "../http/service.ts";
import { type ResponseMemoryShare, traceOf } from "../http/trace.ts";
import { recordingOf } from "../identity/audit_log/request_recording.ts";
import type { Db, Store } from "../storage/database.ts";
import { unscoped } from "../storage/scope.ts";

// The guard of every route: authentication, rate limits, permissions and tenant scope.

// Paths outside of the versioned API that need a key or a session.
const guarded_paths = /^\/metrics$|^\/dashboard\//;

const of_nobody: GrantedPermissions = { permissions: new Set(), by: "level", name: "none" };

/**
 * Checks every request: authentication, address, rate limit, route and permission, in this order. A change of a key or
 * user by this process takes effect at once, also for admitted requests that have not written yet. A change by another
 * process takes effect within half a second, because keys and users are cached that long.
 * Refuses: authentication_required, ip_not_allowed, rate_limited, insufficient_permission, not_for_merchants,
 * merchant_suspended, view_only, route_not_found, method_not_allowed, and what the authenticators refuse.
 */
export function guard(
  service: Service,
  authenticators: Authenticators,
  routes: RouteTable,
  scopes: RequestScopes,
): AdmitRequest {
  const authenticate = authentication(service, authenticators);
  const limit = limiter();
  const { live } = service.stores;
  const { secret_key: cursor_secret, base_url, known_hosts } = service;
  const base = { live, cursor_secret, base_url, known_hosts };
  return async (request, request_id) => {
    const { path, versioned } = requestPathOf(request.url);
    const route = routes.find(request.method === "HEAD" ? "GET" : request.method, path);
    const trace = traceOf(request);
    const { headers } = trace;
    if (request.method !== "GET") refuseSize(request, route?.sends ?? json);
    trace.route = route?.path ?? null;
    const call = { ...base, request, request_id, path, raw_body: "", headers };
    if (route?.need === "none") return { ...call, ...anonymous(request_id), route, store: live };
    if (!versioned && !guarded_paths.test(path)) {
      throw new Fault("route_not_found", `Path not found. API paths start with /v1${routes.hint(path, "/v1")}.`);
    }
    const identity = await authenticate(request);
    const { type, id, name, granted, again, merchant_id } = identity;
    Object.assign(trace, { actor_id: id, reader: readerOf(identity) });
    // Browsers cache by URL only, and two environments or users can have equal ETags: a 304 would show one of them the
    // other's data.
    headers["cache-control"] = type === "user" ? "private, no-store" : "private, no-cache";
    trace.mode = identity.store.mode;
    if (request.url.includes("/api/v1/")) addLink(headers, `<${service.base_url}/v1${path}>; rel="canonical"`);
    if (identity.addresses !== null) checkAddress(service, request, identity.addresses, headers);
    if (identity.rate !== null) limit(identity, identity.rate, live.clock.now(), headers);
    if (route === null) throw routes.unknown(request.method, path);
    if (!isPermitted(identity, route)) throw insufficient(identity, route);
    if (merchant_id !== null) await scopes.admit(identity, route);
    const actor = { type, id, name, request_id } as const;
    const caller = route.live_only ? { ...identity, store: live } : identity;
    const named = route.of_merchants ? merchantIn(request.url) : null;
    const scoped = await scopes.of(caller, { request, path, creates: route.writes, named });
    const { store } = scoped;
    trace.merchant_id = merchantOf(store);
    const narrowed = (merchant: unknown) => {
      const other = scoped.scopeOf(merchant);
      trace.merchant_id = merchantOf(other);
      return other;
    };
    // Users' own account routes concern no merchant's records.
    const scopeOf = route.need === "user" ? null : narrowed;
    const is_audited = route.writes && (type === "user" || route.of_settings);
    const recording = is_audited ? recordingOf(live, service.log, clientOf(service, request)) : null;
    const confirm = async (db: Db) => {
      // Unscoped, because the caller is found whichever merchant's records the request concerns.
      const renewed = await again.confirm(identity, db.scoped(unscoped));
      if (renewed === identity) return;
      if (renewed.merchant_id !== merchant_id || renewed.views_only !== identity.views_only) {
        throw new Fault("write_conflict", "The merchant that you view changed during this request. Send it again.");
      }
      if (renewed.addresses !== null) checkAddress(service, request, renewed.addresses, {});
      if (!isPermitted(renewed, route)) throw insufficient(renewed, route);
      // A caller that lost other permissions than the one for this route has to send the request again.
      if (missingPermissions(renewed.granted, granted.permissions).length === 0) return;
      throw new Fault("write_conflict", "Your permissions changed during this request. Send it again.");
    };
    const { renew } = again;
    const beforehand = renew === null ? null : () => renew(identity);
    const admitted = { route, granted, writes: route.writes, store, scopeOf, merchant_id, actor, recording };
    return { ...call, ...admitted, renew: beforehand, confirm } satisfies Call;
  };
}

type RouteAccess = Pick<Route, "need" | "live_only">;

/** Whether a key or user has the permission that a route needs. */
function isPermitted({ type, granted, store }: Identity, { need, live_only }: RouteAccess): boolean {
  if (need === "any") return true;
  if (need === "user") return type === "user";
  if (live_only && type === "api_key" && store.mode === "test") return false;
  return need !== "none" && granted.permissions.has(need);
}

/** Creates the fault of a request without the permission that its route needs. */
function insufficient({ granted, store }: Identity, { need, live_only }: RouteAccess): Fault {
  if (need === "none" || need === "any" || need === "user") {
    return new Fault("insufficient_permission", "This route requires a signed-in user, not an API key.", {
      required: "user",
      granted: granted.name,
    });
  }
  if (granted.lacks_factor) {
    return new Fault("second_factor_setup_required", "Set up two-factor authentication first, in your profile.", {
      role: granted.name,
    });
  }
  if (granted.by === "role") {
    const message = `Your role ${granted.name} lacks the permission ${need} (${permissions[need].toLowerCase()}).`;
    return new Fault("insufficient_permission", message, { permission: need, role: granted.name });
  }
  const required = levelFor(need);
  const isElsewhere = live_only && store.mode === "test";
  const message = isElsewhere
    ? `This exists only in live data. It requires a live key with ${required} permission.`
    : `This requires a key with ${required} permission.`;
  return new Fault("insufficient_permission", message, { required, granted: granted.name });
}

/** The caller of a public route, without permissions. */
function anonymous(request_id: string) {
  const actor = { type: "system", id: "public", name: "Public", request_id } as const;
  const none = {
    writes: false,
    recording: null,
    renew: null,
    confirm: async () => {},
    merchant_id: null,
    scopeOf: null,
  };
  return { ...none, actor, granted: of_nobody };
}

/** All keys and users of a merchant share one allowance of memory for unread responses. */
const readerOf = ({ id, merchant_id }: Identity): ResponseMemoryShare => ({
  key: id,
  owner: merchant_id === null ? id : `mer_${merchant_id}`,
});

const merchantOf = ({ scope }: Store) => scope.visible ?? scope.owner;

/** The query parameter `merchant`, or null. */
function merchantIn(url: string): string | null {
  const at = url.indexOf("?");
  return at < 0 || !url.includes("merchant=", at) ? null : new URLSearchParams(url.slice(at)).get("merchant");
}

function addLink(headers: Record<string, string>, link: string): void {
  headers["link"] = headers["link"] === undefined ? link : `${headers["link"]}, ${link}`;
}
