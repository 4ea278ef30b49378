import type { Permission } from "../access/permission.ts";
import type { Role } from "../access/role.ts";
import { wireId } from "../kit/ids.ts";
import { type Covers, maySignIn, type UserStatus } from "./status.ts";

/** As what a user may sign in: somebody of the house, or of one merchant. */
export interface Membership {
  /** Null for the house. */
  readonly merchant_id: number | null;
  readonly role: Role;
  readonly status: UserStatus;
  /** What the role may do. */
  readonly permissions: readonly Permission[];
}

/** How a merchant is shown beside something else. */
export interface MerchantBrief {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly colour: string | null;
}

/** The merchants by their ids. */
export interface MerchantsById {
  byId(id: number): MerchantBrief | null;
}

/** What the membership at a merchant is about, or that of the house. */
export const coverOf = (merchant_id: number | null): Covers => (merchant_id === null ? "house" : "merchant");

/** The memberships in their order: that of the house first, then by merchant. */
export function inOrder(memberships: readonly Membership[]): Membership[] {
  return memberships.toSorted((a, b) => (a.merchant_id ?? 0) - (b.merchant_id ?? 0));
}

/** The membership at a merchant, or that of the house; null when there is none. */
export function membershipAt(memberships: readonly Membership[], merchant_id: number | null): Membership | null {
  return memberships.find((one) => one.merchant_id === merchant_id) ?? null;
}

/** The memberships as which a user may sign in; nobody does for a merchant that is closed. */
export function openMemberships(
  memberships: readonly Membership[],
  isClosed: (merchant_id: number) => boolean,
): Membership[] {
  return memberships.filter(
    ({ merchant_id, status }) => maySignIn(status) && (merchant_id === null || !isClosed(merchant_id)),
  );
}

/** A merchant as it stands beside something else; null for the house. */
export function briefView(merchant: MerchantBrief | null) {
  if (merchant === null) return null;
  const { id, code, name, colour } = merchant;
  return { id: wireId("merchant", id), code, name, colour };
}

/** A membership as the API shows it. */
export function membershipView(
  { merchant_id, role, status }: Omit<Membership, "permissions">,
  merchants: MerchantsById,
) {
  return {
    covers: coverOf(merchant_id),
    merchant_id: merchant_id === null ? null : wireId("merchant", merchant_id),
    merchant: merchant_id === null ? null : briefView(merchants.byId(merchant_id)),
    role,
    status,
  };
}
