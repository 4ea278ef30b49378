import type { Tx } from "../../database/store.ts";
import { countPending, endPending } from "../deliveries/store.ts";
import { notifyBacklog } from "../notices/commands.ts";
import { subscriptionMeanings } from "../status.ts";
import { lockSubscriptionsById, saveBacklog } from "../subscriptions/store.ts";
import { type BacklogLimits, backlogLimits } from "./rules.ts";

const skipped_together_max = 500;

/**
 * Skips some of the deliveries that have waited too long for a receiver, or are too many, the longest due first. They
 * can be recovered. The operator gets one notice a day. Answers whether there may be more to skip.
 */
export async function trimBacklog(
  tx: Tx,
  subscription_id: number,
  mails: boolean,
  { count, due_ms }: BacklogLimits = backlogLimits,
): Promise<boolean> {
  const subscription = (await lockSubscriptionsById(tx, [subscription_id])).get(subscription_id);
  if (subscription === undefined || !subscriptionMeanings[subscription.status].active) return false;
  let skipped = await endPending(tx, subscription_id, "skip", skipped_together_max, tx.now - due_ms);
  const left = skipped_together_max - skipped;
  const excess = left === 0 ? 0 : (await countPending(tx, subscription_id, count + left)) - count;
  if (excess > 0) skipped += await endPending(tx, subscription_id, "skip", excess, Number.MAX_SAFE_INTEGER);
  if (skipped === 0) return false;
  const backlog_skipped = subscription.backlog_skipped + skipped;
  await saveBacklog(tx, { id: subscription_id, backlog_skipped, backlog_skipped_at: tx.now });
  await notifyBacklog(tx, subscription, mails);
  return skipped === skipped_together_max;
}
