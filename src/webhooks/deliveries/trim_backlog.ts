import type { Tx } from "../../storage/database.ts";
import { notifyBacklog } from "../notices.ts";
import { lockSubscriptionsById, saveBacklog } from "../subscriptions/subscriptions.sql.ts";
import { subscriptionMeanings } from "../webhooks.transitions.ts";
import { countPending, endPending } from "./deliveries.sql.ts";

// How many deliveries may wait for one receiver, and for how long.
const day_ms = 24 * 3_600_000;

/** The limits of a backlog. */
interface BacklogLimits {
  /** Deliveries that may wait. */
  readonly count: number;
  /** How long a delivery may be due without being sent, in milliseconds. */
  readonly due_ms: number;
}

/** Longer than a receiver can fail before it is switched off, and the events of a busy warehouse in some days. */
export const backlogLimits: BacklogLimits = { count: 100_000, due_ms: 7 * day_ms };

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
