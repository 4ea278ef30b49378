import { open } from "../core/crypto.ts";
import { wireId } from "../core/ids.ts";
import type { Service } from "../http/service.ts";
import { sendMail } from "../outbound/mail.ts";
import { retentionIn } from "../privacy/retention_settings.sql.ts";
import { type Store, writeChunks } from "../storage/database.ts";
import { forgetOldEntries } from "./audit_log/audit_log.sql.ts";
import { sessionMerchants } from "./sessions/sessions.ts";
import { type Invitation, invitation_purpose, invitationMail } from "./users/invitation.ts";
import { invitationMails } from "./users/invitations.sql.ts";
import { recordInvitationMail } from "./users/invitations.ts";
import type { MerchantBrief } from "./users/user.ts";

const deleted_batch_max = 500;
const mails_batch_max = 5;

/** Deletes expired entries of the audit log, in batches. */
export async function forgetOldActs(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    const { audit_trail } = await retentionIn(tx, service);
    return forgetOldEntries(tx, audit_trail, deleted_batch_max);
  });
}

/**
 * A round of `users.mail_invitations`: claims the due emails in a transaction, sends them, and records each result in
 * another. Does nothing without a mail server. Returns when to run next (ms), or null.
 */
export async function mailInvitations(store: Store, service: Service): Promise<number | null> {
  if (service.mail === null) return null;
  const { claims, next_at, merchants } = await store.write(async (tx) => {
    return { ...(await invitationMails.claimNext(tx, mails_batch_max)), merchants: await sessionMerchants(tx) };
  });
  for (const invitation of claims) {
    const { merchant_id } = invitation;
    const failure = await send(service, invitation, merchant_id === null ? null : merchants.byId(merchant_id));
    if (failure !== null) {
      const facts = { invitation: wireId("invitation", invitation.id), error: failure };
      service.log.error("the mail server did not accept an email", facts);
    }
    await store.write((tx) => recordInvitationMail(tx, invitation, failure === null));
  }
  return next_at;
}

/** Sends one email. Returns null, or why it failed. */
async function send(
  { mail, secret_key }: Service,
  invitation: Invitation,
  merchant: MerchantBrief | null,
): Promise<string | null> {
  const link = open(invitation.mail_link ?? "", secret_key, invitation_purpose);
  if (mail === null || link === null) return "the link cannot be decrypted: send the invitation again";
  return sendMail(mail, invitation.email, invitationMail(invitation, merchant, link)).then(
    () => null,
    (error: unknown) => String(error),
  );
}
