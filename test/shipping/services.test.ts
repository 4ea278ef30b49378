import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { weightUnit } from "../../src/kit/weight_unit.ts";
import { promiseDelivery } from "../../src/shipping/delivery_date.ts";
import { builtInCarrier, findService, quote, serviceCodes } from "../../src/shipping/services.ts";
import { stateTimeZone } from "../../src/shipping/time_zones.ts";
import { billedPounds, gramsOf, readWeight, type Weight, weightOfGrams } from "../../src/shipping/weight.ts";

const read = (amount: string | number, unit: "lb" | "oz" | "kg" | "g"): Weight => {
  const weight = readWeight(amount, unit);
  if (weight === null) throw new Error(`no weight: ${amount} ${unit}`);
  return weight;
};

describe("weights", () => {
  test("are exact: equal weights in any unit bill and weigh the same", () => {
    const pound = [read(1, "lb"), read(16, "oz"), read("0.45359237", "kg"), read("453.59237", "g"), read("1e0", "lb")];
    for (const weight of pound) expect([billedPounds(weight), gramsOf(weight)]).toEqual([1, 454]);
    expect(billedPounds(read("453.592370000001", "g"))).toBe(2);
    expect(billedPounds(read("0.0001", "g"))).toBe(1);
    expect(gramsOf(read("0.0001", "g"))).toBe(1);
    expect(billedPounds(weightOfGrams(2_268))).toBe(6);
  });

  test("refuse what is no weight, at once", () => {
    const bad = [
      "",
      ".",
      "0",
      "0.000",
      "-1",
      "NaN",
      "Infinity",
      "1,5",
      "1 ",
      "0x10",
      "1e31",
      "1e-31",
      "1e3000000",
      "9".repeat(33),
    ];
    for (const text of bad) expect([text, readWeight(text, "lb")]).toEqual([text, null]);
    for (const number of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(readWeight(number, "kg")).toBeNull();
  });

  test("know the usual spellings of a unit", () => {
    for (const [word, unit] of [
      ["lbs", "lb"],
      ["Pounds", "lb"],
      ["OZ", "oz"],
      ["kg", "kg"],
      ["grams", "g"],
    ] as const) {
      expect(weightUnit(word)).toBe(unit);
    }
    for (const word of ["stone", "", "constructor", "__proto__"]) expect(weightUnit(word)).toBeNull();
  });
});

describe("quote", () => {
  const carrier = builtInCarrier("live");
  const friday_morning = Date.parse("2026-11-20T15:00:00Z");
  const ask = (weight: Weight) => quote({ carrier, weight, now: friday_morning, origin_zone: "America/New_York" });

  test("offers every service, in order, with lines that sum to the rate", () => {
    const { quotes, messages } = ask(read("4.2", "lb"));
    expect(messages).toEqual([]);
    expect(quotes.map(({ service }) => service)).toEqual([...serviceCodes]);
    expect(quotes.map(({ rate_cents }) => rate_cents)).toEqual([995, 1895, 3695]);
    for (const { breakdown, rate_cents, billable_pounds } of quotes) {
      expect(breakdown.reduce((sum, line) => sum + line.amount_cents, 0)).toBe(rate_cents);
      expect(billable_pounds).toBe(5);
    }
  });

  test("includes the upper edge of a step, and makes no offer above the last one", () => {
    expect(ask(read(5, "lb")).quotes[0]?.rate_cents).toBe(995);
    expect(ask(read("5.0000001", "lb")).quotes[0]?.rate_cents).toBe(1695);
    expect(ask(read(70, "lb")).quotes).toHaveLength(3);
    const over = ask(read("70.01", "lb"));
    expect(over.quotes).toEqual([]);
    expect(over.messages.map(({ code }) => code)).toEqual([
      "over_weight_limit",
      "over_weight_limit",
      "over_weight_limit",
    ]);
  });

  test("never gets cheaper with weight", () => {
    const grams = fc.integer({ min: 1, max: 31_000 });
    fc.assert(
      fc.property(grams, grams, (one, other) => {
        const [light, heavy] = [Math.min(one, other), Math.max(one, other)].map((g) => ask(weightOfGrams(g)).quotes);
        expect(light?.length).toBe(heavy?.length);
        for (const [i, offer] of (light ?? []).entries()) {
          expect(offer.rate_cents).toBeLessThanOrEqual(heavy?.[i]?.rate_cents ?? -1);
        }
      }),
    );
  });

  test("knows the carriers of both modes and their services", () => {
    expect([builtInCarrier("live").code, builtInCarrier("test").code] as string[]).toEqual(["local", "sim"]);
    expect(builtInCarrier("test").services).toBe(builtInCarrier("live").services);
    expect(findService(carrier, "express")?.delivery_days).toBe(2);
    for (const code of ["", "Express", "constructor"]) expect(findService(carrier, code)).toBeNull();
  });
});

describe("promiseDelivery", () => {
  const promise = (now: string, transit_days: number, more: object = {}) => {
    const question = { now: Date.parse(now), origin_zone: "America/New_York", cut_off_hour: 16, transit_days, ...more };
    const { ship_date, delivery_date } = promiseDelivery(question);
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
      { holidays: new Set(["2026-11-26"]) },
      "2026-11-25",
      "2026-11-28T01:00:00.000Z",
    ],
    ["clocks change on the way", "2026-10-30T12:00:00Z", 1, {}, "2026-10-30", "2026-11-03T01:00:00.000Z"],
    ["and it is summer before that", "2026-10-28T12:00:00Z", 1, {}, "2026-10-28", "2026-10-30T00:00:00.000Z"],
  ])("%s", (_name, now, days, more, ship_date, delivery_date) => {
    expect(promise(now, days, more)).toEqual([ship_date, delivery_date]);
  });

  test("always ends at 20:00 of a workday, later than now", () => {
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
          const question = { now, origin_zone: from, destination_zone: to, cut_off_hour: 16, transit_days: days };
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

test("stateTimeZone knows the states and territories of the US only", () => {
  expect(stateTimeZone("ca", "US")).toBe("America/Los_Angeles");
  expect(stateTimeZone("GU", "US")).toBe("Pacific/Guam");
  expect(stateTimeZone("CA", "CA")).toBeNull();
  expect(stateTimeZone("ZZ", "US")).toBeNull();
  expect(stateTimeZone(null, "US")).toBeNull();
});
