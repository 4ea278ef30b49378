import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { onFirstUse } from "../../core/memoize.ts";

/** How a card finds zones, and the names of zones that distance cannot tell. */
export interface ZoneRules {
  /** The zone system whose charts and overrides it uses. */
  readonly system: string;
  /** The lowest zone by distance: some carriers begin with zone 2. */
  readonly first: 1 | 2;
  /** The zone when nothing else decides. */
  readonly default: string | null;
  /** The zone within one country that is not the United States. */
  readonly domestic: string | null;
  readonly countries: readonly { readonly country: string; readonly zone: string }[];
  readonly regions: readonly { readonly name: string; readonly countries: readonly string[]; readonly zone: string }[];
  readonly continents: readonly { readonly continent: Continent; readonly zone: string }[];
  /** The zone of every other country. */
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
  /** A postal code, its first characters, the first of a range, a city, or the letters of a state or continent. */
  readonly value: string;
  /** The last of a range of postal codes; null for anything else. */
  readonly to: string | null;
  /** The state of a city, to tell cities of one name apart; null for anything else. */
  readonly state: string | null;
  readonly zone: string;
}

/** A range of postal codes by their first characters, both ends of one length, and their zone. */
export interface ChartRange {
  readonly country: string;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

/** The zones from one origin, as a carrier publishes them. */
export interface ZoneChart {
  /** The country and the first characters of the origin's postal codes. */
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

/** A place as far as zones are concerned. */
export interface ZoneSpot {
  readonly country: string;
  readonly postal_code: string | null;
  readonly state: string | null;
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
/** Which rule decided a zone. */
export type ZoneReason = (typeof zoneReasons)[number];

/** A zone, and why. */
export interface ZoneChoice {
  /** Null when no rule decides. */
  readonly zone: string | null;
  readonly estimated: boolean;
  readonly by: ZoneReason | null;
  /** Miles between the two ends, if they were computed. */
  readonly miles: number | null;
  /** The first digits of US ZIP codes without a known distance. */
  readonly unknown: readonly string[];
  /** The row or rule, in a few words. */
  readonly rule: string;
}

// Territories of the United States that have a country code of their own but use ZIP codes.
const with_zip_codes: readonly string[] = ["AS", "GU", "MP", "PR", "VI"];

/** The country whose post delivers there: the United States for its territories. */
export function postalCountry(country: string): string {
  return with_zip_codes.includes(country) ? "US" : country;
}

/** The country of a postal code by its form: a ZIP code or its first three digits, or Canada's `A1A`. */
export function countryOfPostalCode(text: string): "US" | "CA" | null {
  const code = text.trim();
  if (/^\d{3}(\d{2}(-?\d{4})?)?$/.test(code)) return "US";
  return /^[A-Z]\d[A-Z]( ?\d[A-Z]\d)?$/i.test(code) ? "CA" : null;
}

/**
 * A postal code in the form for comparison: in capitals, without spaces and dashes; of a ZIP code the first five
 * digits.
 */
export function plainPostalCode(text: string, country: string): string {
  const plain = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return postalCountry(country) === "US" ? plain.slice(0, 5) : plain;
}

/** The first three digits of a ZIP code; null for any other place. */
export function zip3Of({ country, postal_code }: ZoneSpot): string | null {
  if (postalCountry(country) !== "US" || postal_code === null) return null;
  return /^\d{3}/.exec(postal_code.trim())?.[0] ?? null;
}

type Located = Readonly<Record<string, { readonly continent: Continent }>>;

const located = onFirstUse((): Located => (require("countries-list") as typeof import("countries-list")).countries);

/** The continent of a country, or null. */
export function continentOf(country: string): Continent | null {
  return located()[country]?.continent ?? null;
}

/** A name in the form for comparison: without accents, case and punctuation. */
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
  const is = (one: ZoneOverride["kind"]) => (kind === one ? value : null);
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

/** The overrides of a zone system as they are stored; null when nothing was ever set for it. */
interface SystemOverrides {
  readonly overrides: readonly ZoneOverride[];
  readonly version: number;
  readonly updated_at: number;
}

/** The overrides of a zone system as the API shows them. */
export function overridesView(system: string, kept: SystemOverrides | null) {
  const { overrides = [], version = 0, updated_at = null } = kept ?? {};
  // A row of version 0 exists only because it had to be locked: nothing was set yet.
  const set_at = version === 0 ? null : isoOrNull(updated_at);
  return { system, overrides: overrides.map(overrideView), version, updated_at: set_at };
}

interface ListedChart {
  readonly id: number;
  readonly country: string;
  readonly origin: string;
  readonly range_count: number;
  readonly updated_at: number;
}

/** The charts of a zone system as the API lists them. */
export function chartsView(system: string, version: number, charts: readonly ListedChart[]) {
  return {
    system,
    charts: charts.map(({ id, country, origin, range_count, updated_at }) => {
      return { id: wireId("zone_chart", id), country, origin, ranges: range_count, updated_at: iso(updated_at) };
    }),
    version,
  };
}

/** A row of a chart as a file of charts has it. */
export function chartRowView(chart: Pick<ListedChart, "country" | "origin">, { country, from, to, zone }: ChartRange) {
  const destination = from === to ? from : `${from}-${to}`;
  return { origin: chart.origin, destination, zone, origin_country: chart.country, destination_country: country };
}
