import { expect, test } from "bun:test";
import { clockIn, dateOrDateTime, dateWithin } from "../../../../src/dashboard/web/text/format.ts";

test("a timestamp that represents a date is shown as that date in any time zone", () => {
  const dates = [
    "2026-03-01T00:00:00Z",
    "2026-03-01T00:00:00.000Z",
    "2026-03-01T23:59:59Z",
    "2026-03-01T23:59:59.999Z",
  ];
  expect(dates.map(dateWithin)).toEqual(dates.map(() => "2026-03-01"));
  expect(dates.map(dateOrDateTime)).toEqual(dates.map(() => "Mar 1, 2026"));
  expect(["2026-03-01T05:00:00.000Z", "2026-03-01T00:00:00.001Z"].map(dateWithin)).toEqual([null, null]);
});

test("a time in another time zone shows the zone", () => {
  const at = "2026-03-02T21:00:00.000Z";
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(clockIn(at, own)).not.toMatch(/[A-Z]{3}|GMT/);
  expect(clockIn(at, own === "Asia/Kolkata" ? "Asia/Tokyo" : "Asia/Kolkata")).toMatch(/GMT|IST|JST/);
});
