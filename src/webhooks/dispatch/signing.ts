// How a delivery proves where it comes from: one HMAC in hexadecimal over the body, and one by the Standard Webhooks
// scheme over id, time and body. The two derive their keys from the secret differently, as each convention asks.
import { assert } from "../../kit/assert.ts";
import { hmacBase64, hmacHex } from "../../kit/hmac.ts";

const prefix = "whsec_";

/** How many random bytes `newSecret` takes. */
export const secret_bytes = 32;

/** A new signing secret from 32 random bytes: `whsec_` and their padded base64. */
export function newSecret(random: Uint8Array): string {
  assert(random.length === secret_bytes, `a secret takes ${secret_bytes} random bytes`);
  return prefix + Buffer.from(random).toString("base64");
}

/** What is wrong with a secret that a client supplies, or null: it is `whsec_` and padded base64 of 24 to 64 bytes. */
export function secretProblem(secret: string): string | null {
  if (!secret.startsWith(prefix)) return `must start with ${prefix}`;
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  if (key.toString("base64") !== secret.slice(prefix.length)) return `must be padded base64 after ${prefix}`;
  return key.length < 24 || key.length > 64 ? "must encode 24 to 64 bytes" : null;
}

/** The signature over the body alone, in lower-case hexadecimal; its key is the whole secret as text. */
export function bodySignature(secret: string, body: string): string {
  return hmacHex(secret, body);
}

/** The signature over id, time and body, `v1,` and base64; its key is what the secret encodes. */
export function timedSignature(secret: string, id: string, timestamp_s: number, body: string): string {
  return `v1,${hmacBase64(Buffer.from(secret.slice(prefix.length), "base64"), `${id}.${timestamp_s}.${body}`)}`;
}

/** What one attempt signs. */
export interface Signing {
  readonly event_id: string;
  /** The bytes that are sent, as text. */
  readonly body: string;
  /** The moment of this attempt in milliseconds: real time, also in the sandbox. */
  readonly sent_at: number;
  readonly secret: string;
  /** The secret before the last rotation while both are valid, else null. */
  readonly previous_secret: string | null;
}

/** The signatures of one attempt, as its headers are made of them and the log keeps them. */
export interface Signatures {
  /** The moment it was signed for, in Unix seconds. */
  readonly timestamp_s: number;
  /** Both signatures under the secret, the one over the body first, then both under the previous one if it is valid. */
  readonly signatures: string;
}

/** Signs one attempt. */
export function sign({ event_id, body, sent_at, secret, previous_secret }: Signing): Signatures {
  const timestamp_s = Math.floor(sent_at / 1000);
  const secrets = previous_secret === null ? [secret] : [secret, previous_secret];
  const signatures = secrets.map(
    (key) => `${bodySignature(key, body)} ${timedSignature(key, event_id, timestamp_s, body)}`,
  );
  return { timestamp_s, signatures: signatures.join(" ") };
}

/** What the headers of one attempt say. */
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

/** The headers of one attempt, signatures included. All but the host and the length, which the sender adds. */
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
