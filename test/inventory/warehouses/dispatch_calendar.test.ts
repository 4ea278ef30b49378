import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayText, localTime, readDay, weekdayOf, weekdays } from "../../../src/core/time_zone.ts";
import {
  cutoffBefore,
  cutoffFor,
  type DispatchCalendar,
  dispatchDay,
  isOutsideHours,
  workingDay,
} from "../../../src/inventory/warehouses/dispatch_calendar.ts";
import { openTestApp, type TestApp } from "../../build/service.ts";

const usual = (timezone: string, fields: Partial<DispatchCalendar> = {}): DispatchCalendar => ({
  timezone,
  working_days: ["mon", "tue", "wed", "thu", "fri"],
  holidays: [],
  cutoff_time: "14:00",
  ...fields,
});
const leaves = (at: string, calendar: DispatchCalendar) => {
  const day = dispatchDay(Date.parse(at), calendar);
  return day === null ? null : dayText(day);
};

describe("an order ships", () => {
  test.each([
    ["before the cut-off on the same day", "2026-01-07T18:59:00Z", "2026-01-07"],
    ["at the cut-off on the next", "2026-01-07T19:00:00Z", "2026-01-08"],
    ["on Friday before the cut-off on the same day", "2026-01-09T18:59:59.999Z", "2026-01-09"],
    ["on Friday after the cut-off on Monday", "2026-01-09T19:00:00Z", "2026-01-12"],
    ["on Saturday and Sunday on Monday", "2026-01-10T12:00:00Z", "2026-01-12"],
    ["on Sunday evening, which is Monday in London, on Monday", "2026-01-12T02:00:00Z", "2026-01-12"],
  ])("when placed %s", (_, at, day) => {
    expect(leaves(at, usual("America/New_York"))).toBe(day);
  });

  test.each([
    // New York: 14:00 is 19:00 UTC until the clocks go forward on 2026-03-08, and 18:00 afterwards.
    ["America/New_York", "2026-03-06T18:59:00Z", "2026-03-06"],
    ["America/New_York", "2026-03-09T17:59:00Z", "2026-03-09"],
    ["America/New_York", "2026-03-09T18:00:00Z", "2026-03-10"],
    ["America/New_York", "2026-10-30T17:59:00Z", "2026-10-30"],
    ["America/New_York", "2026-11-02T18:59:00Z", "2026-11-02"],
    // London: from 14:00 to 13:00 UTC on 2026-03-29 and back on 2026-10-25.
    ["Europe/London", "2026-03-27T13:59:00Z", "2026-03-27"],
    ["Europe/London", "2026-03-30T13:00:00Z", "2026-03-31"],
    ["Europe/London", "2026-10-26T13:59:00Z", "2026-10-26"],
    // Lord Howe: +11 in summer, +10:30 from 2026-04-05, +11 again from 2026-10-04.
    ["Australia/Lord_Howe", "2026-04-03T02:59:00Z", "2026-04-03"],
    ["Australia/Lord_Howe", "2026-04-06T03:29:00Z", "2026-04-06"],
    ["Australia/Lord_Howe", "2026-04-06T03:30:00Z", "2026-04-07"],
    ["Australia/Lord_Howe", "2026-10-05T02:59:00Z", "2026-10-05"],
    ["Australia/Lord_Howe", "2026-10-05T03:00:00Z", "2026-10-06"],
  ])("in %s at %s on %s, across clock changes", (zone, at, day) => {
    expect(leaves(at, usual(zone))).toBe(day);
  });

  test("a cut-off in an hour that a clock change skips or repeats goes by the clock", () => {
    const all = usual("America/New_York", { working_days: [...weekdays], cutoff_time: "02:30" });
    // 2026-03-08: 1:59 is followed by 3:00, which is past 2:30.
    expect(leaves("2026-03-08T06:59:00Z", all)).toBe("2026-03-08");
    expect(leaves("2026-03-08T07:00:00Z", all)).toBe("2026-03-09");
    // 2026-11-01: 1:59 is followed by 1:00 again.
    const twice = { ...all, cutoff_time: "01:30" };
    expect(leaves("2026-11-01T05:29:00Z", twice)).toBe("2026-11-01");
    expect(leaves("2026-11-01T05:30:00Z", twice)).toBe("2026-11-02");
    expect(leaves("2026-11-01T06:29:00Z", twice)).toBe("2026-11-01");
  });

  test("not on holidays, and on Saturdays that are working days", () => {
    const holidays = ["2026-12-24", "2026-12-25", "2026-12-28"];
    expect(leaves("2026-12-23T20:00:00Z", usual("America/New_York", { holidays }))).toBe("2026-12-29");
    const six = usual("America/New_York", { holidays, working_days: ["mon", "sat"] });
    expect(leaves("2026-12-23T20:00:00Z", six)).toBe("2026-12-26");
  });

  test("until midnight, or never on the same day", () => {
    const at = "2026-01-07T04:59:00Z";
    expect(leaves(at, usual("America/New_York", { cutoff_time: "23:59" }))).toBe("2026-01-07");
    expect(leaves("2026-01-07T05:00:00Z", usual("America/New_York", { cutoff_time: "00:00" }))).toBe("2026-01-08");
  });
});

test("a day off is outside working hours at any time; other days are undecided", () => {
  const [tokyo, holiday] = [usual("Asia/Tokyo"), usual("UTC", { holidays: ["2026-01-01"] })];
  const of = (at: string, calendar: DispatchCalendar) => isOutsideHours(Date.parse(at), calendar);
  // Friday evening in London is Saturday in Tokyo.
  expect([of("2026-01-02T10:00:00Z", tokyo), of("2026-01-02T20:00:00Z", tokyo)]).toEqual([null, true]);
  expect([of("2026-01-01T10:00:00Z", holiday), of("2026-01-02T23:00:00Z", holiday)]).toEqual([true, null]);
});

describe("guards", () => {
  test("without a working day in sight there is no date", () => {
    const first = readDay("2026-01-01") ?? 0;
    const holidays = Array.from({ length: 900 }, (_, at) => dayText(first + at));
    expect(leaves("2026-01-01T00:00:00Z", usual("UTC", { holidays }))).toBeNull();
  });

  test("the date is a working day, not in the past, and later orders never get an earlier date", () => {
    const moments = fc.integer({ min: Date.parse("2025-01-01"), max: Date.parse("2030-01-01") });
    const calendars = fc.record({
      timezone: fc.constantFrom("UTC", "America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia"),
      working_days: fc.subarray([...weekdays], { minLength: 1 }),
      holidays: fc.array(fc.integer({ min: 20_000, max: 22_000 }).map(dayText), { maxLength: 50 }),
      cutoff_time: fc.constantFrom("00:00", "09:30", "14:00", "23:59"),
    });
    fc.assert(
      fc.property(moments, calendars, fc.integer({ min: 0, max: 5e8 }), (at, calendar, later) => {
        const day = dispatchDay(at, calendar) ?? 0;
        expect(calendar.working_days).toContain(weekdays[weekdayOf(day)] ?? "mon");
        expect(calendar.holidays).not.toContain(dayText(day));
        expect(day).toBeGreaterThanOrEqual(localTime(at, calendar.timezone).day);
        expect(workingDay(day, calendar)).toBe(day);
        // In the hour that clocks repeat, the same time occurs twice.
        const sooner = dispatchDay(at + later, calendar) ?? 0;
        if (later > 3_600_000) expect(sooner).toBeGreaterThanOrEqual(day);
        const moment = at + later;
        const due = cutoffFor(at, calendar) ?? Number.NaN;
        expect(localTime(due, calendar.timezone).day).toBe(day);
        expect(due < moment).toBe(at < (cutoffBefore(moment, calendar) ?? 0));
      }),
    );
  });
});

describe("over HTTP", () => {
  const path = "/inventory/locations/whs_1001";
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp();
  });
  afterAll(() => app.close());

  test("a warehouse's calendar can be changed and sent back as returned", async () => {
    const [main] = (await app.get("/inventory/locations")).body.data;
    const { working_days, holidays, cutoff_time, timezone } = main;
    expect({ working_days, holidays, cutoff_time, timezone }).toEqual(usual("America/New_York"));
    const changed = await app.patch(path, {
      working_days: ["sat", "mon", "mon"],
      holidays: ["2026-12-25", "2026-01-01", "2026-12-25"],
      cutoff_time: "09:30",
      timezone: "Australia/Lord_Howe",
    });
    expect(changed.body.data).toMatchObject({
      working_days: ["mon", "sat"],
      holidays: ["2026-01-01", "2026-12-25"],
      cutoff_time: "09:30",
      timezone: "Australia/Lord_Howe",
      revision: 2,
    });
    expect((await app.patch(path, changed.body.data)).body.data.revision).toBe(2);
    const address = { address_line1: "1 Main Road", city: "Leeds", postal_code: "LS1 1UR", country: "GB" };
    const location_zones = [{ zone_id: "A", temperature_zone: "ambient" }];
    const made = await app.post("/inventory/locations", { name: "Two", address, location_zones, cutoff_time: "17:00" });
    expect(made.body.data).toMatchObject({ cutoff_time: "17:00", working_days, holidays: [] });
  });

  test.each([
    [{ timezone: "Mars/Olympus" }, "timezone"],
    [{ timezone: "+05:00" }, "timezone"],
    [{ working_days: [] }, "working_days"],
    [{ working_days: ["monday"] }, "working_days[0]"],
    [{ holidays: ["2026-02-29"] }, "holidays[0]"],
    [{ holidays: ["2026-12-25", "Christmas"] }, "holidays[1]"],
    [{ cutoff_time: "24:00" }, "cutoff_time"],
    [{ cutoff_time: "2 pm" }, "cutoff_time"],
  ])("the calendar %j is refused", async (fields, field) => {
    const { status, body } = await app.patch(path, fields);
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });
});
