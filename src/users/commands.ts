import type { Granted } from "../access/permission.ts";
import { type Role, roleFacts, roles } from "../access/role.ts";
import { refuseBeyond } from "../access/rules.ts";
import { takeTurn } from "../database/lease.ts";
import type { Tx } from "../database/store.ts";
import { Fault, missing } from "../kit/fault.ts";
import { readId, wireId } from "../kit/ids.ts";
import { revokeInvitationsOf } from "./invitations/store.ts";
import { refuseLastOwner } from "./rules.ts";
import { endSessionsOf } from "./sessions/store.ts";
import type { UserStatus } from "./status.ts";
import { findUserByEmail, getUser, insertUser, listUsers, type NewUser, saveRoles, saveUser } from "./store.ts";
import type { User } from "./user.ts";

/** Stores the roles of this version of the program. */
export async function ensureRoles(tx: Tx): Promise<void> {
  await saveRoles(tx);
}

/** Makes a user. Without a password he has to choose one by a link. Refuses: duplicate_email. */
export async function createUser(tx: Tx, input: NewUser): Promise<User> {
  await takeTurn(tx, "users.change");
  await saveRoles(tx);
  const id = await insertUser(tx, input);
  if (id !== null) return getUser(tx, id);
  const existing = await findUserByEmail(tx, input.email);
  throw new Fault("duplicate_email", `There is a user with the e-mail address ${input.email} already.`, {
    existing_id: existing === null ? null : `usr_${existing.id}`,
  });
}

/** What may be changed of a user. */
export interface UserChange {
  readonly name?: string;
  readonly role?: Role;
  readonly status?: UserStatus;
}

/**
 * Changes a user's name, role or status. Who is disabled is signed out everywhere, and invitations that he could not
 * make any more are revoked. `granted` is what whoever changes
 * him may do: nobody grants more than he has, or changes someone who may do more; null for the operator.
 * Refuses: resource_missing, insufficient_permission, last_owner.
 */
export async function updateUser(tx: Tx, id: string, change: UserChange, granted: Granted | null): Promise<User> {
  const users = await takenUsers(tx);
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
  if (after.status === "disabled") await endSessionsOf(tx, before.id, null);
  await revokeInvitationsOf(tx, wireId("user", before.id), rolesToGive(after));
  return getUser(tx, before.id);
}

/** The roles to which a user may invite. */
function rolesToGive({ status, role }: Pick<User, "status" | "role">): Role[] {
  const own = new Set(roleFacts[role].permissions);
  if (status !== "active" || !own.has("users.manage")) return [];
  return roles.filter((other) => roleFacts[other].permissions.every((word) => own.has(word)));
}

/**
 * Gives a user another password and signs him out everywhere but in the session `kept`.
 * Refuses: resource_missing.
 */
export async function setPassword(tx: Tx, id: string, password_hash: string, kept: number | null): Promise<User> {
  const before = userNamed(await takenUsers(tx), id);
  await endSessionsOf(tx, before.id, kept);
  return saveUser(tx, { ...before, password_hash });
}

/** The user that an identifier names, whom nobody else changes until this one ends. Refuses: resource_missing. */
export async function lockUser(tx: Tx, id: string): Promise<User> {
  return userNamed(await takenUsers(tx), id);
}

/** Every user, none of whom anybody else changes until this transaction ends. */
async function takenUsers(tx: Tx): Promise<User[]> {
  await takeTurn(tx, "users.change");
  return listUsers(tx);
}

function userNamed(users: readonly User[], id: string): User {
  const user = users.find((one) => one.id === readId("user", id));
  if (user === undefined) throw missing("user", id);
  return user;
}
