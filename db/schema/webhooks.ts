import { type MailStatus, mailStatuses } from "../../src/core/email.ts";
import type { EventType } from "../../src/events/event_types.ts";
import type { AttemptTally } from "../../src/webhooks/subscriptions/subscription.ts";
import {
  type AttemptStatus,
  type AttemptTrigger,
  attemptStatuses,
  type DeliveryForm,
  type DeliveryStatus,
  deliveryStatuses,
  type NoticeKind,
  type RecoveryStatus,
  type RestoredState,
  recoveryStatuses,
  type SubscriptionStatus,
  subscriptionStatuses,
} from "../../src/webhooks/webhooks.transitions.ts";
import { bool, check, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";

export const subscriptions = table(
  "subscriptions",
  {
    id: id(),
    merchant_id: ownerOrOperator(),
    /** For an operator's subscription: ids of the merchants whose events it receives; null for all. */
    merchants: json<number[]>(),
    url: text().notNull(),
    events: json<EventType[]>().notNull(),
    description: text(),
    version: text().$type<"v1" | "v2">().notNull(),
    payload: text().$type<"full" | "thin">().notNull(),
    retry_limit: int().notNull(),
    status: text().$type<SubscriptionStatus>().notNull(),
    disabled_reason: text(),
    /** Encrypted with the service's secret key. */
    secret: text().notNull(),
    previous_secret: text(),
    previous_secret_expires_at: time(),
    /** The last position of events when it was created. It receives later events. */
    begins_after: int().notNull().default(0),
    /** The number of the last delivery. Numbers have no gaps. */
    sequence: int().notNull(),
    consecutive_failures: int().notNull(),
    /** When the current series of failures began; null after a success. */
    first_failure_at: time(),
    /** When the subscription became `failing`. */
    failing_since: time(),
    /** Nothing is sent until then, since the receiver responded with 429. */
    paused_until: time(),
    /** The maximum number of attempts per second; null for no limit of its own. */
    rate_limit_per_second: int(),
    /** When the rate limit allows the next attempt. */
    paced_until: time(),
    /** How long the circuit stays open before its next probe; null while it is closed. */
    circuit_wait_ms: int(),
    next_probe_at: time(),
    /** The attempts of the last two minutes, counted per ten seconds. */
    recent_attempts: json<readonly AttemptTally[]>().notNull().default([]),
    /** Whether it is deleted or disabled with deliveries left to end. A job ends some at a time. */
    is_ending: bool().notNull().default(false),
    /** The number of deliveries skipped from a full backlog, and when this last happened. */
    backlog_skipped: int().notNull().default(0),
    backlog_skipped_at: time(),
    /** Incremented by clients' changes, not by results of attempts. */
    revision: int().notNull().default(1),
    /** A deleted subscription stays for its log, without secrets. */
    deleted_at: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("subscriptions_created").on(t.created_at, t.id),
    index("subscriptions_ending").on(t.id).where(where("is_ending")),
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
    merchant_id: ownerOrOperator(),
    subscription_id: int()
      .notNull()
      .references(() => subscriptions.id),
    event_id: text().notNull(),
    event_type: text().$type<EventType>().notNull(),
    sequence: int().notNull(),
    status: text().$type<DeliveryStatus>().notNull(),
    attempts: int().notNull(),
    max_attempts: int().notNull(),
    /** Attempts before the current retry budget. Redelivery and recovery start a new budget. */
    spent_attempts: int().notNull(),
    /** When the next attempt is due. During an attempt, the end of its lease, when it is due again. */
    next_at: time(),
    /** The lease of the server that claimed it. A server that finds another value here has lost its lease. */
    leased_until: time(),
    /** How the payload is built from the event. */
    form: text().$type<DeliveryForm>().notNull().default("v1"),
    /** The payload if there is no stored event (test events). Empty once deleted. */
    body: text(),
    /** What started the current retry budget. */
    trigger: text().$type<AttemptTrigger>().notNull().default("scheduled"),
    recovery_id: int(),
    /** The state of a delivery that was pending in a restored backup. It is not due while it waits for the decision. */
    restored: text().$type<RestoredState>(),
    created_at: time().notNull(),
    finished_at: time(),
  },
  (t) => [
    // Test events all have sequence 0.
    unique("deliveries_sequence").on(t.subscription_id, t.sequence).where(where("sequence > 0")),
    unique("deliveries_event").on(t.event_id, t.subscription_id),
    // Two lanes: first and second attempts, and later or requested ones.
    index("deliveries_first")
      .on(t.subscription_id, t.next_at, t.id)
      .where(where("status = 'pending' and trigger = 'scheduled' and attempts < 2")),
    index("deliveries_late")
      .on(t.subscription_id, t.next_at, t.id)
      .where(where("status = 'pending' and (trigger <> 'scheduled' or attempts >= 2)")),
    index("deliveries_missed")
      .on(t.subscription_id, t.created_at, t.id)
      .where(where("status in ('exhausted', 'skipped')")),
    index("deliveries_recovery").on(t.recovery_id, t.status).where(where("recovery_id is not null")),
    index("deliveries_tests").on(t.subscription_id, t.created_at).where(where("sequence = 0")),
    index("deliveries_restored").on(t.id).where(where("restored = 'waiting'")),
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
    attempt: int().notNull(),
    max_attempts: int().notNull(),
    trigger: text().$type<AttemptTrigger>().notNull(),
    status: text().$type<AttemptStatus>().notNull(),
    url: text().notNull(),
    /** The signed time in seconds, and the signatures. The request's headers are rebuilt from them. */
    timestamp_s: int().notNull(),
    signatures: text().notNull(),
    status_code: int(),
    response_headers: json<Readonly<Record<string, string>>>(),
    response_body: text(),
    truncated: bool().notNull(),
    error_code: text(),
    error_message: text(),
    ip_address: text(),
    /** Null for a blocked attempt, whose timing is not revealed. */
    duration_ms: int(),
    started_at: time().notNull(),
    next_attempt_at: time(),
  },
  (t) => [
    index("delivery_attempts_subscription").on(t.subscription_id, t.started_at, t.id),
    index("delivery_attempts_delivery").on(t.delivery_id, t.attempt),
    index("delivery_attempts_bodies").on(t.started_at).where(where("response_body <> ''")),
    oneOf("delivery_attempts", "status", attemptStatuses),
  ],
);

/** Recoveries: requests to resend the events that a subscription missed. */
export const recoveries = table(
  "recoveries",
  {
    id: id(),
    subscription_id: int()
      .notNull()
      .references(() => subscriptions.id),
    /** While it is running, deliveries of its period are queued again, some in each transaction. */
    status: text().$type<RecoveryStatus>().notNull(),
    since: time().notNull(),
    until: time().notNull(),
    statuses: json<DeliveryStatus[]>().notNull(),
    /** The total number of deliveries to queue. */
    total: int().notNull(),
    queued: int().notNull(),
    created_at: time().notNull(),
  },
  (t) => [
    index("recoveries_queueing").on(t.id).where(where("status = 'queueing'")),
    index("recoveries_subscription").on(t.subscription_id, t.id),
    oneOf("recoveries", "status", recoveryStatuses),
  ],
);

/** Notices to the operator, in the dashboard and by email. */
export const notices = table(
  "notices",
  {
    id: id(),
    merchant_id: ownerOrOperator(),
    kind: text().$type<NoticeKind>().notNull(),
    /** Null for notices about no subscription. */
    subscription_id: int().references(() => subscriptions.id),
    message: text().notNull(),
    mail_status: text().$type<MailStatus>().notNull(),
    mail_attempts: int().notNull(),
    /** When the email is due; while it is being sent, when the attempt counts as lost. */
    mail_next_at: time(),
    /** When it was acknowledged. */
    acknowledged_at: time(),
    created_at: time().notNull(),
  },
  (t) => [
    index("notices_created").on(t.created_at, t.id),
    index("notices_mail").on(t.mail_next_at).where(where("mail_status = 'waiting'")),
    oneOf("notices", "mail_status", mailStatuses),
  ],
);
