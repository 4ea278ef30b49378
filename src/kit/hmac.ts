import { createHash, timingSafeEqual } from "node:crypto";

/** HMAC-SHA256 in lower-case hexadecimal. A key or message given as text means its UTF-8 bytes. */
export function hmacHex(key: string | Uint8Array, message: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("hex");
}

/** HMAC-SHA256 in standard padded base64. A key or message given as text means its UTF-8 bytes. */
export function hmacBase64(key: string | Uint8Array, message: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("base64");
}

/** Whether two texts are equal, in a time that tells nothing of where they differ or of how long they are. */
export function sameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();
