import zip3Anchors from "./zip3_anchors.json" with { type: "json" };

/** Degrees. */
type Point = readonly [latitude: number, longitude: number];

const anchors: ReadonlyMap<string, Point> = new Map(Object.entries(zip3Anchors as unknown as Record<string, Point>));

// Military mail leaves the country from one of three cities.
const military: readonly (readonly [first: string, last: string, Point])[] = [
  ["090", "099", [40.66, -73.78]],
  ["340", "340", [25.79, -80.29]],
  ["962", "966", [37.62, -122.38]],
];

/** The place of the first three digits of a ZIP code, for computing zones only. */
interface Anchor {
  readonly point: Point;
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
export function listAnchors(): readonly { readonly zip3: string; readonly point: Point }[] {
  return [...anchors].map(([zip3, point]) => ({ zip3, point }));
}

const earth_radius_miles = 3958.7613;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The miles along the great circle between two points. */
export function milesBetween(from: Point, to: Point): number {
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
