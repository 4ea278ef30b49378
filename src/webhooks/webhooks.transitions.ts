// The statuses and transitions of webhooks. The SQL CHECKs, the schemas and the rules use these tables.
import type { Transitions } from "../core/transitions.ts";

export const subscriptionStatuses = ["active", "failing", "paused", "disabled"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

// Each row is one action. `fail`, `recover` and `disable` are results of attempts; people do the others.
// biome-ignore format: a table is read by its columns.
export const subscriptionTransitions = {
  fail:    { from: ["active"],                        to: "failing",  held: false, emits: null },
  recover: { from: ["failing"],                       to: "active",   held: false, emits: null },
  disable: { from: ["active", "failing"],             to: "disabled", held: false, emits: null },
  pause:   { from: ["active", "failing"],             to: "paused",   held: false, emits: null },
  resume:  { from: ["failing", "paused", "disabled"], to: "active",   held: false, emits: null },
} as const satisfies Transitions<SubscriptionStatus>;
export type SubscriptionAction = keyof typeof subscriptionTransitions;

/** The first status of a subscription. */
export const subscriptionStarts: SubscriptionStatus = "active";

/** Whether a receiver has failed for so long that it only gets probes. */
export const isFailing = (status: SubscriptionStatus): boolean => status === "failing";

/** Why the service disabled a subscription: the receiver returned 410, or accepted nothing for five days. */
export const disabledReasons = ["gone", "no_success"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryStatuses = ["pending", "delivered", "exhausted", "skipped", "cancelled"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How a payload is made from an event: its stored bytes, with the additions of version 2, or only its object's key. */
export const deliveryForms = ["v1", "v2", "v2_thin"] as const;
export type DeliveryForm = (typeof deliveryForms)[number];

// An accepted delivery counts as delivered, even if it was skipped or cancelled during the attempt.
// biome-ignore format: a table is read by its columns.
export const deliveryTransitions = {
  deliver:   { from: deliveryStatuses,         to: "delivered", held: false, emits: null },
  give_up:   { from: ["pending"],              to: "exhausted", held: false, emits: null },
  skip:      { from: ["pending"],              to: "skipped",   held: false, emits: null },
  cancel:    { from: ["pending"],              to: "cancelled", held: false, emits: null },
  recover:   { from: ["exhausted", "skipped"], to: "pending",   held: false, emits: null },
  redeliver: { from: deliveryStatuses,         to: "pending",   held: false, emits: null },
} as const satisfies Transitions<DeliveryStatus>;
export type DeliveryAction = keyof typeof deliveryTransitions;

/** The state of a delivery that was pending in a restored backup: see `src/operations/backups/settle_restore.ts`. */
export const restoredStates = ["waiting", "sent", "dropped"] as const;
export type RestoredState = (typeof restoredStates)[number];

/** The first status of a test event's delivery: its only attempt counts as spent, whatever the result. */
export const testDeliveryStarts: DeliveryStatus = "exhausted";

/** The statuses of deliveries that wait to be sent. */
export const unsentDeliveries: readonly DeliveryStatus[] = deliveryTransitions.skip.from;

/** Whether a delivery waits to be sent. */
export const isUnsent = (status: DeliveryStatus): boolean => unsentDeliveries.includes(status);

/** The statuses of deliveries that their receivers accepted. */
export const arrivedDeliveries: readonly DeliveryStatus[] = [deliveryTransitions.deliver.to];

/** The statuses of deliveries that a receiver missed, which a recovery queues again. */
export const missedDeliveries: readonly DeliveryStatus[] = deliveryTransitions.recover.from;

/** The kinds of notices to the operator. */
export const noticeKinds = [
  "webhook_failing",
  "webhook_disabled",
  "webhook_backlog",
  "backup_failed",
  "backup_late",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

interface SubscriptionMeaning {
  /** Whether it takes deliveries. */
  readonly active: boolean;
  /** The status of deliveries that are created for it. */
  readonly new_delivery: DeliveryStatus;
  /** The notice that the operator gets when it enters this status. */
  readonly notice: NoticeKind | null;
}

/** What each status of a subscription means. */
export const subscriptionMeanings: Readonly<Record<SubscriptionStatus, SubscriptionMeaning>> = {
  active: { active: true, new_delivery: "pending", notice: null },
  failing: { active: true, new_delivery: "pending", notice: "webhook_failing" },
  paused: { active: false, new_delivery: "skipped", notice: null },
  disabled: { active: false, new_delivery: "skipped", notice: "webhook_disabled" },
};

/** Whether a subscription of this status takes deliveries. */
export const isActive = (status: SubscriptionStatus): boolean => subscriptionMeanings[status].active;

/** The statuses of subscriptions that take deliveries. */
export const activeSubscriptions = subscriptionStatuses.filter(isActive);

export const attemptStatuses = ["success", "failed", "blocked"] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];

export const attemptTriggers = ["scheduled", "manual", "test"] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];

/** The status of a failed attempt in the log. */
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

/** The log status of an attempt with this error, or with none. */
export function attemptStatusOf(error: AttemptErrorCode | null): AttemptStatus {
  if (error === null) return "success";
  return error === "blocked_address" ? "blocked" : "failed";
}

export const subscriptionVersions = ["v1", "v2"] as const;
export type SubscriptionVersion = (typeof subscriptionVersions)[number];

export const payloadKinds = ["full", "thin"] as const;
export type PayloadKind = (typeof payloadKinds)[number];

/** How many retries a subscription may choose. */
export const retryLimits = [3, 5, 10] as const;
export type RetryLimit = (typeof retryLimits)[number];

/** A recovery queues deliveries until all are queued; it is cancelled when its subscription is switched off. */
export const recoveryStatuses = ["queueing", "queued", "cancelled"] as const;
export type RecoveryStatus = (typeof recoveryStatuses)[number];

// biome-ignore format: a table is read by its columns.
export const recoveryTransitions = {
  finish: { from: ["queueing"], to: "queued",    held: false, emits: null },
  cancel: { from: ["queueing"], to: "cancelled", held: false, emits: null },
} as const satisfies Transitions<RecoveryStatus>;

/** The first status of a recovery. */
export const recoveryStarts: RecoveryStatus = "queueing";
