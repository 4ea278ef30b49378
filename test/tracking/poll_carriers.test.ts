import { expect, test } from "bun:test";
import { day_ms, hour_ms, minute_ms } from "../../src/core/time.ts";
import { type TrackingStatus, trackingStatuses } from "../../src/shipping/carriers/tracking.transitions.ts";
import { nextPoll, pollRetryWait, sendsCallbacks } from "../../src/tracking/poll_carriers.ts";

const now = 1_800_000_000_000;
const one = { tracking_number: "WH000000000001Q", created_at: now - day_ms };
const look = (status: TrackingStatus, more: object = {}) =>
  nextPoll({ record: { ...one, status }, changed: false, called_back: false, now, ...more });
const numbers = Array.from({ length: 500 }, (_, at) => `WH${at}`);

test("carriers are polled by the table, up to a fifth earlier or later", () => {
  const table: [TrackingStatus, number][] = [
    ["pending", 6 * hour_ms],
    ["picked_up", 3 * hour_ms],
    ["in_transit", 3 * hour_ms],
    ["out_for_delivery", 45 * minute_ms],
    ["exception", 6 * hour_ms],
  ];
  for (const [status, wait] of table) {
    for (const [called_back, usual] of [
      [false, wait],
      [true, day_ms],
    ] as const) {
      const waits = numbers.map((tracking_number) => {
        const record = { ...one, tracking_number, status };
        return ((look(status, { record, called_back }) ?? 0) - now) / usual;
      });
      expect([Math.min(...waits) >= 0.8, Math.max(...waits) <= 1.2]).toEqual([true, true]);
      // They use the whole range, so that parcels of one time are not polled together forever.
      expect([Math.min(...waits) < 0.82, Math.max(...waits) > 1.18]).toEqual([true, true]);
    }
  }
});

test("after the end there is one more poll, a day later", () => {
  for (const status of ["delivered", "returned"] as const) {
    for (const called_back of [true, false]) {
      expect(look(status, { changed: true, called_back })).toBe(now + day_ms);
      expect(look(status, { called_back })).toBeNull();
    }
  }
});

test("after ninety days polling stops", () => {
  for (const status of trackingStatuses) {
    const old = (age: number) => look(status, { record: { ...one, status, created_at: now - age }, changed: true });
    expect(old(90 * day_ms)).toBeNull();
    expect(old(90 * day_ms - 1)).not.toBeNull();
  }
});

test("each failure doubles the wait up to six hours, or longer if the carrier asks", () => {
  const wait = (failures: number, hint?: unknown, tracking_number = "X") =>
    pollRetryWait({ tracking_number, failures }, hint, now);
  const usual = [5, 10, 20, 40, 80, 160, 320, 360, 360].map((minutes) => minutes * minute_ms);
  for (const [at, wanted] of usual.entries()) {
    const shares = numbers.map((number) => wait(at + 1, undefined, number) / wanted);
    expect([Math.min(...shares) >= 0.8, Math.max(...shares) <= 1.2]).toEqual([true, true]);
  }
  expect([wait(1, 3600), wait(1, 1e9), wait(1, "soon") < 7 * minute_ms]).toEqual([hour_ms, day_ms, true]);
  expect(wait(8, 3600)).toBeGreaterThan(4 * hour_ms);
});

test("a carrier counts as sending callbacks for two days after its last one", () => {
  expect([null, now - 2 * day_ms, now - 2 * day_ms + 1].map((at) => sendsCallbacks(at, now))).toEqual([
    false,
    false,
    true,
  ]);
});
