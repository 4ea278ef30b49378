// Distances between ZIP codes, by their first three digits.
import { onFirstUse } from "../core/memoize.ts";

/** A point in degrees. */
type MapPoint = readonly [latitude: number, longitude: number];

// Loaded on demand, since few orders need a distance.
const anchors = onFirstUse((): ReadonlyMap<string, MapPoint> => {
  const places = require("./zip3_anchors.json") as Record<string, MapPoint>;
  return new Map(Object.entries(places));
});

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
  const point = anchors().get(zip3);
  if (point !== undefined) return { point, estimated: false };
  const range = military.find(([first, last]) => first <= zip3 && zip3 <= last);
  return range === undefined ? null : { point: range[2], estimated: true };
}

/** Lists the three-digit ZIP prefixes with a known location. */
export function listAnchors(): readonly { readonly zip3: string; readonly point: MapPoint }[] {
  return [...anchors()].map(([zip3, point]) => ({ zip3, point }));
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

// United States territories with their own country code that use ZIP codes.
const us_territories: readonly string[] = ["AS", "GU", "MP", "PR", "VI"];

/** Returns the country whose postal service delivers there: the United States for its territories. */
export function postalCountry(country: string): string {
  return us_territories.includes(country) ? "US" : country;
}

/** A country and a postal code. */
interface PostalSpot {
  readonly country: string;
  readonly postal_code: string | null;
}

/** Returns the first three digits of a ZIP code; null for any other place. */
export function zip3Of({ country, postal_code }: PostalSpot): string | null {
  if (postalCountry(country) !== "US" || postal_code === null) return null;
  return /^\d{3}/.exec(postal_code.trim())?.[0] ?? null;
}

/**
 * Returns the zone between two places without the terms of a carrier: `1` to `8` by the distance of ZIP codes,
 * `domestic` within another country, `abroad` between countries; null for an unknown ZIP code.
 */
export function plainZone(from: PostalSpot, to: PostalSpot): string | null {
  const country = postalCountry(from.country);
  if (country !== postalCountry(to.country)) return "abroad";
  if (country !== "US") return "domestic";
  const [origin, destination] = [from, to].map((spot) => findAnchor(zip3Of(spot) ?? ""));
  return origin && destination ? String(zoneOfMiles(milesBetween(origin.point, destination.point))) : null;
}
