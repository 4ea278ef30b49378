import { afterEmailAttempt, newEmailState } from "../core/email.ts";
import { wireId } from "../core/ids.ts";
import { day_ms } from "../core/time.ts";
import type { Tx } from "../storage/database.ts";
import { backlogMessage, messageOf, type OperatorNotice } from "./notice.ts";
import { insertNotices, isNoticed, lockNotice, noticeMails, saveAcknowledged, saveMail } from "./notices.sql.ts";
import type { Subscription } from "./subscriptions/subscription.ts";

/**
 * Creates a notice for each subscription that became failing or disabled; with `mails`, also emails.
 */
export async function notify(tx: Tx, entered: readonly Subscription[], mails: boolean): Promise<void> {
  const told = entered.flatMap(({ id, merchant_id, url, disabled_reason, status }) => {
    const message = messageOf(status, { name: wireId("subscription", id), url, reason: disabled_reason });
    return message === null ? [] : [{ ...message, merchant_id, subscription_id: id }];
  });
  await tell(tx, told, mails);
}

/** Creates a notice that pending deliveries of a receiver are skipped, at most one a day. */
export async function notifyBacklog(tx: Tx, { id, merchant_id, url }: Subscription, mails: boolean): Promise<void> {
  if (await isNoticed(tx, { subscription_id: id, kind: "webhook_backlog", since: tx.now - day_ms })) return;
  const message = backlogMessage({ name: wireId("subscription", id), url });
  await tell(tx, [{ kind: "webhook_backlog", message, merchant_id, subscription_id: id }], mails);
}

/**
 * Creates a notice about no subscription, unless there is one of its kind from the last day that is newer than `since`.
 */
export async function notifyOperator(
  tx: Tx,
  { kind, message, since }: Pick<OperatorNotice, "kind" | "message"> & { readonly since: number },
  mails: boolean,
): Promise<void> {
  if (await isNoticed(tx, { subscription_id: null, kind, since: Math.max(since, tx.now - day_ms) })) return;
  await tell(tx, [{ kind, message, merchant_id: null, subscription_id: null }], mails);
}

type NoticeContent = Pick<OperatorNotice, "kind" | "message" | "merchant_id" | "subscription_id">;

async function tell(tx: Tx, told: readonly NoticeContent[], mails: boolean) {
  if (told.length === 0) return;
  const fresh = { ...newEmailState(mails, tx.now), acknowledged_at: null, created_at: tx.now };
  await insertNotices(
    tx,
    told.map((one) => ({ ...one, ...fresh })),
  );
  if (mails) tx.wake(noticeMails.job, tx.now);
}

/** Acknowledges a notice. Repeating it changes nothing. Refuses: resource_missing. */
export async function acknowledge(tx: Tx, id: string): Promise<OperatorNotice> {
  const notice = await lockNotice(tx, id);
  if (notice.acknowledged_at !== null) return notice;
  await saveAcknowledged(tx, notice.id, tx.now);
  return { ...notice, acknowledged_at: tx.now };
}

/** Records whether the mail server accepted the email of a notice. */
export async function recordMail(tx: Tx, notice: OperatorNotice, taken: boolean): Promise<void> {
  await saveMail(tx, notice.id, afterEmailAttempt(notice, taken, tx.now));
}
