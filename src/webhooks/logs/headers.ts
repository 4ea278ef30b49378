// The headers of one attempt, as they are sent and as the log shows them.

/** The signatures of one attempt, which its headers contain and the log keeps. */
export interface Signatures {
  /** The moment it was signed for, in Unix seconds. */
  readonly timestamp_s: number;
  /** Both signatures under the secret, the one over the body first; then both under the previous one if it is valid. */
  readonly signatures: string;
}

/** What the headers of one attempt contain. */
export interface SignedAttempt extends Signatures {
  readonly event_id: string;
  readonly event_type: string;
  /** `whk_…` */
  readonly subscription_id: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** Whether this is a test event. */
  readonly test: boolean;
}

/** The headers of one attempt with signatures. The sender adds the host and the length. */
export function deliveryHeaders(delivery: SignedAttempt): Record<string, string> {
  const { event_id, timestamp_s } = delivery;
  const [signature = "", timed = "", previous, timed_previous] = delivery.signatures.split(" ");
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": "Packhouse-Webhooks/1",
    "X-Webhook-Signature": signature,
    "X-Packhouse-Signature": signature,
    "webhook-id": event_id,
    "webhook-timestamp": String(timestamp_s),
    "webhook-signature": timed_previous === undefined ? timed : `${timed} ${timed_previous}`,
    "X-Webhook-Event": delivery.event_type,
    "X-Webhook-Attempt": String(delivery.attempt),
    "X-Webhook-Subscription": delivery.subscription_id,
  };
  if (previous !== undefined) headers["X-Webhook-Signature-Previous"] = previous;
  if (delivery.test) headers["X-Webhook-Test"] = "true";
  return headers;
}
