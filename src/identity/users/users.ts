import { equalInConstantTime } from "../../core/crypto.ts";
import { Fault, missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import { type GrantedPermissions, refuseBeyond } from "../../http/auth/permissions.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { unscoped } from "../../storage/scope.ts";
import { maySignIn, type UserStatus } from "../identity.transitions.ts";
import { tokenHashOf, tokenOf } from "../sessions/session.ts";
import { endSessionsFor, endSessionsOf } from "../sessions/sessions.sql.ts";
import { revokeInvitationsOf } from "./invitations.sql.ts";
import { type Role, roleFacts } from "./roles.ts";
import {
  type Membership,
  mayInvite,
  membershipAt,
  openMemberships,
  refuseLastOwner,
  refuseRoleAt,
  type User,
} from "./user.ts";
import {
  deleteLinks,
  findUserByEmail,
  getUser,
  hasUsers,
  insertLink,
  insertUser,
  listLinks,
  listUsers,
  type NewUser,
  type OneTimeLink,
  saveMembership,
  saveRoles,
  saveUser,
} from "./users.sql.ts";

/** Stores the roles of this version of the program. */
export async function ensureRoles(tx: Tx): Promise<void> {
  await saveRoles(tx);
}

/** Creates a user. Without a password, the user has to set one through a link. Refuses: duplicate_email. */
export async function createUser(tx: Tx, input: NewUser): Promise<User> {
  await takeTurn(tx, "users.change");
  await saveRoles(tx);
  const id = await insertUser(tx, input);
  if (id !== null) return getUser(tx, id);
  const existing = await findUserByEmail(tx, input.email);
  throw new Fault("duplicate_email", `A user with the email address ${input.email} already exists.`, {
    existing_id: existing === null ? null : `usr_${existing.id}`,
  });
}

/** The user that an identifier names, locked until this transaction ends. Refuses: resource_missing. */
export async function lockUser(tx: Tx, id: string): Promise<User> {
  await takeTurn(tx, "users.change");
  return getUser(tx, id);
}

/** All users in any scope, locked until this transaction ends. */
async function lockUsers(tx: Tx): Promise<User[]> {
  await takeTurn(tx, "users.change");
  return listUsers(tx.scoped(unscoped));
}

/** The one of these users that an identifier names. Refuses: resource_missing. */
function userNamed(users: readonly User[], id: string): User {
  const user = users.find((one) => one.id === readId("user", id));
  if (user === undefined) throw missing("user", id);
  return user;
}

/** The changes of a user. */
interface UserChange {
  readonly name?: string;
  /** The new role of the membership. */
  readonly role?: Role;
  /** The new status of the membership or, without one, of the user. */
  readonly status?: UserStatus;
}

/** The actor who changes a user, and the affected membership. */
interface ChangeAuthority {
  /** The actor's permissions, which limit the change; null for the command line. */
  readonly granted: GrantedPermissions | null;
  /** The merchant whose users the actor may change; null for all. */
  readonly of_merchant: number | null;
  /** The membership that role and status apply to: at a merchant, or with the operator (null); undefined for none. */
  readonly about?: number | null | undefined;
}

/**
 * Changes a user's name, role or status. Ends sessions that lose their membership, and revokes invitations that the
 * user could no longer create.
 * Refuses: resource_missing, insufficient_permission, validation_failed, last_owner.
 */
export async function updateUser(tx: Tx, id: string, change: UserChange, changing: ChangeAuthority): Promise<User> {
  const users = await lockUsers(tx);
  const before = userNamed(users, id);
  const { of_merchant, about = of_merchant ?? undefined } = changing;
  const named = about === undefined ? null : membershipAt(before.memberships, about);
  if (about !== undefined && named === null) throw missing("user", id);
  const after = changed(before, change, named);
  refuseActor(before, after, changing, named);
  if (isSame(before, after)) return getUser(tx, before.id);
  refuseLastOwner(users, after);
  for (const one of after.memberships) {
    if (!before.memberships.includes(one)) await saveMembership(tx, before.id, one);
  }
  await saveUser(tx, after);
  await endSessions(tx, before, after);
  await revokeInvitationsOf(tx, wireId("user", before.id), (invitation) => mayInvite(after, invitation));
  return getUser(tx, before.id);
}

/** The user after a change. Refuses: validation_failed (a role that does not exist at a merchant). */
function changed(before: User, { name, role, status }: UserChange, named: Membership | null): User {
  const about = named ?? before.memberships[0];
  if (about !== undefined && role !== undefined) refuseRoleAt(role, about.merchant_id);
  const renewed = (one: Membership): Membership => {
    const to_role = one === about && role !== undefined && role !== one.role;
    const to_status = one === named && status !== undefined && status !== one.status;
    if (!to_role && !to_status) return one;
    return {
      ...one,
      ...(to_role && { role, permissions: roleFacts[role].permissions }),
      ...(to_status && { status }),
    };
  };
  return {
    ...before,
    ...(name !== undefined && { name }),
    ...(status !== undefined && named === null && { status }),
    memberships: before.memberships.map(renewed),
  };
}

function isSame(before: User, after: User): boolean {
  const as_before = after.memberships.every((one) => before.memberships.includes(one));
  return as_before && after.name === before.name && after.status === before.status;
}

/**
 * Refuses to change a user with more permissions than the actor, to grant more than the actor has, and a merchant to
 * rename a user who is also a member elsewhere. Refuses: insufficient_permission.
 */
function refuseActor(
  before: User,
  after: User,
  { granted, of_merchant }: ChangeAuthority,
  named: Membership | null,
): void {
  if (granted === null) return;
  const touched = named === null ? before.memberships : [named];
  for (const { merchant_id, permissions } of touched) {
    refuseBeyond(granted, permissions);
    refuseBeyond(granted, membershipAt(after.memberships, merchant_id)?.permissions ?? []);
  }
  const shared = before.memberships.some(({ merchant_id }) => merchant_id !== of_merchant);
  if (of_merchant === null || !shared || after.name === before.name) return;
  throw new Fault(
    "insufficient_permission",
    "This user also belongs to other accounts, so the name cannot be changed here.",
    {
      permission: "users.manage",
    },
  );
}

/** Ends the sessions that act as a membership that the user has lost. */
async function endSessions(tx: Tx, before: User, after: User): Promise<void> {
  const none = () => false;
  const open = openMemberships(after.memberships, none);
  if (!maySignIn(after.status) || open.length === 0) {
    await endSessionsOf(tx, before.id, null);
    return;
  }
  const [first, ...others] = openMemberships(before.memberships, none);
  for (const { merchant_id } of first === undefined ? [] : [first, ...others]) {
    if (membershipAt(open, merchant_id) !== null) continue;
    await endSessionsFor(tx, before.id, merchant_id, merchant_id === first?.merchant_id);
  }
}

/**
 * Sets a user's password and ends all sessions of the user except `kept`.
 * Refuses: resource_missing.
 */
export async function setPassword(tx: Tx, id: string, password_hash: string, kept: number | null): Promise<User> {
  const before = userNamed(await lockUsers(tx), id);
  await endSessionsOf(tx, before.id, kept);
  return saveUser(tx, { ...before, password_hash });
}

const good_ms = day_ms;

/** Creates a link and returns its secret, of which only the hash is stored. `random` is 32 random bytes. */
export async function makeLink(tx: Tx, purpose: OneTimeLink["purpose"], user_id: number | null, random: Uint8Array) {
  const token = tokenOf(random);
  const times = { created_at: tx.now, expires_at: tx.now + good_ms };
  // Only the newest link for a password reset is valid. All links for the first user stay valid.
  if (purpose === "reset") await deleteLinks(tx, purpose, user_id);
  await insertLink(tx, { hash: tokenHashOf(token), purpose, user_id, ...times });
  return token;
}

/** The link with this secret. Refuses: invalid_link. */
export async function getLink(db: Db, purpose: OneTimeLink["purpose"], token: string): Promise<OneTimeLink> {
  const hash = tokenHashOf(token);
  const [link] = (await listLinks(db, purpose)).filter((one) => equalInConstantTime(one.hash, hash));
  if (link === undefined || (purpose === "setup" && (await hasUsers(db)))) {
    throw new Fault("invalid_link", "This link is no longer valid: it was already used, or is older than 24 hours.");
  }
  return link;
}

/** Creates the first user, an owner, with the link from the first start. Refuses: invalid_link, duplicate_email. */
export async function createFirstUser(tx: Tx, token: string, input: Omit<NewUser, "role">): Promise<User> {
  // If two requests use such links at once, the second one finds a user.
  await takeTurn(tx, "users.change");
  await getLink(tx, "setup", token);
  const user = await createUser(tx, { ...input, role: "owner" });
  await deleteLinks(tx, "setup", null);
  return user;
}

/** Sets the password of the user of a reset link. Refuses: invalid_link, resource_missing. */
export async function resetPassword(tx: Tx, token: string, password_hash: string): Promise<User> {
  const { user_id } = await getLink(tx, "reset", token);
  const user = await setPassword(tx, wireId("user", user_id ?? 0), password_hash, null);
  await deleteLinks(tx, "reset", user_id);
  return user;
}
