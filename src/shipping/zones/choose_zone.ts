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

/** Degrees. */
type MapPoint = readonly [latitude: number, longitude: number];

const anchors: ReadonlyMap<string, MapPoint> = new Map(
  Object.entries(zip3Anchors as unknown as Record<string, MapPoint>),
);

// Military mail leaves the country from one of three cities.
const military: readonly (readonly [first: string, last: string, MapPoint])[] = [
  ["090", "099", [40.66, -73.78]],
  ["340", "340", [25.79, -80.29]],
  ["962", "966", [37.62, -122.38]],
];

/** The place of the first three digits of a ZIP code, for computing zones only. */
interface Anchor {
  readonly point: MapPoint;
  /** Whether it is military, so that its zone is estimated. */
  readonly estimated: boolean;
}

/** The anchor of the first three digits of a ZIP code; null for unknown ones. */
export function findAnchor(zip3: string): Anchor | null {
  const point = anchors.get(zip3);
  if (point !== undefined) return { point, estimated: false };
  const found = military.find(([first, last]) => first <= zip3 && zip3 <= last);
  return found === undefined ? null : { point: found[2], estimated: true };
}

/** The first three digits of every ZIP code with a known place. */
export function listAnchors(): readonly { readonly zip3: string; readonly point: MapPoint }[] {
  return [...anchors].map(([zip3, point]) => ({ zip3, point }));
}

const earth_radius_miles = 3958.7613;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The miles along the great circle between two points. */
export function milesBetween(from: MapPoint, to: MapPoint): number {
  const [lat1, lat2] = [radians(from[0]), radians(to[0])];
  const north = Math.sin((lat2 - lat1) / 2);
  const east = Math.sin(radians(to[1] - from[1]) / 2);
  const half = north * north + Math.cos(lat1) * Math.cos(lat2) * east * east;
  return 2 * earth_radius_miles * Math.asin(Math.min(1, Math.sqrt(half)));
}

const bands = [50, 150, 300, 600, 1000, 1400, 1800] as const;

/** The zone of so many miles, from 1 to 8. */
export function zoneOfMiles(miles: number): number {
  const at = bands.findIndex((up_to) => miles <= up_to);
  return at < 0 ? bands.length + 1 : at + 1;
}

/**
 * The zone between two places. The first that applies decides: an imported chart, the closest override, the distance of
 * ZIP codes or the country, the card's usual zone.
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
    rule: `${ends.join(" to ")}: about ${Math.round(miles)} miles as zones are counted`,
  };
}

function abroad({ country }: ZoneSpot, rules: ZoneRules): ZoneChoice | null {
  const own = rules.countries.find((one) => one.country === country);
  if (own !== undefined) return chosen("country", own.zone, country);
  const region = rules.regions.find(({ countries }) => countries.includes(country));
  if (region !== undefined) return chosen("region", region.zone, `${region.name} with ${country}`);
  const continent = continentOf(country);
  const its = rules.continents.find((one) => one.continent === continent);
  if (its !== undefined) return chosen("continent", its.zone, `${continent} with ${country}`);
  return rules.rest === null ? null : chosen("rest", rules.rest, `every other country, ${country} too`);
}

// In the order in which zones are looked up. Which of the middle ones apply depends on the two places.
const order: readonly (readonly ZoneReason[])[] = [
  ["chart"],
  ["override"],
  ["guam", "military", "distance", "domestic", "country", "region", "continent", "rest"],
  ["default"],
];

/** The zone between two places as the API shows it, with everything that was tried before it was found. */
export function zoneView(from: ZoneSpot, to: ZoneSpot, rules: ZoneRules, system: ReadySystem) {
  const { zone, estimated, by, miles, unknown, rule } = chooseZone(from, to, rules, system);
  const found = order.findIndex((reasons) => by !== null && reasons.includes(by));
  const passed = [
    `No imported chart of ${rules.system} has both ends.`,
    `No override of ${rules.system} fits the destination.`,
    nothingNear(from, to, unknown),
    "The card has no usual zone.",
  ].slice(0, found < 0 ? undefined : found);
  const told = by === null ? [] : [`${reasonWords[by]}: ${rule}. Zone ${zone}.`];
  return { zone, zone_estimated: estimated, by, miles, unknown, explanation: [...passed, ...told] };
}

const reasonWords: Readonly<Record<NonNullable<ZoneChoice["by"]>, string>> = {
  chart: "Imported chart",
  override: "Override",
  guam: "Guam",
  military: "Armed forces, estimated by the city that their mail leaves from",
  distance: "Distance of ZIP codes",
  domestic: "Within one country",
  country: "Country",
  region: "Region",
  continent: "Continent",
  rest: "Rest of the world",
  default: "Usual zone of the card",
};

function nothingNear(from: ZoneSpot, to: ZoneSpot, unknown: readonly string[]): string {
  if (unknown.length > 0) return `No distance is known for ZIP codes that begin with ${unknown.join(" or ")}.`;
  const [origin, destination] = [postalCountry(from.country), postalCountry(to.country)];
  if (origin === destination) return `The card has no zone within ${origin}.`;
  return `The card has no zone for ${destination}, its region, its continent or the rest of the world.`;
}

/** How zones are found without a card: by charts, overrides and distance only. */
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
