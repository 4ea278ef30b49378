import { findAnchor, milesBetween, zoneOfMiles } from "./anchors.ts";
import { continentOf, postalCountry, zip3Of } from "./place.ts";
import type { ReadySystem } from "./system.ts";
import type { Spot, ZoneChoice, ZoneOverride, ZoneReason, ZoneRules } from "./zone.ts";

/**
 * The zone between two places. The first that applies decides: an imported chart, the closest override, the distance of
 * ZIP codes or the country, the card's usual zone.
 */
export function chooseZone(from: Spot, to: Spot, rules: ZoneRules, system: ReadySystem): ZoneChoice {
  const chart = system.chartZone(from, to);
  if (chart !== null) return chosen("chart", chart.zone, chart.rule);
  const override = system.override(to);
  if (override !== null) return chosen("override", override.zone, overrideInWords(override));
  const [origin, destination] = [postalCountry(from.country), postalCountry(to.country)];
  const near = origin !== destination ? abroad(to, rules) : origin === "US" ? byDistance(from, to, rules) : null;
  if (near !== null && near.zone !== null) return near;
  if (origin === destination && origin !== "US" && rules.domestic !== null) {
    return chosen("domestic", rules.domestic, `within ${origin}`);
  }
  const unknown = near?.unknown ?? [];
  if (rules.default === null) return { zone: null, estimated: false, by: null, miles: null, unknown, rule: "no rule" };
  return { ...chosen("default", rules.default, "the card's usual zone"), estimated: unknown.length > 0, unknown };
}

function chosen(by: ZoneReason, zone: string, rule: string): ZoneChoice {
  return { zone, estimated: false, by, miles: null, unknown: [], rule };
}

/** An override as people write it: `postal code US 10001`. */
function overrideInWords({ kind, country, value, to, state }: ZoneOverride): string {
  const place = [country, to === null ? value : `${value}-${to}`, state].filter(
    (part) => part !== null && part !== value,
  );
  return `${kind.replace("_", " ")} ${kind === "country" || kind === "continent" ? value : place.join(" ")}`;
}

// ZIP codes near Guam. Parcels to Guam from anywhere else have a zone of their own.
const guam = "969";
const near_guam: readonly string[] = ["967", "968", guam];

/** Whether a ZIP code is of Palau, Micronesia or the Marshall Islands, which share their first digits with Guam. */
const isFreelyAssociated = ({ postal_code }: Spot): boolean => /^\s*969(?:39|4[0-4]|60|70)/.test(postal_code ?? "");

function byDistance(from: Spot, to: Spot, { first }: ZoneRules): ZoneChoice {
  const ends = [zip3Of(from), zip3Of(to)] as const;
  const [origin, destination] = ends.map((zip3) => (zip3 === null ? null : findAnchor(zip3)));
  if (!origin || !destination) {
    const unknown = ends.filter((zip3): zip3 is string => zip3 !== null && findAnchor(zip3) === null);
    return { zone: null, estimated: false, by: null, miles: null, unknown: [...new Set(unknown)], rule: "no distance" };
  }
  const isGuam = ends.some((zip3) => zip3 === guam) && !ends.every((zip3) => near_guam.includes(zip3 ?? ""));
  if (isGuam && [from, to].some(isFreelyAssociated)) {
    return chosen("guam", "9", `${ends.join(" to ")}: Palau, Micronesia and the Marshalls are zone 9`);
  }
  if (isGuam) return chosen("guam", "8", `${ends.join(" to ")}: Guam and the Northern Marianas are zone 8`);
  const miles = milesBetween(origin.point, destination.point);
  const estimated = origin.estimated || destination.estimated;
  return {
    zone: String(Math.max(first, zoneOfMiles(miles))),
    estimated,
    by: estimated ? "military" : "distance",
    miles: Math.round(miles),
    unknown: [],
    rule: `${ends.join(" to ")}: about ${Math.round(miles)} miles as zones are counted`,
  };
}

function abroad({ country }: Spot, rules: ZoneRules): ZoneChoice | null {
  const own = rules.countries.find((one) => one.country === country);
  if (own !== undefined) return chosen("country", own.zone, country);
  const region = rules.regions.find(({ countries }) => countries.includes(country));
  if (region !== undefined) return chosen("region", region.zone, `${region.name} with ${country}`);
  const continent = continentOf(country);
  const its = rules.continents.find((one) => one.continent === continent);
  if (its !== undefined) return chosen("continent", its.zone, `${continent} with ${country}`);
  return rules.rest === null ? null : chosen("rest", rules.rest, `every other country, ${country} too`);
}
