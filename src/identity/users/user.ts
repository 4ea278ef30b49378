import { iso, isoOrNull } from "../../core/clock.ts";
import { Fault, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Permission } from "../../http/auth/permissions.ts";
import { type MembershipCover, maySignIn, type UserStatus } from "../identity.transitions.ts";
import { type Role, roleFacts, roles } from "./roles.ts";

/** A user's membership: with the operator, or at one merchant. */
export interface Membership {
  /** Null for the operator. */
  readonly merchant_id: number | null;
  readonly role: Role;
  readonly status: UserStatus;
  /** What the role may do. */
  readonly permissions: readonly Permission[];
}

/** A merchant as it is shown within other records. */
export interface MerchantBrief {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly color: string | null;
}

/** The merchants by their ids. */
export interface MerchantsById {
  byId(id: number): MerchantBrief | null;
}

/** What a membership covers, as stored. */
export const coverOf = (merchant_id: number | null): MembershipCover => (merchant_id === null ? "house" : "merchant");

/** The memberships in order: the one with the operator first, then by merchant. */
export function inOrder(memberships: readonly Membership[]): Membership[] {
  return memberships.toSorted((a, b) => (a.merchant_id ?? 0) - (b.merchant_id ?? 0));
}

/** The membership at a merchant, or with the operator (null); null if there is none. */
export function membershipAt(memberships: readonly Membership[], merchant_id: number | null): Membership | null {
  return memberships.find((one) => one.merchant_id === merchant_id) ?? null;
}

/** The memberships that a user may act as: active ones, and not at a closed merchant. */
export function openMemberships(
  memberships: readonly Membership[],
  isClosed: (merchant_id: number) => boolean,
): Membership[] {
  return memberships.filter(
    ({ merchant_id, status }) => maySignIn(status) && (merchant_id === null || !isClosed(merchant_id)),
  );
}

/** A merchant within another record, as the API shows it; null for the operator. */
export function briefView(merchant: MerchantBrief | null) {
  if (merchant === null) return null;
  const { id, code, name, color } = merchant;
  return { id: wireId("merchant", id), code, name, color };
}

/** A membership as the API shows it. */
export function membershipView(
  { merchant_id, role, status }: Omit<Membership, "permissions">,
  merchants: MerchantsById,
) {
  return {
    covers: merchant_id === null ? ("operator" as const) : ("merchant" as const),
    merchant_id: merchant_id === null ? null : wireId("merchant", merchant_id),
    merchant: merchant_id === null ? null : briefView(merchants.byId(merchant_id)),
    role,
    status,
  };
}

/** A user of the dashboard. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  /** Null until a password is set. */
  readonly password_hash: string | null;
  /** In the scope of one merchant: whether the user may sign in as its member. */
  readonly status: UserStatus;
  /** That of the first membership. */
  readonly role: Role;
  /** What the role may do. */
  readonly permissions: readonly Permission[];
  /** The memberships in the scope, at least one: the one with the operator first, then by merchant. */
  readonly memberships: readonly Membership[];
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_sign_in_at: number | null;
  /** When a session of the user was last used, accurate to five minutes; null without a session. */
  readonly last_seen_at: number | null;
  /** Whether a second factor is set up. */
  readonly has_factor: boolean;
  /** Incremented by each change. */
  readonly revision: number;
}

/** An email address in the form in which addresses are compared, without case. */
export const emailKey = (email: string): string => email.toLowerCase();

/** The limits of a password's length, in characters. */
export const password_min = 12;
export const password_max = 200;

const mayOwn = ({ role }: Pick<Membership, "role">) => role === "owner";

/** Refuses a change that leaves the operator without an owner who can sign in. `changed` is one of `users` after it. */
export function refuseLastOwner(users: readonly User[], changed: User): void {
  const isOwner = ({ status, memberships }: User) =>
    maySignIn(status) && memberships.some((one) => one.merchant_id === null && mayOwn(one) && maySignIn(one.status));
  const before = users.filter(isOwner);
  const after = users.map((user) => (user.id === changed.id ? changed : user)).filter(isOwner);
  if (before.length === 0 || after.length > 0) return;
  throw new Fault("last_owner", "This is the last owner. Make another user an owner first.", {
    user: wireId("user", changed.id),
  });
}

/** Refuses a role that does not exist at a merchant. Refuses: validation_failed. */
export function refuseRoleAt(role: Role, merchant_id: number | null): void {
  if (merchant_id === null || roleFacts[role].at_merchant !== null) return;
  const possible = roles.filter((one) => roleFacts[one].at_merchant !== null);
  throw invalid("role", `must be one of ${possible.join(", ")} at a merchant`);
}

/** Whether a user may send an invitation, as a user of the operator or of its merchant. */
export function mayInvite(
  { status, memberships }: Pick<User, "status" | "memberships">,
  invitation: { readonly merchant_id: number | null; readonly role: Role },
): boolean {
  const wanted = roleFacts[invitation.role].permissions;
  const gives = ({ merchant_id, permissions, ...one }: Membership) =>
    maySignIn(one.status) &&
    (merchant_id === null || merchant_id === invitation.merchant_id) &&
    ["users.manage" as const, ...wanted].every((word) => permissions.includes(word));
  return maySignIn(status) && memberships.some(gives);
}

/**
 * Whether a user must have a second factor: owners must, of the operator and of merchants, if other machines can reach
 * the server.
 */
export function needsFactor(
  { memberships }: Pick<User, "memberships">,
  { loopback_only }: { readonly loopback_only: boolean },
): boolean {
  return memberships.some(mayOwn) && !loopback_only;
}

/** A user as the API shows them. */
export function userView({ id, email, name, role, status, ...user }: User, merchants: MerchantsById) {
  return {
    id: wireId("user", id),
    email,
    name,
    role,
    status,
    memberships: user.memberships.map((one) => membershipView(one, merchants)),
    second_factor: user.has_factor,
    last_sign_in_at: isoOrNull(user.last_sign_in_at),
    last_seen_at: isoOrNull(user.last_seen_at ?? user.last_sign_in_at),
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
    revision: user.revision,
  };
}
