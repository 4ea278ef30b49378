// Who may send how much at once, so that a slow receiver keeps nobody else waiting. All of it holds for one process.
import { type AttemptResult, isOverloaded } from "../attempt.ts";

/** Deliveries that are claimed at once, of all subscriptions together. */
const slots_in_all = 256;

/** Attempts under way at once of one subscription. */
const slots_of_one = 8;

const successes_to_grow = 20;

/** Deliveries that are claimed; late ones are what is tried for longer or was asked for again. */
export interface Busy {
  readonly all: number;
  readonly late: number;
}

/** What this server has claimed, and how much each receiver bears. */
export interface Room {
  /** What is claimed, by subscription. */
  readonly busy: ReadonlyMap<number, Busy>;
  /** How many attempts at once the receiver of a subscription bears. */
  readonly limitOf: (subscription_id: number) => number;
  /** How many more of a subscription may be claimed before there is a slot for them. */
  readonly aheadOf: (subscription_id: number) => number;
  /** The subscription that was served last: the one after it comes first now. */
  readonly last_id: number;
  /** Whether what was last claimed of a subscription was a late one. */
  readonly wasLate: (subscription_id: number) => boolean;
}

/** How much a receiver bears: it falls by half when the receiver is overloaded and grows slowly. */
export interface Load {
  readonly limit: number;
  /** Successes since the limit was last changed. */
  readonly successes: number;
}

/** What every receiver is believed to bear at first. */
export const full_load: Load = { limit: slots_of_one, successes: 0 };

/** What a receiver bears after an attempt: half when it was overloaded, one more after twenty successes. */
export function afterLoad(load: Load, result: AttemptResult): Load {
  if (isOverloaded(result)) return { limit: Math.max(1, Math.floor(load.limit / 2)), successes: 0 };
  if (result.error !== null || load.limit === slots_of_one) return load;
  const successes = load.successes + 1;
  return successes < successes_to_grow ? { ...load, successes } : { limit: load.limit + 1, successes: 0 };
}

/**
 * How many more deliveries of a subscription may be claimed, and how many of them late ones. The slots are shared
 * evenly among those that want any (`sharers`); half of them, of each and in all, are for first and second attempts
 * only. As far as its share goes, a subscription may claim some ahead of its receiver's limit. One it may always claim,
 * whatever the others do.
 */
export function slotsFor(own: Busy, total: Busy, limit: number, sharers: number, ahead = 0): Busy {
  const fair = Math.max(1, Math.floor(slots_in_all / Math.max(1, sharers)));
  const share = Math.min(limit, fair);
  const least = own.all === 0 ? 1 : 0;
  const all = Math.max(least, Math.min(Math.min(limit + ahead, fair) - own.all, slots_in_all - total.all));
  const late = Math.min(Math.ceil(share / 2) - own.late, slots_in_all / 2 - total.late);
  return { all, late: Math.min(all, Math.max(least, late)) };
}

/** How many deliveries a rate limit lets begin in one go; they are spread over the second. */
export function burst(rate_per_second: number): number {
  return Math.max(1, Math.floor(rate_per_second / 10));
}

/** When the rate limit lets the next delivery begin, after `count` began now. */
export function pacedUntil(rate_per_second: number, count: number, now: number): number {
  return now + Math.ceil((count * 1000) / rate_per_second);
}
