import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults.ts";
import { randomId } from "../../../src/core/ids.ts";
import type { CompleteAddress } from "../../../src/core/postal_address.ts";
import type { ShipmentEnd, ShipmentRequest } from "../../../src/shipping/offer.ts";
import { type ParcelPackage, readParcel } from "../../../src/shipping/parcel.ts";
import {
  checkQuote,
  hasAddresses,
  quote_lifetime_ms,
  quoteId,
  quotesFor,
  type RateQuote,
  readQuoteId,
  usableQuote,
} from "../../../src/shipping/rates/quote.ts";
import { fakeOffer } from "../carriers/fake_carrier.ts";

const now = 1_767_323_045_000;
const response_id = randomId("quo", now);

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
/** The only quote of a response. */
function given(asked: ShipmentRequest, order_id: number | null = null): RateQuote {
  const { offers, ...inputs } = quotesFor(asked, order_id, [{ account_id: 1001, offer: fakeOffer() }]);
  const [quoted] = offers;
  if (quoted === undefined) throw new Error("an offer is quoted");
  return { id: quoteId(response_id, 0), expires_at: now + quote_lifetime_ms, ...inputs, ...quoted };
}

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
  test("is stored with the offer and the request, without any address", () => {
    const offer = fakeOffer({ cost_cents: 777, ref: "the-rate-of-a-carrier" });
    // A fetcher's answers may have more fields.
    const answer = { account_id: 1001, offer, connector: "swift" };
    const stored = quotesFor(carriage({ from: endAt({ ...address, city: "Louisville" }) }), 5, [answer]);
    expect(stored).toMatchObject({ order_id: 5, value_cents: 5000, insurance: true, residential: null });
    expect(stored.offers).toEqual([{ account_id: 1001, offer }]);
    expect(JSON.stringify(stored)).not.toMatch(/Jordan|Canyon|Beverly|Louisville|90210/);
  });

  test("has an id of at most 40 characters: its response and its position there", () => {
    for (const position of [0, 1, 35, 36, 46_655]) {
      const id = quoteId(response_id, position);
      expect(id.length).toBeLessThanOrEqual(40);
      expect(readQuoteId(id)).toEqual({ response_id, requested_at: now, position });
    }
    const refused = expect.objectContaining({ code: "validation_failed" });
    const id = quoteId(response_id, 2);
    for (const bad of ["", "quo_", "2", response_id, `${response_id}_`, `${response_id}_02`, `${id}000`, id.slice(1)]) {
      expect(() => readQuoteId(bad)).toThrow(refused);
    }
    expect(() => readQuoteId(id.toUpperCase())).toThrow(refused);
  });

  test("is valid for fifteen minutes, and its id still shows that it has expired when it was deleted", () => {
    const quote = given(carriage());
    const at = (after_ms: number, found: RateQuote | null) => () => usableQuote(quote.id, found, now + after_ms);
    expect(at(quote_lifetime_ms - 1, quote)()).toBe(quote);
    const expired = expect.objectContaining({ code: "quote_expired" });
    expect(at(quote_lifetime_ms, quote)).toThrow(expired);
    expect(at(quote_lifetime_ms, null)).toThrow(expired);
    expect(at(quote_lifetime_ms - 1, null)).toThrow(expect.objectContaining({ code: "validation_failed" }));
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
