import type { Tx } from "../../database/store.ts";
import { wireId } from "../../kit/ids.ts";
import type { SubscriptionStatus } from "../status.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import { messageOf } from "./notice.ts";
import { insertNotices } from "./store.ts";

/** A subscription that has entered a status. */
export interface Entered {
  readonly subscription: Subscription;
  readonly status: SubscriptionStatus;
}

/** Tells the operator, once each, of subscriptions that are failing or were disabled; by e-mail if there is any. */
export async function notify(tx: Tx, entered: readonly Entered[], mails: boolean): Promise<void> {
  const rows = entered.flatMap(({ subscription: { id, url, disabled_reason }, status }) => {
    const told = messageOf(status, { name: wireId("subscription", id), url, reason: disabled_reason });
    if (told === null) return [];
    const mail = mails
      ? { mail_status: "waiting" as const, mail_next_at: tx.now }
      : { mail_status: "none" as const, mail_next_at: null };
    return [{ ...told, ...mail, subscription_id: id, mail_attempts: 0, created_at: tx.now }];
  });
  if (rows.length === 0) return;
  await insertNotices(tx, rows);
  if (mails) tx.wake("webhooks.mail", tx.now);
}
