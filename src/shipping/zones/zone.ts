import { postalCountry } from "../../addresses/zip_distance.ts";
import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { onFirstUse } from "../../core/memoize.ts";
import type { PostalAddress } from "../../core/postal_address.ts";

/** The zone rules of a card: the zone system, and the zones that distance does not decide. */
export interface ZoneRules {
  /** The zone system that provides charts and overrides. */
  readonly system: string;
  /** The lowest zone by distance. Some carriers start with zone 2. */
  readonly first: 1 | 2;
  /** The zone when nothing else decides. */
  readonly default: string | null;
  /** The zone within one country other than the United States. */
  readonly domestic: string | null;
  readonly countries: readonly { readonly country: string; readonly zone: string }[];
  readonly regions: readonly { readonly name: string; readonly countries: readonly string[]; readonly zone: string }[];
  readonly continents: readonly { readonly continent: Continent; readonly zone: string }[];
  /** The zone of all other countries. */
  readonly rest: string | null;
}

export const continents = ["AF", "AN", "AS", "EU", "NA", "OC", "SA"] as const;
type Continent = (typeof continents)[number];

const overrideKinds = [
  "postal_code",
  "postal_prefix",
  "postal_range",
  "city",
  "state",
  "country",
  "continent",
] as const;
export type OverrideKind = (typeof overrideKinds)[number];

/** A zone that was set for a place. */
export interface ZoneOverride {
  readonly kind: OverrideKind;
  /** Null for a continent. */
  readonly country: string | null;
  /** A postal code, a prefix, the start of a range, a city, or the code of a state or continent. */
  readonly value: string;
  /** The end of a range of postal codes; null for anything else. */
  readonly to: string | null;
  /** The state that distinguishes cities of the same name; null for anything else. */
  readonly state: string | null;
  readonly zone: string;
}

/** A range of postal-code prefixes of one length, and their zone. */
export interface ChartRange {
  readonly country: string;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

/** The zones from one origin, as a carrier publishes them. */
export interface ZoneChart {
  /** The country and the postal-code prefix of the origin. */
  readonly country: string;
  readonly origin: string;
  readonly ranges: readonly ChartRange[];
}

/** All charts and overrides of one zone system. */
export interface ZoneSystem {
  readonly name: string;
  readonly charts: readonly ZoneChart[];
  readonly overrides: readonly ZoneOverride[];
}

/** The fields of a place that determine its zone. */
export interface ZoneSpot extends Pick<PostalAddress, "country" | "postal_code" | "state"> {
  readonly city: string | null;
}

export const zoneReasons = [
  "chart",
  "override",
  "guam",
  "military",
  "distance",
  "domestic",
  "country",
  "region",
  "continent",
  "rest",
  "default",
] as const;
/** The rule that decided a zone. */
export type ZoneReason = (typeof zoneReasons)[number];

/** A zone and the rule that decided it. */
export interface ZoneChoice {
  /** Null when no rule decides. */
  readonly zone: string | null;
  readonly estimated: boolean;
  readonly by: ZoneReason | null;
  /** Miles between the two ends, if they were computed. */
  readonly miles: number | null;
  /** US ZIP prefixes without a known distance. */
  readonly unknown: readonly string[];
  /** The row or rule, in a few words. */
  readonly rule: string;
}

/** Returns the country that the form of a postal code implies: `US` for a ZIP code or its prefix, `CA` for `A1A`. */
export function countryOfPostalCode(text: string): "US" | "CA" | null {
  const code = text.trim();
  if (/^\d{3}(\d{2}(-?\d{4})?)?$/.test(code)) return "US";
  return /^[A-Z]\d[A-Z]( ?\d[A-Z]\d)?$/i.test(code) ? "CA" : null;
}

/** Normalizes a postal code for comparison: capitals without spaces and dashes, and only five digits of a ZIP code. */
export function plainPostalCode(text: string, country: string): string {
  const plain = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return postalCountry(country) === "US" ? plain.slice(0, 5) : plain;
}

type Located = Readonly<Record<string, { readonly continent: Continent }>>;

const countriesByCode = onFirstUse(
  (): Located => (require("countries-list") as typeof import("countries-list")).countries,
);

/** Returns the continent of a country, or null. */
export function continentOf(country: string): Continent | null {
  return countriesByCode()[country]?.continent ?? null;
}

/** Normalizes a name for comparison: no accents, case or punctuation. */
export function plainName(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[\s.'’-]+/g, " ")
    .trim();
}

/** An override as the API shows it. */
function overrideView({ kind, country, value, to, state, zone }: ZoneOverride) {
  const is = (wanted: ZoneOverride["kind"]) => (kind === wanted ? value : null);
  return {
    zone,
    country,
    postal_code: is("postal_code"),
    postal_prefix: is("postal_prefix"),
    postal_from: is("postal_range"),
    postal_to: to,
    city: is("city"),
    state: is("state") ?? state,
    continent: is("continent") as Continent | null,
  };
}

/** The stored overrides of a zone system; null if it has none. */
interface SystemOverrides {
  readonly overrides: readonly ZoneOverride[];
  readonly revision: number;
  readonly updated_at: number;
}

/** Returns the overrides of a zone system as the API shows them. */
export function overridesView(system: string, stored: SystemOverrides | null) {
  const { overrides = [], revision = 0, updated_at = null } = stored ?? {};
  // A row of revision 0 exists only to be locked.
  const set_at = revision === 0 ? null : isoOrNull(updated_at);
  return { system, overrides: overrides.map(overrideView), revision, updated_at: set_at };
}

interface ListedChart {
  readonly id: number;
  readonly country: string;
  readonly origin: string;
  readonly range_count: number;
  readonly updated_at: number;
}

/** Returns the charts of a zone system as the API lists them. */
export function chartsView(system: string, revision: number, charts: readonly ListedChart[]) {
  return {
    system,
    charts: charts.map(({ id, country, origin, range_count, updated_at }) => {
      return { id: wireId("zone_chart", id), country, origin, ranges: range_count, updated_at: iso(updated_at) };
    }),
    revision,
  };
}

/** Returns a chart row as a CSV file has it. */
export function chartRowView(chart: Pick<ListedChart, "country" | "origin">, { country, from, to, zone }: ChartRange) {
  const destination = from === to ? from : `${from}-${to}`;
  return { origin: chart.origin, destination, zone, origin_country: chart.country, destination_country: country };
}
