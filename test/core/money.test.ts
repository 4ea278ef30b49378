import { expect, test } from "bun:test";
import fc from "fast-check";
import { shareOf } from "../../src/core/money.ts";
import { tries } from "../volume.ts";

const cents_max = 100_000_000_000_000;
const units_max = 1_000_000;

const amount = fc.tuple(
  fc.oneof(fc.nat(1_000), fc.nat(cents_max), fc.constant(cents_max)),
  fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: units_max })),
);

test("a share is exact and rounded half up, however large the numbers", () => {
  const share = amount.chain(([total, all]) => fc.tuple(fc.constant(total), fc.nat(all), fc.constant(all)));
  fc.assert(
    fc.property(share, ([total, units, all]) => {
      const exact = (2n * BigInt(total) * BigInt(units) + BigInt(all)) / (2n * BigInt(all));
      expect(BigInt(shareOf(total, units, all))).toBe(exact);
    }),
    tries(2_000),
  );
});

test("differences of consecutive shares add up to the amount, and each is between zero and the amount", () => {
  const parts = amount.chain(([total, all]) =>
    fc.tuple(fc.constant(total), fc.constant(all), fc.array(fc.nat(all), { maxLength: 20 })),
  );
  fc.assert(
    fc.property(parts, ([total, all, cuts]) => {
      const places = [0, ...cuts.sort((one, other) => one - other), all];
      const costs = places.slice(1).map((to, at) => shareOf(total, to, all) - shareOf(total, places[at] ?? 0, all));
      expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(total);
      expect(Math.min(...costs)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...costs)).toBeLessThanOrEqual(total);
    }),
    tries(1_000),
  );
});
