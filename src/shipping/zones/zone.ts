/** How a card finds zones, and what it calls those that no distance can tell. */
export interface ZoneRules {
  /** The charts and overrides that it goes by. */
  readonly system: string;
  /** The lowest zone by distance: some carriers begin with zone 2. */
  readonly first: 1 | 2;
  /** The zone of whatever nothing else tells. */
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

/** A zone that somebody has set for a place. */
export interface ZoneOverride {
  readonly kind: OverrideKind;
  /** Null for a continent. */
  readonly country: string | null;
  /** A postal code, the beginning of one, the first of a range, a city, the letters of a state or of a continent. */
  readonly value: string;
  /** The last of a range of postal codes; null for anything else. */
  readonly to: string | null;
  /** The state of a city, when there are more of its name; null for anything else. */
  readonly state: string | null;
  readonly zone: string;
}

/** Postal codes by how they begin, from the first to the last of as many letters, and their zone. */
export interface ChartRange {
  readonly country: string;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

/** The zones from one place, as a carrier has given them. */
export interface ZoneChart {
  /** The country and the beginning of the postal codes from which it holds. */
  readonly country: string;
  readonly origin: string;
  readonly ranges: readonly ChartRange[];
}

/** Everything that was set or imported for one way of counting zones. */
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
/** By what a zone was chosen. */
export type ZoneReason = (typeof zoneReasons)[number];

/** A zone, and why it is that one. */
export interface ZoneChoice {
  /** Null when nothing tells. */
  readonly zone: string | null;
  readonly estimated: boolean;
  readonly by: ZoneReason | null;
  /** Miles between the two ends, where they were counted. */
  readonly miles: number | null;
  /** The beginnings of US postal codes that no distance is known of. */
  readonly unknown: readonly string[];
  /** In a few words, which row or rule it was. */
  readonly rule: string;
}
