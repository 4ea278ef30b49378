// A delivery of one event to one subscription, and the bytes that are sent.
import { assert } from "../../kit/assert.ts";
import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { open } from "../../kit/seal.ts";
import type { EventContent, EventType } from "../../outbox/catalog.ts";
import type { AttemptResult } from "../attempt.ts";
import { deliveryHeaders, type Signatures, sign } from "../dispatch/signing.ts";
import type { AttemptTrigger, DeliveryForm, DeliveryStatus } from "../status.ts";
import { type Subscription, secret_purpose } from "../subscriptions/subscription.ts";

/** One event on its way to one subscription. */
export interface Delivery {
  readonly id: number;
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
  /** What is sent, where it is not made of an event that is kept; else null. */
  readonly body: string | null;
  /** What its present retry budget was given for. */
  readonly trigger: AttemptTrigger;
  /** The recovery that queued it again, or null. */
  readonly recovery_id: number | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** The turn of those who queue deliveries again and of those who forget payloads: a payload is not lost in between. */
export const payload_turn = "webhooks.payloads";

/** A delivery that this server has claimed, with all that one attempt at it needs. */
export interface Claim {
  readonly delivery: Delivery;
  readonly subscription: Subscription;
  /** The bytes to send, as text. */
  readonly body: string;
  /** Whether it is the one that an open circuit lets through. */
  readonly probe: boolean;
}

/** Whether a delivery leaves the first slots to others: it is tried for longer already, or was asked for again. */
export function isLate({ trigger, attempts }: Pick<Delivery, "trigger" | "attempts">): boolean {
  return trigger !== "scheduled" || attempts >= attempts_first;
}

const attempts_first = 2;

/** An attempt that has ended. */
export interface Finished {
  readonly claim: Claim;
  readonly signatures: Signatures;
  readonly result: AttemptResult;
  /** When it began, by the store's clock. */
  readonly started_at: number;
  /** When it ended, in real time. */
  readonly real_now: number;
  /** A random number from 0 to 1 for the jitter of the next attempt. */
  readonly random: number;
}

/** What the sender is handed for one attempt, signed at this moment (real time). */
export function signed(claim: Claim, test: boolean, secret_key: Uint8Array, sent_at: number, now: number) {
  const { delivery, subscription, body } = claim;
  const { secret, previous_secret } = opened(subscription, secret_key);
  const overlaps = (subscription.previous_secret_expires_at ?? 0) > now;
  const { event_id, event_type } = delivery;
  const signatures = sign({ event_id, body, sent_at, secret, previous_secret: overlaps ? previous_secret : null });
  const headers = deliveryHeaders({
    ...{ event_id, event_type, test, ...signatures },
    subscription_id: wireId("subscription", subscription.id),
    attempt: delivery.attempts + 1,
  });
  return { sending: { url: subscription.url, headers, body }, signatures };
}

interface Secrets {
  readonly secret: string;
  readonly previous_secret: string | null;
}

// As long as the claims that were read together with the subscription.
const secrets = new WeakMap<Subscription, Secrets>();

function opened(subscription: Subscription, secret_key: Uint8Array): Secrets {
  let known = secrets.get(subscription);
  if (known === undefined) {
    const { secret, previous_secret } = subscription;
    const text = open(secret, secret_key, secret_purpose);
    assert(text !== null, "a signing secret was sealed under another secret key");
    // The one before may have been sealed under a secret key that is lost: then the new one signs alone.
    known = {
      secret: text,
      previous_secret: previous_secret === null ? null : open(previous_secret, secret_key, secret_purpose),
    };
    secrets.set(subscription, known);
  }
  return known;
}

/** The form of what a subscription is sent from now on. */
export function formOf({ version, payload }: Pick<Subscription, "version" | "payload">): DeliveryForm {
  if (version === "v1") return "v1";
  return payload === "thin" ? "v2_thin" : "v2";
}

/**
 * The bytes of a delivery, made of its event: the same at each attempt, so this may never come to write them otherwise.
 * Version 2 adds `api_version`, `sequence` and `data.previous_attributes`; a thin payload says only which object it is
 * about. Empty when the event was forgotten.
 */
export function deliveryBody(form: DeliveryForm, content: EventContent, sequence: number): string {
  if (form === "v1" || content.body === "") return content.body;
  const { data, ...event } = JSON.parse(content.body) as { data: Record<string, unknown> };
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
    ...{ event_id, event_type, sequence, status, attempts, max_attempts, trigger },
    recovery_id: delivery.recovery_id === null ? null : wireId("recovery", delivery.recovery_id),
    next_attempt_at: isoOrNull(delivery.next_at),
    created_at: iso(delivery.created_at),
    finished_at: isoOrNull(delivery.finished_at),
  };
}
