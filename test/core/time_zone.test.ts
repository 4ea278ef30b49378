import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault, orFault } from "../../src/core/faults.ts";
import {
  checkTimezone,
  dayOf,
  dayStart,
  dayText,
  localTime,
  momentAt,
  momentIn,
  readDay,
  weekdayOf,
} from "../../src/core/time_zone.ts";

const zones = [
  "UTC",
  "America/New_York",
  "Europe/London",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "America/St_Johns",
];
const text = (at: number, zone: string) => {
  const { day, minute } = localTime(at, zone);
  return `${dayText(day)} ${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;
};

describe("local time", () => {
  test.each([
    ["2026-03-08T06:59:00Z", "America/New_York", "2026-03-08 1:59"],
    ["2026-03-08T07:00:00Z", "America/New_York", "2026-03-08 3:00"],
    ["2026-03-29T00:59:00Z", "Europe/London", "2026-03-29 0:59"],
    ["2026-03-29T01:00:00Z", "Europe/London", "2026-03-29 2:00"],
    // Daylight saving time shifts by half an hour there.
    ["2026-04-04T14:59:00Z", "Australia/Lord_Howe", "2026-04-05 1:59"],
    ["2026-04-04T15:00:00Z", "Australia/Lord_Howe", "2026-04-05 1:30"],
    ["2026-10-03T15:29:00Z", "Australia/Lord_Howe", "2026-10-04 1:59"],
    ["2026-10-03T15:30:00Z", "Australia/Lord_Howe", "2026-10-04 2:30"],
    ["2026-01-01T00:00:00Z", "Asia/Kathmandu", "2026-01-01 5:45"],
    ["1969-12-31T23:59:00Z", "UTC", "1969-12-31 23:59"],
  ])("at %s in %s it is %s", (at, zone, expected) => {
    expect(text(Date.parse(at), zone)).toBe(expected);
  });

  test("matches Intl at any time", () => {
    const moments = fc.integer({ min: Date.parse("2000-01-01"), max: Date.parse("2060-01-01") });
    fc.assert(
      fc.property(moments, fc.constantFrom(...zones), (at, zone) => {
        const shown = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
        expect(text(at, zone).replace(/ (\d):/, " 0$1:")).toBe(shown.format(at));
      }),
    );
  });

  test("converts back to its instant, except where an hour is skipped or repeated", () => {
    const hours = fc.integer({ min: Date.parse("2000-01-01") / 60_000, max: Date.parse("2060-01-01") / 60_000 });
    fc.assert(
      fc.property(hours, fc.constantFrom(...zones), (minutes, zone) => {
        const local = localTime(minutes * 60_000, zone);
        const back = momentAt(local, zone);
        expect(localTime(back, zone)).toEqual(local);
      }),
    );
  });
});

test.each([
  ["America/New_York", true],
  ["UTC", true],
  ["Mars/Olympus", false],
  ["", false],
])("the zone %p is known: %p", (zone, known) => {
  expect(orFault(() => checkTimezone(zone)) instanceof Fault).toBe(!known);
});

test.each([
  ["2026-02-28", true],
  ["2026-02-29", false],
  ["2024-02-29", true],
  ["2026-13-01", false],
  ["2026-1-1", false],
  ["tomorrow", false],
])("%p is a valid day: %p", (given, names) => {
  const day = readDay(given);
  expect(day !== null).toBe(names);
  if (day !== null) expect(dayText(day)).toBe(given);
});

test("weeks start on Monday", () => {
  const days = ["2026-11-16", "2026-11-21", "2026-11-22", "1969-12-29"];
  expect(days.map((day) => weekdayOf(readDay(day) ?? 0))).toEqual([0, 5, 6, 0]);
});

describe("a day in a zone", () => {
  test.each([
    ["America/New_York", "2026-03-08", "2026-03-08T05:00:00.000Z"],
    ["America/New_York", "2026-03-09", "2026-03-09T04:00:00.000Z"],
    ["Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15:00.000Z"],
    // Clocks skip from midnight to 01:00.
    ["America/Santiago", "2025-09-07", "2025-09-07T04:00:00.000Z"],
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"],
    // Clocks go back at midnight or to midnight, so that it occurs twice.
    ["America/Santiago", "2026-04-05", "2026-04-05T04:00:00.000Z"],
    ["America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"],
  ])("begins in %s on %s at %s", (zone, day, expected) => {
    expect(new Date(dayStart(readDay(day) ?? 0, zone)).toISOString()).toBe(expected);
    expect(new Date(momentIn(day, zone)).toISOString()).toBe(expected);
  });

  test("begins at its first instant", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10_957, max: 32_000 }),
        fc.constantFrom(...zones, "America/Havana"),
        (day, zone) => {
          const at = dayStart(day, zone);
          expect(localTime(at, zone).day).toBeGreaterThanOrEqual(day);
          expect(localTime(at - 1, zone).day).toBeLessThan(day);
        },
      ),
    );
  });

  test("a date, or its first or last instant in UTC, is that date; any other instant is on its local day", () => {
    const read = (text: string, zone = "America/New_York") => dayText(dayOf(text, zone));
    for (const text of ["2026-02-01", "2026-02-01T00:00Z", "2026-02-01T00:00:00.000Z", "2026-02-01T23:59:59.999Z"]) {
      expect(read(text)).toBe("2026-02-01");
      expect(read(text, "Asia/Tokyo")).toBe("2026-02-01");
    }
    expect(read("2026-02-01T04:59:59Z")).toBe("2026-01-31");
    expect(read("2026-02-01T15:00:00Z", "Asia/Tokyo")).toBe("2026-02-02");
    expect(read("2026-02-01T00:00:00+09:00", "Asia/Tokyo")).toBe("2026-02-01");
  });
});
