import { iso, isoOrNull } from "../../kit/clock.ts";
import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import type { EventType } from "../../outbox/catalog.ts";
import { type PayloadKind, type RetryLimit, type SubscriptionVersion, subscriptionMeanings } from "../status.ts";
import type { SubscriptionHealth } from "./rules.ts";

/** A receiver subscribed to some types of events. */
export interface Subscription extends SubscriptionHealth {
  readonly id: number;
  /** The merchant whose events alone it is told; null for the house. */
  readonly merchant_id: number | null;
  /** Of the house's: the merchants whose events alone it is told, by their ids; null for all of them. */
  readonly merchants: readonly number[] | null;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string | null;
  readonly version: SubscriptionVersion;
  readonly payload: PayloadKind;
  readonly retry_limit: RetryLimit;
  /** The most attempts a second; null for no limit of its own. */
  readonly rate_limit_per_second: number | null;
  /** When that limit lets the next attempt start. */
  readonly paced_until: number | null;
  /** Sealed: see `secret_purpose` of `secret.ts`. */
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_expires_at: number | null;
  /** It receives events whose place in the order of events is after this one. */
  readonly begins_after: number;
  /** The number of the last delivery created for it. */
  readonly sequence: number;
  /** Whether it has waiting deliveries that have to be ended. */
  readonly is_ending: boolean;
  /** How many deliveries were skipped because of the backlog, and when the last one was. */
  readonly backlog_skipped: number;
  readonly backlog_skipped_at: number | null;
  /** Increased by each change of a client. */
  readonly revision: number;
  readonly deleted_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/**
 * The lock of transactions that create subscriptions or change what they receive. It is taken before that of the
 * fan-out.
 */
export const subscribing_turn = "webhooks.subscribe";

/** The most subscriptions of a mode. */
export const subscriptions_max = 50;

/** Whether a subscription is told of what happens to a merchant. */
export function isToldOf(
  { merchant_id, merchants }: Pick<Subscription, "merchant_id" | "merchants">,
  merchant: number,
): boolean {
  return merchant_id === null ? merchants === null || merchants.includes(merchant) : merchant_id === merchant;
}

/** The subscription as the API shows it, without its secret. */
export function subscriptionView(subscription: Subscription) {
  const {
    id,
    merchant_id,
    merchants,
    url,
    events,
    description,
    version,
    payload,
    retry_limit,
    status,
    disabled_reason,
  } = subscription;
  return {
    id: wireId("subscription", id),
    merchant_id: merchant_id === null ? null : wireId("merchant", merchant_id),
    merchants: merchants === null ? null : merchants.map((merchant) => wireId("merchant", merchant)),
    url,
    events,
    description,
    active: subscriptionMeanings[status].active,
    status,
    disabled_reason,
    version,
    payload,
    retry_limit,
    rate_limit_per_second: subscription.rate_limit_per_second,
    circuit: {
      state: subscription.circuit_wait_ms === null ? ("closed" as const) : ("open" as const),
      next_probe_at: isoOrNull(subscription.next_probe_at),
    },
    consecutive_failures: subscription.consecutive_failures,
    failing_since: isoOrNull(subscription.failing_since),
    paused_until: isoOrNull(subscription.paused_until),
    previous_secret_expires_at: isoOrNull(subscription.previous_secret_expires_at),
    backlog: {
      skipped: subscription.backlog_skipped,
      last_skipped_at: isoOrNull(subscription.backlog_skipped_at),
    },
    created_at: iso(subscription.created_at),
    updated_at: iso(subscription.updated_at),
  };
}

/** What a subscription receives, and where. */
export type Reception = Pick<Subscription, "merchant_id" | "merchants" | "url" | "events" | "version">;

/** Whether two subscriptions would receive the same deliveries at the same address. */
export function isSame(one: Reception, other: Reception): boolean {
  const chosen = ({ merchant_id, merchants, events }: Reception) =>
    JSON.stringify([merchant_id, merchants, [...events].sort()]);
  return one.url === other.url && one.version === other.version && chosen(one) === chosen(other);
}

/** Refuses: subscription_disabled, for a subscription that takes no deliveries. */
export function refuseInactive({ status, disabled_reason }: Subscription): void {
  if (subscriptionMeanings[status].active) return;
  throw new Fault("subscription_disabled", `The subscription is ${status}; switch it on first.`, {
    status,
    disabled_reason,
  });
}
