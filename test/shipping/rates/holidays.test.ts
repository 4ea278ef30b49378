import { describe, expect, test } from "bun:test";
import { allForYear } from "@18f/us-federal-holidays";
import { readDay } from "../../../src/core/time_zone.ts";
import { federalHolidays, type HolidayRule, holidaysIn, isHolidayOf } from "../../../src/shipping/rates/holidays.ts";

describe("holidays", () => {
  test("of the United States match those of 18F, on their observed days", () => {
    for (let year = 2022; year <= 2060; year++) {
      const theirs = [year, year + 1]
        .flatMap((one) => allForYear(one))
        .map(({ dateString }) => readDay(dateString.replace(/-(\d)\b/g, "-0$1")))
        .sort((a, b) => (a ?? 0) - (b ?? 0));
      const mine = holidaysIn(year, federalHolidays).map(({ date }) => readDay(date));
      const within = theirs.filter((day) => day !== null && inYear(day) === year);
      expect([year, mine]).toEqual([year, within]);
    }
  });

  test("New Year 2028 is observed on the last day of 2027", () => {
    expect(holidaysIn(2027, federalHolidays).at(-1)).toEqual({ date: "2027-12-31", name: "New Year's Day" });
    expect(holidaysIn(2028, federalHolidays)[0]?.date).toBe("2028-01-17");
    expect(isHolidayOf(federalHolidays)(readDay("2027-12-31") ?? 0)).toBe(true);
  });

  test("may be a carrier's own: the last Friday of a month, a date that is not moved, a single day", () => {
    const rule = (changes: Partial<HolidayRule>): HolidayRule => {
      return { name: "Own", month: 2, day: null, weekday: null, week: null, observed: false, ...changes };
    };
    const set = {
      rules: [rule({ weekday: "fri", week: -1 }), rule({ month: 7, day: 4 }), rule({ month: 2, day: 30 })],
      days: [{ date: "2026-12-24", name: "Inventory" }],
    };
    expect(holidaysIn(2026, set).map(({ date }) => date)).toEqual(["2026-02-27", "2026-07-04", "2026-12-24"]);
    expect(holidaysIn(2027, set).map(({ date }) => date)).toEqual(["2027-02-26", "2027-07-04"]);
  });
});

const inYear = (day: number) => new Date(day * 86_400_000).getUTCFullYear();
