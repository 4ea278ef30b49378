import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtInCarrier, findService, quote, serviceCodes } from "../../../src/shipping/rates/services.ts";
import { readWeight, type Weight, weightOfGrams } from "../../../src/shipping/weight.ts";

const read = (amount: string | number, unit: "lb" | "oz" | "kg" | "g"): Weight => {
  const weight = readWeight(amount, unit);
  if (weight === null) throw new Error(`no weight: ${amount} ${unit}`);
  return weight;
};

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
