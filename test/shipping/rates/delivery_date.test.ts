import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { carriedLines, releaseCarried } from "../../../src/addresses/carried_zip_codes.ts";
import { dayText } from "../../../src/core/time_zone.ts";
import {
  placeTimeZone,
  promiseDelivery,
  type ServiceDays,
  stateTimeZone,
} from "../../../src/shipping/rates/delivery_date.ts";

const service: ServiceDays = {
  cut_off_minute: 16 * 60,
  ship_days: ["mon", "tue", "wed", "thu", "fri"],
  saturday_delivery: false,
  sunday_delivery: false,
};
const never = () => false;

describe("promiseDelivery", () => {
  const promise = (now: string, transit_days: number, more: object = {}) => {
    const at = { now: Date.parse(now), origin_zone: "America/New_York", destination_zone: null };
    const { ship_date, delivery_date } = promiseDelivery({ ...at, service, transit_days, isHoliday: never, ...more });
    return [ship_date, new Date(delivery_date).toISOString()];
  };

  // 2026-11-20 is a Friday. New York is at UTC-5 then.
  test.each([
    ["before the cut-off it leaves today", "2026-11-20T20:59:59Z", 1, {}, "2026-11-20", "2026-11-24T01:00:00.000Z"],
    ["at the cut-off it leaves on Monday", "2026-11-20T21:00:00Z", 1, {}, "2026-11-23", "2026-11-25T01:00:00.000Z"],
    ["on Saturday it leaves on Monday", "2026-11-21T12:00:00Z", 1, {}, "2026-11-23", "2026-11-25T01:00:00.000Z"],
    ["Sunday evening in UTC is still Sunday", "2026-11-23T02:00:00Z", 1, {}, "2026-11-23", "2026-11-25T01:00:00.000Z"],
    ["four days step over a weekend", "2026-11-19T12:00:00Z", 4, {}, "2026-11-19", "2026-11-26T01:00:00.000Z"],
    [
      "it is 20:00 at the destination",
      "2026-11-19T12:00:00Z",
      1,
      { destination_zone: "America/Los_Angeles" },
      "2026-11-19",
      "2026-11-21T04:00:00.000Z",
    ],
    [
      "a holiday is no workday",
      "2026-11-25T12:00:00Z",
      1,
      { isHoliday: (day: number) => dayText(day) === "2026-11-26" },
      "2026-11-25",
      "2026-11-28T01:00:00.000Z",
    ],
    [
      "a service that ships on Saturdays and delivers on Sundays does both",
      "2026-11-21T12:00:00Z",
      1,
      { service: { ...service, ship_days: ["sat"], sunday_delivery: true } },
      "2026-11-21",
      "2026-11-23T01:00:00.000Z",
    ],
    [
      "it delivers on Saturday though it ships on none",
      "2026-11-20T12:00:00Z",
      1,
      { service: { ...service, saturday_delivery: true } },
      "2026-11-20",
      "2026-11-22T01:00:00.000Z",
    ],
    ["clocks change on the way", "2026-10-30T12:00:00Z", 1, {}, "2026-10-30", "2026-11-03T01:00:00.000Z"],
    ["and it is summer before that", "2026-10-28T12:00:00Z", 1, {}, "2026-10-28", "2026-10-30T00:00:00.000Z"],
  ])("%s", (_name, now, days, more, ship_date, delivery_date) => {
    expect(promise(now, days, more)).toEqual([ship_date, delivery_date]);
  });

  test("always ends at 20:00 of a working day, later than now", () => {
    const zones = [
      "America/New_York",
      "Pacific/Auckland",
      "Asia/Kolkata",
      "Pacific/Pago_Pago",
      "Africa/Casablanca",
      "UTC",
    ];
    const zone = fc.constantFrom(...zones);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e12 }),
        fc.integer({ min: 1, max: 9 }),
        zone,
        zone,
        (now, days, from, to) => {
          const ends = { origin_zone: from, destination_zone: to };
          const question = { now, ...ends, service, transit_days: days, isHoliday: never };
          const { delivery_date } = promiseDelivery(question);
          const clock = {
            timeZone: to,
            hourCycle: "h23",
            weekday: "short",
            hour: "2-digit",
            minute: "2-digit",
          } as const;
          expect(new Date(delivery_date).toLocaleString("en-GB", clock)).toMatch(
            /^(Mon|Tue|Wed|Thu|Fri),? (at )?20:00$/,
          );
          expect(delivery_date).toBeGreaterThan(now);
        },
      ),
    );
  });
});

test("stateTimeZone knows US states and territories only", () => {
  expect(stateTimeZone("ca", "US")).toBe("America/Los_Angeles");
  expect(stateTimeZone("GU", "US")).toBe("Pacific/Guam");
  expect(stateTimeZone("CA", "CA")).toBeNull();
  expect(stateTimeZone("ZZ", "US")).toBeNull();
  expect(stateTimeZone(null, "US")).toBeNull();
});

test("the time zone of a place is its state's, given by state or ZIP code", () => {
  const wrong: string[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const { lines, next } = carriedLines(from, 5000);
    for (const { zip, state } of lines) {
      const postal_code = String(zip).padStart(5, "0");
      const [by_zip, by_state] = [
        placeTimeZone({ country: "US", state: null, postal_code }),
        stateTimeZone(state, "US"),
      ];
      if (by_zip !== by_state) wrong.push(`${postal_code} ${state}`);
    }
    from = next;
  }
  releaseCarried();
  // The time zone of these states is ambiguous.
  expect(wrong.filter((line) => !/ (AA|AE|AP|FM|MH|PW)$/.test(line))).toEqual([]);
  expect(placeTimeZone({ country: "PR", state: null, postal_code: null })).toBe("America/Puerto_Rico");
  expect(placeTimeZone({ country: "CA", state: null, postal_code: "K1A 0B1" })).toBe("America/Toronto");
  expect(placeTimeZone({ country: "US", state: "AE", postal_code: "09001" })).toBeNull();
});
