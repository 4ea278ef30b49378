import { iso, isoOrNull } from "../../core/clock.ts";
import { equalInConstantTime } from "../../core/crypto.ts";
import type { EmailMessage, EmailState } from "../../core/email.ts";
import { wireId } from "../../core/ids.ts";
import type { InvitationProof, InvitationStatus } from "../identity.transitions.ts";
import { userStarts } from "../identity.transitions.ts";
import { tokenHashOf } from "../sessions/session.ts";
import type { Role } from "./roles.ts";
import { briefView, type MerchantBrief, type MerchantsById, membershipView } from "./user.ts";

/** An invitation to become a user or a member of another account. */
export interface Invitation extends EmailState {
  readonly id: number;
  readonly email: string;
  readonly email_key: string;
  readonly name: string | null;
  /** The merchant that it is for; null for the operator. */
  readonly merchant_id: number | null;
  readonly role: Role;
  readonly hash: string;
  /** How a new user must prove the address, because the inviter knows the link as well. */
  readonly needs_proof: boolean;
  /** The hash of the code that only the emailed link contains; null without an email. */
  readonly proof_hash: string | null;
  readonly invited_by_id: string;
  readonly invited_by_name: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly accepted_at: number | null;
  readonly revoked_at: number | null;
  readonly user_id: number | null;
  /** The link, encrypted for `invitation_purpose`, while its email is pending. */
  readonly mail_link: string | null;
}

/** The purpose that a link is encrypted for. */
export const invitation_purpose = "users.invitation";

/** How long an invitation is valid. */
export const invitation_ms = 7 * 24 * 3_600_000;

/** The link that accepts an invitation. The part after # is never sent to a server or written to a log. */
export const invitationLink = (origin: string, token: string): string => `${origin}/dashboard/invitation#${token}`;

/** Parses the part of a link after #: the secret and, in an email, the code that proves the address. */
export function readLinkToken(text: string): { readonly token: string; readonly code: string | null } {
  const [token = "", code = null] = text.split(".");
  return { token, code };
}

/** Whether the holder of a link may create an account for the invitation's address. */
export function isProven({ needs_proof, proof_hash }: Invitation, code: string | null): boolean {
  return !needs_proof || (code !== null && proof_hash !== null && equalInConstantTime(tokenHashOf(code), proof_hash));
}

/** How a new user proves the address: by the link shown, the emailed link, or one from the operator. */
export function proofOf({ needs_proof, proof_hash }: Invitation): InvitationProof {
  if (!needs_proof) return "none";
  return proof_hash === null ? "operator" : "email";
}

/** The status of an invitation now (ms). */
export function statusOf(
  { accepted_at, revoked_at, expires_at }: Pick<Invitation, "accepted_at" | "revoked_at" | "expires_at">,
  now: number,
): InvitationStatus {
  if (accepted_at !== null) return "accepted";
  if (revoked_at !== null) return "revoked";
  return expires_at <= now ? "expired" : "open";
}

/** The invitation as the API shows it. */
export function invitationView(invitation: Invitation, now: number, merchants: MerchantsById) {
  const membership = membershipView({ ...invitation, status: userStarts }, merchants);
  const { merchant_id, merchant } = membership;
  const { id, email, name, role, invited_by_id, invited_by_name, mail_status, user_id, ...it } = invitation;
  return {
    id: wireId("invitation", id),
    email,
    name,
    merchant_id,
    merchant,
    role,
    memberships: [membership],
    status: statusOf(invitation, now),
    mail_status,
    proof: proofOf(invitation),
    invited_by: { id: invited_by_id, name: invited_by_name },
    user_id: user_id === null ? null : wireId("user", user_id),
    created_at: iso(it.created_at),
    expires_at: iso(it.expires_at),
    accepted_at: isoOrNull(it.accepted_at),
    revoked_at: isoOrNull(it.revoked_at),
  };
}

/** The invitation as the holder of its link sees it. */
export function invitedView(
  invitation: Invitation,
  { merchant, existing_user }: { readonly merchant: MerchantBrief | null; readonly existing_user: boolean | null },
) {
  const { email, name, role, invited_by_name: invited_by, expires_at } = invitation;
  const proof = existing_user === null ? proofOf(invitation) : "none";
  const whose = { merchant: briefView(merchant), invited_by, proof, existing_user };
  return { email, name, role, ...whose, expires_at: iso(expires_at) };
}

/** The email of an invitation. */
export function invitationMail(
  { id, invited_by_name, role, expires_at }: Invitation,
  merchant: MerchantBrief | null,
  link: string,
): EmailMessage {
  const where = merchant === null ? "Packhouse" : `${merchant.name} on Packhouse`;
  const [day = ""] = iso(expires_at).split("T");
  return {
    subject: `${invited_by_name} invited you to join ${where}`,
    text: [
      `${invited_by_name} invited you to join ${where}. Your role: ${role}.`,
      `To accept, open this link and choose a password:\n\n${link}`,
      "Only this link can create an account for your address. Do not share it.",
      `The link works once and expires on ${day}. If you did not expect this invitation, ignore this email.\n`,
    ].join("\n\n"),
    name: `invitation-${id}-${expires_at}`,
  };
}
