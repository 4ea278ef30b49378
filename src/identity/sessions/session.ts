import { createHash } from "node:crypto";
import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import { shownToMerchant } from "../../http/auth/merchant_permissions.ts";
import { floorPermissions, type Permission } from "../../http/auth/permissions.ts";
import {
  briefView,
  type Membership,
  type MerchantBrief,
  membershipAt,
  membershipView,
  openMemberships,
  type User,
} from "../users/user.ts";

/** How long a session lasts. */
export const session_ms = 30 * day_ms;

/** How long a session by badge lasts: a shift with its breaks. */
export const badge_session_ms = day_ms / 2;

/** A session of a user, usually one browser. */
export interface Session {
  readonly id: number;
  readonly user_id: number;
  readonly hash: string;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly expires_at: number;
  readonly ip: string | null;
  readonly user_agent: string | null;
  /** The merchant that the user has chosen to act for; null for the first membership. */
  readonly acts_for: number | null;
  /** The merchant that a user of the operator views as. */
  readonly views_as: number | null;
  /** The device on which the user signed in by badge; null for a session with a password. */
  readonly device_id: number | null;
}

/** The token in a cookie or a link: 32 random bytes as base64url. */
export const tokenOf = (random: Uint8Array): string => Buffer.from(random).toString("base64url");

/**
 * The token of a session by badge. It is one character longer than others, so that versions from before badges do not
 * accept it: they would give its session all permissions of the user.
 */
export const badgeTokenOf = (random: Uint8Array): string => `b${tokenOf(random)}`;

/** The hash of a token, as it is stored. */
export const tokenHashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** A cookie that holds a token: its name, and how long it lasts. */
interface TokenCookie {
  readonly name: string;
  readonly lasts_ms: number;
}

const session_cookie: TokenCookie = { name: "sid", lasts_ms: session_ms };

/** The name of a cookie; over an encrypted connection it is bound to this host. */
const cookieName = ({ name }: TokenCookie, secure: boolean) => (secure ? `__Host-${name}` : name);

/** The token that a request's cookie holds, by default that of the session, or null. */
export function tokenIn(request: Request, secure: boolean, cookie = session_cookie): string | null {
  const header = request.headers.get("cookie");
  if (header === null) return null;
  const name = cookieName(cookie, secure);
  const found = header.split(/; */).find((part) => part.startsWith(`${name}=`));
  const token = found?.slice(name.length + 1) ?? "";
  return /^b?[\w-]{43}$/.test(token) ? token : null;
}

/** The `Set-Cookie` header with a token, by default that of a session; null removes the cookie. */
export function cookieOf(token: string | null, secure: boolean, cookie: Partial<TokenCookie> = {}): string {
  const { name, lasts_ms } = { ...session_cookie, ...cookie };
  const [value, age] = token === null ? ["", 0] : [token, lasts_ms / 1000];
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? "; Secure" : ""}`;
  return `${cookieName({ name, lasts_ms }, secure)}=${value}; ${attributes}`;
}

/** A merchant as its users see it. */
interface OwnMerchant extends MerchantBrief {
  readonly status: string;
  readonly may_buy_labels: boolean;
}

/** The merchants by their ids, and which of them are closed. */
interface KnownMerchants {
  byId(id: number): OwnMerchant | null;
  readonly isClosed: (id: number) => boolean;
}

/** The membership that a user acts as. */
export interface ActiveMembership {
  readonly membership: Membership;
  /** The merchant whose records are visible; null for those of all merchants. */
  readonly merchant: OwnMerchant | null;
  /** Whether the user belongs to the operator and only views as that merchant. */
  readonly views: boolean;
}

/**
 * The membership that a session acts as: the chosen one, otherwise the first open one. A merchant's user may name
 * another of their merchants for a single request. A session by badge acts for the operator, with the permissions for
 * work on the floor only. Null without such a membership.
 */
export function activeMembershipOf(
  { memberships }: Pick<User, "memberships">,
  { acts_for, views_as, device_id }: Pick<Session, "acts_for" | "views_as" | "device_id">,
  merchants: KnownMerchants,
  named: number | null,
): ActiveMembership | null {
  const open = openMemberships(memberships, merchants.isClosed);
  if (device_id !== null) {
    const worker = membershipAt(open, null);
    if (worker === null) return null;
    const permissions = worker.permissions.filter((word) => floorPermissions.has(word));
    return { membership: { ...worker, permissions }, merchant: null, views: false };
  }
  const own = (acts_for === null ? open[0] : membershipAt(open, acts_for)) ?? null;
  if (own === null) return null;
  if (own.merchant_id === null) {
    const viewed = views_as === null ? null : merchants.byId(views_as);
    return { membership: own, merchant: viewed, views: viewed !== null };
  }
  const membership = named === null ? own : membershipAt(open, named);
  if (membership?.merchant_id == null) return null;
  return { membership, merchant: merchants.byId(membership.merchant_id), views: false };
}

/** The user's current permissions, for the dashboard. */
export function shownPermissions({ membership, merchant, views }: ActiveMembership): Permission[] {
  const { permissions } = membership;
  const shown = merchant === null ? [...permissions] : shownToMerchant(permissions, merchant);
  return views ? shown.filter((word) => word.endsWith(".read")) : shown;
}

/** The active membership as the API shows it. */
export function actingView({ membership, merchant, views }: ActiveMembership, merchants: KnownMerchants) {
  return {
    current: membershipView(membership, merchants),
    merchant: ownMerchantView(merchant),
    view_as: views ? briefView(merchant) : null,
  };
}

function ownMerchantView(merchant: OwnMerchant | null) {
  const brief = briefView(merchant);
  if (merchant === null || brief === null) return null;
  return { ...brief, status: merchant.status, may_buy_labels: merchant.may_buy_labels };
}

/** A session with the name of the device on which the user signed in by badge; null for one with a password. */
export interface ListedSession extends Session {
  readonly device_name: string | null;
}

/** A session as the API shows it. `current` is the hash of the request's own session. */
export function sessionView(session: ListedSession, current: string | null) {
  const { id, hash, ip, user_agent, device_id, device_name, ...times } = session;
  return {
    id: wireId("session", id),
    current: hash === current,
    device: device_id === null ? null : { id: wireId("floor_device", device_id), name: device_name ?? "" },
    ip,
    user_agent,
    created_at: iso(times.created_at),
    last_seen_at: iso(times.last_seen_at),
    expires_at: iso(times.expires_at),
  };
}
