import { expect, test } from "bun:test";
import { countryTimeZone } from "../../../src/core/time_zone.ts";
import { deliveryDay } from "../../../src/shipping/rates/delivery_date.ts";

const place = (country: string, state: string | null, postal_code: string | null = null) => ({
  country,
  state,
  postal_code,
});

test.each([
  // 20:00 in New York in summer is midnight UTC of the next day.
  ["ours, in summer", "2026-07-04T00:00:00.000Z", place("US", "NY"), false, "2026-07-03", "2026-07-04T00:00:00.000Z"],
  ["ours, in the west", "2026-01-09T04:00:00.000Z", place("US", "CA"), false, "2026-01-08", "2026-01-09T04:00:00.000Z"],
  ["ours, by its ZIP", "2026-01-09T06:00:00.000Z", place("US", null, "96801"), false, "2026-01-08", null],
  ["ours, in the east", "2026-01-08T11:00:00.000Z", place("JP", null), false, "2026-01-08", null],
  ["ours, in Canada", "2026-01-09T01:00:00.000Z", place("CA", "ON"), false, "2026-01-08", null],
  // A carrier's date means that date at any destination.
  ["a carrier's date", "2026-01-08T00:00:00.000Z", place("US", "CA"), true, "2026-01-08", "2026-01-09T04:00:00.000Z"],
  [
    "a carrier's date, as its end",
    "2026-01-08T23:59:59Z",
    place("US", "NY"),
    true,
    "2026-01-08",
    "2026-01-09T01:00:00.000Z",
  ],
  [
    "a carrier's date, Tokyo",
    "2026-01-08T23:59:59.999Z",
    place("JP", null),
    true,
    "2026-01-08",
    "2026-01-08T11:00:00.000Z",
  ],
  ["a carrier's time", "2026-01-09T02:30:00.000Z", place("US", "CA"), true, "2026-01-08", "2026-01-09T02:30:00.000Z"],
] as const)("the day of a delivery is the destination's: %s", (_name, at, to, by_carrier, day, end) => {
  const told = deliveryDay({ at: Date.parse(at), to, origin_zone: null, by_carrier });
  expect(told.day).toBe(day);
  if (end !== null) expect(new Date(told.end).toISOString()).toBe(end);
});

test("a destination in an unknown zone shows the sender's day", () => {
  const at = Date.parse("2026-01-09T04:00:00Z");
  const armed_forces = place("US", "AP", "96201");
  const day = (origin_zone: string | null) => deliveryDay({ at, to: armed_forces, origin_zone, by_carrier: false }).day;
  expect([day("America/Los_Angeles"), day("Asia/Tokyo"), day(null)]).toEqual([
    "2026-01-08",
    "2026-01-09",
    "2026-01-08",
  ]);
});

test("every country has a zone, except the US, which has many", () => {
  expect(["GB", "CA", "BR", "AU", "DE", "JP", "US", "ZZ", "x"].map(countryTimeZone)).toEqual([
    ...["Europe/London", "America/Toronto", "America/Sao_Paulo", "Australia/Sydney", "Europe/Berlin", "Asia/Tokyo"],
    ...[null, null, null],
  ]);
});
