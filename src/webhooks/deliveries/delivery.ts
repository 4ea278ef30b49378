// A delivery of one event to one subscription, and the bytes that are sent.
import { dataWithoutBins, showsBins } from "../../inventory/bin_codes.ts";
import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { EventContent, EventType } from "../../outbox/catalog.ts";
import type { AttemptTrigger, DeliveryForm, DeliveryStatus, RestoredState } from "../status.ts";
import type { Subscription } from "../subscriptions/subscription.ts";

/** One event to be sent to one subscription. */
export interface Delivery {
  readonly id: number;
  /** That of its subscription. */
  readonly merchant_id: number | null;
  readonly subscription_id: number;
  readonly event_id: string;
  readonly event_type: EventType;
  /** Its number among the subscription's deliveries, from 1; 0 for test events. */
  readonly sequence: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly spent_attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number | null;
  readonly form: DeliveryForm;
  /** What is sent, if it is not made from a stored event; else null. */
  readonly body: string | null;
  /** The trigger of its present retry budget. */
  readonly trigger: AttemptTrigger;
  /** The recovery that queued it again, or null. */
  readonly recovery_id: number | null;
  /** What became of it after a restore, if it waited when the data came from a backup; else null. */
  readonly restored: RestoredState | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** The lock of transactions that queue deliveries again or delete payloads, so that no payload is lost in between. */
export const payload_turn = "webhooks.payloads";

/** Whether a delivery leaves the first slots to others: it has been tried before, or was queued again. */
export function isLate({ trigger, attempts }: Pick<Delivery, "trigger" | "attempts">): boolean {
  return trigger !== "scheduled" || attempts >= attempts_first;
}

const attempts_first = 2;

/** Whether it waits for the operator's decision after a restore. */
export const isHeld = ({ restored }: Pick<Delivery, "restored">): boolean => restored === "waiting";

/** The payload form for new deliveries of a subscription. */
export function formOf({ version, payload }: Pick<Subscription, "version" | "payload">): DeliveryForm {
  if (version === "v1") return "v1";
  return payload === "thin" ? "v2_thin" : "v2";
}

/**
 * The bytes of a delivery, made from its event. They must be the same at each attempt, so this function must never
 * change its output. Version 2 adds `api_version`, `sequence` and `data.previous_attributes`; a thin payload names only
 * its object. A merchant's receiver is told of no bins. Empty when the event's payload was deleted.
 */
export function deliveryBody(
  { form, sequence, ...asker }: Pick<Delivery, "form" | "sequence" | "merchant_id">,
  content: EventContent,
): string {
  const isWhole = showsBins(asker);
  if (content.body === "" || (form === "v1" && isWhole)) return content.body;
  const { data: all, ...event } = JSON.parse(content.body) as { data: Record<string, unknown> };
  const data = isWhole ? all : dataWithoutBins(all);
  if (form === "v1") return JSON.stringify({ ...event, data });
  const { object, id, sku } = data;
  const thin = id === undefined ? { object, sku } : { object, id };
  const shown = form === "v2_thin" ? thin : { ...data, previous_attributes: JSON.parse(content.previous ?? "{}") };
  return JSON.stringify({ ...event, api_version: "v1", sequence, data: shown });
}

/** A delivery as the API shows it. */
export function deliveryView(delivery: Delivery) {
  const { id, subscription_id, event_id, event_type, sequence, status, attempts, max_attempts, trigger } = delivery;
  return {
    id: wireId("delivery", id),
    subscription_id: wireId("subscription", subscription_id),
    event_id,
    event_type,
    sequence,
    status,
    attempts,
    max_attempts,
    trigger,
    recovery_id: delivery.recovery_id === null ? null : wireId("recovery", delivery.recovery_id),
    restored: delivery.restored,
    next_attempt_at: isoOrNull(delivery.next_at),
    created_at: iso(delivery.created_at),
    finished_at: isoOrNull(delivery.finished_at),
  };
}
