import { isoOrNull } from "../../core/clock.ts";
import { minute_ms } from "../../core/time.ts";
import { code128Bars } from "../../documents/barcodes.ts";
import type { PinStatus } from "../identity.transitions.ts";

/** The badge and the PIN of a user. A user who never had either has no record. */
export interface UserBadge {
  readonly user_id: number;
  /** The hash of the badge's code; null without a badge. */
  readonly hash: string | null;
  readonly made_at: number | null;
  /** Null without a PIN. */
  readonly pin_hash: string | null;
  /** Whether an administrator chose the PIN. */
  readonly pin_is_temporary: boolean;
  /** PINs that were tried since the last sign-in. */
  readonly attempts: number;
  readonly last_attempt_at: number | null;
}

export const pin_min = 4;
export const pin_max = 8;

/** After this many wrong PINs in a row, the badge is locked for `lock_ms`. */
export const attempts_max = 5;
export const lock_ms = 15 * minute_ms;

const prefix = "PHB";
const digit_count = 20;

/** The number of random bytes that make a badge. */
export const badge_bytes = digit_count;

/**
 * The code of a new badge. Scanners type it, so it has only letters and digits that are on the same keys everywhere.
 */
export function badgeCode(random: Uint8Array): string {
  return prefix + [...random.subarray(0, digit_count)].map((byte) => byte % 10).join("");
}

/** The code of a badge as a Code 128 barcode (SVG), without quiet zones. */
export function badgeBarcode(code: string): string {
  const { width, bars } = code128Bars(code, false);
  const path = bars.map((bar) => `M${bar.at} 0h${bar.width}v1h-${bar.width}z`).join("");
  const box = `viewBox="0 0 ${width} 1" preserveAspectRatio="none" shape-rendering="crispEdges"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><path d="${path}"/></svg>`;
}

const none = { made_at: null, pin_hash: null, pin_is_temporary: false, attempts: 0, last_attempt_at: null };

/** Until when a badge is locked after wrong PINs (ms), or null. */
export function lockedUntil(badge: Pick<UserBadge, "attempts" | "last_attempt_at">, now: number): number | null {
  const { attempts, last_attempt_at } = badge;
  if (attempts < attempts_max || last_attempt_at === null) return null;
  const until = last_attempt_at + lock_ms;
  return until > now ? until : null;
}

function pinStatus({ pin_hash, pin_is_temporary }: Pick<UserBadge, "pin_hash" | "pin_is_temporary">): PinStatus {
  if (pin_hash === null) return "unset";
  return pin_is_temporary ? "temporary" : "own";
}

/** The badge and the PIN of a user as the API shows them. */
export function badgeView(badge: UserBadge | null, now: number) {
  const own = badge ?? none;
  return {
    badge_made_at: isoOrNull(own.made_at),
    pin: pinStatus(own),
    locked_until: isoOrNull(lockedUntil(own, now)),
  };
}
