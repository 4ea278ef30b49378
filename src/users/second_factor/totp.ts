// Codes of authenticator apps by RFC 6238: six digits, new every thirty seconds, SHA-1, as all such apps know them.
import { onFirstUse } from "../../kit/first_use.ts";

const library = onFirstUse(() => require("otpauth") as typeof import("otpauth"));

const period_ms = 30_000;
const issuer = "Packhouse";
// Clocks of phones are a little off: the code of one period before or after will do.
const window = 1;

/** How many random bytes a secret is made of. */
export const secret_bytes = 20;

/** A secret as apps take it by hand: base32 of random bytes. */
export function secretText(random: Uint8Array): string {
  const buffer = new Uint8Array(random.subarray(0, secret_bytes)).buffer;
  return new (library().Secret)({ buffer }).base32;
}

/** The address that an app reads from a QR code: the secret, and what the app calls it. */
export function setupAddress(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/**
 * The period whose code was shown, counted from 1970; null when it is no code of now, or one up to `last_period`:
 * each period's code is good once.
 */
export function periodOfCode(secret: string, code: string, now: number, last_period: number): number | null {
  if (!isTotpCode(code)) return null;
  const delta = totpOf(secret, "").validate({ token: code, timestamp: now, window });
  if (delta === null) return null;
  const period = Math.floor(now / period_ms) + delta;
  return period > last_period ? period : null;
}

/** Whether a text has the form of a code of an app. */
function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}

function totpOf(secret: string, label: string) {
  const { Secret, TOTP } = library();
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret) });
}
