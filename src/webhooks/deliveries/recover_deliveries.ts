import { momentOf } from "../../core/clock.ts";
import { invalid } from "../../core/faults.ts";
import { transition } from "../../core/transitions.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { refuseInactive } from "../subscriptions/subscription.ts";
import { lockSubscription, lockSubscriptionsById } from "../subscriptions/subscriptions.sql.ts";
import { isActive, missedDeliveries, recoveryStarts, recoveryTransitions } from "../webhooks.transitions.ts";
import type { StartRecovery } from "./deliveries.schema.ts";
import { countMissed, queueMissed } from "./deliveries.sql.ts";
import { payload_turn } from "./delivery.ts";
import { insertRecovery, lockQueueing, saveRecovery } from "./recoveries.sql.ts";
import { type DeliveryRecovery, recovered_max, recovery_window_ms } from "./recovery.ts";

const batch_size = 500;

/**
 * Starts a recovery of what a subscription missed. A job queues the deliveries, oldest first, each with new retries.
 * The period must not be empty or reach back too far. Refuses: resource_missing, subscription_disabled,
 * validation_failed.
 */
export async function startRecovery(tx: Tx, subscription_id: string, input: StartRecovery): Promise<DeliveryRecovery> {
  const subscription = await lockSubscription(tx, subscription_id);
  refuseInactive(subscription);
  const [since, until] = [momentOf(input.created_after), momentOf(input.created_before) ?? tx.now];
  if (since < tx.now - recovery_window_ms) throw invalid("created_after", "must be within the last 30 days");
  if (until <= since) throw invalid("created_before", "must be after created_after");
  const statuses = missedDeliveries.filter((status) => input.statuses?.includes(status) ?? true);
  const what = { subscription_id: subscription.id, since, until, statuses };
  const total = await countMissed(tx, { ...what, merchants: subscription.merchants }, recovered_max);
  tx.wake("webhooks.recover", tx.now);
  return insertRecovery(tx, { ...what, status: recoveryStarts, total, queued: 0, created_at: tx.now });
}

/** Queues more deliveries of the oldest unfinished recovery. Returns whether there may be more to queue. */
export async function queueSome(tx: Tx): Promise<boolean> {
  const recovery = await lockQueueing(tx);
  if (recovery === null) return false;
  await takeTurn(tx, payload_turn);
  const subscription = (await lockSubscriptionsById(tx, [recovery.subscription_id])).get(recovery.subscription_id);
  if (subscription === undefined || !isActive(subscription.status)) {
    await saveRecovery(tx, { ...recovery, status: transition(recoveryTransitions, "cancel", recovery.status) });
    return true;
  }
  const limit = Math.min(batch_size, recovery.total - recovery.queued);
  const what = { ...recovery, merchants: subscription.merchants };
  const count = limit === 0 ? 0 : await queueMissed(tx, what, subscription.retry_limit, limit);
  const queued = recovery.queued + count;
  // Some may have been requeued otherwise since they were counted.
  const done = count < limit || queued === recovery.total;
  const finished = () => ({
    ...recovery,
    status: transition(recoveryTransitions, "finish", recovery.status),
    total: queued,
    queued,
  });
  await saveRecovery(tx, done ? finished() : { ...recovery, queued });
  if (count > 0) tx.wake("webhooks.deliver", tx.now);
  return true;
}
