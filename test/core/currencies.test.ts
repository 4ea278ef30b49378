import { describe, expect, test } from "bun:test";
import {
  centsOf,
  decimalsOf,
  isCurrency,
  money,
  moneyText,
  ofHundredths,
  readCents,
  readNearestCents,
} from "../../src/core/money.ts";

describe("currencies", () => {
  test.each([
    ["USD", 2],
    ["JPY", 0],
    ["KWD", 3],
    ["IQD", 3],
    ["UGX", 0],
    ["ISK", 0],
    ["MGA", 2],
    ["XCG", 2],
  ])("%s has %i decimals", (code, decimals) => {
    expect([isCurrency(code), decimalsOf(code)]).toEqual([true, decimals]);
  });

  test.each(["ZZZ", "usd", "", "XAU", "XXX", "XTS", "XDR", "CLF", "UYW", "UYI", "BOV", "CHE", "MXV", "USN", "DEM"])(
    "%s is not accepted as a currency",
    (code) => expect(isCurrency(code)).toBe(false),
  );

  test("each has the same decimals as in the runtime", () => {
    const known = Intl.supportedValuesOf("currency").filter(isCurrency);
    expect(known).toHaveLength(161);
    const decimals = (currency: string) =>
      new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
    expect(known.filter((code) => decimals(code) !== decimalsOf(code))).toEqual([]);
  });
});

describe("amounts", () => {
  test.each([
    ["12.5", "USD", 1250],
    ["12.345", "KWD", 12345],
    [12.3, "KWD", 12300],
    ["100", "JPY", 100],
    ["100.55", "JPY", null],
    ["12.345", "USD", null],
    ["12.3456", "KWD", null],
    ["-1", "USD", null],
    ["1e3", "USD", null],
  ])("%s %s is %p", (amount, currency, cents) => {
    expect(readCents(amount, currency)).toBe(cents);
  });

  test.each([
    ["12.345", "USD", 1, 1235],
    ["12.345", "USD", 3, 3704],
    ["12.345", "KWD", 3, 37035],
    ["1000.5", "JPY", 3, 3002],
    ["0.33333333333333333333", "USD", 3, 100],
  ])("%s %s is rounded once for %i units", (amount, currency, units, cents) => {
    expect(readNearestCents(amount, currency, units)).toBe(cents);
  });

  test("are written with the decimals of their currency", () => {
    expect([money(37035, "KWD"), money(100, "JPY"), money(1250, "ZZZ")]).toEqual([37.035, 100, 12.5]);
    expect([moneyText(37000, "KWD"), moneyText(100, "JPY"), moneyText(1250, "USD")]).toEqual([
      "37.000",
      "100",
      "12.50",
    ]);
  });

  test("a refusal names the value, the currency and its decimals", () => {
    const refused = "must be an amount with no decimals for JPY (got 100.55)";
    expect(() => centsOf("100.55", "JPY", "price")).toThrow(expect.objectContaining({ code: "validation_failed" }));
    try {
      centsOf("100.55", "JPY", "price");
    } catch (error) {
      expect((error as { facts: unknown }).facts).toMatchObject({ fields: [{ field: "price", message: refused }] });
    }
  });

  test("in hundredths are converted to minor units, rounded half up if necessary", () => {
    expect([ofHundredths(10_055, "JPY"), ofHundredths(10_049, "JPY"), ofHundredths(10_050, "JPY")]).toEqual([
      101, 100, 101,
    ]);
    expect([ofHundredths(1235, "KWD"), ofHundredths(1235, "USD"), ofHundredths(1235, "ZZZ")]).toEqual([
      12_350, 1235, 1235,
    ]);
  });
});
