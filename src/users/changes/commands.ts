import type { Granted } from "../../access/permission.ts";
import { type Role, roleFacts, roles } from "../../access/role.ts";
import { refuseBeyond } from "../../access/rules.ts";
import type { Tx } from "../../database/store.ts";
import { wireId } from "../../kit/ids.ts";
import { lockUsers, userNamed } from "../commands.ts";
import { revokeInvitationsOf } from "../invitations/store.ts";
import { refuseLastOwner } from "../rules.ts";
import { endSessionsOf } from "../sessions/store.ts";
import { maySignIn, type UserStatus } from "../status.ts";
import { getUser, saveUser } from "../store.ts";
import type { User } from "../user.ts";

/** What may be changed of a user. */
interface UserChange {
  readonly name?: string;
  readonly role?: Role;
  readonly status?: UserStatus;
}

/**
 * Changes a user's name, role or status. A disabled user is signed out everywhere, and invitations that the user could
 * no longer create are revoked. `granted` are the permissions of the actor, who cannot grant more than these nor change
 * a user who has more; null for the operator.
 * Refuses: resource_missing, insufficient_permission, last_owner.
 */
export async function updateUser(tx: Tx, id: string, change: UserChange, granted: Granted | null): Promise<User> {
  const users = await lockUsers(tx);
  const before = userNamed(users, id);
  const after = { ...before, ...change };
  const isSame = after.name === before.name && after.role === before.role && after.status === before.status;
  if (granted !== null) {
    refuseBeyond(granted, before.permissions);
    refuseBeyond(granted, roleFacts[after.role].permissions);
  }
  if (isSame) return before;
  refuseLastOwner(users, after);
  await saveUser(tx, after);
  if (!maySignIn(after.status)) await endSessionsOf(tx, before.id, null);
  await revokeInvitationsOf(tx, wireId("user", before.id), rolesToGive(after));
  return getUser(tx, before.id);
}

/** The roles to which a user may invite. */
function rolesToGive({ status, role }: Pick<User, "status" | "role">): Role[] {
  const own = new Set(roleFacts[role].permissions);
  if (!maySignIn(status) || !own.has("users.manage")) return [];
  return roles.filter((other) => roleFacts[other].permissions.every((word) => own.has(word)));
}

/**
 * Sets a user's password and ends all sessions of the user but `kept`.
 * Refuses: resource_missing.
 */
export async function setPassword(tx: Tx, id: string, password_hash: string, kept: number | null): Promise<User> {
  const before = userNamed(await lockUsers(tx), id);
  await endSessionsOf(tx, before.id, kept);
  return saveUser(tx, { ...before, password_hash });
}
