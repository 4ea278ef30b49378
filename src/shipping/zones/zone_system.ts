import { postalCountry } from "../../addresses/zip_distance.ts";
import type { ChartRange, ZoneOverride, ZoneSpot, ZoneSystem } from "./zone.ts";
import { continentOf, plainName, plainPostalCode } from "./zone.ts";

/** A zone system, prepared for fast lookups. */
export interface ReadySystem {
  /** Returns the zone by a chart, and its row; null when no chart covers both ends. */
  chartZone(from: ZoneSpot, to: ZoneSpot): { readonly zone: string; readonly rule: string } | null;
  /** Returns the most specific override of a place, or null. */
  override(to: ZoneSpot): ZoneOverride | null;
}

/** Prepares charts and overrides for many lookups. */
export function readySystem({ charts, overrides }: Pick<ZoneSystem, "charts" | "overrides">): ReadySystem {
  const byOrigin = new Map(charts.map((chart) => [`${chart.country} ${chart.origin}`, readyRanges(chart.ranges)]));
  const index = indexOf(overrides);
  return {
    chartZone: (from, to) => {
      if (byOrigin.size === 0) return null;
      for (const origin of prefixKeys(from)) {
        const range = byOrigin.get(origin)?.(to);
        if (range) return { zone: range.zone, rule: `${origin} to ${spanOf(range)}` };
      }
      return null;
    },
    override: (to) => (overrides.length === 0 ? null : index(to)),
  };
}

const spanOf = ({ country, from, to }: ChartRange) => `${country} ${from}${to === from ? "" : `-${to}`}`;

/** The index keys of a place, most specific first: `US 10001`, `US 1000`, and so on to `US 1`. */
function prefixKeys({ country, postal_code }: ZoneSpot): string[] {
  if (postal_code === null) return [];
  const code = plainPostalCode(postal_code, country);
  const of = postalCountry(country);
  return [...code].map((_, at) => `${of} ${code.slice(0, code.length - at)}`);
}

type FindRange = (to: ZoneSpot) => ChartRange | null;

/** Ranges of one length do not overlap, so only the last one that starts at or before a code can contain it. */
function readyRanges(ranges: readonly ChartRange[]): FindRange {
  const sorted = new Map<string, ChartRange[]>();
  for (const range of ranges) {
    const key = `${range.country} ${range.from.length}`;
    sorted.set(key, [...(sorted.get(key) ?? []), range]);
  }
  for (const group of sorted.values()) group.sort((a, b) => (a.from < b.from ? -1 : 1));
  const lengths = [...new Set(ranges.map(({ from }) => from.length))].sort((a, b) => b - a);
  return ({ country, postal_code }) => {
    if (postal_code === null) return null;
    const code = plainPostalCode(postal_code, country);
    for (const length of lengths) {
      if (length > code.length) continue;
      const range = lastFrom(sorted.get(`${postalCountry(country)} ${length}`) ?? [], code.slice(0, length));
      if (range !== null) return range;
    }
    return null;
  };
}

function lastFrom(ranges: readonly ChartRange[], code: string): ChartRange | null {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle] as ChartRange).from <= code) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && code <= range.to ? range : null;
}

function indexOf(overrides: readonly ZoneOverride[]): (to: ZoneSpot) => ZoneOverride | null {
  const names = new Map<string, ZoneOverride>();
  for (const override of overrides) {
    const key = placeKey(override);
    if (!names.has(key)) names.set(key, override);
  }
  const ranges = overrides.filter(({ kind }) => kind === "postal_range");
  const find = (kind: string, name: string) => names.get(`${kind}:${name}`);
  return (to) => {
    const [exact, ...shorter] = prefixKeys(to);
    const country = postalCountry(to.country);
    const city = to.city === null ? null : plainName(to.city);
    const state = to.state === null ? "" : plainName(to.state);
    const override =
      (exact === undefined ? undefined : find("postal_code", exact)) ??
      longest(ranges, to, [exact ?? "", ...shorter].map((start) => find("postal_prefix", start)).find(Boolean)) ??
      (city === null
        ? undefined
        : (find("city", `${country} ${state} ${city}`) ?? find("city", `${country}  ${city}`))) ??
      find("state", `${country} ${state}`) ??
      find("country", to.country) ??
      find("country", country) ??
      find("continent", continentOf(to.country) ?? "");
    return override ?? null;
  };
}

/** Of the matching prefix and ranges, returns the longest; of equal lengths, the prefix or the first range. */
function longest(
  ranges: readonly ZoneOverride[],
  to: ZoneSpot,
  prefix: ZoneOverride | undefined,
): ZoneOverride | undefined {
  let best = prefix;
  if (to.postal_code === null) return best;
  const code = plainPostalCode(to.postal_code, to.country);
  const country = postalCountry(to.country);
  for (const range of ranges) {
    const start = code.slice(0, range.value.length);
    if (range.country !== country || start.length < range.value.length) continue;
    if (start < range.value || start > (range.to ?? range.value)) continue;
    if (best === undefined || range.value.length > best.value.length) best = range;
  }
  return best;
}

/** Returns a key that is equal for overrides of the same place. */
export function placeKey({ kind, country, value, to, state }: ZoneOverride): string {
  switch (kind) {
    case "city":
      return `city:${country} ${state === null ? "" : plainName(state)} ${plainName(value)}`;
    case "state":
      return `state:${country} ${plainName(value)}`;
    case "country":
    case "continent":
      return `${kind}:${value}`;
    case "postal_range":
      return `${kind}:${country} ${value}-${to}`;
    default:
      return `${kind}:${country} ${value}`;
  }
}
