import { createHash } from "node:crypto";
import { onFirstUse } from "../../core/memoize.ts";

/** The second factor of a user, as it is kept. */
export interface SecondFactor {
  readonly user_id: number;
  /** Sealed for `second_factor_purpose`. */
  readonly secret: string;
  /** When its first code was shown; null while it is being set up. */
  readonly confirmed_at: number | null;
  /** The last period of which a code was taken. */
  readonly last_period: number;
  readonly created_at: number;
}

/** What the secret is sealed for. */
export const second_factor_purpose = "users.second_factor";

export const factorStatuses = ["off", "pending", "on"] as const;
type FactorStatus = (typeof factorStatuses)[number];

/** Where a user's second factor stands. */
export function factorStatus(factor: SecondFactor | null): FactorStatus {
  if (factor === null) return "off";
  return factor.confirmed_at === null ? "pending" : "on";
}

// Codes that stand in for an authenticator app that is lost: each is good once.

/** How many a user has. */
export const recovery_code_count = 10;
const letters = 16;
/** How many random bytes a code is made of. */
export const recovery_code_bytes = letters;

// Without letters that are read as others; 32 of them, so that a byte picks each as likely as another.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const misread: Readonly<Record<string, string>> = { o: "0", i: "1", l: "1" };

/** A code from random bytes, in groups that can be read out. */
export function recoveryCode(random: Uint8Array): string {
  const text = [...random.subarray(0, letters)].map((byte) => alphabet[byte % alphabet.length]).join("");
  return text.replace(/(.{4})(?=.)/g, "$1-");
}

/** What is kept of a code, however it was typed; null for what has not the form of one. */
export function recoveryHash(typed: string): string | null {
  const text = typed
    .toLowerCase()
    .replace(/[\s-]/g, "")
    .replace(/[oil]/g, (letter) => misread[letter] ?? letter);
  if (text.length !== letters || [...text].some((letter) => !alphabet.includes(letter))) return null;
  return createHash("sha256").update(`recovery.${text}`).digest("hex");
}

// Codes of authenticator apps by RFC 6238: six digits, new every thirty seconds, SHA-1, as all such apps know them.

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
