// The act of the clock that sends notices by e-mail: claimed in a transaction, sent, recorded in another.
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { wireId } from "../../kit/ids.ts";
import { sendMail } from "../../outbound/mail.ts";
import { claimMails, recordMail } from "./commands.ts";
import { mailOf } from "./notice.ts";

/** A round of `webhooks.mail`: the e-mails that are due are sent, if there is a mail server. */
export async function mailNotices(store: Store, service: Service): Promise<number | null> {
  const { mail } = service;
  if (mail === null) return null;
  const { due, next_at } = await store.write((tx) => claimMails(tx));
  for (const notice of due) {
    const failure = await sendMail(mail, mail.to, mailOf(notice, store.mode)).then(
      () => null,
      (error: unknown) => String(error),
    );
    if (failure !== null) {
      const facts = { mode: store.mode, notice: wireId("notice", notice.id), error: failure };
      service.log.error("an e-mail was not taken by the mail server", facts);
    }
    await store.write((tx) => recordMail(tx, notice, failure === null));
  }
  return due.length > 0 ? store.clock.now() : next_at;
}
