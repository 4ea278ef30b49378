// The secret of a subscription: `whsec_` and the base64 of random bytes.
import { assert } from "../../kit/assert.ts";

const prefix = "whsec_";

/** The purpose under which signing secrets are sealed. */
export const secret_purpose = "webhooks.secret";

/** How many random bytes `newSecret` takes. */
export const secret_bytes = 32;

/** A new signing secret from 32 random bytes: `whsec_` and their padded base64. */
export function newSecret(random: Uint8Array): string {
  assert(random.length === secret_bytes, `a secret takes ${secret_bytes} random bytes`);
  return prefix + Buffer.from(random).toString("base64");
}

/** What is wrong with a client's secret, or null: it has to be `whsec_` and padded base64 of 24 to 64 bytes. */
export function secretProblem(secret: string): string | null {
  if (!secret.startsWith(prefix)) return `must start with ${prefix}`;
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  if (key.toString("base64") !== secret.slice(prefix.length)) return `must be padded base64 after ${prefix}`;
  return key.length < 24 || key.length > 64 ? "must encode 24 to 64 bytes" : null;
}

/** The bytes that a secret encodes. */
export function secretBytes(secret: string): Uint8Array {
  return Buffer.from(secret.slice(prefix.length), "base64");
}
