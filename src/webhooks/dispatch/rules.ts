// How many deliveries are sent at once, so that a slow receiver delays no other. All of it is for one process.
import { type AttemptResult, isOverloaded } from "../attempt.ts";

/** Deliveries claimed at once, of all subscriptions together. */
const slots_in_all = 256;

/** Attempts in progress at once of one subscription. */
const slots_of_one = 8;

const successes_to_grow = 20;

/** Claimed deliveries; late ones have been tried before or were queued again. */
export interface Busy {
  readonly all: number;
  readonly late: number;
}

/** What this server has claimed, and the limit of each receiver. */
export interface Room {
  /** Claimed deliveries by subscription. */
  readonly busy: ReadonlyMap<number, Busy>;
  /** How many attempts at once the receiver of a subscription takes. */
  readonly limitOf: (subscription_id: number) => number;
  /** How many more of a subscription may be claimed before there is a slot for them. */
  readonly aheadOf: (subscription_id: number) => number;
  /** The subscription that was served last: the one after it comes first now. */
  readonly last_id: number;
  /** Whether the last claim of a subscription was a late one. */
  readonly wasLate: (subscription_id: number) => boolean;
}

/** How many attempts at once a receiver takes: halved when the receiver is overloaded, and growing slowly. */
export interface Load {
  readonly limit: number;
  /** Successes since the limit last changed. */
  readonly successes: number;
}

/** The limit of every receiver at first. */
export const full_load: Load = { limit: slots_of_one, successes: 0 };

/** A receiver's limit after an attempt: half when it was overloaded, one more after twenty successes. */
export function afterLoad(load: Load, result: AttemptResult): Load {
  if (isOverloaded(result)) return { limit: Math.max(1, Math.floor(load.limit / 2)), successes: 0 };
  if (result.error !== null || load.limit === slots_of_one) return load;
  const successes = load.successes + 1;
  return successes < successes_to_grow ? { ...load, successes } : { limit: load.limit + 1, successes: 0 };
}

/**
 * How many more deliveries of a subscription may be claimed, and how many of them late ones. The slots are shared
 * evenly among the subscriptions that want any (`sharers`). Half of them, of each and in all, are for first and second
 * attempts only. Within its share a subscription may claim some ahead of its receiver's limit. It may always claim one.
 */
export function slotsFor(own: Busy, total: Busy, limit: number, sharers: number, ahead = 0): Busy {
  const fair = Math.max(1, Math.floor(slots_in_all / Math.max(1, sharers)));
  const share = Math.min(limit, fair);
  const least = own.all === 0 ? 1 : 0;
  const all = Math.max(least, Math.min(Math.min(limit + ahead, fair) - own.all, slots_in_all - total.all));
  const late = Math.min(Math.ceil(share / 2) - own.late, slots_in_all / 2 - total.late);
  return { all, late: Math.min(all, Math.max(least, late)) };
}

/** How many deliveries a rate limit lets start in one burst; bursts are spread over the second. */
export function burst(rate_per_second: number): number {
  return Math.max(1, Math.floor(rate_per_second / 10));
}

/** When the rate limit lets the next delivery start, after `count` started now. */
export function pacedUntil(rate_per_second: number, count: number, now: number): number {
  return now + Math.ceil((count * 1000) / rate_per_second);
}
