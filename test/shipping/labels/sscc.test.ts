import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isDemonstration, isGs1Prefix, isSscc, scannedSscc, ssccOf } from "../../../src/shipping/labels/sscc.ts";

const prefix = fc.integer({ min: 4, max: 12 }).chain((length) => fc.stringMatching(new RegExp(`^\\d{${length}}$`)));

describe("SSCC", () => {
  test("matches the published example", () => {
    expect(ssccOf("9521234", 1_234_567)).toBe("095212340012345676");
    expect(isDemonstration("095212340012345676")).toBe(true);
  });

  test("has 18 digits with the prefix in place, and differs for each serial", () => {
    fc.assert(
      fc.property(prefix, fc.nat(99_999), fc.nat(99_999), (company, one, other) => {
        const [sscc = "", second] = [ssccOf(company, one) ?? "", ssccOf(company, other)];
        expect([isSscc(sscc), sscc.slice(1, 1 + company.length)]).toEqual([true, company]);
        expect(sscc === second).toBe(one === other);
      }),
    );
  });

  test("continues in the extension digit after the last serial, then ends", () => {
    expect(ssccOf("123456789012", 9_999)).toStartWith("01234567890129999");
    expect(ssccOf("123456789012", 10_000)).toStartWith("11234567890120000");
    expect(ssccOf("123456789012", 99_999)).toStartWith("91234567890129999");
    expect(ssccOf("123456789012", 100_000)).toBeNull();
  });

  test("has a check digit that detects every mistyped digit", () => {
    const digits = [..."095212340012345676"];
    for (const at of digits.keys()) {
      for (let digit = 0; digit < 10; digit++) {
        const typed = digits.with(at, String(digit)).join("");
        expect(isSscc(typed)).toBe(typed === digits.join(""));
      }
    }
    for (const text of ["", "95212340012345676", "0095212340012345676", "09521234001234567X"])
      expect(isSscc(text)).toBe(false);
  });

  test("is scanned with its identifier, which is not part of it", () => {
    expect(scannedSscc("00095212340012345676")).toBe("095212340012345676");
    expect(scannedSscc("(00)095212340012345676")).toBe("095212340012345676");
    for (const text of ["095212340012345676", "00095212340012345677", "01095212340012345676", "0009521234001234567"]) {
      expect(scannedSscc(text)).toBeNull();
    }
  });

  test("takes a prefix of 4 to 12 digits", () => {
    expect(["0614", "061414100000"].map(isGs1Prefix)).toEqual([true, true]);
    expect(["", "061", "0614141000000", "06141a", " 0614"].map(isGs1Prefix)).toEqual(Array(5).fill(false));
  });
});
