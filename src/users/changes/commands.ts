import type { Granted } from "../../access/permission.ts";
import { type Role, roleFacts } from "../../access/role.ts";
import { refuseBeyond } from "../../access/rules.ts";
import type { Tx } from "../../database/store.ts";
import { Fault, missing } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { lockUsers, userNamed } from "../commands.ts";
import { revokeInvitationsOf } from "../invitations/store.ts";
import { type Membership, membershipAt, openMemberships } from "../membership.ts";
import { mayInvite, refuseLastOwner, refuseRoleAt } from "../rules.ts";
import { endSessionsFor, endSessionsOf } from "../sessions/store.ts";
import { maySignIn, type UserStatus } from "../status.ts";
import { getUser, saveMembership, saveUser } from "../store.ts";
import type { User } from "../user.ts";

/** What may be changed of a user. */
interface UserChange {
  readonly name?: string;
  /** Of the membership that it is about. */
  readonly role?: Role;
  /** Of the membership that it is about, else of the user in all of them. */
  readonly status?: UserStatus;
}

/** Who changes a user, and which of the user's memberships. */
interface Changing {
  /** What the actor may do, who gives nobody more nor changes who may do more; null for the operator. */
  readonly granted: Granted | null;
  /** The merchant whose people alone the actor may change; null for the house. */
  readonly of_merchant: number | null;
  /** The membership that role and status are about: at a merchant, or null for the house; undefined for none. */
  readonly about?: number | null | undefined;
}

/**
 * Changes a user's name, role or status. Who is disabled is signed out wherever nothing else is left, and invitations
 * that the user could no longer create are revoked.
 * Refuses: resource_missing, insufficient_permission, validation_failed, last_owner.
 */
export async function updateUser(tx: Tx, id: string, change: UserChange, changing: Changing): Promise<User> {
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

/** The user after a change. Refuses: validation_failed, for a role that there is not at a merchant. */
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
 * Refuses to change who may do more than the actor, or to give more; and a merchant's people to rename who is a member
 * of something else, too.
 */
function refuseActor(before: User, after: User, { granted, of_merchant }: Changing, named: Membership | null): void {
  if (granted === null) return;
  const touched = named === null ? before.memberships : [named];
  for (const { merchant_id, permissions } of touched) {
    refuseBeyond(granted, permissions);
    refuseBeyond(granted, membershipAt(after.memberships, merchant_id)?.permissions ?? []);
  }
  const shared = before.memberships.some(({ merchant_id }) => merchant_id !== of_merchant);
  if (of_merchant === null || !shared || after.name === before.name) return;
  throw new Fault("insufficient_permission", "This user works for others, too, and keeps the name known there.", {
    permission: "users.manage",
  });
}

/** Ends the sessions that act as what the user is no longer. */
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
 * Sets a user's password and ends all sessions of the user but `kept`.
 * Refuses: resource_missing.
 */
export async function setPassword(tx: Tx, id: string, password_hash: string, kept: number | null): Promise<User> {
  const before = userNamed(await lockUsers(tx), id);
  await endSessionsOf(tx, before.id, kept);
  return saveUser(tx, { ...before, password_hash });
}
