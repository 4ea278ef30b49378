// Signs and sends deliveries. There are two signatures: an HMAC in hexadecimal over the body, and one by Standard
// Webhooks over id, time and body. Each derives its key from the secret in its own way.

import { systemClock } from "../../core/clock.ts";
import { hmacBase64, hmacHex, open } from "../../core/crypto.ts";
import type { Environment } from "../../core/environment.ts";
import { assert } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { counter, gauge, histogram } from "../../core/metrics.ts";
import type { Service } from "../../http/service.ts";
import { forEachPolicy } from "../../outbound/caller.ts";
import type { ConnectionTimeouts } from "../../outbound/connections.ts";
import { createOutbound, type Outbound, type OutboundOptions, type OutboundOutcome } from "../../outbound/outbound.ts";
import type { ReceivedResponse } from "../../outbound/response_reader.ts";
import type { Store } from "../../storage/database.ts";
import { type Subscription, secret_purpose, secretBytes } from "../subscriptions/subscription.ts";
import { type AttemptError, type AttemptResult, deliveryHeaders, type Signatures } from "./attempt.ts";
import type { DeliveryClaim, FinishedAttempt } from "./delivery_claim.ts";

/** Returns the signature over the body, in lower-case hexadecimal. The key is the secret as text. */
export function bodySignature(secret: string, body: string): string {
  return hmacHex(secret, body);
}

/**
 * Returns the Standard Webhooks signature over id, time and body: `v1,` and base64. The key is decoded from the
 * secret.
 */
export function timedSignature(secret: string, id: string, timestamp_s: number, body: string): string {
  return `v1,${hmacBase64(secretBytes(secret), `${id}.${timestamp_s}.${body}`)}`;
}

/** The opened secrets that sign an attempt. */
interface SigningSecrets {
  readonly secret: string;
  /** The secret before the last rotation while both are valid, otherwise null. */
  readonly previous_secret: string | null;
}

/** The signed content of an attempt. */
export interface Signing extends SigningSecrets {
  readonly event_id: string;
  /** The body as text. */
  readonly body: string;
  /** The time of this attempt in milliseconds: real time, also for test data. */
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

/** Returns the request of an attempt, signed at `sent_at` (real time). */
function signed(
  { delivery, subscription, body }: DeliveryClaim,
  secrets: SigningSecrets,
  test: boolean,
  sent_at: number,
) {
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

/** The options of a sender: those of its HTTP client. */
export type SenderOptions = Omit<OutboundOptions, "deadlines"> & Partial<Pick<OutboundOptions, "deadlines">>;

/** The receiver and the request. Host and length are added to the headers. */
export interface OutgoingDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Sender extends Pick<Outbound, "problem" | "close"> {
  /** Makes one attempt. It never throws: errors are part of the result. */
  send(sending: OutgoingDelivery): Promise<AttemptResult>;
}

/** The default timeouts of an attempt. */
export const default_deadlines: ConnectionTimeouts = { connect_ms: 3000, headers_ms: 5000, body_ms: 1000 };
const body_bytes_max = 16 * 1024;
const body_bytes_kept_max = 4 * 1024;
const header_characters_kept_max = 500;
const message_characters_max = 300;

const logged_headers = [
  ...["content-type", "content-length", "content-encoding", "date", "location", "retry-after", "server", "via"],
  ...["webhook-delivery", "x-request-id", "x-correlation-id", "cf-ray", "x-amzn-requestid", "traceparent"],
];

const senders = forEachPolicy((policy) => createSender({ policy }));

/** Returns the sender of an environment for the operator's receivers, or for merchants' receivers. */
export function senderOf(
  service: Service,
  mode: Environment,
  { merchant_id }: Pick<Subscription, "merchant_id">,
): Sender {
  return senders(service, mode, merchant_id === null ? "operator" : "merchant");
}

/** Creates a sender for the receivers that a policy allows. It reuses connections. */
export function createSender({ deadlines = default_deadlines, ...options }: SenderOptions): Sender {
  const outbound = createOutbound({ ...options, deadlines });
  return {
    async send(sending) {
      // Receivers recognize an event by its id, so it may arrive twice.
      return resultOf(await outbound.call({ ...sending, method: "POST", body_bytes_max, repeatable: true }));
    },
    problem: outbound.problem,
    close: outbound.close,
  };
}

function resultOf({ answer, error, ip_address, duration_ms }: OutboundOutcome): AttemptResult {
  if (answer !== null) return { ...logged(answer), ip_address, duration_ms };
  const message = printable(error.message).slice(0, message_characters_max);
  return {
    status_code: null,
    headers: {},
    body: null,
    truncated: false,
    error: { code: error.code, message },
    ip_address,
    duration_ms,
  };
}

function logged({ status_code, headers, body, complete }: ReceivedResponse) {
  const lines: Record<string, string> = {};
  for (const name of logged_headers) {
    const value = headers[name];
    if (value !== undefined) lines[name] = printable(value).slice(0, header_characters_kept_max);
  }
  return {
    status_code,
    headers: lines,
    body: excerpt(body),
    truncated: !complete || body.length > body_bytes_kept_max,
    error: httpError(status_code),
  };
}

function httpError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return { code: "gone", message: "The receiver returned 410, so deliveries to it end." };
  if (status === 429) return { code: "too_many_requests", message: "The receiver returned 429." };
  const redirect = status >= 300 && status < 400 ? ", and redirects are not followed" : "";
  return { code: "http_error", message: `The receiver returned ${status}${redirect}.` };
}

/** The start of a body as text of at most 4 KiB, cut between characters. */
function excerpt(bytes: Uint8Array): string {
  const text = printable(decode(bytes.subarray(0, body_bytes_kept_max)));
  // Replacement characters of invalid UTF-8 make it longer.
  const grown = Buffer.byteLength(text) > body_bytes_kept_max;
  return grown ? decode(Buffer.from(text).subarray(0, body_bytes_kept_max)) : text;
}

// `stream` omits an incomplete character at the end.
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

/** Replaces NUL, which some databases cannot store. */
const printable = (text: string): string => text.replaceAll("\u0000", "\ufffd");

const attempts_made = counter("packhouse_delivery_attempts_total", "Attempts at deliveries.", ["mode", "outcome"]);
const attempt_seconds = histogram(
  "packhouse_delivery_attempt_seconds",
  "How long attempts at deliveries took.",
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ["mode"],
);
const under_way = gauge("packhouse_deliveries_under_way", "Attempts that wait for their receiver.", ["mode"]);

const realTime = systemClock();

/** Makes one attempt at a claimed delivery. */
export async function attempt(
  claim: DeliveryClaim,
  store: Store,
  service: Service,
  test: boolean,
): Promise<FinishedAttempt> {
  const started_at = store.clock.now();
  const secrets = secretsOf(claim.subscription, service.secret_key, started_at);
  const { sending, signatures } = signed(claim, secrets, test, realTime.now());
  const begun_at = performance.now();
  under_way.add(1, store.mode);
  const result = await senderOf(service, store.mode, claim.subscription)
    .send(sending)
    .finally(() => under_way.add(-1, store.mode));
  attempts_made.add(1, store.mode, result.error?.code ?? "delivered");
  attempt_seconds.observe((performance.now() - begun_at) / 1000, store.mode);
  return { claim, signatures, result, started_at, real_now: realTime.now(), random: draw() };
}

/** A random number from 0 up to 1. */
function draw(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number / 2 ** 32;
}

// Cached with the subscription of the claims.
const opened = new WeakMap<Subscription, SigningSecrets>();

/** The secrets that sign a subscription's attempts at a time of the store's clock. */
function secretsOf(subscription: Subscription, secret_key: Uint8Array, now: number): SigningSecrets {
  const known = opened.getOrInsertComputed(subscription, ({ secret, previous_secret }) => {
    const text = open(secret, secret_key, secret_purpose);
    assert(text !== null, "a signing secret was sealed under another secret key");
    // The previous secret may have been sealed with a lost secret key. Then the new one signs alone.
    const previous = previous_secret === null ? null : open(previous_secret, secret_key, secret_purpose);
    return { secret: text, previous_secret: previous };
  });
  const overlaps = (subscription.previous_secret_expires_at ?? 0) > now;
  return overlaps ? known : { ...known, previous_secret: null };
}
