import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, type SQL, sql as template } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../../db/kit.ts";
import { invitations } from "../../../db/schema/people.ts";
import { type EmailState, isEmailPending, unsentMails } from "../../core/email.ts";
import { assert } from "../../core/faults.ts";
import { choice } from "../../core/schema.ts";
import { minute_ms } from "../../core/time.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { queueOf } from "../../storage/queue.ts";
import { anyOf, recordList, search } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { unscoped } from "../../storage/scope.ts";
import { type InvitationStatus, invitationStatuses } from "../identity.transitions.ts";
import type { Invitation } from "./invitation.ts";
import type { Role } from "./roles.ts";

const asRecord = (row: typeof invitations.$inferSelect): Invitation => ({ ...row, role: row.role as Role });

/** Stores an invitation. */
export async function insertInvitation(tx: Tx, invitation: Omit<Invitation, "id">): Promise<Invitation> {
  const [row] = await tx.sql.insert(invitations).values(invitation).returning();
  assert(row, "a stored invitation is returned");
  return asRecord(row);
}

/** The invitation that an identifier names. Refuses: resource_missing. */
export const { get: getInvitation, lock: lockInvitation } = recordLookup(invitations, "invitation", {
  record: (_, row) => asRecord(row),
});

/** The invitation whose link has this hash, locked, or null. */
export async function lockInvitationByHash(tx: Tx, hash: string): Promise<Invitation | null> {
  return lockWhere(tx, eq(invitations.hash, hash));
}

/** The pending invitation of an address to the operator or a merchant, locked, or null. */
export async function lockPendingInvitation(
  tx: Tx,
  email_key: string,
  merchant_id: number | null,
): Promise<Invitation | null> {
  const to = merchant_id === null ? isNull(invitations.merchant_id) : eq(invitations.merchant_id, merchant_id);
  return lockWhere(tx, and(eq(invitations.email_key, email_key), isPending, to));
}

// The condition of a partial index must be literal text: the engines do not use the index for parameters.
const isPending = template`${invitations.accepted_at} is null and ${invitations.revoked_at} is null`;
const isWaiting = isOneOf(invitations.mail_status, unsentMails);

async function lockWhere(tx: Tx, which: SQL | undefined): Promise<Invitation | null> {
  const [row] = await forUpdate(tx.sql.select().from(invitations).where(which));
  return row === undefined ? null : asRecord(row);
}

/** The invitation whose link has this hash, or null. */
export async function findInvitationByHash(db: Db, hash: string): Promise<Invitation | null> {
  const [row] = await db.sql.select().from(invitations).where(eq(invitations.hash, hash));
  return row === undefined ? null : asRecord(row);
}

/** Stores a changed invitation. */
export async function saveInvitation(tx: Tx, invitation: Invitation): Promise<Invitation> {
  const { hash, needs_proof, proof_hash, expires_at, accepted_at, revoked_at, user_id, mail_link, ...mail } =
    invitation;
  const { mail_status, mail_attempts, mail_next_at } = mail;
  await tx.sql
    .update(invitations)
    .set({
      hash,
      needs_proof,
      proof_hash,
      expires_at,
      accepted_at,
      revoked_at,
      user_id,
      mail_link,
      mail_status,
      mail_attempts,
      mail_next_at,
    })
    .where(eq(invitations.id, invitation.id));
  return invitation;
}

/** Revokes the pending invitations that a user has sent, whatever the scope, except those that `isKept` accepts. */
export async function revokeInvitationsOf(
  tx: Tx,
  invited_by_id: string,
  isKept: (invitation: Invitation) => boolean,
): Promise<void> {
  const whole = tx.scoped(unscoped);
  const sent = await whole.sql
    .select()
    .from(invitations)
    .where(and(eq(invitations.invited_by_id, invited_by_id), isPending));
  const lost = sent.map(asRecord).filter((invitation) => !isKept(invitation));
  if (lost.length === 0) return;
  const mail_status = template`case when ${isWaiting} then 'none' else ${invitations.mail_status} end`;
  const ids = lost.map(({ id }) => id);
  await whole.sql
    .update(invitations)
    .set({ revoked_at: tx.now, mail_link: null, mail_status, mail_next_at: null })
    .where(inArray(invitations.id, ids));
}

const { accepted_at, revoked_at, expires_at } = invitations;
const statusAt: Readonly<Record<InvitationStatus, (now: number) => SQL | undefined>> = {
  open: (now) => and(isPending, gt(expires_at, now)),
  accepted: () => isNotNull(accepted_at),
  revoked: () => isNotNull(revoked_at),
  expired: (now) => and(isPending, lte(expires_at, now)),
};

/** Invitations, newest first. */
export const invitationList = recordList(invitations, {
  filters: {
    status: anyOf(choice(invitationStatuses), (status, { now }) => statusAt[status](now)),
    q: search("Part of the name or the email address.", [invitations.email, invitations.name], 200),
  },
  records: (rows) => rows.map(asRecord),
});

/** The invitations whose email is due. A claim of five minutes without a recorded result is due again. */
export const invitationMails = queueOf<Invitation>(invitations, {
  kind: "invitations",
  job: "users.mail_invitations",
  due: invitations.mail_next_at,
  waiting: isWaiting,
  lease_ms: 5 * minute_ms,
});

/** Stores the status of an invitation's email, unless the link was replaced. */
export async function saveInvitationMail(
  tx: Tx,
  { id, hash }: Pick<Invitation, "id" | "hash">,
  mail: EmailState,
): Promise<void> {
  const gone = isEmailPending(mail) ? {} : { mail_link: null };
  await tx.sql
    .update(invitations)
    .set({ ...mail, ...gone })
    .where(and(eq(invitations.id, id), eq(invitations.hash, hash), isWaiting));
}

/**
 * Cancels pending emails and invalidates the links of all open invitations, which then have to be sent again. Returns
 * the number of cancelled emails.
 */
export async function endInvitationLinks(tx: Tx): Promise<number> {
  const taken = await tx.sql
    .update(invitations)
    .set({ mail_status: "none", mail_next_at: null, mail_link: null })
    .where(isWaiting)
    .returning({ id: invitations.id });
  // No link has such a hash.
  await tx.sql
    .update(invitations)
    .set({ hash: template`'ended ' || ${invitations.id}` })
    .where(isPending);
  return taken.length;
}

/** The invitations with a pending email and an encrypted link. */
export async function listSealedInvitations(db: Db): Promise<Invitation[]> {
  const rows = await db.sql.select().from(invitations).where(isWaiting).orderBy(asc(invitations.id));
  return rows.map(asRecord);
}
