import { describe, expect, test } from "bun:test";
import type { AttemptResult } from "../../../src/webhooks/deliveries/attempt.ts";
import { afterLoad, burst, full_load, pacedUntil, slotsFor } from "../../../src/webhooks/deliveries/receiver_queues.ts";

const none = { all: 0, late: 0 };
const answer = (status_code: number | null): AttemptResult => ({
  status_code,
  headers: {},
  body: null,
  truncated: false,
  ip_address: null,
  duration_ms: 1,
  error:
    status_code === 200 ? null : { code: status_code === null ? "timeout" : ("http_error" as const), message: "no" },
});

describe("slots", () => {
  test.each([
    ["a lone subscription has eight, four of them late", none, none, 8, 1, { all: 8, late: 4 }],
    ["what is under way counts", { all: 5, late: 4 }, { all: 5, late: 4 }, 8, 1, { all: 3, late: 0 }],
    ["fifty share 256", none, none, 8, 50, { all: 5, late: 3 }],
    ["an overloaded receiver has one, of either lane", none, none, 1, 1, { all: 1, late: 1 }],
    ["256 in all", { all: 1, late: 0 }, { all: 255, late: 0 }, 8, 20, { all: 1, late: 1 }],
    ["half of them in all are never late", { all: 1, late: 0 }, { all: 200, late: 128 }, 8, 20, { all: 7, late: 0 }],
    ["one is always there", none, { all: 300, late: 200 }, 8, 301, { all: 1, late: 1 }],
    ["but only one", { all: 1, late: 0 }, { all: 300, late: 0 }, 8, 301, { all: 0, late: 0 }],
  ])("%s", (_name, own, total, limit, sharers, expected) => {
    const { all, late } = slotsFor(own, total, limit, sharers);
    expect({ all: Math.max(0, all), late: Math.max(0, late) }).toEqual(expected);
  });

  test.each([
    ["some may be claimed ahead", none, none, 8, 1, 16, { all: 24, late: 4 }],
    ["but no more than its share", none, none, 8, 20, 16, { all: 12, late: 4 }],
    ["nor when it is there already", { all: 24, late: 0 }, { all: 24, late: 0 }, 8, 1, 16, { all: 0, late: 0 }],
    ["late ones never", { all: 8, late: 4 }, { all: 8, late: 4 }, 8, 1, 16, { all: 16, late: 0 }],
    ["nor when all slots are taken", { all: 8, late: 0 }, { all: 256, late: 0 }, 8, 1, 16, { all: 0, late: 0 }],
  ])("%s", (_name, own, total, limit, sharers, ahead, expected) => {
    expect(slotsFor(own, total, limit, sharers, ahead)).toEqual(expected);
  });

  test("a receiver's limit halves on overload and grows by one after twenty successes", () => {
    let load = full_load;
    const limits = [503, null, 502, 504, 503].map((status) => {
      load = afterLoad(load, answer(status));
      return load.limit;
    });
    expect(limits).toEqual([4, 2, 1, 1, 1]);
    for (let n = 0; n < 19; n += 1) load = afterLoad(load, answer(200));
    expect(load.limit).toBe(1);
    load = afterLoad(load, answer(500));
    expect(afterLoad(load, answer(200)).limit).toBe(2);
    for (let n = 0; n < 200; n += 1) load = afterLoad(load, answer(200));
    expect(load).toEqual(full_load);
  });

  test("a rate is spread evenly over the second", () => {
    for (const rate of [1, 3, 10, 50, 333, 1000]) {
      let now = 0;
      let sent = 0;
      while (now < 10_000) {
        sent += burst(rate);
        now = pacedUntil(rate, burst(rate), now);
      }
      expect(sent).toBeLessThanOrEqual(rate * 10 + burst(rate));
      expect(sent).toBeGreaterThanOrEqual(rate * 8);
    }
  });
});
