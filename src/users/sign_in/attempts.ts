import { type Bucket, fullBucket, type Rate, secondsToFull, take } from "../../access/limits.ts";

const names_max = 10_000;

/** Limits how often attempts under a name may fail. Successes are not counted. */
export interface Attempts {
  /** Counts an attempt. Answers 0 when it may be made, else after how many seconds. */
  readonly begin: (name: string, now: number) => number;
  /** Takes back the attempt that was counted last. */
  readonly succeeded: (name: string) => void;
}

/** Counts attempts in the memory of this process; of many names it remembers those that were counted last. */
export function attempts(rate: Rate, max = names_max): Attempts {
  const buckets = new Map<string, Bucket>();
  const begin = (name: string, now: number) => {
    const bucket = buckets.get(name) ?? fullBucket(rate, now);
    buckets.delete(name);
    for (const oldest of buckets.keys()) {
      if (buckets.size < max) break;
      buckets.delete(oldest);
    }
    buckets.set(name, bucket);
    return take(bucket, rate, now) ? 0 : secondsToFull(bucket, { ...rate, burst: 1 });
  };
  const succeeded = (name: string) => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) bucket.tokens = Math.min(rate.burst, bucket.tokens + 1);
  };
  return { begin, succeeded };
}
