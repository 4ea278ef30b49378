import zip3Anchors from "./zip3_anchors.json" with { type: "json" };
import {
  continentOf,
  postalCountry,
  type ZoneChoice,
  type ZoneOverride,
  type ZoneReason,
  type ZoneRules,
  type ZoneSpot,
  zip3Of,
} from "./zone.ts";
import type { ReadySystem } from "./zone_system.ts";

/** A point in degrees. */
type MapPoint = readonly [latitude: number, longitude: number];

const anchors: ReadonlyMap<string, MapPoint> = new Map(
  Object.entries(zip3Anchors as unknown as Record<string, MapPoint>),
);

// Military mail leaves the country through one of three cities.
const military: readonly (readonly [first: string, last: string, MapPoint])[] = [
  ["090", "099", [40.66, -73.78]],
  ["340", "340", [25.79, -80.29]],
  ["962", "966", [37.62, -122.38]],
];

/** The location of a three-digit ZIP prefix, precise enough for zones only. */
interface Anchor {
  readonly point: MapPoint;
  /** Whether it is military, so that its zone is an estimate. */
  readonly estimated: boolean;
}

/** Finds the location of a three-digit ZIP prefix; null for unknown ones. */
export function findAnchor(zip3: string): Anchor | null {
  const point = anchors.get(zip3);
  if (point !== undefined) return { point, estimated: false };
  const range = military.find(([first, last]) => first <= zip3 && zip3 <= last);
  return range === undefined ? null : { point: range[2], estimated: true };
}

/** Lists the three-digit ZIP prefixes with a known location. */
export function listAnchors(): readonly { readonly zip3: string; readonly point: MapPoint }[] {
  return [...anchors].map(([zip3, point]) => ({ zip3, point }));
}

const earth_radius_miles = 3958.7613;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Returns the great-circle distance between two points, in miles. */
export function milesBetween(from: MapPoint, to: MapPoint): number {
  const [lat1, lat2] = [radians(from[0]), radians(to[0])];
  const north = Math.sin((lat2 - lat1) / 2);
  const east = Math.sin(radians(to[1] - from[1]) / 2);
  const half = north * north + Math.cos(lat1) * Math.cos(lat2) * east * east;
  return 2 * earth_radius_miles * Math.asin(Math.min(1, Math.sqrt(half)));
}

const bands = [50, 150, 300, 600, 1000, 1400, 1800] as const;

/** Returns the zone of a distance in miles, from 1 to 8. */
export function zoneOfMiles(miles: number): number {
  const at = bands.findIndex((up_to) => miles <= up_to);
  return at < 0 ? bands.length + 1 : at + 1;
}

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
