import { createHash } from "node:crypto";
import { onFirstUse } from "../../core/memoize.ts";

/** The second factor of a user, as it is stored. */
export interface SecondFactor {
  readonly user_id: number;
  /** Encrypted for `second_factor_purpose`. */
  readonly secret: string;
  /** When it was confirmed by a first code; null during setup. */
  readonly confirmed_at: number | null;
  /** The period of the last code that was used. */
  readonly last_period: number;
  readonly created_at: number;
}

/** The purpose that the secret is encrypted for. */
export const second_factor_purpose = "users.second_factor";

export const factorStatuses = ["off", "pending", "on"] as const;
type FactorStatus = (typeof factorStatuses)[number];

/** The status of a user's second factor. */
export function factorStatus(factor: SecondFactor | null): FactorStatus {
  if (factor === null) return "off";
  return factor.confirmed_at === null ? "pending" : "on";
}

/** The number of recovery codes of a user. Each replaces a code of the app once. */
export const recovery_code_count = 10;
const letters = 16;
/** The random bytes of a recovery code. */
export const recovery_code_bytes = letters;

// Without ambiguous letters. There are 32, so that a random byte picks each with equal probability.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const misread: Readonly<Record<string, string>> = { o: "0", i: "1", l: "1" };

/** A recovery code from random bytes, in groups of four. */
export function recoveryCode(random: Uint8Array): string {
  const text = [...random.subarray(0, letters)].map((byte) => alphabet[byte % alphabet.length]).join("");
  return text.replace(/(.{4})(?=.)/g, "$1-");
}

/** The hash of a recovery code as it is stored, whatever its spacing and case; null if it is not such a code. */
export function recoveryHash(typed: string): string | null {
  const text = typed
    .toLowerCase()
    .replace(/[\s-]/g, "")
    .replace(/[oil]/g, (letter) => misread[letter] ?? letter);
  if (text.length !== letters || [...text].some((letter) => !alphabet.includes(letter))) return null;
  return createHash("sha256").update(`recovery.${text}`).digest("hex");
}

// Codes of authenticator apps by RFC 6238: six digits, a new one every 30 seconds, SHA-1, which all apps support.

const library = onFirstUse(() => require("otpauth") as typeof import("otpauth"));

const period_ms = 30_000;
const issuer = "Packhouse";
// Codes of the period before or after are valid too, because clocks of phones differ a little.
const window = 1;

/** The random bytes of a secret. */
export const secret_bytes = 20;

/** A secret for manual entry in an app: base32 of random bytes. */
export function secretText(random: Uint8Array): string {
  const buffer = new Uint8Array(random.subarray(0, secret_bytes)).buffer;
  return new (library().Secret)({ buffer }).base32;
}

/** The `otpauth://` URL of the QR code: the secret and its label in the app. */
export function setupAddress(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/**
 * The period of a code, counted from 1970. Null if the code is not valid now (ms), or its period is not after
 * `last_period`: each code is valid once.
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
