import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** HMAC-SHA256 in lower-case hexadecimal. A key or message given as text means its UTF-8 bytes. */
export function hmacHex(key: string | Uint8Array, message: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("hex");
}

/** HMAC-SHA256 in standard padded base64. A key or message given as text means its UTF-8 bytes. */
export function hmacBase64(key: string | Uint8Array, message: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("base64");
}

/** Whether two texts are equal, in a time that tells nothing of where they differ or of how long they are. */
export function equalInConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();

const version = "v1.";
const key_bytes = 32;
const nonce_bytes = 12;
const tag_bytes = 16;
const hex = /^[0-9a-fA-F]{64}$/;

/** Reads a sealing key from text: 32 bytes as 64 hexadecimal digits or as base64. Null when the text is neither. */
export function readSealingKey(text: string): Uint8Array | null {
  if (hex.test(text)) return Buffer.from(text, "hex");
  const key = Buffer.from(text, "base64");
  const plain = (form: string) => form.replaceAll("=", "");
  const written = [key.toString("base64"), key.toString("base64url")].map(plain);
  return key.length === key_bytes && written.includes(plain(text)) ? key : null;
}

/**
 * Encrypts a text under a 32-byte key with AES-256-GCM and a fresh random nonce. The purpose is authenticated with it,
 * so that what was sealed for one use opens for no other. The answer is `v1.` and base64url of nonce, cipher text, tag.
 */
export function seal(text: string, key: Uint8Array, purpose: string): string {
  const nonce = randomBytes(nonce_bytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tag_bytes });
  cipher.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return version + sealed.toString("base64url");
}

/** Whether a text looks like what `seal` makes; that it opens is another question. */
export function isSealed(text: string): boolean {
  return (
    text.startsWith(version) && Buffer.from(text.slice(version.length), "base64url").length > nonce_bytes + tag_bytes
  );
}

/**
 * Decrypts what `seal` made. Null when it was sealed under another key or for another purpose, or was changed since,
 * or is no sealed text at all: then nothing of it can be trusted.
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
    return null; // The tag does not fit: `final` throws and says nothing more.
  }
}
