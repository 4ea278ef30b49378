import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults.ts";
import type { CompleteAddress } from "../../../src/core/postal_address.ts";
import type { ShipmentEnd, ShipmentRequest } from "../../../src/shipping/offer.ts";
import { type ParcelPackage, readParcel } from "../../../src/shipping/parcel.ts";
import { checkQuote, hasAddresses, quote_lifetime_ms, quoter, readQuote } from "../../../src/shipping/rates/quote.ts";
import { fakeOffer } from "../carriers/fake_carrier.ts";

const context = { secret_key: new Uint8Array(32).fill(7), mode: "live", now: 1_767_323_045_000 } as const;

const address: CompleteAddress = {
  name: "Jordan Avery",
  company: null,
  address_line1: "450 Canyon Drive",
  address_line2: null,
  city: "Beverly Hills",
  state: "CA",
  postal_code: "90210",
  country: "US",
  phone: null,
};
const endAt = (place: CompleteAddress): ShipmentEnd => {
  const { country, postal_code, state, city } = place;
  return { country, postal_code, state, city, address: place, residential: null };
};
const atZip = (postal_code: string, country = "US"): ShipmentEnd => {
  return { country, postal_code, state: null, city: null, address: null, residential: null };
};
const packed = (fields: Partial<ParcelPackage> = {}) =>
  readParcel({ weight: "1", weight_unit: "lb", dimensions: null, ...fields }, "");
const carriage = (fields: Partial<ShipmentRequest> = {}): ShipmentRequest => ({
  from: atZip("40202"),
  to: endAt(address),
  ...packed(),
  value_cents: 5000,
  insurance: true,
  origin_zone: "America/New_York",
  reference: null,
  return: false,
  ...fields,
});
const given = (asked: ShipmentRequest, order_id: number | null = null) =>
  readQuote(quoter(asked, order_id, context).id(fakeOffer(), 1001), context);

/** The fields for which a purchase is refused, or none. */
function mismatches(
  asked: ShipmentRequest,
  bought: ShipmentRequest,
  orders: [number | null, number | null] = [null, 5],
) {
  try {
    checkQuote(given(asked, orders[0]), bought, orders[1]);
    return [];
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "quote_mismatch") throw error;
    return error.facts.fields?.map(({ field }) => field);
  }
}

describe("a quote", () => {
  test("contains the offer, its caller and its expiry, readable by the service only", () => {
    const offer = fakeOffer({ cost_cents: 777, ref: "the-rate-of-a-carrier" });
    const { id, expires_at } = quoter(carriage(), 5, context);
    const text = id(offer, 1001);
    expect(expires_at).toBe(context.now + 15 * 60_000);
    expect(readQuote(text, context)).toMatchObject({
      offer,
      account_id: 1001,
      order_id: 5,
      expires_at,
      value_cents: 5000,
      insurance: true,
      residential: null,
    });
    expect(text).toMatch(/^quo_v1\.[A-Za-z0-9_-]+$/);
    const bytes = Buffer.from(text.slice("quo_v1.".length), "base64url").toString("latin1");
    for (const secret of ["the-rate-of-a-carrier", "777", "Canyon"]) expect(bytes).not.toContain(secret);
    const nonces = Array.from({ length: 100 }, () => readQuote(id(offer, null), context).nonce);
    expect(new Set(nonces).size).toBe(100);
  });

  test("is valid for fifteen minutes", () => {
    const text = quoter(carriage(), null, context).id(fakeOffer(), null);
    const at = (after_ms: number) => () => readQuote(text, { ...context, now: context.now + after_ms });
    expect(at(quote_lifetime_ms - 1)().account_id).toBe(null);
    expect(at(quote_lifetime_ms)).toThrow(expect.objectContaining({ code: "quote_expired" }));
  });

  test("of another environment or key, truncated or changed in any character is invalid", () => {
    const text = quoter(carriage(), null, context).id(fakeOffer(), null);
    const refused = expect.objectContaining({ code: "validation_failed" });
    expect(() => readQuote(text, { ...context, mode: "test" })).toThrow(refused);
    expect(() => readQuote(text, { ...context, secret_key: new Uint8Array(32).fill(8) })).toThrow(refused);
    for (const bad of ["", "quo_", "quo_v1.", "quo_1", text.slice(0, -4), text.slice(4), `${text}AAAA`]) {
      expect(() => readQuote(bad, context)).toThrow(refused);
    }
    for (let at = "quo_v1.".length; at < text.length - 1; at += 29) {
      const changed = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
      expect(() => readQuote(changed, context)).toThrow(refused);
    }
  });

  test("shows whether the carrier has seen full addresses", () => {
    expect(hasAddresses(given(carriage()))).toBe(false);
    expect(hasAddresses(given(carriage({ from: endAt({ ...address, city: "Louisville" }) })))).toBe(true);
  });
});

describe("a purchase by a quote", () => {
  test("is for an equal parcel in any units", () => {
    const sides = { length: 10, width: 5.5, height: 2, unit: "in" } as const;
    const turned = { length: 13.97, width: 5.08, height: 25.4, unit: "cm" } as const;
    const asked = carriage({ ...packed({ dimensions: sides }) });
    const cases: [Partial<ParcelPackage>, string[]][] = [
      [{ dimensions: sides }, []],
      [{ weight: "16.0", weight_unit: "oz", dimensions: turned }, []],
      [{ weight: "0.45359237", weight_unit: "kg", dimensions: sides }, []],
      [{ weight: "1.0000001", dimensions: sides }, ["package.weight"]],
      [{ dimensions: { ...sides, height: 2.01 } }, ["package.dimensions"]],
      [{ weight: "2", dimensions: null }, ["package.weight", "package.dimensions"]],
    ];
    for (const [parcel, fields] of cases) {
      expect([parcel, mismatches(asked, { ...asked, ...packed(parcel) })]).toEqual([parcel, fields]);
    }
    expect(mismatches(carriage(), { ...asked, from: carriage().from })).toEqual(["package.dimensions"]);
  });

  test("goes to the same address; if only a postal code was known, to the same code", () => {
    const asked = carriage();
    const to = (changes: Partial<CompleteAddress>) => ({ ...asked, to: endAt({ ...address, ...changes }) });
    expect(mismatches(asked, to({ company: " ", phone: "1" }))).toEqual([]);
    for (const other of [{ name: "Robin" }, { address_line1: "451 Canyon Drive" }, { postal_code: "90211" }]) {
      expect(mismatches(asked, to(other))).toEqual(["to_address"]);
    }
    expect(mismatches(asked, { ...asked, to: atZip("90210") })).toEqual(["to_address"]);
    const by_code = carriage({ to: atZip("90210-1234") });
    expect(mismatches(by_code, to({ name: "Robin" }))).toEqual([]);
    expect(mismatches(by_code, to({ postal_code: "90211" }))).toEqual(["to_address"]);
    expect(mismatches(by_code, to({ country: "DE" }))).toEqual(["to_address"]);
    expect(mismatches(carriage({ to: atZip("k1a0b1", "CA") }), to({ postal_code: "K1A 0B1", country: "CA" }))).toEqual(
      [],
    );
    expect(mismatches(asked, { ...asked, from: atZip("40203") })).toEqual(["from_address"]);
  });

  test("is for the same order, if there was one", () => {
    expect(mismatches(carriage(), carriage(), [null, 7])).toEqual([]);
    expect(mismatches(carriage(), carriage(), [7, 7])).toEqual([]);
    expect(mismatches(carriage(), carriage(), [7, 8])).toEqual(["order_id"]);
    expect(mismatches(carriage(), carriage(), [7, null])).toEqual(["order_id"]);
  });
});
