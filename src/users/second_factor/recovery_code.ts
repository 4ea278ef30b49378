// Codes that stand in for an authenticator app that is lost: each is good once.
import { createHash } from "node:crypto";

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
