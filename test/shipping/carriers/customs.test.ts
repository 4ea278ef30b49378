import { describe, expect, test } from "bun:test";
import { declarationOf, needsDeclaration } from "../../../src/shipping/carriers/customs.ts";
import type { Carriage, Content } from "../../../src/shipping/offer.ts";
import { readWeight } from "../../../src/shipping/weight.ts";
import { abroad, carriage, endAt, endIn } from "./means.ts";

const toCanada: Carriage = { ...carriage, to: endAt(abroad) };
const toFrance: Carriage = { ...carriage, to: endAt({ ...abroad, country: "FR", postal_code: "75001" }) };
const tea: Content = {
  description: "Tea",
  quantity: 3,
  value_cents: 3000,
  weight: readWeight(1, "lb"),
  hs_code: "090230",
  country_of_origin: "LK",
};
const pot: Content = { ...tea, description: "Pot", quantity: 1, weight: null, hs_code: null, country_of_origin: null };

describe("customs", () => {
  test.each([
    ["at home", carriage, false],
    ["to another country", toCanada, true],
    ["to the armed forces", { ...carriage, to: { ...endIn("09012"), state: "ae" } }, true],
    [
      "to a state abroad that is called alike",
      { ...toFrance, from: toFrance.to, to: { ...toFrance.to, state: "AE" } },
      false,
    ],
  ] as const)("see a parcel %s: %#", (_, given, seen) => {
    expect(needsDeclaration(given)).toBe(seen);
  });

  test("are told all that is known of the goods, and where it is missing, what stands to reason", () => {
    const declaration = declarationOf({ ...toFrance, contents: [tea, pot] });
    expect(declaration).toMatchObject({ signer: "Ada Lovelace", returned: false, exemption: "30.37(a)" });
    // Two pounds, shared by four pieces.
    expect(
      declaration?.goods.map(({ weight }) =>
        Number((weight.numerator * 1000n) / weight.denominator / 453_592_370_000n),
      ),
    ).toEqual([1500, 500]);
    expect(declaration?.goods[1]).toMatchObject({ description: "Pot", country_of_origin: "US", hs_code: null });
    const weighed = declarationOf({ ...toFrance, contents: [tea] })?.goods[0];
    expect(weighed?.weight).toEqual(readWeight(1, "lb") ?? undefined);
  });

  test.each([
    ["nothing of the goods", toFrance],
    ["goods of no value", { ...toFrance, contents: [tea, { ...pot, value_cents: 0 }] }],
    ["goods that have to be filed", { ...toFrance, contents: [{ ...tea, value_cents: 250_001 }] }],
    ["no sender", { ...toFrance, value_cents: 100, from: endIn("94107") }],
  ] as const)("are told nothing when there is %s", (_, given) => {
    expect(declarationOf(given)).toBeNull();
  });

  test("take dear goods to Canada and from elsewhere as they are", () => {
    const dear = [{ ...tea, value_cents: 250_001 }];
    expect(declarationOf({ ...toCanada, contents: dear })?.exemption).toBe("30.36");
    expect(declarationOf({ ...toCanada, from: toFrance.to, contents: dear })?.exemption).toBeNull();
    expect(declarationOf({ ...toFrance, contents: [{ ...tea, value_cents: 250_000 }] })?.exemption).toBe("30.37(a)");
  });
});
