import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findAnchor, milesBetween, zoneOfMiles } from "../../../src/addresses/zip_distance.ts";
import anchors from "../../../src/addresses/zip3_anchors.json" with { type: "json" };
import { chooseZone } from "../../../src/shipping/zones/choose_zone.ts";
import type { ZoneOverride, ZoneRules, ZoneSpot } from "../../../src/shipping/zones/zone.ts";
import { countryOfPostalCode } from "../../../src/shipping/zones/zone.ts";
import { readySystem } from "../../../src/shipping/zones/zone_system.ts";

const rules: ZoneRules = {
  system: "default",
  first: 1,
  default: null,
  domestic: "domestic",
  rest: "world",
  countries: [{ country: "CA", zone: "canada" }],
  regions: [{ name: "Nordics", countries: ["DK", "FI", "NO", "SE"], zone: "north" }],
  continents: [
    { continent: "EU", zone: "europe" },
    { continent: "NA", zone: "america" },
  ],
};
const none = readySystem({ charts: [], overrides: [] });
const us = (postal_code: string): ZoneSpot => ({ country: "US", postal_code, state: null, city: null });
const inCountry = (country: string, postal_code: string | null = null): ZoneSpot => ({
  ...us(""),
  country,
  postal_code,
});
const between = (from: string, to: string, changes: Partial<ZoneRules> = {}) =>
  chooseZone(us(from), us(to), { ...rules, ...changes }, none);
const zip3s = Object.keys(anchors);

describe("by distance", () => {
  test.each([
    ["701", "372", "4"],
    ["941", "902", "4"],
    ["900", "941", "4"],
    ["900", "100", "8"],
    ["380", "064", "6"],
    ["967", "969", "8"],
    ["100", "969", "8"],
    ["10001", "96910", "8"],
    ["10001", "96950-1234", "8"],
    ["10001", "96940", "9"],
    ["10001", "96941", "9"],
    ["10001", "96960", "9"],
    ["10001", "96970", "9"],
  ])("%s to %s is zone %s in both directions", (from, to, zone) => {
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      expect(between(one, other)).toMatchObject({ zone, estimated: false });
    }
  });

  test("380 to 064 are 1,024 miles", () => {
    expect(between("380", "064").miles).toBe(1024);
  });

  test("is the same in both directions, and never lower for a longer distance", () => {
    const zip3 = fc.constantFrom(...zip3s);
    fc.assert(
      fc.property(zip3, zip3, zip3, (from, to, other) => {
        expect(between(from, to).zone).toBe(between(to, from).zone);
        if ([from, to, other].includes("969")) return;
        const [near, far] = [between(from, to), between(from, other)].sort((a, b) => (a.miles ?? 0) - (b.miles ?? 0));
        expect(Number(near?.zone)).toBeLessThanOrEqual(Number(far?.zone));
      }),
    );
  });

  test("includes the upper edge of a band", () => {
    const edges = [50, 150, 300, 600, 1000, 1400, 1800];
    expect(edges.map(zoneOfMiles)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(edges.map((miles) => zoneOfMiles(miles + 1e-9))).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(zoneOfMiles(0)).toBe(1);
  });

  test("knows 916 ZIP code prefixes, each at distance zero from itself", () => {
    expect(zip3s).toHaveLength(916);
    for (const zip3 of zip3s) {
      const anchor = findAnchor(zip3);
      if (anchor === null) throw new Error(zip3);
      expect(milesBetween(anchor.point, anchor.point)).toBe(0);
    }
  });

  test("a card may begin with zone 2", () => {
    expect(between("100", "100").zone).toBe("1");
    expect(between("100", "100", { first: 2 }).zone).toBe("2");
    expect(between("900", "100", { first: 2 }).zone).toBe("8");
  });

  test("military mail has an estimated zone", () => {
    expect(between("43215", "09012")).toMatchObject({
      by: "military",
      estimated: true,
      zone: between("432", "099").zone,
    });
    for (const zip of ["09012", "34020", "96201"]) expect(between(zip, "100")).toMatchObject({ estimated: true });
    expect(between("96501", "96910")).toMatchObject({ zone: "8" });
  });

  test("an unknown ZIP code gets the card's default zone or none, and is named", () => {
    expect(between("000", "100")).toMatchObject({ zone: null, unknown: ["000"] });
    expect(between("100", "343", { default: "5" })).toMatchObject({ zone: "5", estimated: true, unknown: ["343"] });
  });

  test("territories with their own country code have ZIP codes", () => {
    expect(chooseZone(us("33101"), inCountry("PR", "00901"), rules, none)).toMatchObject({ by: "distance", zone: "6" });
    expect(chooseZone(us("100"), inCountry("GU", "96910"), rules, none)).toMatchObject({ zone: "8" });
  });
});

describe("international", () => {
  const to = (country: string, changes: Partial<ZoneRules> = {}) =>
    chooseZone(us("10001"), inCountry(country), { ...rules, ...changes }, none);

  test("a country precedes its region, its continent and the rest of the world", () => {
    expect([to("CA"), to("SE"), to("DE"), to("MX"), to("JP")].map(({ zone, by }) => [zone, by])).toEqual([
      ["canada", "country"],
      ["north", "region"],
      ["europe", "continent"],
      ["america", "continent"],
      ["world", "rest"],
    ]);
    expect(to("JP", { rest: null })).toMatchObject({ zone: null });
    expect(to("JP", { rest: null, default: "9" })).toMatchObject({ zone: "9", by: "default" });
  });

  test("another country has one zone within itself", () => {
    expect(chooseZone(inCountry("CA", "K1A0B1"), inCountry("CA", "V6B1A1"), rules, none)).toMatchObject({
      zone: "domestic",
      by: "domestic",
    });
  });

  test("a ZIP code means the United States, and A1A means Canada", () => {
    const said = ["10001", "10001-1234", "701", "K1A 0B1", "k1a0b1", "K1A", "SW1A 1AA", "1000", ""];
    expect(said.map(countryOfPostalCode)).toEqual(["US", "US", "US", "CA", "CA", "CA", null, null, null]);
  });
});

describe("configured zones", () => {
  const set = (kind: ZoneOverride["kind"], value: string, more: Partial<ZoneOverride> = {}): ZoneOverride => {
    const country = kind === "continent" ? null : kind === "country" ? value : "US";
    return { kind, country, value, to: null, state: null, zone: kind, ...more };
  };
  const overrides = [
    set("continent", "NA"),
    set("country", "US"),
    set("state", "NY"),
    set("city", "New York", { state: "NY" }),
    set("postal_prefix", "100", { zone: "prefix" }),
    set("postal_range", "10000", { to: "10009", zone: "range" }),
    set("postal_code", "10001", { zone: "exact" }),
  ];
  const place: ZoneSpot = { country: "US", postal_code: "10001-1234", state: "ny", city: "NEW-YORK" };

  test("the closest override applies", () => {
    const order = ["exact", "range", "prefix", "city", "state", "country", "continent"];
    for (let left = overrides.length; left > 0; left--) {
      const system = readySystem({ charts: [], overrides: overrides.slice(0, left) });
      const choice = chooseZone(us("701"), place, rules, system);
      expect([choice.zone, choice.by]).toEqual([order[overrides.length - left] ?? null, "override"]);
    }
    const elsewhere = { ...place, postal_code: "90210", state: "CA", city: "Beverly Hills" };
    const system = readySystem({ charts: [], overrides: overrides.slice(2) });
    expect(chooseZone(us("701"), elsewhere, rules, system).by).toBe("distance");
  });

  test("Canadian codes are set by prefix", () => {
    const system = readySystem({
      charts: [],
      overrides: [
        set("postal_prefix", "V6B", { country: "CA", zone: "fsa" }),
        set("postal_prefix", "V", { country: "CA" }),
      ],
    });
    const zones = ["V6B 1A1", "v6c1a1", "K1A 0B1"].map((code) => {
      return chooseZone(inCountry("CA", "M5V2T6"), inCountry("CA", code), rules, system).zone;
    });
    expect(zones).toEqual(["fsa", "postal_prefix", "domestic"]);
  });

  test("an imported chart always wins, by the closest origin and the narrowest range", () => {
    const range = (from: string, to: string, zone: string) => ({ country: "US", from, to, zone });
    const charts = [
      { country: "US", origin: "432", ranges: [range("100", "199", "A"), range("10001", "10002", "B")] },
      { country: "US", origin: "43215", ranges: [range("900", "900", "C")] },
    ];
    const system = readySystem({ charts, overrides });
    const zone = (from: string, to: string) => chooseZone(us(from), { ...place, postal_code: to }, rules, system);
    expect(zone("43201", "10001")).toMatchObject({ zone: "B", by: "chart" });
    expect(zone("43201", "10003").zone).toBe("A");
    expect(zone("43215", "19999").zone).toBe("A");
    expect(zone("43215", "90001").zone).toBe("C");
    expect(zone("43201", "90001").by).toBe("override");
    expect(zone("10001", "10001").by).toBe("override");
  });
});
