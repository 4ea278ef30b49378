// The number that a shop shows: properties over random stock, orders and rules.
import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { isSavedByBuffer, shopQuantity } from "../../../src/platforms/stock_updates/stock_quantity.ts";

const random = seededRandom(33);
const below = (limit: number) => random.integer(0, limit - 1);
const cases = Array.from({ length: 5000 }, () => ({
  units: { available: below(1000), unimported: below(300) },
  rule: { buffer: below(50), cap: below(2) === 0 ? null : below(500), share_percent: below(101) },
}));

describe("the number that a shop shows", () => {
  test("is a whole number, from zero to what is there, the share of it, and the cap", () => {
    for (const { units, rule } of cases) {
      const shown = shopQuantity(units, rule);
      const rest = Math.max(0, units.available - units.unimported - rule.buffer);
      expect(Number.isInteger(shown) && shown >= 0).toBe(true);
      expect(shown).toBeLessThanOrEqual(Math.min(rule.cap ?? rest, rest));
      expect(shown * 100).toBeLessThanOrEqual(rest * rule.share_percent);
      // It is the largest such number.
      const more = shown + 1;
      expect(more > (rule.cap ?? more) || more * 100 > rest * rule.share_percent).toBe(true);
    }
  });

  test("never rises with an order of the shop, and falls by no more than the order has", () => {
    for (const { units, rule } of cases) {
      const sold = below(20);
      const after = shopQuantity({ ...units, unimported: units.unimported + sold }, rule);
      const before = shopQuantity(units, rule);
      expect(after <= before && after >= before - sold).toBe(true);
    }
  });

  test("is the same before and after an order is imported", () => {
    for (const { units, rule } of cases) {
      const { available, unimported } = units;
      if (unimported > available) continue;
      expect(shopQuantity({ available: available - unimported, unimported: 0 }, rule)).toBe(shopQuantity(units, rule));
    }
  });

  test("was saved by the buffer if more was shown than without it there would have been", () => {
    const rule = { buffer: 5, cap: null, share_percent: 100 };
    const at = (shown: number, available: number) => isSavedByBuffer(shown, { available, unimported: 0 }, rule);
    // 20 there, 15 shown. Another channel sells 3: the shop still shows 15 of 17, and would have shown 20.
    expect(at(15, 17)).toBe(true);
    // It sells 5 and 6: the buffer is used up, and no longer enough.
    expect([at(15, 15), at(15, 14)]).toEqual([true, false]);
    // In step, or raised.
    expect([at(12, 17), at(3, 17)]).toEqual([false, false]);
    expect(isSavedByBuffer(15, { available: 17, unimported: 0 }, { ...rule, buffer: 0 })).toBe(false);
  });
});
