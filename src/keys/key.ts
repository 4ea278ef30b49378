import { createHash } from "node:crypto";
import type { Level } from "../access/permission.ts";
import type { Mode } from "../kit/mode.ts";
import type { IpMode } from "./ip_mode.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const pattern = /^ph_(live|test)_[0-9A-Za-z]{36}$/;

/** An API key as it is kept: only the hash of its text. */
export interface ApiKey {
  readonly id: number;
  /** The merchant whose records alone it reaches; null for a key of the house. */
  readonly merchant_id: number | null;
  readonly name: string;
  readonly hash: string;
  readonly last_four: string;
  readonly permission: Level;
  readonly ip_mode: IpMode;
  readonly ip_list: string[];
  readonly rate_limit_per_minute: number | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
  /** When it was or will be revoked; null if never. */
  readonly revoked_at: number | null;
  /** The key that it was rotated to. */
  readonly replaced_by: number | null;
  /** Raised by each change of it. */
  readonly version: number;
}

/** The text of a new key from 30 or more random bytes: prefix, 30 base62 characters, 6 of their CRC32. */
export function keyText(mode: Mode, random: Uint8Array): string {
  let letters = "";
  // 248 is the largest multiple of 62 in a byte: larger bytes would favour the first letters.
  for (const byte of random) if (byte < 248 && letters.length < 30) letters += alphabet[byte % 62];
  if (letters.length < 30) throw new RangeError("too few usable random bytes for a key");
  const body = prefixOf(mode) + letters;
  return body + checksum(body);
}

/** The mode a key's text names, or null when it is no key of ours or its checksum is wrong. */
export function modeOf(text: string): Mode | null {
  const found = pattern.exec(text);
  if (found === null || checksum(text.slice(0, -6)) !== text.slice(-6)) return null;
  return found[1] as Mode;
}

/** How every key of a mode begins. */
export const prefixOf = (mode: Mode): string => `ph_${mode}_`;

/** What is kept of a key's text. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let letters = "";
  for (let place = 0; place < 6; place += 1) {
    letters = alphabet[rest % 62] + letters;
    rest = Math.floor(rest / 62);
  }
  return letters;
}
