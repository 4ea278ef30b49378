import { type Environment, environments } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Authenticator, Identity, IdentityRenewal } from "../../http/auth/identity.ts";
import type { GrantedPermissions } from "../../http/auth/permissions.ts";
import type { RateLimit } from "../../http/auth/rate_limits.ts";
import { isSecure, refuseCrossSite, refusePlain } from "../../http/origin.ts";
import type { Service } from "../../http/service.ts";
import type { Db } from "../../storage/database.ts";
import { merchant_header, unknownMerchant } from "../../storage/tenant.ts";
import type { User } from "../users/user.ts";
import { needsFactor } from "../users/user.ts";
import type { ActiveMembership, Session } from "./session.ts";
import { tokenHashOf, tokenIn } from "./session.ts";
import { touchSession } from "./sessions.sql.ts";
import { type ActiveSession, resumeSession } from "./sessions.ts";

const cached_ms = 500;
const cached_max = 1000;
const touch_every_ms = 300_000;
// A screen sends many requests at once, and a user may have many screens open.
const rate: RateLimit = { per_minute: 60_000, burst: 1000 };

/** The session's hash and the merchant in a request. */
type SessionRequest = Pick<CachedSession, "hash" | "named">;

/** A cached session. */
interface CachedSession extends Identity {
  readonly hash: string;
  /** The merchant that the request names by its header; null for none. */
  readonly named: string | null;
  readonly expires_at: number;
  /** Monotonic ms until which it is cached, unless this process changes a user. */
  readonly until: number;
  /** How many changes of users this process knew of when the session was looked up. */
  readonly changes: number;
}

/**
 * Authenticates by the session cookie. The header `Packhouse-Mode` names the environment; live is the default. With
 * the header `Packhouse-Merchant`, a user of several merchants chooses the one to act for. Users are in the live store,
 * so a write to the test store looks there first.
 * Refuses: authentication_required, insecure_connection, cross_site_request, malformed_header.
 */
export function sessionAuthenticator(service: Service): Authenticator {
  const { stores, log } = service;
  const { live } = stores;
  const remembered = new Map<string, CachedSession>();
  let changes = 0;
  live.onChange((followed) => {
    if (followed !== "users" && followed !== "merchants") return;
    changes += 1;
    remembered.clear();
  });
  const isFresh = (found: CachedSession) => found.changes === changes && performance.now() < found.until;
  const lookUp = async (
    db: Db,
    asked: SessionRequest,
    mode: Environment,
    as_of: { until: number; changes: number },
  ) => {
    const { hash, named } = asked;
    const going = await resumeSession(db, hash, named, unknown);
    return { going, found: { ...identityOf(going, service, mode), again, hash, named, ...as_of } };
  };
  const asOfNow = () => ({ until: performance.now() + cached_ms, changes });
  const latest = new WeakMap<CachedSession, CachedSession>();
  const again: IdentityRenewal = {
    confirm: async (identity, db) => {
      const before = identity as CachedSession;
      const found = latest.get(before) ?? before;
      if (db.mode !== live.mode) {
        // `renew` has just looked the user up. Only a later change by this process matters.
        if (found.changes === changes) return found;
        throw new Fault("write_conflict", "Permissions changed during this request. Send it again.");
      }
      return inTime(isFresh(found) ? found : (await lookUp(db, found, found.store.mode, asOfNow())).found, db.now);
    },
    renew: async (identity) => {
      const before = identity as CachedSession;
      if (before.store === live || isFresh(latest.get(before) ?? before)) return;
      const as_of = asOfNow();
      const { found } = await live.read((db) => lookUp(db, before, before.store.mode, as_of));
      latest.set(before, inTime(found, live.clock.now()));
    },
  };
  const find = async (request: Request, token: string) => {
    refusePlain(service, request);
    refuseCrossSite(service, request);
    const mode = modeOf(request);
    const named = request.headers.get(merchant_header);
    const name = `${mode}:${named ?? ""}:${token}`;
    const known = remembered.get(name);
    if (known !== undefined && isFresh(known)) return inTime(known, live.clock.now());
    const as_of = asOfNow();
    const { found, going } = await live.read((db) => lookUp(db, { hash: tokenHashOf(token), named }, mode, as_of));
    if (remembered.size >= cached_max) remembered.clear();
    remembered.set(name, found);
    const now = live.clock.now();
    inTime(found, now);
    if (now - going.session.last_seen_at > touch_every_ms) {
      const note = live.write((tx) => touchSession(tx, going.session.id));
      note.catch(() => log.warn("the last use of a session could not be stored"));
    }
    return found;
  };
  return {
    find: (request) => {
      if (!request.headers.has("cookie")) return null;
      const token = tokenIn(request, isSecure(service, request));
      return token === null ? null : find(request, token);
    },
  };
}

const unknown = () => unknownMerchant(merchant_header);

function identityOf({ user, session, acting }: ActiveSession, service: Service, mode: Environment) {
  const { merchant, views } = acting;
  return {
    type: "user",
    id: wireId("user", user.id),
    name: user.name,
    store: service.stores[mode],
    merchant_id: merchant?.id ?? null,
    ...(views && { views_only: true as const }),
    ...(session.device_id !== null && { by_badge: true as const }),
    granted: grantedTo(user, session, acting, service),
    rate,
    addresses: null,
    expires_at: session.expires_at,
  } as const;
}

/** The permissions of a session. One by badge needs no second factor: it has its device, the badge and the PIN. */
function grantedTo(
  user: User,
  { device_id }: Session,
  { membership }: ActiveMembership,
  service: Service,
): GrantedPermissions {
  const { role, permissions } = membership;
  const lacks_factor = device_id === null && !user.has_factor && needsFactor(user, service);
  if (lacks_factor) return { permissions: new Set(), by: "role", name: role, lacks_factor };
  return { permissions: new Set(permissions), by: "role", name: role };
}

function modeOf({ headers }: Request): Environment {
  const name = headers.get("packhouse-mode") ?? "live";
  const mode = environments.find((environment) => environment === name);
  if (mode === undefined) throw new Fault("malformed_header", "Packhouse-Mode must be live or test.");
  return mode;
}

const ended = () => new Fault("authentication_required", "Your session has ended. Sign in again.");

function inTime(found: CachedSession, now: number): CachedSession {
  if (found.expires_at <= now) throw ended();
  return found;
}
