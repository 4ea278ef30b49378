// The act of the clock that sends invitations by e-mail: claimed in a transaction, sent, recorded in another.
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { wireId } from "../../kit/ids.ts";
import { open } from "../../kit/seal.ts";
import { sendMail } from "../../outbound/mail.ts";
import type { MerchantBrief } from "../membership.ts";
import { claimInvitationMails, recordInvitationMail } from "./commands.ts";
import { type Invitation, invitation_purpose, invitationMail } from "./invitation.ts";

/** A round of `users.mail_invitations`: the e-mails that are due are sent, if there is a mail server. */
export async function mailInvitations(store: Store, service: Service): Promise<number | null> {
  if (service.mail === null) return null;
  const { due, next_at, merchants } = await store.write((tx) => claimInvitationMails(tx));
  for (const invitation of due) {
    const { merchant_id } = invitation;
    const failure = await send(service, invitation, merchant_id === null ? null : merchants.byId(merchant_id));
    if (failure !== null) {
      const facts = { invitation: wireId("invitation", invitation.id), error: failure };
      service.log.error("an e-mail was not taken by the mail server", facts);
    }
    await store.write((tx) => recordInvitationMail(tx, invitation, failure === null));
  }
  return due.length > 0 ? store.clock.now() : next_at;
}

/** Why an e-mail was not sent, or null. */
async function send(
  { mail, secret_key }: Service,
  invitation: Invitation,
  merchant: MerchantBrief | null,
): Promise<string | null> {
  const link = open(invitation.mail_link ?? "", secret_key, invitation_purpose);
  if (mail === null || link === null) return "the link cannot be opened: send the invitation again";
  return sendMail(mail, invitation.email, invitationMail(invitation, merchant, link)).then(
    () => null,
    (error: unknown) => String(error),
  );
}
