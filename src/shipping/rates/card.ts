import type { Weekday } from "../../kit/zone.ts";
import type { SideRounding } from "../side.ts";
import type { ZoneRules } from "../zones/zone.ts";

/** An amount to charge, and what the carrier takes for it. */
export interface Amount {
  readonly price_cents: number;
  readonly cost_cents: number;
}

/** The price of a parcel of up to so many billed pounds to a zone. */
export interface PriceRow extends Amount {
  /** A zone of the card; `*` for every zone without rows of its own. */
  readonly zone: string;
  /** The heaviest parcel of this row; null for the price of each pound beyond the last row. */
  readonly up_to_pounds: number | null;
}

/** The zone of rows that apply to every zone without rows of its own. */
export const any_zone = "*";

/** A fixed amount for a parcel that is expensive to handle. */
export interface Surcharge extends Amount {
  /** Whether the fuel surcharge includes it. */
  readonly fuelable: boolean;
}

/** The limits beyond which a parcel counts as large. Decimal text in inches, cubic inches and pounds. */
export interface SizeLimits {
  readonly longest_over: string | null;
  readonly second_over: string | null;
  readonly length_and_girth_over: string | null;
  readonly volume_over: string | null;
  readonly weight_over: string | null;
}

/** Postal codes of a country, by their first characters. */
interface RemotePlaces {
  readonly country: string;
  readonly prefixes: readonly string[];
}

/** What a card charges besides the price of weight and zone. */
export interface Surcharges {
  readonly residential: Surcharge | null;
  readonly additional_handling: (Surcharge & SizeLimits) | null;
  readonly large_package: (Surcharge & SizeLimits & { readonly billed_pounds: number }) | null;
  readonly remote_area: (Surcharge & { readonly places: readonly RemotePlaces[] }) | null;
}

/** The limits of a service. Decimal text in inches; null for no limit. */
interface CardLimits {
  readonly billed_pounds: number | null;
  /** The heaviest parcel on the scale. Simulated carriers alone have this limit. */
  readonly scale_pounds?: number;
  readonly longest: string | null;
  readonly length_and_girth: string | null;
}

/** The price of insurance: an amount for each started 100 above the included value, and at least the minimum. */
interface DeclaredValue {
  readonly included_cents: number;
  readonly per_hundred: Amount;
  readonly minimum: Amount | null;
}

/** All the terms that decide the price and the date of a service. */
export interface CardTerms {
  readonly currency: string;
  readonly zones: ZoneRules;
  readonly prices: readonly PriceRow[];
  /** The minimum charge for weight and zone. */
  readonly minimum: Amount | null;
  readonly limits: CardLimits;
  /** Cubic inches above `over` are divided by `divisor` to get the billed pounds. */
  readonly dimensional: { readonly divisor: number; readonly over: number } | null;
  readonly side_rounding: SideRounding;
  readonly surcharges: Surcharges;
  readonly fuel_basis_points: number;
  readonly declared_value: DeclaredValue | null;
  /** A parcel handed over before this minute of the warehouse's day leaves the same day. */
  readonly cut_off_minute: number;
  readonly ship_days: readonly Weekday[];
  readonly saturday_delivery: boolean;
  readonly sunday_delivery: boolean;
  /** Days of delivery after the ship day; `*` for every zone that is not named. */
  readonly transit_days: readonly { readonly zone: string; readonly days: number }[];
  /** The carrier whose holidays it keeps; null when it keeps none. */
  readonly holidays: string | null;
}

/** The prices of one service of the built-in carrier during a period. */
export interface RateCard {
  readonly id: number;
  readonly service: string;
  readonly name: string;
  readonly active: boolean;
  /** Whether it is a sample card, whose prices were invented for a first start. */
  readonly sample: boolean;
  /** Null when it has no start. */
  readonly effective_from: number | null;
  /** The card no longer applies from this moment on; null when it has no end. */
  readonly effective_to: number | null;
  readonly terms: CardTerms;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What identifies a version of a card. */
export type CardContent = Omit<RateCard, "id" | "version" | "created_at" | "updated_at">;
