// Every state of webhooks, and every way out of it. The SQL CHECKs, the schemas and the rules all read these tuples.
import type { Moves } from "../kit/moves.ts";

export const subscriptionStatuses = ["active", "failing", "paused", "disabled"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

// A row is the whole truth about one action. `fail`, `recover` and `disable` are what attempts do, the others people.
// biome-ignore format: a table is read by its columns.
export const subscriptionMoves = {
  fail:    { from: ["active"],                        to: "failing",  held: false, emits: null },
  recover: { from: ["failing"],                       to: "active",   held: false, emits: null },
  disable: { from: ["active", "failing"],             to: "disabled", held: false, emits: null },
  pause:   { from: ["active", "failing"],             to: "paused",   held: false, emits: null },
  resume:  { from: ["failing", "paused", "disabled"], to: "active",   held: false, emits: null },
} as const satisfies Moves<SubscriptionStatus>;
export type SubscriptionAction = keyof typeof subscriptionMoves;

/** Why the service disabled a subscription: the receiver answered 410, or nothing arrived for five days. */
export const disabledReasons = ["gone", "no_success"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryStatuses = ["pending", "delivered", "exhausted", "skipped", "cancelled"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How what is sent is made of an event: its own bytes, those with what version 2 adds, or its object's key alone. */
export const deliveryForms = ["v1", "v2", "v2_thin"] as const;
export type DeliveryForm = (typeof deliveryForms)[number];

// What the receiver accepted is delivered, even if the delivery was skipped, say, while it was on its way.
// biome-ignore format: a table is read by its columns.
export const deliveryMoves = {
  deliver:   { from: deliveryStatuses,         to: "delivered", held: false, emits: null },
  give_up:   { from: ["pending"],              to: "exhausted", held: false, emits: null },
  skip:      { from: ["pending"],              to: "skipped",   held: false, emits: null },
  cancel:    { from: ["pending"],              to: "cancelled", held: false, emits: null },
  recover:   { from: ["exhausted", "skipped"], to: "pending",   held: false, emits: null },
  redeliver: { from: deliveryStatuses,         to: "pending",   held: false, emits: null },
} as const satisfies Moves<DeliveryStatus>;
export type DeliveryAction = keyof typeof deliveryMoves;

/** What a subscription in each status says of itself, and what becomes of the deliveries recorded for it meanwhile. */
export const subscriptionMeanings = {
  active: { active: true, new_delivery: "pending" },
  failing: { active: true, new_delivery: "pending" },
  paused: { active: false, new_delivery: "skipped" },
  disabled: { active: false, new_delivery: "skipped" },
} as const satisfies Record<SubscriptionStatus, { active: boolean; new_delivery: DeliveryStatus }>;

export const attemptStatuses = ["success", "failed", "blocked"] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];

export const attemptTriggers = ["scheduled", "manual", "test"] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];

/** Why an attempt was no success, in the words of the log. */
export const attemptErrors = [
  "dns_error",
  "blocked_address",
  "connect_error",
  "tls_error",
  "timeout",
  "http_error",
  "too_many_requests",
  "gone",
] as const;
export type AttemptErrorCode = (typeof attemptErrors)[number];

export const subscriptionVersions = ["v1", "v2"] as const;
export type SubscriptionVersion = (typeof subscriptionVersions)[number];

export const payloadKinds = ["full", "thin"] as const;
export type PayloadKind = (typeof payloadKinds)[number];

/** How many retries a subscription may choose. */
export const retryLimits = [3, 5, 10] as const;
export type RetryLimit = (typeof retryLimits)[number];

/** A recovery queues deliveries again until all are; it is cancelled when its subscription takes nothing more. */
export const recoveryStatuses = ["queueing", "queued", "cancelled"] as const;
export type RecoveryStatus = (typeof recoveryStatuses)[number];

/** What the operator is told of a subscription. */
export const noticeKinds = ["webhook_failing", "webhook_disabled", "webhook_backlog"] as const;
export type NoticeKind = (typeof noticeKinds)[number];
