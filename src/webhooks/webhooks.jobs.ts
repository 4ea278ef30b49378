import { wireId } from "../core/ids.ts";
import type { Service } from "../http/service.ts";
import { sendMail } from "../outbound/mail.ts";
import { retentionIn } from "../privacy/retention_settings.sql.ts";
import { type Store, writeChunks } from "../storage/database.ts";
import { listSendable } from "./deliveries/deliveries.sql.ts";
import { deleteOldWebhookData, endNext, fanOut } from "./deliveries/deliveries.ts";
import { attemptsSettled, dispatcherOf } from "./deliveries/dispatcher.ts";
import { queueSome } from "./deliveries/recover_deliveries.ts";
import { trimBacklog } from "./deliveries/trim_backlog.ts";
import { mailOf } from "./notice.ts";
import { noticeMails } from "./notices.sql.ts";
import { notify, recordMail } from "./notices.ts";

/** Skips deliveries beyond the limits of a backlog, some in each transaction. */
export async function trimBacklogs(store: Store, service: Service): Promise<void> {
  const waiting = (await store.read(listSendable)).filter((one) => one.first_at !== null || one.late_at !== null);
  for (const { id } of waiting) {
    await writeChunks(store, service, (tx) => trimBacklog(tx, id, service.mail !== null));
  }
}

/** A round of `webhooks.fan_out`: creates deliveries of the oldest new events. */
export async function fanOutEvents(store: Store): Promise<number | null> {
  const more = await store.write(fanOut);
  return more ? store.clock.now() : null;
}

/** Fans out waiting events, some in each transaction, so that little is left for a transaction that fans out all. */
export async function fanOutWaiting(store: Store): Promise<void> {
  while (await store.write(fanOut));
}

/** A round of `webhooks.end_waiting`: ends some waiting deliveries of subscriptions that are off. */
export async function endWaiting(store: Store): Promise<number | null> {
  return (await store.write(endNext)) ? store.clock.now() : null;
}

/** Ends all such deliveries, some in each transaction. */
export async function endAllWaiting(store: Store): Promise<void> {
  while (await store.write(endNext));
}

/** A round of `webhooks.deliver`: starts sending due deliveries. */
export async function deliverDue(store: Store, service: Service): Promise<number | null> {
  const dispatcher = dispatcherOf(store, service, (tx, entered) => notify(tx, entered, service.mail !== null));
  await dispatcher.turn();
  return null;
}

/** Waits until every running attempt has ended and is recorded. */
export async function deliveriesSettled(store: Store): Promise<void> {
  await attemptsSettled(store);
}

const mails_batch_max = 5;

/** A round of `webhooks.mail`: claims due emails, sends them if there is a mail server, and records the results. */
export async function mailNotices(store: Store, service: Service): Promise<number | null> {
  const { mail } = service;
  if (mail === null) return null;
  const { claims, next_at } = await store.write((tx) => noticeMails.claimNext(tx, mails_batch_max));
  for (const notice of claims) {
    const failure = await sendMail(mail, mail.to, mailOf(notice, store.mode)).then(
      () => null,
      (error: unknown) => String(error),
    );
    if (failure !== null) {
      const facts = { mode: store.mode, notice: wireId("notice", notice.id), error: failure };
      service.log.error("the mail server rejected an email", facts);
    }
    await store.write((tx) => recordMail(tx, notice, failure === null));
  }
  return next_at;
}

/** A round of `webhooks.recover`: queues some missed deliveries. */
export async function queueRecoveries(store: Store): Promise<number | null> {
  const more = await store.write((tx) => queueSome(tx));
  return more ? store.clock.now() : null;
}

const forgotten_together_max = 500;

/** Deletes webhook data whose retention has ended, some in each transaction. */
export async function forgetOldDeliveries(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    return deleteOldWebhookData(tx, await retentionIn(tx, service), forgotten_together_max);
  });
}
