import { day_ms } from "../../core/time.ts";
import type { Tx } from "../../storage/database.ts";
import { notifyBacklog } from "../notices.ts";
import { lockSubscriptionsById, saveBacklog } from "../subscriptions/subscriptions.sql.ts";
import { isActive } from "../webhooks.transitions.ts";
import { countPending, endPending } from "./deliveries.sql.ts";

// Limits the number and the age of pending deliveries of one receiver. Only the webhook job uses it.

/** The limits of a backlog. */
interface BacklogLimits {
  /** The maximum number of pending deliveries. */
  readonly count: number;
  /** The maximum time that a delivery may be due without being sent, in milliseconds. */
  readonly due_ms: number;
}

/** Longer than a receiver can fail before it is disabled, and more than a busy warehouse's events of several days. */
export const backlogLimits: BacklogLimits = { count: 100_000, due_ms: 7 * day_ms };

const batch_size = 500;

/**
 * Skips pending deliveries of a receiver that are overdue or too many, the longest due first. They can be recovered.
 * The operator gets one notice a day. Returns whether there may be more to skip.
 */
export async function trimBacklog(
  tx: Tx,
  subscription_id: number,
  mails: boolean,
  { count, due_ms }: BacklogLimits = backlogLimits,
): Promise<boolean> {
  const subscription = (await lockSubscriptionsById(tx, [subscription_id])).get(subscription_id);
  if (subscription === undefined || !isActive(subscription.status)) return false;
  let skipped = await endPending(tx, subscription_id, "skip", batch_size, tx.now - due_ms);
  const left = batch_size - skipped;
  const excess = left === 0 ? 0 : (await countPending(tx, subscription_id, count + left)) - count;
  if (excess > 0) skipped += await endPending(tx, subscription_id, "skip", excess, Number.MAX_SAFE_INTEGER);
  if (skipped === 0) return false;
  const backlog_skipped = subscription.backlog_skipped + skipped;
  await saveBacklog(tx, { id: subscription_id, backlog_skipped, backlog_skipped_at: tx.now });
  await notifyBacklog(tx, subscription, mails);
  return skipped === batch_size;
}
