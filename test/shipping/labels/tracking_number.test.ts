import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  checkCharacter,
  ownTrackingNumber,
  trackingPrefixProblem,
} from "../../../src/shipping/labels/tracking_number.ts";

const isChecked = (number: string) => number.endsWith(checkCharacter(number.slice(0, -1)));

describe("ownTrackingNumber", () => {
  test("returns known numbers", () => {
    expect(ownTrackingNumber("WH", 1)).toBe("WH000000000001Q");
    expect(ownTrackingNumber("SIM", 999_999_999_999)).toStartWith("SIM999999999999");
  });

  test("uses the check of ISO 7064 mod 37,36", () => {
    // The published example of the Global Release Identifier, A1-2425G-ABC1234002-M.
    expect(checkCharacter("A12425GABC1234002")).toBe("M");
  });

  test("is valid, and detects every single wrong character", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("WH", "PKH", "ACME"),
        fc.maxSafeNat(),
        fc.nat(14),
        fc.nat(35),
        (prefix, any, at, value) => {
          const number = ownTrackingNumber(prefix, any % 1e12);
          expect(isChecked(number)).toBe(true);
          const other = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".charAt(value);
          const wrong = number.slice(0, at) + other + number.slice(at + 1);
          if (wrong !== number) expect(isChecked(wrong)).toBe(false);
        },
      ),
    );
  });

  test("throws for an invalid prefix or serial", () => {
    for (const [prefix, serial] of [
      ["GM", 1],
      ["wh", 1],
      ["WH", -1],
      ["WH", 1.5],
      ["WH", 1e12],
    ] as const) {
      expect(() => ownTrackingNumber(prefix, serial)).toThrow("assertion failed");
    }
  });
});

describe("trackingPrefixProblem", () => {
  test("reports invalid prefixes", () => {
    const cases: [string, string | null][] = [
      ["WH", null],
      ["PACK", null],
      ["TBX", null],
      ["W", "invalid_format"],
      ["WAREH", "invalid_format"],
      ["wh", "invalid_format"],
      ["1Z", "invalid_format"],
      ["SIM", "reserved"],
      ["GM", "carrier_format"],
      ["LXA", "carrier_format"],
      ["MYCO", "carrier_format"],
      ["TBA", "carrier_format"],
      ["TBC", "carrier_format"],
      ["TBM", "carrier_format"],
      ["TBMX", "carrier_format"],
    ];
    for (const [prefix, problem] of cases) expect([prefix, trackingPrefixProblem(prefix)]).toEqual([prefix, problem]);
  });
});
