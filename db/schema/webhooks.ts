import type { EventType } from "../../src/outbox/catalog.ts";
import {
  type AttemptStatus,
  type AttemptTrigger,
  attemptStatuses,
  attemptTriggers,
  type DeliveryStatus,
  deliveryStatuses,
  type SubscriptionStatus,
  subscriptionStatuses,
} from "../../src/webhooks/status.ts";
import { bool, check, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";

export const subscriptions = table(
  "subscriptions",
  {
    id: id(),
    url: text().notNull(),
    events: json<EventType[]>().notNull(),
    description: text(),
    version: text().$type<"v1" | "v2">().notNull(),
    payload: text().$type<"full" | "thin">().notNull(),
    retry_limit: int().notNull(),
    status: text().$type<SubscriptionStatus>().notNull(),
    disabled_reason: text(),
    /** Sealed under the service's secret key. */
    secret: text().notNull(),
    previous_secret: text(),
    previous_secret_expires_at: time(),
    /** Number of the last delivery recorded; the next one gets the next number, without gaps. */
    sequence: int().notNull(),
    consecutive_failures: int().notNull(),
    /** When the present run of failures began; null after a success. */
    first_failure_at: time(),
    /** When the subscription became `failing`. */
    failing_since: time(),
    /** While it lies in the future nothing is sent (429). */
    paused_until: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("subscriptions_created").on(t.created_at, t.id),
    oneOf("subscriptions", "status", subscriptionStatuses),
    oneOf("subscriptions", "version", ["v1", "v2"]),
    oneOf("subscriptions", "payload", ["full", "thin"]),
    check("subscriptions_retry_limit", "retry_limit in (3, 5, 10)"),
  ],
);

export const deliveries = table(
  "deliveries",
  {
    id: id(),
    subscription_id: int()
      .notNull()
      .references(() => subscriptions.id),
    event_id: text().notNull(),
    event_type: text().$type<EventType>().notNull(),
    sequence: int().notNull(),
    status: text().$type<DeliveryStatus>().notNull(),
    attempts: int().notNull(),
    max_attempts: int().notNull(),
    /** Attempts made before the present retry budget: redelivery and recovery begin a new one. */
    spent_attempts: int().notNull(),
    /** When the next attempt is due. While one is under way this is the end of its lease: then it is due again. */
    next_at: time(),
    /** The lease of the server that claimed it: whoever finds another here was overtaken. */
    leased_until: time(),
    /** What is sent, when it differs from the event's own bytes (version 2, test events). Empty when forgotten. */
    body: text(),
    created_at: time().notNull(),
    finished_at: time(),
  },
  (t) => [
    // Test events carry sequence 0 and may be many.
    unique("deliveries_sequence").on(t.subscription_id, t.sequence).where(where("sequence > 0")),
    unique("deliveries_event").on(t.event_id, t.subscription_id),
    index("deliveries_due").on(t.subscription_id, t.next_at, t.id).where(where("status = 'pending'")),
    index("deliveries_tests").on(t.subscription_id, t.created_at).where(where("sequence = 0")),
    index("deliveries_bodies").on(t.created_at).where(where("body <> ''")),
    oneOf("deliveries", "status", deliveryStatuses),
  ],
);

export const delivery_attempts = table(
  "delivery_attempts",
  {
    id: id(),
    delivery_id: int()
      .notNull()
      .references(() => deliveries.id),
    subscription_id: int().notNull(),
    event_id: text().notNull(),
    event_type: text().$type<EventType>().notNull(),
    attempt: int().notNull(),
    max_attempts: int().notNull(),
    trigger: text().$type<AttemptTrigger>().notNull(),
    status: text().$type<AttemptStatus>().notNull(),
    url: text().notNull(),
    request_headers: json<Record<string, string>>().notNull(),
    status_code: int(),
    response_headers: json<Record<string, string>>(),
    response_body: text(),
    truncated: bool().notNull(),
    error_code: text(),
    error_message: text(),
    ip_address: text(),
    /** Null for a blocked attempt, of which no timing is told. */
    duration_ms: int(),
    started_at: time().notNull(),
    next_attempt_at: time(),
  },
  (t) => [
    index("delivery_attempts_subscription").on(t.subscription_id, t.started_at, t.id),
    index("delivery_attempts_delivery").on(t.delivery_id, t.attempt),
    oneOf("delivery_attempts", "status", attemptStatuses),
    oneOf("delivery_attempts", "trigger", attemptTriggers),
  ],
);
