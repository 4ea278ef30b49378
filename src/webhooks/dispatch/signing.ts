// How a delivery proves its origin: one HMAC in hexadecimal over the body, and one by the Standard Webhooks scheme
// over id, time and body. Each scheme derives its key from the secret in its own way.
import { hmacBase64, hmacHex } from "../../kit/hmac.ts";
import { wireId } from "../../kit/ids.ts";
import { deliveryHeaders, type Signatures } from "../logs/headers.ts";
import { secretBytes } from "../subscriptions/secret.ts";
import type { Claim } from "./claim.ts";

/** The signature over the body alone, in lower-case hexadecimal; its key is the whole secret as text. */
export function bodySignature(secret: string, body: string): string {
  return hmacHex(secret, body);
}

/** The signature over id, time and body, `v1,` and base64; its key is what the secret encodes. */
export function timedSignature(secret: string, id: string, timestamp_s: number, body: string): string {
  return `v1,${hmacBase64(secretBytes(secret), `${id}.${timestamp_s}.${body}`)}`;
}

/** The secrets that sign an attempt, opened. */
export interface Secrets {
  readonly secret: string;
  /** The secret before the last rotation while both are valid, else null. */
  readonly previous_secret: string | null;
}

/** What one attempt signs. */
export interface Signing extends Secrets {
  readonly event_id: string;
  /** The bytes that are sent, as text. */
  readonly body: string;
  /** The time of this attempt in milliseconds: real time, in the sandbox too. */
  readonly sent_at: number;
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

/** The input of the sender for one attempt, signed at this moment (real time). */
export function signed({ delivery, subscription, body }: Claim, secrets: Secrets, test: boolean, sent_at: number) {
  const { event_id, event_type } = delivery;
  const signatures = sign({ event_id, body, sent_at, ...secrets });
  const headers = deliveryHeaders({
    event_id,
    event_type,
    test,
    ...signatures,
    subscription_id: wireId("subscription", subscription.id),
    attempt: delivery.attempts + 1,
  });
  return { sending: { url: subscription.url, headers, body }, signatures };
}
