import { createHash } from "node:crypto";
import { iso } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import { Fault, type FieldProblem } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { addressList } from "../../core/ip_addresses.ts";
import type { KeyLevel } from "../../http/auth/permissions.ts";
import { type IpMode, isActive, type KeyStatus } from "../identity.transitions.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const pattern = /^ph_(live|test)_[0-9A-Za-z]{36}$/;

/** An API key as it is stored, with only the hash of its text. */
export interface ApiKey {
  readonly id: number;
  /** The merchant to whose records it is limited; null for a key of the operator. */
  readonly merchant_id: number | null;
  readonly name: string;
  readonly hash: string;
  readonly last_four: string;
  readonly permission: KeyLevel;
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
  /** Incremented by each change. */
  readonly revision: number;
}

/** The text of a new key from 30 or more random bytes: prefix, 30 base62 characters, 6 of their CRC32. */
export function keyText(mode: Environment, random: Uint8Array): string {
  let letters = "";
  // 248 is the largest multiple of 62 in a byte. Larger bytes would make the first letters more likely.
  for (const byte of random) if (byte < 248 && letters.length < 30) letters += alphabet[byte % 62];
  if (letters.length < 30) throw new RangeError("too few usable random bytes for a key");
  const body = prefixOf(mode) + letters;
  return body + checksum(body);
}

/** The environment in a key's text, or null if it is not an API key or its checksum is wrong. */
export function environmentOfKey(text: string): Environment | null {
  const found = pattern.exec(text);
  if (found === null || checksum(text.slice(0, -6)) !== text.slice(-6)) return null;
  return found[1] as Environment;
}

/** The prefix of every key of an environment. */
export const prefixOf = (mode: Environment): string => `ph_${mode}_`;

/** The hash of a key's text, as it is stored. */
export function keyHashOf(text: string): string {
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

/** The maximum time that a key stays valid after a rotation. */
export const overlap_seconds_max = 7 * 24 * 3600;

/** The settings of a key that a client chooses. */
export type KeySettings = Pick<ApiKey, "name" | "ip_mode" | "ip_list" | "rate_limit_per_minute" | "expires_at">;

/** When a key ends (ms), as set now; infinity for never. */
function endOf({ revoked_at, expires_at }: Pick<ApiKey, "revoked_at" | "expires_at">): number {
  return Math.min(revoked_at ?? Number.POSITIVE_INFINITY, expires_at ?? Number.POSITIVE_INFINITY);
}

/** Whether a key is valid at a moment. */
export function statusOf(key: Pick<ApiKey, "revoked_at" | "expires_at">, now: number): KeyStatus {
  if (key.revoked_at !== null && key.revoked_at <= now) return "revoked";
  return key.expires_at !== null && key.expires_at <= now ? "expired" : "active";
}

/** The problems of a key's settings. */
export function settingProblems({ name, ip_mode, ip_list, expires_at }: KeySettings, now: number): FieldProblem[] {
  const problem = (field: string, message: string) => ({ field, code: "invalid_value", message });
  const named = /^[^\p{Cc}]{1,100}$/u.test(name);
  return [
    ...(named ? [] : [problem("name", "must be 1 to 100 printable characters")]),
    ...ip_list.flatMap((text, at) =>
      isRange(text) ? [] : [problem(`ip_list[${at}]`, "must be an address or range such as 10.0.0.0/8")],
    ),
    ...(ip_mode === "off" || ip_list.length > 0 ? [] : [problem("ip_list", `must not be empty in mode ${ip_mode}`)]),
    ...(expires_at === null || expires_at > now ? [] : [problem("expires_at", "must be in the future")]),
  ];
}

function isRange(text: string): boolean {
  try {
    return addressList([text]).size === 1;
  } catch {
    return false;
  }
}

/** Refuses to change a key that has ended. */
export function refuseEnded(key: ApiKey, action: "update" | "rotate", now: number): void {
  const status = statusOf(key, now);
  if (isActive(status)) return;
  throw new Fault("invalid_state_transition", `The key is ${status}. Create another one.`, {
    from: status,
    action,
    allowed_actions: [],
  });
}

/** The keys of the same merchant, or of the operator. */
export function ofOwner(keys: readonly ApiKey[], { merchant_id }: Pick<ApiKey, "merchant_id">): ApiKey[] {
  return keys.filter((key) => key.merchant_id === merchant_id);
}

/** From when on none of these keys can create others through the API (ms): infinity for never, 0 if none can now. */
export function lockoutAt(keys: readonly ApiKey[], now: number): number {
  const ends = keys.filter(({ permission }) => permission === "full").map(endOf);
  return Math.max(0, ...ends.filter((end) => end > now));
}

/**
 * Refuses to let the last key of its owner with full permission end sooner, since no other could then be created by the
 * owner through the API. `keys` are all of the mode; `changed` is one of them after the change.
 */
export function refuseLockout(keys: readonly ApiKey[], changed: ApiKey, now: number): void {
  const own = ofOwner(keys, changed);
  const after = own.map((key) => (key.id === changed.id ? changed : key));
  const [lockout_at, before] = [lockoutAt(after, now), lockoutAt(own, now)];
  if (lockout_at >= before) return;
  const then = lockout_at === 0 ? "" : ` from ${iso(lockout_at)}`;
  const message = `No key with full permission would be left${then}. Send allow_lockout to do it anyway.`;
  throw new Fault("would_lock_out", message, { key: wireId("key", changed.id) });
}

const key_headers = ["x-api-key", "api-key", "apikey", "x-auth-token", "x-access-token", "x-token", "authentication"];
const key_parameters = ["api_key", "apikey", "api-key", "key", "token", "access_token", "authorization"];

/** A hint with a trailing space about a key that was sent in the wrong place, or "". It does not contain the key. */
export function misplacedKey(headers: Headers, query: string): string {
  const authorization = headers.get("authorization")?.trim() ?? "";
  if (/^basic\b/i.test(authorization)) return "Basic authentication is not accepted. ";
  if (/^bearer$/i.test(authorization)) return 'Missing API key after "Bearer". ';
  if (/^\S+$/.test(authorization)) return '"Bearer" is missing before the API key. ';
  if (/^bearer\b/i.test(authorization)) return 'There is more than one word after "Bearer". ';
  if (authorization !== "") return 'The Authorization header must start with "Bearer". ';
  const header = key_headers.find((name) => headers.get(name));
  if (header !== undefined) return `The API key was sent in the header ${titled(header)}, which is not supported. `;
  const parameters = new URLSearchParams(query);
  const parameter = key_parameters.find((name) => parameters.get(name));
  if (parameter === undefined) return "";
  return `The API key was sent in the URL parameter ${parameter}, where logs may store it: rotate this key. `;
}

const titled = (header: string) => header.replace(/(^|-)\w/g, (letters) => letters.toUpperCase());
