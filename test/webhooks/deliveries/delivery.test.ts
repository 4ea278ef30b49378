import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readRetryAfter } from "../../../src/core/http_headers.ts";
import { day_ms, hour_ms, minute_ms, second_ms } from "../../../src/core/time.ts";
import type { AttemptResult } from "../../../src/webhooks/deliveries/attempt.ts";
import { attemptStatus, isOverloaded } from "../../../src/webhooks/deliveries/attempt.ts";
import {
  afterAttempt,
  budget,
  type DeliveryProgress,
  requeued,
  retryDelay,
  retryWaits_ms,
} from "../../../src/webhooks/deliveries/delivery.ts";
import {
  freshHealth,
  healthAfter,
  type SubscriptionHealth,
  withStatus,
} from "../../../src/webhooks/subscriptions/subscription.ts";
import {
  attemptErrors,
  deliveryStatuses,
  type RetryLimit,
  retryLimits,
} from "../../../src/webhooks/webhooks.transitions.ts";

const start = Date.parse("2026-01-01T00:00:00.000Z");
const quiet = { now: start, real_now: start, random: 0 };

/** A response with this status, or the transport's failure. */
function answer(status: number | "timeout" | "blocked_address", headers: Record<string, string> = {}): AttemptResult {
  const base = { headers, body: "", truncated: false, ip_address: "192.0.2.1", duration_ms: 12 };
  if (typeof status === "string") return { ...base, status_code: null, error: { code: status, message: status } };
  if (status >= 200 && status < 300) return { ...base, status_code: status, error: null };
  const code = status === 410 ? "gone" : status === 429 ? "too_many_requests" : "http_error";
  return { ...base, status_code: status, error: { code, message: `${status}` } };
}

const fresh = (retry_limit: RetryLimit | 0 = 5): DeliveryProgress => ({
  status: "pending",
  attempts: 0,
  ...budget(0, retry_limit),
});

describe("the retry schedule", () => {
  /** Every wait for a receiver that always fails, and the final state of the delivery. */
  function waits(delivery: DeliveryProgress, random: () => number): { waits: number[]; last: DeliveryProgress } {
    const found: number[] = [];
    let now = start;
    let last = delivery;
    for (;;) {
      const step = afterAttempt(last, answer(500), { now, real_now: start, random: random() });
      last = { ...last, ...step };
      if (step.next_at === null) return { waits: found, last };
      found.push(step.next_at - now);
      now = step.next_at;
    }
  }

  test.each([
    [3, 35 * minute_ms + 5 * second_ms],
    [5, 35 * minute_ms + 5 * second_ms + 7 * hour_ms],
    [10, 35 * minute_ms + 5 * second_ms + 99 * hour_ms],
  ] as const)("of %d retries uses that many entries and takes that long", (limit, total_ms) => {
    const { waits: found, last } = waits(fresh(limit), () => 0);
    expect(found).toEqual(retryWaits_ms.slice(0, limit));
    expect(found.reduce((sum, wait) => sum + wait, 0)).toBe(total_ms);
    expect(last).toMatchObject({ status: "exhausted", attempts: limit + 1, max_attempts: limit + 1 });
  });

  test("adds up to a fifth of jitter to each wait and never shortens it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...retryLimits),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (limit, luck) => {
          const { waits: found } = waits(fresh(limit), () => luck.next().value);
          expect(found).toHaveLength(limit);
          for (const [at, wait] of found.entries()) {
            const base = retryWaits_ms[at] ?? Number.NaN;
            expect(wait).toBeWithin(base, base * 1.2 + 1);
          }
        },
      ),
    );
  });

  test("restarts when a delivery is queued again, and its attempts continue the numbering", () => {
    const { last } = waits(fresh(3), () => 0);
    const again = requeued(last, "redeliver", 5);
    expect(again).toMatchObject({ status: "pending", attempts: 4, max_attempts: 10 });
    const { waits: found, last: end } = waits(again, () => 0);
    expect(found).toEqual(retryWaits_ms.slice(0, 5));
    expect(end).toMatchObject({ status: "exhausted", attempts: 10 });
  });

  test("has at most ten waits", () => {
    expect(() => retryDelay(0, 0, null)).toThrow();
    expect(() => retryDelay(11, 0, null)).toThrow();
  });

  test("allows a test event one attempt", () => {
    expect(afterAttempt(fresh(0), answer(500), quiet)).toEqual({ status: "exhausted", attempts: 1, next_at: null });
  });
});

describe("Retry-After", () => {
  test.each([
    ["120", 120 * second_ms],
    ["0", 0],
    [" 7 ", 7 * second_ms],
    ["999999", 999_999 * second_ms],
    ["9".repeat(400), Number.POSITIVE_INFINITY],
    ["Thu, 01 Jan 2026 00:02:00 GMT", 120 * second_ms],
    ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
  ])("%p is parsed", (value, hint_ms) => expect(readRetryAfter(value, start)).toBe(hint_ms));

  test.each([
    ...[undefined, "", "soon", "-1", "+1", "1.5", "1e3", "0x10", "120 s", "2026-01-01T00:02:00Z", "1,2", "NaN"],
    ...["Fri, 01 Jan 2026 00:02:00 GMT", "Thu, 1 Jan 2026 00:02:00 GMT", "Thursday, 01-Jan-26 00:02:00 GMT"],
    ...["Thu Jan  1 00:02:00 2026", "Thu, 01 Jan 2026 00:02:00 UTC", "Thu, 01 Jan 2026 01:02:00 +0100"],
  ])("%p is ignored", (value) => expect(readRetryAfter(value, start)).toBeNull());

  test("delays the next attempt by at most a day, and never brings it forward", () => {
    const wait = (status: number, hint: string) =>
      (afterAttempt(fresh(), answer(status, { "retry-after": hint }), quiet).next_at ?? Number.NaN) - start;
    expect(wait(500, "120")).toBe(120 * second_ms);
    expect(wait(302, "120")).toBe(120 * second_ms);
    expect(wait(429, "120")).toBe(120 * second_ms);
    expect(wait(503, "1")).toBe(5 * second_ms);
    expect(wait(503, "999999")).toBe(day_ms);
    expect(wait(503, "9".repeat(400))).toBe(day_ms);
    expect(wait(503, "soon")).toBe(5 * second_ms);
  });

  test("is measured in real time and stored in the store's time", () => {
    const moment = { now: start + 40 * day_ms, real_now: start, random: 0 };
    const result = answer(503, { "retry-after": "Thu, 01 Jan 2026 00:02:00 GMT" });
    expect(afterAttempt(fresh(), result, moment).next_at).toBe(moment.now + 120 * second_ms);
  });
});

describe("after an attempt, a delivery", () => {
  const abort = { "webhook-delivery": "abort-message" };

  test.each([
    ["2xx", answer(204), "delivered"],
    ["2xx that says abort", answer(200, abort), "delivered"],
    ["410", answer(410), "skipped"],
    ["500 that says abort", answer(500, abort), "cancelled"],
    ["500", answer(500), "pending"],
    ["302", answer(302), "pending"],
    ["429", answer(429), "pending"],
    ["timeout", answer("timeout"), "pending"],
    ["blocked address", answer("blocked_address"), "pending"],
    ["500 with another word", answer(500, { "webhook-delivery": "abort" }), "pending"],
  ] as const)("with a %s is then", (_name, result, status) => {
    const step = afterAttempt(fresh(), result, quiet);
    expect(step).toEqual({ status, attempts: 1, next_at: status === "pending" ? start + 5 * second_ms : null });
  });

  test("that has already ended is delivered by a 2xx, and otherwise stays unchanged", () => {
    for (const status of deliveryStatuses.filter((word) => word !== "pending")) {
      const delivery = { ...fresh(), status };
      expect(afterAttempt(delivery, answer(200), quiet)).toEqual({ status: "delivered", attempts: 1, next_at: null });
      expect(afterAttempt(delivery, answer(410), quiet)).toEqual({ status, attempts: 1, next_at: null });
    }
  });

  test("has a next attempt if and only if it is pending", () => {
    const results = fc.constantFrom(
      ...[answer(200), answer(500), answer(410), answer(429), answer(500, abort)],
      ...[answer("timeout"), answer("blocked_address")],
    );
    const deliveries = fc.record({ status: fc.constantFrom(...deliveryStatuses), attempts: fc.nat(10) });
    fc.assert(
      fc.property(deliveries, results, fc.constantFrom(...retryLimits), (delivery, result, limit) => {
        const step = afterAttempt({ ...delivery, ...budget(0, limit) }, result, quiet);
        expect(step.next_at !== null).toBe(step.status === "pending");
        expect(step.attempts).toBe(delivery.attempts + 1);
      }),
    );
  });

  test("can be recovered only from exhausted and skipped", () => {
    const recover = (status: (typeof deliveryStatuses)[number]) => () => requeued({ ...fresh(), status }, "recover", 5);
    for (const status of ["exhausted", "skipped"] as const) expect(recover(status)().status).toBe("pending");
    for (const status of ["pending", "delivered", "cancelled"] as const)
      expect(recover(status)).toThrow("Cannot recover");
  });
});

describe("a subscription", () => {
  /** Failures at these seconds after the start, and the status each of them caused. */
  function fail(from: SubscriptionHealth, seconds: readonly number[], result = answer(500)) {
    let health = from;
    const entered = seconds.map((second) => {
      const step = healthAfter(health, result, { now: start + second * second_ms, real_now: start });
      health = step.health;
      return step.entered;
    });
    return { health, entered };
  }
  const failing = fail(freshHealth, [0, 15, 30, 45, 60]).health;

  test("becomes failing at the fifth failure in a row once they span a minute, and reports it once", () => {
    expect(fail(freshHealth, [0, 15, 30, 45, 60, 61]).entered).toEqual([null, null, null, null, "failing", null]);
    expect(fail(freshHealth, [0, 1, 2, 3, 4, 59, 60]).entered).toEqual([null, null, null, null, null, null, "failing"]);
    expect(failing).toMatchObject({
      status: "failing",
      consecutive_failures: 5,
      first_failure_at: start,
      failing_since: start + minute_ms,
    });
  });

  test("counts timeouts and blocked attempts alike", () => {
    for (const result of [answer("timeout"), answer("blocked_address"), answer(302)]) {
      expect(fail(freshHealth, [0, 15, 30, 45, 60], result).health.status).toBe("failing");
    }
  });

  test("is active again after one success, with its failures cleared", () => {
    const step = healthAfter(failing, answer(204), quiet);
    expect(step).toEqual({ health: freshHealth, entered: "active" });
    const { health } = fail(freshHealth, [0, 1, 2, 3]);
    const recent_attempts = [{ started_at: start, attempts: 5, failures: 4 }];
    expect(healthAfter(health, answer(200), quiet)).toEqual({
      health: { ...freshHealth, recent_attempts },
      entered: null,
    });
  });

  test("is disabled immediately by a 410", () => {
    for (const before of [freshHealth, failing]) {
      const step = healthAfter(before, answer(410), quiet);
      expect(step.entered).toBe("disabled");
      expect(step.health).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    }
  });

  test("is disabled by a failure five days after it began failing, not by elapsed time alone", () => {
    const since = (failing.failing_since ?? 0) - start;
    const five_days = (since + 5 * day_ms) / second_ms;
    expect(fail(failing, [five_days - 1, five_days]).entered).toEqual([null, "disabled"]);
    expect(fail(failing, [five_days]).health).toMatchObject({ status: "disabled", disabled_reason: "no_success" });
    expect(fail(freshHealth, [0, five_days * 2, five_days * 3]).entered).toEqual([null, null, null]);
  });

  test("that fails rarely must be failing before it can be disabled", () => {
    const days = [0, 2, 4, 6, 8, 9, 14].map((day) => (day * day_ms) / second_ms);
    expect(fail(freshHealth, days).entered).toEqual([null, null, null, null, "failing", null, "disabled"]);
  });

  test("pauses after 429 for as long as requested: a minute by default, a day at most", () => {
    const rest = (headers: Record<string, string>, before = freshHealth) =>
      (healthAfter(before, answer(429, headers), quiet).health.paused_until ?? Number.NaN) - start;
    expect(rest({})).toBe(minute_ms);
    expect(rest({ "retry-after": "soon" })).toBe(minute_ms);
    expect(rest({ "retry-after": "30" })).toBe(30 * second_ms);
    expect(rest({ "retry-after": "999999" })).toBe(day_ms);
    expect(rest({ "retry-after": "30" }, { ...freshHealth, paused_until: start + hour_ms })).toBe(hour_ms);
    expect(healthAfter(freshHealth, answer(503, { "retry-after": "30" }), quiet).health.paused_until).toBeNull();
  });

  test("that is paused or disabled does not change status on any response", () => {
    const paused = withStatus(freshHealth, false);
    const disabled = healthAfter(freshHealth, answer(410), quiet).health;
    for (const health of [paused, disabled]) {
      for (const result of [answer(200), answer(500), answer(410), answer(429)]) {
        expect(healthAfter(health, result, quiet)).toEqual({ health, entered: null });
      }
    }
  });

  test("can be paused and resumed by users, which clears its failures", () => {
    const disabled = healthAfter(failing, answer(410), quiet).health;
    expect(withStatus(failing, false)).toEqual({ ...freshHealth, status: "paused" });
    expect(withStatus(disabled, false)).toBe(disabled);
    for (const health of [failing, disabled, withStatus(failing, false)])
      expect(withStatus(health, true)).toEqual(freshHealth);
    const { health: shaky } = fail(freshHealth, [0, 1]);
    expect(withStatus(shaky, true)).toBe(shaky);
  });

  test("stays consistent, whatever its receiver does", () => {
    const results = fc.constantFrom(answer(200), answer(500), answer("timeout"), answer(429));
    const steps = fc.array(fc.tuple(results, fc.nat(2 * hour_ms)), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (story) => {
        let health = freshHealth;
        let now = start;
        for (const [result, wait] of story) {
          now += wait;
          health = healthAfter(health, result, { now, real_now: now }).health;
          expect(health.first_failure_at === null).toBe(health.consecutive_failures === 0);
          expect(health.failing_since !== null).toBe(health.status === "failing" || health.status === "disabled");
          expect(health.disabled_reason !== null).toBe(health.status === "disabled");
          if (result.error === null && health.status !== "disabled") expect(health.status).toBe("active");
          if (health.status === "failing") expect(health.consecutive_failures).toBeGreaterThanOrEqual(5);
        }
      }),
    );
  });
});

describe("an attempt", () => {
  test("is a success, blocked, or failed", () => {
    expect(attemptStatus(answer(200))).toBe("success");
    expect(attemptStatus(answer("blocked_address"))).toBe("blocked");
    for (const code of attemptErrors.filter((word) => word !== "blocked_address")) {
      expect(attemptStatus({ ...answer(500), error: { code, message: "" } })).toBe("failed");
    }
  });

  test("treats 502, 503, 504 and no response as overload", () => {
    const overloaded = [answer(502), answer(503), answer(504), answer("timeout")].map(isOverloaded);
    expect(overloaded).toEqual([true, true, true, true]);
    expect([answer(200), answer(500), answer(429), answer("blocked_address")].some(isOverloaded)).toBe(false);
  });
});

describe("the circuit", () => {
  /** Whether the circuit is open after each response at these seconds. */
  function after(answers: readonly (readonly [second: number, status: number])[], from = freshHealth) {
    let health = from;
    const open = answers.map(([second, status]) => {
      const now = start + second * second_ms;
      health = healthAfter(health, answer(status), { now, real_now: now }).health;
      return health.circuit_wait_ms !== null;
    });
    return { open, last: open.at(-1), health };
  }
  /** `count` responses, one every `every` seconds; `failed` selects the ones that fail. */
  const answers = (count: number, every: number, failed: (n: number) => boolean, from = 0) =>
    Array.from({ length: count }, (_, n) => [from + n * every, failed(n) ? 500 : 200] as const);
  const half = (n: number) => n % 2 === 0;
  const most = (n: number) => n % 3 !== 0;

  test("opens at the fifth failure in a row", () => {
    expect(after(answers(5, 1, () => true)).open).toEqual([false, false, false, false, true]);
    expect(after(answers(5, 3600, () => true)).last).toBe(true);
  });

  test("opens when more than half of twenty attempts within two minutes fail, not at exactly half", () => {
    expect(after(answers(19, 1, most)).open).not.toContain(true);
    expect(after(answers(21, 1, most)).open.indexOf(true)).toBeWithin(19, 21);
    expect(after(answers(200, 1, half)).open.indexOf(true)).toBe(20); // Eleven of twenty-one.
    expect(after(answers(200, 1, (n) => !half(n))).open).not.toContain(true);
  });

  test("counts successes before the first failure", () => {
    const well = answers(60, 0.5, () => false);
    expect(after([...well, ...answers(50, 1, most, 30)]).open).not.toContain(true);
    expect(after(answers(50, 1, most, 30)).open).toContain(true);
  });

  test("drops results older than two minutes gradually", () => {
    // All failures of one minute still count when the next minute begins, wherever the boundary is.
    for (const from of [0, 55, 119, 1234]) {
      const early = answers(12, 3, most, from);
      const late = answers(12, 3, most, from + 60);
      expect(after([...early, ...late]).open.indexOf(true)).toBeWithin(19, 22);
      const later = answers(12, 3, most, from + 156);
      expect(after([...early, ...later]).open).not.toContain(true);
    }
    const { health } = after(answers(2000, 1, half, 0), freshHealth);
    expect(health.recent_attempts.length).toBeLessThanOrEqual(12);
  });

  test("counts no attempt older than two minutes, and every attempt of the last 110 seconds", () => {
    const spots = fc.array(fc.tuple(fc.nat(300), fc.boolean()), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(spots, (given) => {
        const sorted = given.toSorted(([a], [b]) => a - b);
        // One success after each failure prevents five failures in a row.
        const all = sorted.flatMap(([at, failed]) =>
          failed ? [[at, 500] as const, [at, 200] as const] : [[at, 200] as const],
        );
        const { health } = after(all);
        const end = all.at(-1)?.[0] ?? 0;
        const counted = health.recent_attempts.reduce((sum, { attempts }) => sum + attempts, 0);
        const within = (age: number) => all.filter(([at]) => end - at < age).length;
        expect(counted).toBeWithin(within(110), within(120) + 1);
      }),
    );
  });

  test("probes after a minute, doubles the wait after each failed probe, and resets its counts when it closes", () => {
    let { health } = after(answers(5, 1, () => true));
    const waits = [health.circuit_wait_ms];
    for (let n = 0; n < 6; n += 1) {
      const now = health.next_probe_at ?? 0;
      // Attempts already in flight when the circuit opened do not change it.
      const late = healthAfter(health, answer(500), { now, real_now: now }).health;
      expect([late.circuit_wait_ms, late.next_probe_at]).toEqual([health.circuit_wait_ms, health.next_probe_at]);
      health = healthAfter(late, answer(500), { now, real_now: now }, true).health;
      waits.push(health.circuit_wait_ms);
      expect(health.next_probe_at).toBe(now + (health.circuit_wait_ms ?? 0));
    }
    expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15].map((minutes) => minutes * minute_ms));
    const now = health.next_probe_at ?? 0;
    expect(healthAfter(health, answer(200), { now, real_now: now }, true)).toEqual({
      health: freshHealth,
      entered: "active",
    });
  });
});
