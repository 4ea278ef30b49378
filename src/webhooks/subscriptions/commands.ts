import { takeTurn } from "../../database/lease.ts";
import type { Tx } from "../../database/store.ts";
import { Fault, invalid } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { freshHealth, switched } from "./rules.ts";
import type { CreateSubscription } from "./schemas.ts";
import { insertSubscription, lockSubscriptions } from "./store.ts";
import { isSame, type Subscription, subscriptions_max } from "./subscription.ts";

/**
 * Subscribes a receiver, whose address the caller has checked, with a secret the caller has sealed.
 * Refuses: validation_failed, duplicate_subscription, subscription_limit.
 */
export async function createSubscription(
  tx: Tx,
  input: CreateSubscription,
  sealed_secret: string,
): Promise<Subscription> {
  const { url, description = null, active = true, version = "v1", payload = "full", retry_limit = 5 } = input;
  if (payload === "thin" && version === "v1") throw invalid("payload", "can be thin in version v2 only");
  const events = eventTypes.filter((type) => input.events.includes(type));
  await takeTurn(tx, "webhooks.subscribe");
  const others = await lockSubscriptions(tx);
  const same = others.find((other) => isSame(other, { url, version, events }));
  if (same !== undefined) {
    throw new Fault("duplicate_subscription", "There is a subscription of these events to this address already.", {
      existing_id: wireId("subscription", same.id),
    });
  }
  if (others.length >= subscriptions_max) {
    throw new Fault("subscription_limit", `There may be at most ${subscriptions_max} subscriptions.`);
  }
  return insertSubscription(tx, {
    ...{ url, events, description, version, payload, retry_limit },
    ...(active ? freshHealth : switched(freshHealth, false)),
    ...{ secret: sealed_secret, previous_secret: null, previous_secret_expires_at: null, sequence: 0 },
    ...{ created_at: tx.now, updated_at: tx.now },
  });
}
