import { describe, expect, test } from "bun:test";
import { declarationFor } from "../../../src/shipping/carriers/connector_fields.ts";
import type { ParcelContent, ShipmentRequest } from "../../../src/shipping/offer.ts";
import { readWeight } from "../../../src/shipping/parcel.ts";
import { needsDeclaration } from "../../../src/shipping/parcel_contents.ts";
import { abroad, carriage, endAt, endIn } from "./carrier_setup.ts";

const toCanada: ShipmentRequest = { ...carriage, to: endAt(abroad) };
const toFrance: ShipmentRequest = { ...carriage, to: endAt({ ...abroad, country: "FR", postal_code: "75001" }) };
const tea: ParcelContent = {
  product_id: 1,
  sku: "TEA",
  currency: "USD",
  description: "Tea",
  quantity: 3,
  value_cents: 3000,
  weight: readWeight(1, "lb"),
  hs_code: "090230",
  country_of_origin: "LK",
};
const pot: ParcelContent = {
  ...tea,
  product_id: 2,
  sku: "POT",
  description: "Pot",
  quantity: 1,
  hs_code: null,
  country_of_origin: "PT",
};

const declarationOf = (parcel: ShipmentRequest) => declarationFor("fedex", parcel).declaration;

describe("customs", () => {
  test.each([
    ["at home", carriage, false],
    ["to another country", toCanada, true],
    ["inside the European Union", { ...carriage, from: endIn("10115", "DE"), to: endIn("75001", "FR") }, false],
    ["into the European Union", { ...carriage, to: endIn("75001", "FR") }, true],
    ["to the Canary Islands", { ...carriage, from: endIn("10115", "DE"), to: endIn("35001", "ES") }, true],
    ["to the armed forces", { ...carriage, to: { ...endIn("09012"), state: "ae" } }, true],
    [
      "to a state abroad that is called alike",
      { ...toFrance, from: toFrance.to, to: { ...toFrance.to, state: "AE" } },
      false,
    ],
  ] as const)("see a parcel %s: %#", (_, given, seen) => {
    expect(needsDeclaration(given)).toBe(seen);
  });

  test("declare each product with its own origin and weight", () => {
    const declaration = declarationOf({ ...toFrance, contents: [tea, pot] });
    const certified = { signer: "Ada Lovelace", returned: false, exemption: "30.37(a)" };
    expect(declaration).toEqual({ goods: [tea, pot] as never, ...certified } as never);
  });

  test("declare the value in the order's currency, without exemptions that depend on its value in dollars", () => {
    const contents = [{ ...tea, currency: "EUR", value_cents: 250_001 }];
    expect(declarationOf({ ...toFrance, contents })).toMatchObject({ goods: contents, exemption: null });
    expect(declarationOf({ ...toCanada, contents })?.exemption).toBe("30.36");
  });

  test("report the same missing fields as the rates", () => {
    const contents = [tea, { ...pot, country_of_origin: null, weight: null }];
    const [warning] = declarationFor("fedex", { ...toFrance, contents }).warnings;
    expect(warning?.message).toContain("products[POT].customs.country_of_origin, products[POT].weight.");
  });

  test.each([
    ["nothing of the goods", toFrance],
    ["the value of the parcel alone", { ...toFrance, value_cents: 1999 }],
    ["goods of unknown origin", { ...toFrance, contents: [tea, { ...pot, country_of_origin: null }] }],
    ["goods of unknown weight", { ...toFrance, contents: [tea, { ...pot, weight: null }] }],
    ["goods of no value", { ...toFrance, contents: [tea, { ...pot, value_cents: 0 }] }],
    ["goods that have to be filed", { ...toFrance, contents: [{ ...tea, value_cents: 250_001 }] }],
    ["no sender", { ...toFrance, contents: [tea], from: endIn("94107") }],
  ] as const)("are told nothing when there is %s", (_, given) => {
    expect(declarationOf(given)).toBeNull();
  });

  test("need no filing for expensive goods to Canada or from other countries", () => {
    const dear = [{ ...tea, value_cents: 250_001 }];
    expect(declarationOf({ ...toCanada, contents: dear })?.exemption).toBe("30.36");
    expect(declarationOf({ ...toCanada, from: toFrance.to, contents: dear })?.exemption).toBeNull();
    expect(declarationOf({ ...toFrance, contents: [{ ...tea, value_cents: 250_000 }] })?.exemption).toBe("30.37(a)");
  });
});
