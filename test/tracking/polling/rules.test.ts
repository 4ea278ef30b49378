import { expect, test } from "bun:test";
import fc from "fast-check";
import { nextLook, retryWait, tellsByItself } from "../../../src/tracking/polling/rules.ts";
import { type TrackingStatus, trackingStatuses } from "../../../src/tracking/status.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = 1_800_000_000_000;
const look = (status: TrackingStatus, more: object = {}) =>
  nextLook({
    record: { status, created_at: now - day },
    changed: false,
    called_back: false,
    now,
    random: 0.5,
    ...more,
  });

test("carriers are asked by the table, a fifth earlier or later", () => {
  const table: [TrackingStatus, number][] = [
    ["pending", 6 * hour],
    ["picked_up", 3 * hour],
    ["in_transit", 3 * hour],
    ["out_for_delivery", 45 * minute],
    ["exception", 6 * hour],
  ];
  for (const [status, wait] of table) {
    expect([status, look(status)]).toEqual([status, now + wait]);
    expect(look(status, { random: 0 })).toBe(now + wait * 0.8);
    expect(look(status, { random: 1 })).toBe(now + wait * 1.2);
    expect(look(status, { called_back: true })).toBe(now + day);
  }
});

test("after the end there is one look more, a day later", () => {
  for (const status of ["delivered", "returned"] as const) {
    for (const called_back of [true, false]) {
      expect(look(status, { changed: true, called_back })).toBe(now + day);
      expect(look(status, { called_back })).toBeNull();
    }
  }
});

test("after ninety days nobody asks any more", () => {
  for (const status of trackingStatuses) {
    const old = (age: number) => look(status, { record: { status, created_at: now - age }, changed: true });
    expect(old(90 * day)).toBeNull();
    expect(old(90 * day - 1)).not.toBeNull();
  }
});

test("each failure doubles the wait, to six hours, and the carrier may ask for more", () => {
  const waits = [1, 2, 3, 7, 8, 99].map((failures) => retryWait(failures, undefined, 0.5) / minute);
  expect(waits).toEqual([5, 10, 20, 320, 360, 360]);
  expect(retryWait(1, 3600, 0.5)).toBe(hour);
  expect(retryWait(8, 3600, 0.5)).toBe(6 * hour);
  expect(retryWait(1, 1e9, 0.5)).toBe(day);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const [low, wait, high] = [0, random, 1].map((one) => retryWait(failures, null, one));
      expect(wait).toBeGreaterThanOrEqual(low ?? 0);
      expect(wait).toBeLessThanOrEqual(high ?? 0);
    }),
  );
});

test("a carrier tells by itself for two days after it last did", () => {
  expect([null, now - 2 * day, now - 2 * day + 1].map((at) => tellsByItself(at, now))).toEqual([false, false, true]);
});
