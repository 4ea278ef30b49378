// Rate limits per key, and per address for failures: token buckets in the memory of one server process.
import type { Actor } from "../../core/actor.ts";
import { Fault } from "../../core/faults.ts";

/** A bucket's size and refill rate. */
export interface RateLimit {
  readonly per_minute: number;
  readonly burst: number;
}

/** The tokens in a bucket at a time `at` (ms). */
export interface TokenBucket {
  tokens: number;
  at: number;
}

/** Requests per minute of a key without a limit of its own. */
const per_minute_default = 6000;
const burst_default = 200;

/** Failed authentications per address. */
export const failureRate: RateLimit = { per_minute: 10, burst: 10 };
const names_max = 10_000;

/** The limit of a key: its own; the default for null; none for 0. */
export function rateOf(rate_limit_per_minute: number | null): RateLimit | null {
  const per_minute = rate_limit_per_minute ?? per_minute_default;
  if (per_minute === 0) return null;
  // Requests pile up while the server is briefly busy, so a fast key may send one second's requests at once.
  const least = Math.min(per_minute, Math.max(burst_default, Math.ceil(per_minute / 60)));
  // A bucket fills in whole seconds, so that its size and the seconds together give the rate.
  const seconds = Math.ceil((least * 60) / per_minute);
  return { per_minute, burst: Math.floor((per_minute * seconds) / 60) };
}

/** A full bucket. */
export const fullBucket = ({ burst }: RateLimit, now: number): TokenBucket => ({ tokens: burst, at: now });

/** Takes one token from a bucket; false when it is empty. A clock that is set back adds no tokens. */
export function takeToken(bucket: TokenBucket, { per_minute, burst }: RateLimit, now: number): boolean {
  const filled = bucket.tokens + (Math.max(0, now - bucket.at) * per_minute) / 60_000;
  bucket.tokens = filled < burst ? filled : burst;
  bucket.at = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

/** How many whole seconds it takes until a bucket is full again. */
export function secondsToFull({ tokens }: TokenBucket, { per_minute, burst }: RateLimit): number {
  return Math.ceil(((burst - tokens) * 60) / per_minute);
}

/**
 * Writes the limit into response headers. All of them describe the bucket: its size, its tokens, and when it is full
 * again.
 */
export function setLimitHeaders(
  headers: Record<string, string>,
  bucket: TokenBucket,
  rate: RateLimit,
  now: number,
): void {
  const { burst, per_minute } = rate;
  const left = Math.floor(bucket.tokens);
  const full_at = now + ((burst - bucket.tokens) * 60_000) / per_minute;
  headers["ratelimit-policy"] = `"default";q=${burst};w=${Math.ceil((burst * 60) / per_minute)}`;
  headers["ratelimit"] = `"default";r=${left};t=${secondsToFull(bucket, rate)}`;
  headers["x-ratelimit-limit"] = `${burst}`;
  headers["x-ratelimit-remaining"] = `${left}`;
  headers["x-ratelimit-reset"] = `${Math.ceil(full_at / 1000)}`;
}

/** Counts the failures of each address; see `rateCounter`. */
export function failureCounter(max = names_max): (address: string, now: number) => number {
  return rateCounter(failureRate, max);
}

/**
 * Counts actions under each name. Returns 0 while the rate is not exceeded, else the seconds until the bucket is full.
 * Remembers the `max` most recently counted names.
 */
export function rateCounter(rate: RateLimit, max = names_max): (name: string, now: number) => number {
  const buckets = new Map<string, TokenBucket>();
  return (name, now) => {
    const bucket = buckets.get(name) ?? fullBucket(rate, now);
    // The map keeps the order of insertion, so the most recently counted name moves to its end.
    buckets.delete(name);
    for (const oldest of buckets.keys()) {
      if (buckets.size < max) break;
      buckets.delete(oldest);
    }
    buckets.set(name, bucket);
    return takeToken(bucket, rate, now) ? 0 : secondsToFull(bucket, rate);
  };
}

/** Takes a token for each request from the bucket of its key or user. Refuses: rate_limited. */
export function limiter() {
  // One for each key and user seen since startup. They are few, since operators create them.
  const buckets = new Map<string, TokenBucket>();
  return (
    { type, id }: Pick<Actor, "type" | "id">,
    rate: RateLimit,
    now: number,
    headers: Record<string, string>,
  ): void => {
    let bucket = buckets.get(id);
    if (bucket === undefined) {
      bucket = fullBucket(rate, now);
      buckets.set(id, bucket);
    }
    const taken = takeToken(bucket, rate, now);
    setLimitHeaders(headers, bucket, rate, now);
    if (taken) return;
    const retry_after_seconds = secondsToFull(bucket, rate);
    const limit = `at most ${rate.burst} requests at once, and ${rate.per_minute} per minute`;
    throw new Fault("rate_limited", `${type === "user" ? "You" : "This key"} can send ${limit}.`, {
      retry_after_seconds,
    });
  };
}
