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
export type Continent = (typeof continents)[number];

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
export interface Spot {
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
