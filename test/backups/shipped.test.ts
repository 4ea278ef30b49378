// What the operator is told of commits that are not shipped.
import { expect, test } from "bun:test";
import { lateFrom, shippedMessage, shippedView } from "../../src/backups/schedule/rules.ts";

const minute = 60_000;
const until = Date.parse("2026-11-24T17:30:00.000Z");
const shipped = { place: "s3://bucket/kept", until, waiting_bytes: 7, problem: null };

test("is late after a minute, or once the place cannot be reached, and a notice comes after ten", () => {
  const lateAt = (after: number, of = {}) => shippedView({ ...shipped, ...of }, until + after).late;
  expect([lateAt(minute), lateAt(minute + 1), lateAt(0, { problem: "It is away." })]).toEqual([false, true, true]);
  expect(shippedView({ ...shipped, until: null }, until)).toMatchObject({ late: false, shipped_until: null });
  const told = (after: number, of = {}) => shippedMessage({ ...shipped, ...of }, until, until + after);
  expect(told(10 * minute)).toBe(null);
  expect(told(10 * minute + 1, { problem: "It is away." })).toBe(
    "What is committed is not shipped to s3://bucket/kept: a lost disk would cost all that was committed since" +
      " 2026-11-24T17:30:00.000Z. It is away.",
  );
  // Where nothing was ever shipped, it counts from when the server began to.
  expect(told(10 * minute + 1, { until: null })).toContain("since 2026-11-24T17:30:00.000Z.");
});

test("backups are late once two could have been made", () => {
  const plan = { to: "kept", every_minutes: 60, keep: { hours: 24, days: 30, months: 12 }, with_key: false };
  expect(lateFrom(until, plan)).toBe(until + 120 * minute);
});
