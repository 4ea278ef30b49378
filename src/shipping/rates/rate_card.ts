import { iso, isoOrNull } from "../../core/clock.ts";
import { type CsvColumn, csvColumn } from "../../core/csv_columns.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { decimalsOf, money, ofHundredths, readCents } from "../../core/money.ts";
import type { Weekday } from "../../core/time_zone.ts";
import type { SideRounding } from "../parcel.ts";
import type { ZoneRules } from "../zones/zone.ts";

/** An amount to charge, and its cost at the carrier. */
export interface Amount {
  readonly price_cents: number;
  readonly cost_cents: number;
}

/** The price of a parcel to a zone, up to a billed weight. */
export interface PriceRow extends Amount {
  /** A zone of the card; `*` for every zone without rows of its own. */
  readonly zone: string;
  /** The highest billed weight of this row; null for the price of each pound beyond the last row. */
  readonly up_to_pounds: number | null;
}

/** The zone name for every zone without rows of its own. */
export const any_zone = "*";

/** A fixed charge for a parcel that is expensive to handle. */
export interface Surcharge extends Amount {
  /** Whether the fuel surcharge includes it. */
  readonly fuelable: boolean;
}

const size_limits = ["longest_over", "second_over", "length_and_girth_over", "volume_over", "weight_over"] as const;

/** The limits above which a surcharge applies. */
type EachLimit<Value> = Readonly<Record<(typeof size_limits)[number], Value>>;

/** The limits of a card: decimal text in inches, cubic inches and pounds. */
export type SizeLimits = EachLimit<string | null>;

/** Converts each limit; one that is missing is null. */
export function eachLimit<Input, Value>(
  limits: Partial<EachLimit<Input | null>>,
  convert: (limit: Input | null) => Value,
) {
  return Object.fromEntries(size_limits.map((name) => [name, convert(limits[name] ?? null)])) as EachLimit<Value>;
}

/** Postal codes of a country, by their first characters. */
interface RemotePlaces {
  readonly country: string;
  readonly prefixes: readonly string[];
}

/** The charges of a card in addition to the price of weight and zone. */
export interface Surcharges {
  readonly residential: Surcharge | null;
  readonly additional_handling: (Surcharge & SizeLimits) | null;
  readonly large_package: (Surcharge & SizeLimits & { readonly billed_pounds: number }) | null;
  readonly remote_area: (Surcharge & { readonly places: readonly RemotePlaces[] }) | null;
}

/** The limits of a service: pounds, and decimal text in inches. Null means no limit. */
interface CardLimits {
  readonly billed_pounds: number | null;
  /** The highest actual weight. Only simulated carriers have this limit. */
  readonly scale_pounds?: number;
  readonly longest: string | null;
  readonly length_and_girth: string | null;
}

/** The price of insurance: an amount for each started 100 above the included value, but at least the minimum. */
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
  /** A volume above `over` cubic inches is divided by `divisor` to get the billed pounds. */
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
  /** Delivery days after the ship day; `*` for every zone that is not named. */
  readonly transit_days: readonly { readonly zone: string; readonly days: number }[];
  /** The carrier whose holidays apply; null for none. */
  readonly holidays: string | null;
}

/** The prices of one service of the built-in carrier during a period. */
export interface RateCard {
  readonly id: number;
  readonly service: string;
  readonly name: string;
  readonly active: boolean;
  /** Whether it is a sample card from a first start, with invented prices. */
  readonly sample: boolean;
  /** Null when it has no start. */
  readonly effective_from: number | null;
  /** The time at which the card stops applying (exclusive); null when it has no end. */
  readonly effective_to: number | null;
  readonly terms: CardTerms;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The fields of a card that a revision stores. */
export type CardContent = Omit<RateCard, "id" | "revision" | "created_at" | "updated_at">;

/** Applies a change to every amount in the terms. */
function withAmounts(terms: CardTerms, change: (cents: number) => number): CardTerms {
  const changed = <T extends Amount>(amount: T): T => ({
    ...amount,
    price_cents: change(amount.price_cents),
    cost_cents: change(amount.cost_cents),
  });
  const orNull = <T extends Amount>(amount: T | null): T | null => (amount === null ? null : changed(amount));
  const { residential, additional_handling, large_package, remote_area } = terms.surcharges;
  const { declared_value } = terms;
  return {
    ...terms,
    prices: terms.prices.map(changed),
    minimum: orNull(terms.minimum),
    surcharges: {
      residential: orNull(residential),
      additional_handling: orNull(additional_handling),
      large_package: orNull(large_package),
      remote_area: orNull(remote_area),
    },
    declared_value: declared_value && {
      included_cents: change(declared_value.included_cents),
      per_hundred: changed(declared_value.per_hundred),
      minimum: orNull(declared_value.minimum),
    },
  };
}

/**
 * Returns the terms in another currency with the same figures: 5 dollars become 5 yen. An amount that the currency
 * cannot express becomes NaN, which `refuseUnread` refuses unless the request replaces it.
 */
export function inCurrency(terms: CardTerms, currency: string): CardTerms {
  if (decimalsOf(currency) === decimalsOf(terms.currency)) return terms;
  return withAmounts(terms, (cents) => {
    return readCents(money(cents, terms.currency), currency) ?? Number.NaN;
  });
}

/** Refuses terms with amounts that their currency cannot express. Refuses: validation_failed. */
export function refuseUnread(terms: CardTerms): void {
  withAmounts(terms, (cents) => {
    if (!Number.isNaN(cents)) return cents;
    const message = `${terms.currency} has fewer decimals than the amounts of this card. Send the amounts again too`;
    throw invalid("currency", message);
  });
}

/** A card as its versions store it. Without `minor_units`, from an older release, amounts are in hundredths. */
export type StoredContent = CardContent & { readonly minor_units?: true };

/** Converts a card to the form that its revision stores. */
export function storedContent(content: CardContent): StoredContent {
  return decimalsOf(content.terms.currency) === 2 ? content : { ...content, minor_units: true };
}

/** Converts a stored revision to a card with amounts in the minor unit of its currency. */
export function contentOf({ minor_units, ...content }: StoredContent): CardContent {
  const { terms } = content;
  if (minor_units || decimalsOf(terms.currency) === 2) return content;
  return { ...content, terms: withAmounts(terms, (cents) => ofHundredths(cents, terms.currency)) };
}

/** The columns of a CSV file of prices. */
export const priceColumns: readonly CsvColumn[] = [
  csvColumn("zone", "text", "A zone of the card; `*` for every zone without rows of its own.", "5"),
  csvColumn(
    "up_to_pounds",
    "number",
    "The highest billed weight of this row; empty for the price of each pound beyond the last row.",
    "10",
    { empty: null },
  ),
  csvColumn("price", "amount", "The price to charge, with at most the decimals of its currency.", "12.50"),
  csvColumn("cost", "amount", "The cost at the carrier. Leave blank to use the price.", "9.80"),
];

export const requiredPriceColumns = ["zone", "price"] as const;

const amountView = ({ price_cents, cost_cents }: Amount, currency: string) => ({
  price: money(price_cents, currency),
  cost: money(cost_cents, currency),
});
const amountOrNull = (amount: Amount | null, currency: string) =>
  amount === null ? null : amountView(amount, currency);
const numberOrNull = (text: string | null) => (text === null ? null : Number(text));

const surchargeView = (surcharge: Surcharge, currency: string) => ({
  ...amountView(surcharge, currency),
  fuelable: surcharge.fuelable,
});

function surchargesView({ surcharges, currency }: CardTerms) {
  const { residential, additional_handling, large_package, remote_area } = surcharges;
  return {
    residential: residential && surchargeView(residential, currency),
    additional_handling: additional_handling && {
      ...surchargeView(additional_handling, currency),
      ...eachLimit(additional_handling, numberOrNull),
    },
    large_package: large_package && {
      ...surchargeView(large_package, currency),
      ...eachLimit(large_package, numberOrNull),
      billed_pounds: large_package.billed_pounds,
    },
    remote_area: remote_area && { ...surchargeView(remote_area, currency), places: remote_area.places },
  };
}

function declaredValueView({ declared_value, currency }: CardTerms) {
  if (declared_value === null) return null;
  const { included_cents, per_hundred, minimum } = declared_value;
  return {
    included: money(included_cents, currency),
    per_hundred: amountView(per_hundred, currency),
    minimum: amountOrNull(minimum, currency),
  };
}

/** Formats minutes since midnight as a time of day, such as `16:00`. */
function timeText(minutes: number): string {
  const part = (value: number) => String(value).padStart(2, "0");
  return `${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`;
}

/** Returns a price row as the API shows it. */
export function priceRowView({ zone, up_to_pounds, ...amount }: PriceRow, currency: string) {
  return { zone, up_to_pounds, ...amountView(amount, currency) };
}

function plainView({ service, name, active, sample, effective_from, effective_to, terms }: CardContent) {
  const { limits } = terms;
  return {
    service,
    name,
    active,
    sample,
    effective_from: isoOrNull(effective_from),
    effective_to: isoOrNull(effective_to),
    currency: terms.currency,
    zones: terms.zones,
    minimum: amountOrNull(terms.minimum, terms.currency),
    limits: {
      billed_pounds: limits.billed_pounds,
      longest: numberOrNull(limits.longest),
      length_and_girth: numberOrNull(limits.length_and_girth),
    },
    dimensional: terms.dimensional,
    side_rounding: terms.side_rounding,
    surcharges: surchargesView(terms),
    fuel_basis_points: terms.fuel_basis_points,
    declared_value: declaredValueView(terms),
    cutoff_time: timeText(terms.cut_off_minute),
    ship_days: terms.ship_days,
    saturday_delivery: terms.saturday_delivery,
    sunday_delivery: terms.sunday_delivery,
    transit_days: terms.transit_days,
    holidays: terms.holidays,
  };
}

/** Returns the fields of a card as the API shows them. */
export function contentView(content: CardContent) {
  return {
    ...plainView(content),
    prices: content.terms.prices.map((row) => priceRowView(row, content.terms.currency)),
  };
}

function stampsOf({ revision, created_at, updated_at }: RateCard) {
  return { revision, created_at: iso(created_at), updated_at: iso(updated_at) };
}

/** Returns a card as the API shows it. */
export function cardView(card: RateCard) {
  return { id: wireId("rate_card", card.id), ...contentView(card), ...stampsOf(card) };
}

/** Returns a card for a list, without its prices. */
export function listedCardView(card: RateCard) {
  const price_rows = card.terms.prices.length;
  return { id: wireId("rate_card", card.id), ...plainView(card), price_rows, ...stampsOf(card) };
}
