import { type Role, roleFacts, roles } from "../access/role.ts";
import { Fault, invalid } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import type { Membership } from "./membership.ts";
import { maySignIn } from "./status.ts";
import type { User } from "./user.ts";

/** How long a password is, in characters. */
export const password_min = 12;
export const password_max = 200;

const mayOwn = ({ role }: Pick<Membership, "role">) => role === "owner";

/** Refuses to leave no owner of the house who can sign in. `changed` is one of all users, after the change. */
export function refuseLastOwner(users: readonly User[], changed: User): void {
  const isOwner = ({ status, memberships }: User) =>
    maySignIn(status) && memberships.some((one) => one.merchant_id === null && mayOwn(one) && maySignIn(one.status));
  const before = users.filter(isOwner);
  const after = users.map((user) => (user.id === changed.id ? changed : user)).filter(isOwner);
  if (before.length === 0 || after.length > 0) return;
  throw new Fault("last_owner", "Nobody else is an owner: make another user an owner first.", {
    user: wireId("user", changed.id),
  });
}

/** Refuses a role that nobody can have at a merchant. Refuses: validation_failed. */
export function refuseRoleAt(role: Role, merchant_id: number | null): void {
  if (merchant_id === null || roleFacts[role].at_merchant !== null) return;
  const possible = roles.filter((one) => roleFacts[one].at_merchant !== null);
  throw invalid("role", `must be one of ${possible.join(", ")} at a merchant`);
}

/** Whether a user may send an invitation like this one: as somebody of the house, or of the merchant. */
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
 * Whether a user has to have a second factor: owners have to, of the house and of merchants, if other machines can
 * reach the service.
 */
export function needsFactor(
  { memberships }: Pick<User, "memberships">,
  { loopback_only }: { readonly loopback_only: boolean },
): boolean {
  return memberships.some(mayOwn) && !loopback_only;
}
