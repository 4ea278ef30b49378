import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { carriedPlaces } from "../../src/addresses/carried_zip_codes.ts";
import { checkOffline, foldCity, zipOf } from "../../src/addresses/offline_verification.ts";
import { isPostalCode, writtenCode } from "../../src/addresses/postal_codes.ts";
import type { PostalAddress } from "../../src/core/postal_address.ts";
import { tries } from "../volume.ts";

const now = Date.parse("2026-01-02T03:04:05.000Z");
const home: PostalAddress = {
  address_line1: "12 Elm St",
  address_line2: null,
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
};

function check(change: Partial<PostalAddress>) {
  const address = { ...home, ...change };
  const places = carriedPlaces([Number(zipOf(address) ?? 0)]);
  return checkOffline(address, new Map(places.map((place) => [place.zip, place])), now);
}

/** A check in short: its status, its findings, and its corrections. */
function said(change: Partial<PostalAddress>) {
  const address = { ...home, ...change };
  const { status, errors, warnings, suggestion } = check(change);
  const better = Object.entries(suggestion ?? {}).filter(([name, value]) => Reflect.get(address, name) !== value);
  const found = [...errors, ...warnings].map(({ field, code }) => `${field} ${code}`);
  return [status, found, Object.fromEntries(better)];
}

describe("a postal code", () => {
  test.each([
    ["US", "97201", true],
    ["US", "97201-1234", true],
    ["US", "9720", false],
    ["CA", "k1a 0b1", true],
    ["GB", "WA1 1DP", true],
    ["GB", "GIR 0AA", true],
    ["GB", "gir0aa", true],
    ["NL", "1012 ab", true],
    ["NL", "0999 AB", false],
    ["IN", "110001", true],
    ["IN", "010001", false],
    ["ES", "28001", true],
    ["ES", "99999", false],
    // In countries without a stable format, or without codes, any text may be one.
    ["SV", "1101", true],
    ["AE", "none", true],
  ])("of %s: %s is %p", (country, code, expected) => {
    expect(isPostalCode(code, country)).toBe(expected);
  });

  test.each([
    ["US", "972011234", "97201-1234"],
    ["US", "97201 1234", "97201-1234"],
    ["JP", "1000001", "100-0001"],
    ["JP", "１００-０００１", "100-0001"],
    ["PL", "00001", "00-001"],
    ["CA", "k1a-0b1", "K1A0B1"],
    ["US", "9720", null],
    ["GB", "99999", null],
  ])("of %s: %s is written %p", (country, code, written) => {
    expect(writtenCode(code, country)).toBe(written);
  });
});

describe("the check", () => {
  const fine = ["verified", [], {}];
  test.each<[string, Partial<PostalAddress>, unknown]>([
    ["an address that fits", {}, fine],
    ["its nine digits", { postal_code: "97201-1234" }, fine],
    ["other letters, accents and marks", { city: "  PÓRTLAND. " }, fine],
    ["Saint for St", { city: "Saint Louis", state: "MO", postal_code: "63101" }, fine],
    ["Ft. for Fort", { city: "Ft. Worth", state: "TX", postal_code: "76102" }, fine],
    ["Mt for Mount", { city: "Mt Vernon", state: "NY", postal_code: "10550" }, fine],
    [
      "another city: it may have two names",
      { city: "Salem" },
      ["warning", ["city city_mismatch"], { city: "Portland" }],
    ],
    ["another state", { state: "ME" }, ["error", ["state state_mismatch"], { state: "OR" }]],
    [
      "another state and city: the ZIP code may be wrong as well",
      { state: "ME", city: "Bangor" },
      ["error", ["state state_mismatch", "city city_mismatch"], {}],
    ],
    ["no state", { state: null }, ["error", ["state required"], { state: "OR" }]],
    ["a state's name", { state: "Oregon" }, ["warning", ["state unusual_form"], { state: "OR" }]],
    ["a state in small letters", { state: "or" }, ["verified", [], { state: "OR" }]],
    ["what is no state", { state: "Cascadia" }, ["warning", ["state unknown_state"], { state: "OR" }]],
    ["a ZIP code that nobody knows", { postal_code: "00000" }, ["warning", ["postal_code unknown_zip"], {}]],
    [
      "a code without its dash",
      { postal_code: "972011234" },
      ["warning", ["postal_code unusual_form"], { postal_code: "97201-1234" }],
    ],
    ["no ZIP code", { postal_code: "9720" }, ["error", ["postal_code invalid_format"], {}]],
    [
      "a missing line and city",
      { address_line1: " ", city: "" },
      ["error", ["address_line1 required", "city required"], { city: "Portland" }],
    ],
    [
      "UK for GB",
      { country: "UK", state: null, city: "Leeds", postal_code: "LS1 1AA" },
      ["error", ["country unknown_country"], { country: "GB" }],
    ],
    ["a code of three letters", { country: "USA" }, ["error", ["country unknown_country"], { country: "US" }]],
    ["no country at all", { country: "ZZ" }, ["error", ["country unknown_country"], {}]],
    [
      "a country that is known by its codes alone",
      { country: "DE", state: null, city: "Berlin", postal_code: "10115" },
      ["unverified", [], {}],
    ],
    [
      "a country without codes",
      { country: "AE", state: null, city: "Dubai", postal_code: null },
      ["unverified", [], {}],
    ],
    [
      "a country without codes, with one",
      { country: "HK", state: null, city: "Kowloon", postal_code: "x" },
      ["unverified", [], {}],
    ],
    [
      "a code that may be left out",
      { country: "IE", state: null, city: "Dublin", postal_code: null },
      ["warning", ["postal_code missing"], {}],
    ],
    [
      "a form that may be right",
      { country: "SV", state: null, city: "San Salvador", postal_code: "1101" },
      ["warning", ["postal_code unusual_form"], {}],
    ],
    ["the armed forces in Europe", { city: "APO", state: "AE", postal_code: "09007" }, fine],
    ["one of theirs that no list has", { city: "DPO", state: "AE", postal_code: "09899" }, fine],
    [
      "a region of theirs by its ZIP code",
      { city: "FPO", state: "AE", postal_code: "96201" },
      ["error", ["state state_mismatch"], { state: "AP" }],
    ],
    [
      "the armed forces in a town",
      { city: "Miami", state: "AA", postal_code: "34002" },
      ["warning", ["city city_mismatch"], {}],
    ],
    ["a territory as a state", { city: "San Juan", state: "PR", postal_code: "00901" }, fine],
    ["a territory as a country", { city: "San Juan", state: null, postal_code: "00901", country: "PR" }, fine],
    [
      "a territory with a ZIP code of elsewhere",
      { city: "San Juan", state: null, postal_code: "00802", country: "PR" },
      ["error", ["postal_code invalid_format", "country state_mismatch", "city city_mismatch"], {}],
    ],
  ])("for %s", (_, change, expected) => {
    expect(said(change)).toEqual(expected as ReturnType<typeof said>);
  });

  test("records how and when it was made", () => {
    expect(check({})).toEqual({
      status: "verified",
      method: "offline",
      errors: [],
      warnings: [],
      suggestion: null,
      po_box: false,
      residential: null,
      checked_at: now,
    });
  });

  test("finds nothing in its own suggestion, and never fewer errors in a shorter address", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom("Portland", "OR", "97201", "APO", "AE", "09007", "US", "PR", "UK"),
    );
    const record = {
      address_line1: text,
      address_line2: fc.constant(null),
      city: text,
      state: text,
      postal_code: text,
      country: text,
    };
    fc.assert(
      fc.property(fc.record(record), (address) => {
        const { suggestion, status, errors, warnings } = check(address);
        expect(status).toBe(errors.length > 0 ? "error" : warnings.length > 0 ? "warning" : status);
        if (suggestion === null) return;
        const next = check(suggestion);
        expect(next.suggestion).toBeNull();
        // For an address in no country there is nothing else to report.
        if (suggestion.country === address.country) expect(next.errors.length).toBeLessThanOrEqual(errors.length);
      }),
      tries(2000),
    );
  });

  test.each([
    ["PO Box 12", true],
    ["p.o. box12", true],
    ["P.O. Box 12", true],
    ["p o box 12", true],
    ["Post Office Box 12", true],
    ["POB 12", true],
    ["Postfach 12 34", true],
    ["BP 12", true],
    ["Apartado 12", true],
    ["12 Boxwood Rd", false],
    ["12 Pobst St", false],
    ["1 Post Road", false],
    ["Box Elder Way 12", false],
  ])("of %s: a PO box is %p", (address_line1, expected) => {
    expect(check({ address_line1 }).po_box).toBe(expected);
    expect(check({ address_line2: address_line1 }).po_box).toBe(expected);
  });
});

test.each([
  ["São Paulo", "sao paulo"],
  ["St. Mary's", "st marys"],
  ["Mount  Pleasant", "mt pleasant"],
  ["Winston-Salem", "winston salem"],
  ["Fortuna", "fortuna"],
])("the city %s is compared as %s", (name, folded) => {
  expect(foldCity(name)).toBe(folded);
});
