import type { Actor } from "../../core/actor.ts";
import { afterEmailAttempt, newEmailState, withdrawn } from "../../core/email.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { GrantedPermissions } from "../../http/auth/permissions.ts";
import { refuseBeyond } from "../../http/auth/permissions.ts";
import { refuseClosed } from "../../merchants/merchant.ts";
import { findMerchant } from "../../merchants/merchants.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { unscoped } from "../../storage/scope.ts";
import { isOpen, isPending, userStarts } from "../identity.transitions.ts";
import { tokenHashOf } from "../sessions/session.ts";
import { settleSessions } from "../sessions/sessions.sql.ts";
import type { CreateInvitation } from "./invitation.schema.ts";
import { type Invitation, invitation_ms, isProven, proofOf, readLinkToken, statusOf } from "./invitation.ts";
import {
  findInvitationByHash,
  insertInvitation,
  invitationMails,
  lockInvitation,
  lockInvitationByHash,
  lockPendingInvitation,
  saveInvitation,
  saveInvitationMail,
} from "./invitations.sql.ts";
import { roleFacts } from "./roles.ts";
import { emailKey, membershipAt, refuseRoleAt, type User } from "./user.ts";
import { findUserByEmail, insertMembership, saveUser } from "./users.sql.ts";
import { createUser, lockUser } from "./users.ts";

/** A new link: its secret and, if it will be emailed, the encrypted link. */
export interface NewInvitationLink {
  readonly token: string;
  readonly mail_link: string | null;
  readonly needs_proof: boolean;
  /** The code in the emailed link; null without an email. */
  readonly code: string | null;
}

/** The user who invites, with permissions. */
interface Inviter {
  readonly actor: Actor;
  readonly granted: GrantedPermissions;
}

/** The invited person, role, and account: the operator's or a merchant's. */
type InvitationRequest = Omit<CreateInvitation, "merchant_id"> & Pick<Invitation, "merchant_id">;

function withLink(tx: Tx, { token, mail_link, needs_proof, code }: NewInvitationLink) {
  if (mail_link !== null) tx.wake(invitationMails.job, tx.now);
  const mail = newEmailState(mail_link !== null, tx.now);
  const proof_hash = code === null ? null : tokenHashOf(code);
  return { hash: tokenHashOf(token), needs_proof, proof_hash, expires_at: tx.now + invitation_ms, mail_link, ...mail };
}

/**
 * Invites a person to a role, which cannot have more permissions than the inviter. Existing users can be invited to
 * further accounts. Refuses: insufficient_permission, validation_failed (not a role at merchants), merchant_closed,
 * duplicate_email (already a member, or an open invitation exists).
 */
export async function invite(
  tx: Tx,
  { email, name = null, merchant_id, role }: InvitationRequest,
  { actor, granted }: Inviter,
  link: NewInvitationLink,
): Promise<Invitation> {
  refuseRoleAt(role, merchant_id);
  refuseBeyond(granted, roleFacts[role].permissions);
  await refuseClosedOf(tx, { merchant_id });
  await takeTurn(tx, "users.change");
  const user = await findUserByEmail(tx.scoped(unscoped), email);
  if (user !== null && membershipAt(user.memberships, merchant_id) !== null) {
    throw new Fault("duplicate_email", `${email} is already a user.`, { existing_id: wireId("user", user.id) });
  }
  const before = await lockPendingInvitation(tx, emailKey(email), merchant_id);
  if (before !== null && isOpen(statusOf(before, tx.now))) {
    throw new Fault("duplicate_email", `${email} is already invited. Resend or revoke that invitation.`, {
      existing_id: wireId("invitation", before.id),
    });
  }
  if (before !== null) await saveInvitation(tx, ended(before, tx.now));
  return insertInvitation(tx, {
    email,
    email_key: emailKey(email),
    name,
    merchant_id,
    role,
    ...withLink(tx, link),
    invited_by_id: actor.id,
    invited_by_name: actor.name,
    created_at: tx.now,
    accepted_at: null,
    revoked_at: null,
    user_id: null,
  });
}

/** The invitation, revoked. A pending email is not sent any more. */
function ended(invitation: Invitation, revoked_at: number): Invitation {
  return { ...invitation, revoked_at, mail_link: null, mail_status: withdrawn(invitation), mail_next_at: null };
}

/**
 * The invitation to change, locked.
 * Refuses: resource_missing, invalid_state_transition, insufficient_permission.
 */
async function takeOpen(tx: Tx, id: string, action: string, granted: GrantedPermissions): Promise<Invitation> {
  const invitation = await lockInvitation(tx, id);
  refuseBeyond(granted, roleFacts[invitation.role].permissions);
  const status = statusOf(invitation, tx.now);
  if (isPending(status)) return invitation;
  throw new Fault("invalid_state_transition", `This invitation was already ${status}.`, {
    from: status,
    action,
    allowed_actions: [],
  });
}

/**
 * Replaces the link of an invitation. The new link is valid for seven days; the old one is no longer valid.
 * Refuses: resource_missing, invalid_state_transition, insufficient_permission.
 */
export async function resendInvitation(
  tx: Tx,
  id: string,
  granted: GrantedPermissions,
  link: NewInvitationLink,
): Promise<Invitation> {
  const invitation = await takeOpen(tx, id, "resend", granted);
  return saveInvitation(tx, { ...invitation, ...withLink(tx, link) });
}

/**
 * Revokes an invitation: its link is no longer valid.
 * Refuses: resource_missing, invalid_state_transition, insufficient_permission.
 */
export async function revokeInvitation(tx: Tx, id: string, granted: GrantedPermissions): Promise<Invitation> {
  return saveInvitation(tx, ended(await takeOpen(tx, id, "revoke", granted), tx.now));
}

/** The invitation that a link accepts. Refuses: invalid_link. */
export async function getOpenInvitation(db: Db, link_token: string): Promise<Invitation> {
  const { token } = readLinkToken(link_token);
  return openOne(await findInvitationByHash(db, tokenHashOf(token)), db.now);
}

/** As `getOpenInvitation`, but requires a link that proves the address. Refuses: invalid_link. */
export async function getProvenInvitation(db: Db, link_token: string): Promise<Invitation> {
  const invitation = await getOpenInvitation(db, link_token);
  refuseUnproven(invitation, link_token);
  return invitation;
}

/** Refuses a link that does not prove the address. Refuses: invalid_link. */
function refuseUnproven(invitation: Invitation, link_token: string): void {
  if (isProven(invitation, readLinkToken(link_token).code)) return;
  const way = {
    email: `Open the link in the email to ${invitation.email}`,
    operator: "Ask for the invitation to be sent again",
    none: "Ask for another link",
  }[proofOf(invitation)];
  throw new Fault("invalid_link", `This link cannot create an account. ${way}, or sign in if you have one.`);
}

function openOne(invitation: Invitation | null, now: number): Invitation {
  if (invitation !== null && isOpen(statusOf(invitation, now))) return invitation;
  const message = "This invitation is no longer valid: it was accepted or revoked, or is older than 7 days.";
  throw new Fault("invalid_link", message);
}

/** Creates the user of an accepted invitation. Refuses: invalid_link, merchant_closed, duplicate_email. */
export async function acceptInvitation(
  tx: Tx,
  link_token: string,
  chosen: Pick<User, "name" | "password_hash">,
): Promise<User> {
  const { token } = readLinkToken(link_token);
  // If two clients use the link at once, the second one finds it accepted.
  const invitation = openOne(await lockInvitationByHash(tx, tokenHashOf(token)), tx.now);
  refuseUnproven(invitation, link_token);
  const { email, merchant_id, role } = invitation;
  await refuseClosedOf(tx, invitation);
  const user = await createUser(tx, { ...chosen, email, merchant_id, role });
  await saveInvitation(tx, accepted(invitation, tx.now, user.id));
  return user;
}

const accepted = (invitation: Invitation, accepted_at: number, user_id: number): Invitation => {
  return { ...ended(invitation, accepted_at), revoked_at: null, accepted_at, user_id };
};

async function refuseClosedOf(tx: Tx, { merchant_id }: Pick<Invitation, "merchant_id">): Promise<void> {
  const merchant = merchant_id === null ? null : await findMerchant(tx, merchant_id);
  if (merchant !== null) refuseClosed(merchant);
}

/**
 * Adds the membership of an invitation to an existing user with the same email address. The user's sessions keep their
 * active membership.
 * Refuses: resource_missing, invalid_link, merchant_closed, insufficient_permission, duplicate_email.
 */
export async function joinByInvitation(tx: Tx, link_token: string, user_id: string): Promise<void> {
  const { token } = readLinkToken(link_token);
  const whole = tx.scoped(unscoped);
  const user = await lockUser(whole, user_id);
  const invitation = openOne(await lockInvitationByHash(whole, tokenHashOf(token)), tx.now);
  const { email, email_key, merchant_id, role } = invitation;
  if (emailKey(user.email) !== email_key) {
    throw new Fault("insufficient_permission", `This invitation is for ${email}. Sign in with that address.`);
  }
  await refuseClosedOf(whole, invitation);
  if (membershipAt(user.memberships, merchant_id) !== null) {
    throw new Fault("duplicate_email", "You are already a member.", { existing_id: wireId("user", user.id) });
  }
  await settleSessions(whole, user.id, user.memberships[0]?.merchant_id ?? null);
  await insertMembership(whole, user.id, { merchant_id, role, status: userStarts });
  await saveUser(whole, user);
  await saveInvitation(whole, accepted(invitation, tx.now, user.id));
}

/** Records whether the mail server accepted an invitation's email. */
export async function recordInvitationMail(tx: Tx, invitation: Invitation, taken: boolean): Promise<void> {
  await saveInvitationMail(tx, invitation, afterEmailAttempt(invitation, taken, tx.now));
}
