import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** HMAC-SHA256 in lower-case hexadecimal. Keys and messages that are text are encoded as UTF-8. */
export function hmacHex(key: string | Uint8Array, message: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("hex");
}

/** HMAC-SHA256 in standard padded base64. Keys and messages that are text are encoded as UTF-8. */
export function hmacBase64(key: string | Uint8Array, message: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("base64");
}

/** Whether two texts are equal. The time taken reveals neither their length nor where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();

const version = "v1.";
const key_bytes = 32;
const nonce_bytes = 12;
const tag_bytes = 16;
const hex = /^[0-9a-fA-F]{64}$/;

/** Reads a sealing key: 32 bytes as 64 hexadecimal digits or as base64. Null when the text is neither. */
export function readSealingKey(text: string): Uint8Array | null {
  if (hex.test(text)) return Buffer.from(text, "hex");
  const key = Buffer.from(text, "base64");
  const plain = (form: string) => form.replaceAll("=", "");
  const written = [key.toString("base64"), key.toString("base64url")].map(plain);
  return key.length === key_bytes && written.includes(plain(text)) ? key : null;
}

/**
 * Encrypts a text under a 32-byte key with AES-256-GCM and a random nonce. The purpose is authenticated, so the text
 * opens for that purpose only. Returns `v1.` and the base64url of nonce, ciphertext and tag.
 */
export function seal(text: string, key: Uint8Array, purpose: string): string {
  const nonce = randomBytes(nonce_bytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tag_bytes });
  cipher.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return version + sealed.toString("base64url");
}

/** Whether a text has the form that `seal` returns. It may still fail to open. */
export function isSealed(text: string): boolean {
  return (
    text.startsWith(version) && Buffer.from(text.slice(version.length), "base64url").length > nonce_bytes + tag_bytes
  );
}

/**
 * Decrypts a text that `seal` returned. Null when the key or the purpose differs, or the text was modified or never
 * sealed.
 */
export function open(sealed: string, key: Uint8Array, purpose: string): string | null {
  if (!sealed.startsWith(version)) return null;
  const bytes = Buffer.from(sealed.slice(version.length), "base64url");
  if (bytes.length < nonce_bytes + tag_bytes) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonce_bytes), { authTagLength: tag_bytes });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(-tag_bytes));
  try {
    return decipher.update(bytes.subarray(nonce_bytes, -tag_bytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null; // The authentication tag does not match.
  }
}
