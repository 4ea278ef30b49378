// Which carton is suggested: a table of cases, and what always holds.
import { describe, expect, test } from "bun:test";
import { readFraction } from "../../../src/core/decimals.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { unitNanograms } from "../../../src/core/weight_units.ts";
import { goodsKey, smallestFit } from "../../../src/floor/packing/suggest_carton.ts";
import type { Carton } from "../../../src/floor/printing/carton.ts";

type Size = readonly [length: number, width: number, height: number];

/** A carton with inner sides in mm. */
function carton(code: string, [length_mm, width_mm, height_mm]: Size, more: Partial<Carton> = {}): Carton {
  return {
    ...{ id: code.charCodeAt(0), code, name: null, length_mm, width_mm, height_mm, tare_grams: 0 },
    described: { length: 1, width: 1, height: 1, unit: "cm", weight: 0, max_weight: null, weight_unit: "g" },
    ...{ max_weight_grams: null, cost_cents: null, currency: null, active: true },
    ...{ revision: 1, created_at: 0, updated_at: 0 },
    ...more,
  };
}

/** Units with sides in mm. */
const units = (quantity: number, [length, width, height]: Size) => ({
  sku: `${length}x${width}x${height}`,
  dimensions: { length: length / 10, width: width / 10, height: height / 10, unit: "cm" as const },
  quantity,
});

const grams = (amount: number) => readFraction(amount, unitNanograms.g);
const [small, long, large] = [
  carton("S", [100, 100, 100]),
  carton("T", [500, 60, 60]),
  carton("L", [400, 300, 200], { max_weight_grams: 5000 }),
];
const all = [large, long, small];

describe("suggests", () => {
  test.each([
    ["one unit that fills the carton", [units(1, [100, 100, 100])], null, "S"],
    ["a unit that fits when it is turned", [units(1, [50, 480, 60])], null, "T"],
    ["equal units that stand in rows", [units(8, [50, 50, 50])], null, "S"],
    ["not what only its volume would fit", [units(1, [450, 20, 20])], null, "T"],
    [
      "a larger one when mixed goods fill more than three quarters",
      [units(6, [50, 50, 50]), units(1, [51, 50, 10])],
      null,
      "T",
    ],
    ["what mixed goods fill by half", [units(3, [50, 50, 50]), units(1, [50, 50, 20])], null, "S"],
    ["what carries the weight", [units(1, [90, 90, 90])], grams(6000), "S"],
    ["none that is too weak", [units(1, [390, 290, 190])], grams(5001), "none_fits"],
    ["the strong one at its limit", [units(1, [390, 290, 190])], grams(5000), "L"],
    ["none for what is too long", [units(1, [501, 10, 10])], null, "none_fits"],
    ["none without sizes", [{ sku: "ROCK", dimensions: null, quantity: 1 }], null, "no_dimensions"],
    ["none for nothing", [], null, "nothing_to_pack"],
  ] as const)("%s", (_, goods, weight, expected) => {
    const fit = smallestFit(goods, all, weight);
    expect(fit.carton?.code ?? fit.gap).toBe(expected);
  });

  test("no carton that is not used any more, and says so if there is none", () => {
    const old = carton("A", [100, 100, 100], { active: false });
    expect(smallestFit([units(1, [10, 10, 10])], [old, small], null).carton?.code).toBe("S");
    expect(smallestFit([units(1, [10, 10, 10])], [old], null).gap).toBe("no_cartons");
  });

  test("only what fits, and nothing smaller that fits as well", () => {
    const random = seededRandom(20260301);
    const side = (most: number) => random.integer(10, most);
    let suggested = 0;
    for (let round = 0; round < 2000; round++) {
      const cartons = Array.from({ length: 6 }, (_unused, at) =>
        carton(String.fromCharCode(65 + at), [side(400), side(400), side(400)]),
      );
      const goods = Array.from({ length: random.integer(1, 4) }, () =>
        units(random.integer(1, 5), [side(200), side(200), side(200)]),
      );
      const { carton: found } = smallestFit(goods, cartons, null);
      if (found === null) continue;
      suggested += 1;
      const inner = [found.length_mm, found.width_mm, found.height_mm].sort((a, b) => b - a);
      const volume = inner.reduce((product, one) => product * one, 1);
      let filled = 0;
      for (const { dimensions, quantity } of goods) {
        const sides = [dimensions.length, dimensions.width, dimensions.height]
          .map((one) => one * 10)
          .sort((a, b) => b - a);
        expect(sides.every((one, at) => one <= (inner[at] ?? 0) + 1e-9)).toBe(true);
        filled += quantity * sides.reduce((product, one) => product * one, 1);
      }
      expect(filled).toBeLessThanOrEqual(volume * (goods.length === 1 ? 1 : 0.75) + 1e-6);
    }
    expect(suggested).toBeGreaterThan(500);
  });
});

test("goods have one key, whatever their order", () => {
  const key = goodsKey([
    { product_id: 7, quantity: 1 },
    { product_id: 3, quantity: 2 },
    { product_id: 7, quantity: 1 },
  ]);
  expect(key).toBe("3x2 7x2");
});
