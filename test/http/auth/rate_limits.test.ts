import { describe, expect, test } from "bun:test";
import {
  failureCounter,
  fullBucket,
  rateOf,
  secondsToFull,
  setLimitHeaders,
  takeToken,
} from "../../../src/http/auth/rate_limits.ts";

const usual = rateOf(null);
if (usual === null) throw new Error("there is a limit unless it is switched off");

/** How many tokens can be taken at once. */
function taken(bucket: { tokens: number; at: number }, rate: typeof usual, now: number): number {
  let count = 0;
  while (count < 100_000 && rate !== null && takeToken(bucket, rate, now)) count += 1;
  return count;
}

describe("a token bucket", () => {
  test.each([
    [null, 6000, 200],
    [60, 60, 60],
    [1, 1, 1],
    [7000, 7000, 233],
    [600_000, 600_000, 10_000],
  ])("for a limit of %p allows %p a minute, %p of them at once", (limit, per_minute, burst) => {
    expect(rateOf(limit)).toEqual({ per_minute, burst });
  });

  test("reports its refill rate as a size and seconds, for any limit", () => {
    for (let limit = 1; limit < 20_000; limit += 7) {
      const rate = rateOf(limit) ?? usual;
      const headers: Record<string, string> = {};
      setLimitHeaders(headers, fullBucket(rate, 0), rate, 0);
      const [, size = "", seconds = ""] = /;q=(\d+);w=(\d+)$/.exec(headers["ratelimit-policy"] ?? "") ?? [];
      expect((Number(size) * 60) / Number(seconds)).toBeWithin(limit * 0.99, limit + 1);
      expect(Number(size)).toBeLessThanOrEqual(limit);
    }
  });

  test("does not exist for the limit 0", () => {
    expect(rateOf(0)).toBeNull();
  });

  test("allows its contents, then what has been refilled", () => {
    const bucket = fullBucket(usual, 0);
    expect(taken(bucket, usual, 0)).toBe(200);
    expect(secondsToFull(bucket, usual)).toBe(2);
    expect(taken(bucket, usual, 9)).toBe(0);
    expect(taken(bucket, usual, 10)).toBe(1);
    expect(taken(bucket, usual, 1010)).toBe(100);
    expect(taken(bucket, usual, 60_000)).toBe(200);
  });

  test("allows no more than its limit, however the requests are spread", () => {
    const bucket = fullBucket(usual, 0);
    let count = 0;
    for (let now = 0; now < 60_000; now += 7)
      if (takeToken(bucket, usual, now) || takeToken(bucket, usual, now)) count += 1;
    expect(count).toBeWithin(6000, 6201);
  });

  test("does not refill while the clock goes back, and continues from there", () => {
    const bucket = fullBucket(usual, 1_000_000);
    taken(bucket, usual, 1_000_000);
    expect(taken(bucket, usual, 0)).toBe(0);
    expect(taken(bucket, usual, 1000)).toBe(100);
  });

  test("holds at most the capacity of a changed limit", () => {
    const bucket = fullBucket(usual, 0);
    expect(taken(bucket, { per_minute: 60, burst: 60 }, 0)).toBe(60);
  });

  test("is reported in every header, with the seconds until it is full", () => {
    const bucket = fullBucket(usual, 0);
    for (let count = 0; count < 101; count += 1) takeToken(bucket, usual, 0);
    const headers = {};
    setLimitHeaders(headers, bucket, usual, 1_767_323_045_999);
    expect(headers).toEqual({
      "ratelimit-policy": '"default";q=200;w=2',
      ratelimit: '"default";r=99;t=2',
      "x-ratelimit-limit": "200",
      "x-ratelimit-remaining": "99",
      "x-ratelimit-reset": "1767323048",
    });
  });
});

describe("failed requests", () => {
  test("are limited to ten a minute per address, independently of other addresses", () => {
    const failed = failureCounter();
    for (let count = 0; count < 10; count += 1) expect(failed("192.0.2.1", 0)).toBe(0);
    expect(failed("192.0.2.1", 0)).toBe(60);
    expect(failed("192.0.2.2", 0)).toBe(0);
    expect(failed("192.0.2.1", 5999)).toBe(55);
    expect(failed("192.0.2.1", 6000)).toBe(0);
  });

  test("are remembered only for the addresses that failed most recently", () => {
    const failed = failureCounter(3);
    const often = (address: string) => {
      while (failed(address, 0) === 0);
    };
    for (const address of ["a", "b", "c"]) often(address);
    expect(failed("a", 0)).toBe(60);
    failed("d", 0);
    expect([failed("a", 0), failed("c", 0)]).toEqual([60, 60]);
    expect(failed("b", 0)).toBe(0);
  });
});
