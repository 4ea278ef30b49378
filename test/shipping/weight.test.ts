import { describe, expect, test } from "bun:test";
import { weightUnit } from "../../src/core/weight_units.ts";
import { billedPounds, gramsOf, readWeight, type Weight } from "../../src/shipping/parcel.ts";

const read = (amount: string | number, unit: "lb" | "oz" | "kg" | "g"): Weight => {
  const weight = readWeight(amount, unit);
  if (weight === null) throw new Error(`no weight: ${amount} ${unit}`);
  return weight;
};

describe("weights", () => {
  test("are exact: equal weights in any unit are billed the same", () => {
    const pound = [read(1, "lb"), read(16, "oz"), read("0.45359237", "kg"), read("453.59237", "g"), read("1e0", "lb")];
    for (const weight of pound) expect([billedPounds(weight), gramsOf(weight)]).toEqual([1, 454]);
    expect(billedPounds(read("453.592370000001", "g"))).toBe(2);
    expect(billedPounds(read("0.0001", "g"))).toBe(1);
    expect(gramsOf(read("0.0001", "g"))).toBe(1);
    expect(billedPounds(readWeight(2_268, "g") as Weight)).toBe(6);
  });

  test("refuse an invalid weight at once", () => {
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

  test("accept the usual spellings of a unit", () => {
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
