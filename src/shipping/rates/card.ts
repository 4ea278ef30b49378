import type { Weekday } from "../../kit/zone.ts";
import type { SideRounding } from "../side.ts";
import type { ZoneRules } from "../zones/zone.ts";

/** What is charged for something, and what the carrier takes for it. */
export interface Amount {
  readonly price_cents: number;
  readonly cost_cents: number;
}

/** What a parcel of up to so many billed pounds costs to a zone. */
export interface PriceRow extends Amount {
  /** A zone of the card; `*` for every zone without rows of its own. */
  readonly zone: string;
  /** The heaviest parcel of this row; null for what each pound beyond the last row costs. */
  readonly up_to_pounds: number | null;
}

/** The zone of the rows that hold for every zone without rows of its own. */
export const any_zone = "*";

/** A fixed amount for what makes a parcel dear to carry. */
export interface Surcharge extends Amount {
  /** Whether fuel is counted on it. */
  readonly fuelable: boolean;
}

/** What makes a parcel large: more than any of these. Decimal text in inches, cubic inches and pounds. */
export interface SizeLimits {
  readonly longest_over: string | null;
  readonly second_over: string | null;
  readonly length_and_girth_over: string | null;
  readonly volume_over: string | null;
  readonly weight_over: string | null;
}

/** Postal codes of a country, by how they begin. */
interface RemotePlaces {
  readonly country: string;
  readonly prefixes: readonly string[];
}

/** What a card charges beside the price of weight and zone. */
export interface Surcharges {
  readonly residential: Surcharge | null;
  readonly additional_handling: (Surcharge & SizeLimits) | null;
  readonly large_package: (Surcharge & SizeLimits & { readonly billed_pounds: number }) | null;
  readonly remote_area: (Surcharge & { readonly places: readonly RemotePlaces[] }) | null;
}

/** The most that a service carries. Decimal text in inches; null where there is no limit. */
interface CardLimits {
  readonly billed_pounds: number | null;
  readonly longest: string | null;
  readonly length_and_girth: string | null;
}

/** What insuring costs: so much for each started 100 above what is included, and at least the minimum. */
interface DeclaredValue {
  readonly included_cents: number;
  readonly per_hundred: Amount;
  readonly minimum: Amount | null;
}

/** All by which a service is priced and dated. */
export interface CardTerms {
  readonly currency: string;
  readonly zones: ZoneRules;
  readonly prices: readonly PriceRow[];
  /** The least that weight and zone cost. */
  readonly minimum: Amount | null;
  readonly limits: CardLimits;
  /** Cubic inches above `over` are billed as so many pounds as `divisor` goes into them. */
  readonly dimensional: { readonly divisor: number; readonly over: number } | null;
  readonly side_rounding: SideRounding;
  readonly surcharges: Surcharges;
  readonly fuel_basis_points: number;
  readonly declared_value: DeclaredValue | null;
  /** Handed over before this minute of the warehouse's day, a parcel leaves the same day. */
  readonly cut_off_minute: number;
  readonly ship_days: readonly Weekday[];
  readonly saturday_delivery: boolean;
  readonly sunday_delivery: boolean;
  /** Days of delivery after the day it leaves; `*` for every zone that is not named. */
  readonly transit_days: readonly { readonly zone: string; readonly days: number }[];
  /** The carrier whose holidays it keeps; null when it keeps none. */
  readonly holidays: string | null;
}

/** How one service of the built-in carrier is priced from one moment to another. */
export interface RateCard {
  readonly id: number;
  readonly service: string;
  readonly name: string;
  readonly active: boolean;
  /** Whether its prices are those that came with the program, invented for a first start. */
  readonly sample: boolean;
  /** Null when it holds from ever. */
  readonly effective_from: number | null;
  /** From this moment on it holds no more; null when nobody has said when. */
  readonly effective_to: number | null;
  readonly terms: CardTerms;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What identifies a state of a card. */
export type CardContent = Omit<RateCard, "id" | "version" | "created_at" | "updated_at">;
