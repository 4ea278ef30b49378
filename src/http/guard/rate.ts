import { type Bucket, fullBucket, type Rate, secondsToFull, take, tellLimit } from "../../access/limits.ts";
import { Fault } from "../../kit/fault.ts";
import type { Identity } from "./authentication.ts";

/** Takes a token for each request from the bucket of its key or user. Refuses: rate_limited. */
export function limiter() {
  // One for each key and user seen since the start: they are few, and operators create them.
  const buckets = new Map<string, Bucket>();
  return ({ type, id }: Identity, rate: Rate, now: number, headers: Record<string, string>): void => {
    let bucket = buckets.get(id);
    if (bucket === undefined) {
      bucket = fullBucket(rate, now);
      buckets.set(id, bucket);
    }
    const taken = take(bucket, rate, now);
    tellLimit(headers, bucket, rate, now);
    if (taken) return;
    const retry_after_seconds = secondsToFull(bucket, rate);
    const limit = `at most ${rate.burst} requests at once, and ${rate.per_minute} a minute`;
    throw new Fault("rate_limited", `${type === "user" ? "You" : "This key"} may send ${limit}.`, {
      retry_after_seconds,
    });
  };
}
