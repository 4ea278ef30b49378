import { Fault, type FaultCode } from "../core/faults.ts";
import { networkOf } from "../core/ip_addresses.ts";
import type { AddressRule, Identity } from "../http/auth/identity.ts";
import {
  type GrantedPermissions,
  levelFor,
  missingPermissions,
  permissions,
  permissionsIn,
} from "../http/auth/permissions.ts";
import { failureCounter, limiter } from "../http/auth/rate_limits.ts";
import type { Call } from "../http/call.ts";
import { json, refuseSize, requestPathOf } from "../http/request_input.ts";
import type { AdmitRequest } from "../http/request_pipeline.ts";
import type { Route } from "../http/route.ts";
import type { RouteTable } from "../http/routes.ts";
import { clientOf, type Service } from "../http/service.ts";
import { type ResponseMemoryShare, traceOf } from "../http/trace.ts";
import { keyAuthenticator, withoutKey } from "../identity/api_keys/authenticate_key.ts";
import { recordingOf } from "../identity/audit_log/request_recording.ts";
import { sessionAuthenticator } from "../identity/sessions/authenticate_session.ts";
import { refuseRoute, scopeOfRequest } from "../merchants/tenant_scopes.ts";
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
 * Refuses: authentication_required, ip_not_allowed, rate_limited, insufficient_permission, live_only,
 * not_for_merchants, merchant_suspended, view_only, route_not_found, method_not_allowed, and what the authenticators
 * refuse.
 */
export function guard(service: Service, routes: RouteTable): AdmitRequest {
  const authenticate = authentication(service);
  const limit = limiter();
  const { live } = service.stores;
  const { secret_key: cursor_secret, base_url, known_hosts } = service;
  const { expansions } = routes;
  const base = { live, cursor_secret, base_url, known_hosts, expansions };
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
    await refuseUnpermitted(identity, route);
    const actor = { type, id, name, request_id } as const;
    const caller = route.live_only ? { ...identity, store: live } : identity;
    const named = route.of_merchants ? merchantIn(request.url) : null;
    const scoped = await scopeOfRequest(caller, { request, path, creates: route.writes, named });
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

/**
 * Identifies the key or user of a request. After too many failures, requests with invalid credentials from the same
 * address are refused for a while.
 * Refuses: authentication_required, rate_limited, and what the authenticators refuse.
 */
function authentication(service: Service) {
  // The first kind of credentials that a request has is used.
  const authenticators = [keyAuthenticator(service), sessionAuthenticator(service)];
  const failed = failureCounter();
  const { clock } = service.stores.live;
  const secondsToWait = (request: Request) => failed(networkOf(clientOf(service, request) ?? "unknown"), clock.now());
  return async (request: Request): Promise<Identity> => {
    for (const authenticator of authenticators) {
      const identity = authenticator.find(request);
      if (identity === null) continue;
      return identity.catch((error) => {
        throw refusalOf(error, () => secondsToWait(request));
      });
    }
    throw withoutKey(request);
  };
}

const failures: readonly FaultCode[] = ["invalid_api_key", "api_key_revoked", "api_key_expired"];

/**
 * The fault of a request that failed to authenticate: the reason, or rate_limited when its address has failed too
 * often. Missing credentials and ended sessions, which cannot be guessed, do not count as failures.
 */
function refusalOf(error: unknown, secondsToWait: () => number): unknown {
  if (!(error instanceof Fault) || !failures.includes(error.code)) return error;
  const retry_after_seconds = secondsToWait();
  if (retry_after_seconds === 0) return error;
  return new Fault("rate_limited", "Too many requests with invalid API keys.", { retry_after_seconds });
}

/** Refuses a client whose address is not in its key's list. In `observe` mode, only a header reports it. */
function checkAddress(
  service: Service,
  request: Request,
  { list, mode }: AddressRule,
  headers: Record<string, string>,
): void {
  const address = clientOf(service, request);
  const allowed = address !== null && list.includes(address);
  if (mode === "observe") {
    headers["x-ip-allowlist"] = allowed ? "allowed" : "denied";
    traceOf(request).outside = !allowed;
  } else if (!allowed) throw new Fault("ip_not_allowed", "This API key cannot be used from your IP address.");
}

/**
 * Refuses a request that its key or user may not send. Refuses: live_only, insufficient_permission,
 * second_factor_setup_required, not_for_merchants, merchant_suspended, view_only.
 */
async function refuseUnpermitted(identity: Identity, route: Route): Promise<void> {
  const elsewhere = liveOnly(identity, route);
  if (elsewhere === null && !isPermitted(identity, route)) throw insufficient(identity, route);
  if (identity.merchant_id !== null) await refuseRoute(identity, route);
  if (elsewhere !== null) throw elsewhere;
}

/**
 * Creates the fault of a test key, of whatever level, on a route whose data exists only in the live environment. Null
 * for other requests: users' sessions get the live data of such a route in either environment.
 */
function liveOnly({ type, store }: Identity, { need, live_only }: RouteAccess): Fault | null {
  if (!live_only || type !== "api_key" || store.mode === "live") return null;
  if (need === "none" || need === "any" || need === "user") return null;
  const [permission] = permissionsIn(need);
  const required = levelFor(permission);
  const remedy = `Use a live key (ph_live_…) with ${required} permission.`;
  return new Fault("live_only", `This exists only in the live environment, and your key is a test key. ${remedy}`, {
    required,
  });
}

type RouteAccess = Pick<Route, "need" | "live_only">;

/** Whether a key or user has the permission that a route needs. */
function isPermitted({ type, granted, by_badge }: Identity, { need, writes }: Pick<Route, "need" | "writes">): boolean {
  if (need === "any") return true;
  if (need === "user") return type === "user" && !(by_badge && writes);
  return need !== "none" && permissionsIn(need).some((permission) => granted.permissions.has(permission));
}

const no_account_by_badge = "You signed in by badge. Sign in with your password to change your account.";

/** Creates the fault of a request without the permission that its route needs. */
function insufficient({ granted, by_badge }: Identity, { need }: Pick<Route, "need">): Fault {
  if (need === "none" || need === "any" || need === "user") {
    if (by_badge) return new Fault("insufficient_permission", no_account_by_badge, { required: "password" });
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
  const [permission] = permissionsIn(need);
  if (granted.by === "role") {
    const what = permissions[permission].toLowerCase();
    const whose = by_badge ? "A sign-in by badge" : `Your role ${granted.name}`;
    const message = `${whose} lacks the permission ${permission} (${what}).`;
    return new Fault("insufficient_permission", message, { permission, role: granted.name });
  }
  const required = levelFor(permission);
  const message = `This requires a key with ${required} permission.`;
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
