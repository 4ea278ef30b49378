import type { Role } from "../access/role.ts";
import { Fault } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import { maySignIn } from "./status.ts";
import type { User } from "./user.ts";

/** How long a password is, in characters. */
export const password_min = 12;
export const password_max = 200;

/** Refuses to leave no owner who can sign in. `changed` is one of all users, after the change. */
export function refuseLastOwner(users: readonly User[], changed: User): void {
  const isOwner = (user: User) => user.role === "owner" && maySignIn(user.status);
  const before = users.filter(isOwner);
  const after = users.map((user) => (user.id === changed.id ? changed : user)).filter(isOwner);
  if (before.length === 0 || after.length > 0) return;
  throw new Fault("last_owner", "Nobody else is an owner: make another user an owner first.", {
    user: wireId("user", changed.id),
  });
}

/** Whether a user has to have a second factor: owners have to, if other machines can reach the service. */
export function needsFactor(
  { role }: { readonly role: Role },
  { loopback_only }: { readonly loopback_only: boolean },
): boolean {
  return role === "owner" && !loopback_only;
}
