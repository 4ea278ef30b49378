import { isDeepStrictEqual } from "node:util";
import { iso } from "../../core/clock.ts";
import { Fault, invalid, missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { type EventType, eventTypes } from "../../events/event_types.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { unscoped } from "../../storage/scope.ts";
import { endSome } from "../deliveries/deliveries.ts";
import { isActive } from "../webhooks.transitions.ts";
import {
  freshHealth,
  healthOf,
  isDuplicate,
  type Reception,
  type Subscription,
  subscriptions_lock,
  subscriptions_max,
  withStatus,
} from "./subscription.ts";
import type { CreateSubscription, UpdateSubscription } from "./subscriptions.schema.ts";
import {
  insertSubscription,
  lockSubscription,
  lockSubscriptions,
  type SubscriptionChange,
  saveSubscription,
} from "./subscriptions.sql.ts";

/** A client's input with merchants resolved to sorted, unique ids. */
export type ResolvedMerchants<Input> = Omit<Input, "merchants"> & { readonly merchants?: readonly number[] | null };

/** A subscription to create, and its owner; null for the operator. */
type OwnedSubscription = Omit<ResolvedMerchants<CreateSubscription>, "merchant_id"> & {
  readonly merchant_id: number | null;
};

/**
 * Subscribes a receiver to events whose position is after `begins_after` (see `fanOutAll`). The caller has checked the
 * URL and encrypted the secret. Refuses: validation_failed, duplicate_subscription, subscription_limit.
 */
export async function createSubscription(
  tx: Tx,
  input: OwnedSubscription,
  sealed_secret: string,
  begins_after: number,
): Promise<Subscription> {
  const { url, description = null, active = true, version = "v1", payload = "full", retry_limit = 5 } = input;
  const { merchant_id, rate_limit_per_second = null, merchants = null } = input;
  const events = inOrder(input.events);
  refuseThinFirstVersion({ version, payload });
  await takeTurn(tx, subscriptions_lock);
  refuseMerchants({ merchant_id, merchants });
  // An operator's subscription is compared with the operator's others, whatever the scope of the request.
  const others = (await lockSubscriptions(tx.scoped(unscoped))).filter((other) => other.merchant_id === merchant_id);
  refuseDuplicate(others, { merchant_id, merchants, url, version, events });
  if (others.length >= subscriptions_max) {
    throw new Fault("subscription_limit", `There can be at most ${subscriptions_max} subscriptions.`);
  }
  return insertSubscription(tx, {
    merchant_id,
    merchants,
    url,
    events,
    description,
    version,
    payload,
    retry_limit,
    rate_limit_per_second,
    paced_until: null,
    ...(active ? freshHealth : withStatus(freshHealth, false)),
    secret: sealed_secret,
    previous_secret: null,
    previous_secret_expires_at: null,
    begins_after,
    sequence: 0,
    is_ending: false,
    backlog_skipped: 0,
    backlog_skipped_at: null,
    revision: 1,
    deleted_at: null,
    created_at: tx.now,
    updated_at: tx.now,
  });
}

/**
 * Changes fields of a subscription. Pausing skips pending deliveries; resuming clears the record of failures. The
 * version is fixed.
 * Refuses: resource_missing, validation_failed, immutable_field, duplicate_subscription.
 */
export async function updateSubscription(
  tx: Tx,
  id: string,
  input: ResolvedMerchants<UpdateSubscription>,
): Promise<Subscription> {
  await takeTurn(tx, subscriptions_lock);
  const all = await lockSubscriptions(tx);
  const before = all.find((one) => one.id === readId("subscription", id));
  if (before === undefined) throw missing("subscription", id);
  if (input.version !== undefined && input.version !== before.version) {
    throw new Fault("immutable_field", "A version cannot change; create another subscription.", {
      fields: [{ field: "version", code: "immutable_field", message: "cannot change" }],
    });
  }
  const change = changeOf(before, input);
  const after = { ...before, ...change };
  if (isDeepStrictEqual(after, before)) return before;
  refuseMerchants(after);
  refuseThinFirstVersion(after);
  refuseDuplicate(
    all.filter((other) => other.id !== before.id),
    after,
  );
  tx.wake("webhooks.deliver", tx.now);
  return saveSubscription(tx, before, { ...change, is_ending: await endingAfter(tx, before, after) });
}

/**
 * Whether pending deliveries must be ended after a change. Those pending when it was paused are never sent.
 */
async function endingAfter(tx: Tx, before: Subscription, after: Subscription): Promise<boolean> {
  if (!isActive(after.status)) return endSome(tx, after);
  while (before.is_ending && (await endSome(tx, before)));
  return false;
}

function changeOf(before: Subscription, input: ResolvedMerchants<UpdateSubscription>): SubscriptionChange {
  const { merchants, url, events, description, active, payload, retry_limit, rate_limit_per_second } = input;
  return {
    ...(merchants !== undefined && { merchants }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: inOrder(events) }),
    ...(description !== undefined && { description }),
    ...(payload !== undefined && { payload }),
    ...(retry_limit !== undefined && { retry_limit }),
    ...(rate_limit_per_second !== undefined && { rate_limit_per_second, paced_until: null }),
    ...(active !== undefined && healthOf(withStatus(healthOf(before), active))),
  };
}

/**
 * Deletes a subscription and its secrets. Pending deliveries are cancelled, large numbers of them by a job. The log
 * stays.
 * Refuses: resource_missing.
 */
export async function deleteSubscription(tx: Tx, id: string): Promise<Subscription> {
  const before = await lockSubscription(tx, id);
  const deleted = { secret: "", previous_secret: null, previous_secret_expires_at: null, deleted_at: tx.now };
  const is_ending = await endSome(tx, { ...before, ...deleted });
  return saveSubscription(tx, before, { ...withStatus(healthOf(before), false), ...deleted, is_ending });
}

/**
 * Sets the secret that the caller has encrypted. The previous one also signs for `overlap_seconds`; with 0 it ends at
 * once.
 * Refuses: resource_missing, rotation_in_progress (the previous secret is still valid).
 */
export async function rotateSecret(
  tx: Tx,
  id: string,
  sealed_secret: string,
  overlap_seconds: number,
): Promise<Subscription> {
  const before = await lockSubscription(tx, id);
  const expires_at = before.previous_secret === null ? 0 : (before.previous_secret_expires_at ?? 0);
  if (expires_at > tx.now && overlap_seconds > 0) {
    throw new Fault("rotation_in_progress", "The previous secret is still valid. Send overlap_seconds 0 to end it.", {
      previous_secret_expires_at: iso(expires_at),
    });
  }
  const overlaps = overlap_seconds > 0;
  return saveSubscription(tx, before, {
    secret: sealed_secret,
    previous_secret: overlaps ? before.secret : null,
    previous_secret_expires_at: overlaps ? tx.now + overlap_seconds * 1000 : null,
  });
}

const inOrder = (events: readonly EventType[]) => eventTypes.filter((type) => events.includes(type));

/** Creates the refusal of `merchants` for a merchant's own subscription. */
export function merchantsRefused(): Fault {
  return invalid(
    "merchants",
    "is only for webhooks of the operator: a merchant's webhook receives only that merchant's events",
  );
}

function refuseMerchants({ merchant_id, merchants }: Pick<Reception, "merchant_id" | "merchants">): void {
  if (merchant_id !== null && merchants !== null) throw merchantsRefused();
}

function refuseThinFirstVersion({ version, payload }: Pick<Subscription, "version" | "payload">): void {
  if (payload === "thin" && version === "v1") throw invalid("payload", "can be thin only in version v2");
}

function refuseDuplicate(others: readonly Subscription[], wanted: Reception): void {
  const same = others.find((other) => isDuplicate(other, wanted));
  if (same === undefined) return;
  throw new Fault("duplicate_subscription", "There is already a subscription of these events to this URL.", {
    existing_id: wireId("subscription", same.id),
  });
}
