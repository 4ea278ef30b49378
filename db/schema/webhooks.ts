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
import { ownerOrHouse } from "./merchants.ts";

export const subscriptions = table(
  "subscriptions",
  {
    id: id(),
    merchant_id: ownerOrHouse(),
    /** Of one of the house: the merchants whose events alone it is told, by id; null for all. */
    merchants: json<number[]>(),
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
    /** The last place in the order of events when it was created: it is told of what has a later one. */
    begins_after: int().notNull().default(0),
    /** Number of the last delivery recorded; the next one gets the next number, without gaps. */
    sequence: int().notNull(),
    consecutive_failures: int().notNull(),
    /** When the present run of failures began; null after a success. */
    first_failure_at: time(),
    /** When the subscription became `failing`. */
    failing_since: time(),
    /** While it lies in the future nothing is sent (429). */
    paused_until: time(),
    /** At most so many attempts a second; null for no limit of its own. */
    rate_limit_per_second: int(),
    /** When the rate limit lets the next attempt begin. */
    paced_until: time(),
    /** How long the circuit stays open before its next probe; null while it is closed. */
    circuit_wait_ms: int(),
    next_probe_at: time(),
    /** The attempts of the last two minutes, counted together by ten seconds. */
    recent_attempts: json<readonly AttemptTally[]>().notNull().default([]),
    /** Whether deliveries are left to be ended, since nothing is sent any more: a job ends them, some at a time. */
    is_ending: bool().notNull().default(false),
    /** How many deliveries were skipped because too many waited, or for too long, and when that was last so. */
    backlog_skipped: int().notNull().default(0),
    backlog_skipped_at: time(),
    /** Raised by each change that a client makes; what attempts tell of the receiver is none. */
    revision: int().notNull().default(1),
    /** A deleted subscription is kept for the sake of its log, without its secrets. */
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
    merchant_id: ownerOrHouse(),
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
    /** How what is sent is made of the event. */
    form: text().$type<DeliveryForm>().notNull().default("v1"),
    /** What is sent, where no event is kept that it could be made of (test events). Empty when forgotten. */
    body: text(),
    /** What the present retry budget was given for. */
    trigger: text().$type<AttemptTrigger>().notNull().default("scheduled"),
    recovery_id: int(),
    /** Of one that waited when the data came from a backup. While it still does, it is not due. */
    restored: text().$type<RestoredState>(),
    created_at: time().notNull(),
    finished_at: time(),
  },
  (t) => [
    // Test events carry sequence 0 and may be many.
    unique("deliveries_sequence").on(t.subscription_id, t.sequence).where(where("sequence > 0")),
    unique("deliveries_event").on(t.event_id, t.subscription_id),
    // Two lanes: first and second attempts, and what is tried for longer or was asked for again.
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
    /** The moment it was signed for, in seconds, and its signatures, of which the request's headers are made again. */
    timestamp_s: int().notNull(),
    signatures: text().notNull(),
    status_code: int(),
    response_headers: json<Readonly<Record<string, string>>>(),
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
    index("delivery_attempts_bodies").on(t.started_at).where(where("response_body <> ''")),
    oneOf("delivery_attempts", "status", attemptStatuses),
  ],
);

/** A request to send again what one subscription missed. */
export const recoveries = table(
  "recoveries",
  {
    id: id(),
    subscription_id: int()
      .notNull()
      .references(() => subscriptions.id),
    /** While it queues, deliveries of its time are queued again, some in each transaction. */
    status: text().$type<RecoveryStatus>().notNull(),
    since: time().notNull(),
    until: time().notNull(),
    statuses: json<DeliveryStatus[]>().notNull(),
    /** How many deliveries there were to queue. */
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

/** What the operator is told of, in the dashboard and by e-mail. */
export const notices = table(
  "notices",
  {
    id: id(),
    merchant_id: ownerOrHouse(),
    kind: text().$type<NoticeKind>().notNull(),
    /** Null for what is about no subscription. */
    subscription_id: int().references(() => subscriptions.id),
    message: text().notNull(),
    mail_status: text().$type<MailStatus>().notNull(),
    mail_attempts: int().notNull(),
    /** When the e-mail is due; while it is being sent, when its sender counts as lost. */
    mail_next_at: time(),
    /** When somebody said that they have seen it. */
    acknowledged_at: time(),
    created_at: time().notNull(),
  },
  (t) => [
    index("notices_created").on(t.created_at, t.id),
    index("notices_mail").on(t.mail_next_at).where(where("mail_status = 'waiting'")),
    oneOf("notices", "mail_status", mailStatuses),
  ],
);
