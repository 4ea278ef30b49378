import { createHash } from "node:crypto";
import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import { shownToMerchant } from "../../http/auth/merchant_permissions.ts";
import type { Permission } from "../../http/auth/permissions.ts";
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
}

/** The token in a cookie or a link: 32 random bytes as base64url. */
export const tokenOf = (random: Uint8Array): string => Buffer.from(random).toString("base64url");

/** The hash of a token, as it is stored. */
export const tokenHashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The name of the cookie; over an encrypted connection it is bound to this host. */
const cookieName = (secure: boolean) => (secure ? "__Host-sid" : "sid");

/** The token that a request's cookie holds, or null. */
export function tokenIn(request: Request, secure: boolean): string | null {
  const header = request.headers.get("cookie");
  if (header === null) return null;
  const found = header.split(/; */).find((part) => part.startsWith(`${cookieName(secure)}=`));
  const token = found?.slice(cookieName(secure).length + 1) ?? "";
  return /^[\w-]{43}$/.test(token) ? token : null;
}

/** The `Set-Cookie` header with a token; null removes the cookie. */
export function cookieOf(token: string | null, secure: boolean): string {
  const [value, age] = token === null ? ["", 0] : [token, session_ms / 1000];
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? "; Secure" : ""}`;
  return `${cookieName(secure)}=${value}; ${attributes}`;
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
 * another of their merchants for a single request. Null without such a membership.
 */
export function activeMembershipOf(
  { memberships }: Pick<User, "memberships">,
  { acts_for, views_as }: Pick<Session, "acts_for" | "views_as">,
  merchants: KnownMerchants,
  named: number | null,
): ActiveMembership | null {
  const open = openMemberships(memberships, merchants.isClosed);
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

/** A session as the API shows it. `current` is the hash of the request's own session. */
export function sessionView({ id, hash, ip, user_agent, ...times }: Session, current: string | null) {
  return {
    id: wireId("session", id),
    current: hash === current,
    ip,
    user_agent,
    created_at: iso(times.created_at),
    last_seen_at: iso(times.last_seen_at),
    expires_at: iso(times.expires_at),
  };
}
