import { findAnchor, milesBetween, postalCountry, zip3Of, zoneOfMiles } from "../../addresses/zip_distance.ts";
import {
  continentOf,
  type ZoneChoice,
  type ZoneOverride,
  type ZoneReason,
  type ZoneRules,
  type ZoneSpot,
} from "./zone.ts";
import type { ReadySystem } from "./zone_system.ts";

/**
 * Chooses the zone between two places. The first rule that applies decides: an imported chart, the most specific
 * override, the distance of ZIP codes or the country, the card's default zone.
 */
export function chooseZone(from: ZoneSpot, to: ZoneSpot, rules: ZoneRules, system: ReadySystem): ZoneChoice {
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
  return { ...chosen("default", rules.default, "the card's default zone"), estimated: unknown.length > 0, unknown };
}

function chosen(by: ZoneReason, zone: string, rule: string): ZoneChoice {
  return { zone, estimated: false, by, miles: null, unknown: [], rule };
}

/** An override in words, such as `postal code US 10001`. */
function overrideInWords({ kind, country, value, to, state }: ZoneOverride): string {
  const place = [country, to === null ? value : `${value}-${to}`, state].filter(
    (part) => part !== null && part !== value,
  );
  return `${kind.replace("_", " ")} ${kind === "country" || kind === "continent" ? value : place.join(" ")}`;
}

// ZIP prefixes near Guam. Parcels between Guam and any other place have a zone of their own.
const guam = "969";
const near_guam: readonly string[] = ["967", "968", guam];

/** Whether a ZIP code is in Palau, Micronesia or the Marshall Islands, which share Guam's prefix. */
const isFreelyAssociated = ({ postal_code }: ZoneSpot): boolean => /^\s*969(?:39|4[0-4]|60|70)/.test(postal_code ?? "");

function byDistance(from: ZoneSpot, to: ZoneSpot, { first }: ZoneRules): ZoneChoice {
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
    rule: `${ends.join(" to ")}: about ${Math.round(miles)} miles in a straight line`,
  };
}

function abroad({ country }: ZoneSpot, rules: ZoneRules): ZoneChoice | null {
  const own = rules.countries.find((rule) => rule.country === country);
  if (own !== undefined) return chosen("country", own.zone, country);
  const region = rules.regions.find(({ countries }) => countries.includes(country));
  if (region !== undefined) return chosen("region", region.zone, `${region.name}, which includes ${country}`);
  const continent = continentOf(country);
  const by_continent = rules.continents.find((rule) => rule.continent === continent);
  if (by_continent !== undefined)
    return chosen("continent", by_continent.zone, `${continent}, which includes ${country}`);
  return rules.rest === null ? null : chosen("rest", rules.rest, `all other countries, which include ${country}`);
}

// The order of the rules. Which of the third row apply depends on the two places.
const order: readonly (readonly ZoneReason[])[] = [
  ["chart"],
  ["override"],
  ["guam", "military", "distance", "domestic", "country", "region", "continent", "rest"],
  ["default"],
];

/** Returns the zone between two places as the API shows it, with every rule that was tried. */
export function zoneView(from: ZoneSpot, to: ZoneSpot, rules: ZoneRules, system: ReadySystem) {
  const { zone, estimated, by, miles, unknown, rule } = chooseZone(from, to, rules, system);
  const step = order.findIndex((reasons) => by !== null && reasons.includes(by));
  const passed = [
    `No imported chart of ${rules.system} covers both ends.`,
    `No override of ${rules.system} matches the destination.`,
    noZoneReason(from, to, unknown),
    "The card has no default zone.",
  ].slice(0, step < 0 ? undefined : step);
  const decided = by === null ? [] : [`${reasonWords[by]}: ${rule}. Zone ${zone}.`];
  return { zone, zone_estimated: estimated, by, miles, unknown, explanation: [...passed, ...decided] };
}

const reasonWords: Readonly<Record<NonNullable<ZoneChoice["by"]>, string>> = {
  chart: "Imported chart",
  override: "Override",
  guam: "Guam",
  military: "Armed forces (estimated from the city that handles their mail)",
  distance: "Distance of ZIP codes",
  domestic: "Within one country",
  country: "Country",
  region: "Region",
  continent: "Continent",
  rest: "Rest of the world",
  default: "Default zone of the card",
};

function noZoneReason(from: ZoneSpot, to: ZoneSpot, unknown: readonly string[]): string {
  if (unknown.length > 0) return `The distance is unknown for ZIP codes that start with ${unknown.join(" or ")}.`;
  const [origin, destination] = [postalCountry(from.country), postalCountry(to.country)];
  if (origin === destination) return `The card has no zone within ${origin}.`;
  return `The card has no zone for ${destination}, its region, its continent or the rest of the world.`;
}

/** The rules without a card: charts, overrides and distance only. */
export const plainRules: ZoneRules = {
  system: "default",
  first: 1,
  default: null,
  domestic: null,
  rest: null,
  countries: [],
  regions: [],
  continents: [],
};
