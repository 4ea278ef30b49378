import { compare, type Fraction } from "../../core/decimals.ts";
import { decimalsOf } from "../../core/money.ts";
import { billedPounds, cubicInches, lengthAndGirth, readSide, readWeight, type Sides, type Weight } from "../parcel.ts";
import { type Amount, any_zone, type CardTerms, type SizeLimits, type Surcharge } from "./rate_card.ts";

/** A card's prices for one zone, lightest row first. */
interface ZonePrices {
  readonly rows: readonly (Amount & { readonly up_to_pounds: number })[];
  /** The price of each pound beyond the last row; null when the last row is the limit. */
  readonly extra: Amount | null;
}

/** A surcharge's condition. */
type IsOver = (parcel: MeasuredParcel, volume: bigint | null) => boolean;

/** The terms of a card, prepared for pricing many parcels. */
export interface ReadyTerms {
  readonly terms: CardTerms;
  readonly prices: ReadonlyMap<string, ZonePrices>;
  readonly transit_days: ReadonlyMap<string, number>;
  readonly additional_handling: IsOver;
  readonly large_package: IsOver;
  readonly longest: Fraction | null;
  readonly length_and_girth: Fraction | null;
}

/** A parcel in exact numbers. */
export interface MeasuredParcel {
  readonly weight: Weight;
  readonly sides: Sides | null;
}

/** The inputs of a price other than the card and the parcel. */
interface PriceFacts {
  readonly zone: string;
  readonly residential: boolean;
  readonly remote: boolean;
  /** The value to insure, in cents; null without insurance. */
  readonly insured_cents: number | null;
}

/** One charge and its cost at the carrier. */
interface PricedLine {
  readonly code: string;
  readonly amount_cents: number;
  readonly cost_cents: number;
}

/** The price of a parcel by a card, or the reason for a refusal. */
type PricedParcel =
  | { readonly billable_pounds: number; readonly lines: readonly PricedLine[] }
  | { readonly refused: "over_weight_limit" | "over_size_limit" | "zone_not_served"; readonly limit: string };

/** Prepares the terms of a card for pricing many parcels. */
export function readyTerms(terms: CardTerms): ReadyTerms {
  const { additional_handling, large_package } = terms.surcharges;
  return {
    terms,
    prices: pricesOf(terms),
    transit_days: new Map(terms.transit_days.map(({ zone, days }) => [zone, days])),
    additional_handling: isOver(additional_handling),
    large_package: isOver(large_package),
    longest: inches(terms.limits.longest),
    length_and_girth: inches(terms.limits.length_and_girth),
  };
}

const inches = (text: string | null) => (text === null ? null : readSide(text, "in"));

function pricesOf({ prices }: CardTerms): ReadonlyMap<string, ZonePrices> {
  const zones = new Map<string, { rows: (Amount & { up_to_pounds: number })[]; extra: Amount | null }>();
  for (const { zone, up_to_pounds, price_cents, cost_cents } of prices) {
    const entry = zones.getOrInsertComputed(zone, () => ({ rows: [], extra: null }));
    if (up_to_pounds === null) entry.extra = { price_cents, cost_cents };
    else entry.rows.push({ up_to_pounds, price_cents, cost_cents });
  }
  for (const { rows } of zones.values()) rows.sort((a, b) => a.up_to_pounds - b.up_to_pounds);
  return zones;
}

function isOver(limits: SizeLimits | null): IsOver {
  if (limits === null) return () => false;
  const longest = inches(limits.longest_over);
  const second = inches(limits.second_over);
  const girth = inches(limits.length_and_girth_over);
  const weight = limits.weight_over === null ? null : readWeight(limits.weight_over, "lb");
  const volume_over = limits.volume_over === null ? null : wholeOf(limits.volume_over);
  const over = (size: Fraction, limit: Fraction | null) => limit !== null && compare(size, limit) > 0;
  return (parcel, volume) => {
    if (over(parcel.weight, weight)) return true;
    const { sides } = parcel;
    if (sides === null || volume === null) return false;
    return (
      over(sides[0], longest) ||
      over(sides[1], second) ||
      over(lengthAndGirth(sides), girth) ||
      (volume_over !== null && volume > volume_over)
    );
  };
}

/** The integer part of decimal text. A whole number exceeds the text exactly when it exceeds this part. */
const wholeOf = (text: string) => BigInt(text.split(".")[0] ?? "0");

/** The weight limit of all cards, in pounds. */
const pounds_max = 100_000;

/** Prices a parcel by a card to a zone. The lines are in the order of calculation. */
export function priceParcel(prepared: ReadyTerms, parcel: MeasuredParcel, facts: PriceFacts): PricedParcel {
  const { terms } = prepared;
  const too_large = sizeProblem(prepared, parcel);
  if (too_large !== null) return { refused: "over_size_limit", limit: too_large };
  const volume = parcel.sides === null ? null : cubicInches(parcel.sides, terms.side_rounding);
  const large = prepared.large_package(parcel, volume);
  const billable = billablePounds(terms, parcel, volume, large);
  const { scale_pounds = pounds_max } = terms.limits;
  if (billedPounds(parcel.weight) > scale_pounds) return overWeight(scale_pounds);
  const most_pounds = terms.limits.billed_pounds ?? pounds_max;
  if (billable > most_pounds) return overWeight(most_pounds);
  const prices = prepared.prices.get(facts.zone) ?? prepared.prices.get(any_zone);
  if (prices === undefined) return { refused: "zone_not_served", limit: facts.zone };
  const row_amount = baseOf(prices, Number(billable));
  if (row_amount === null) return overWeight(prices.rows.at(-1)?.up_to_pounds ?? 0);
  const base = atLeast(row_amount, terms.minimum);
  const lines = [lineOf("base", base)];
  const { residential, additional_handling, large_package, remote_area } = terms.surcharges;
  let fuelable = base;
  const charge = (code: string, surcharge: Surcharge | null, applies: boolean) => {
    if (surcharge === null || !applies) return;
    lines.push(lineOf(code, surcharge));
    if (surcharge.fuelable) fuelable = sum(fuelable, surcharge);
  };
  charge("residential", residential, facts.residential);
  charge("additional_handling", additional_handling, prepared.additional_handling(parcel, volume));
  charge("large_package", large_package, large);
  charge("remote_area", remote_area, facts.remote);
  if (terms.fuel_basis_points > 0) lines.push(lineOf("fuel", shareOf(fuelable, terms.fuel_basis_points)));
  const insured = insuranceOf(terms, facts.insured_cents);
  if (insured !== null) lines.push(lineOf("declared_value", insured));
  return { billable_pounds: Number(billable), lines };
}

function sizeProblem({ terms, longest, length_and_girth }: ReadyTerms, { sides }: MeasuredParcel): string | null {
  if (sides === null) return null;
  if (longest !== null && compare(sides[0], longest) > 0) return `${terms.limits.longest} in on the longest side`;
  if (length_and_girth === null || compare(lengthAndGirth(sides), length_and_girth) <= 0) return null;
  return `${terms.limits.length_and_girth} in of length and girth`;
}

const overWeight = (pounds: number): PricedParcel => ({ refused: "over_weight_limit", limit: `${pounds} lb` });

function billablePounds(terms: CardTerms, parcel: MeasuredParcel, volume: bigint | null, large: boolean): bigint {
  const { dimensional, surcharges } = terms;
  let billable = BigInt(billedPounds(parcel.weight));
  if (dimensional !== null && volume !== null && volume > BigInt(dimensional.over)) {
    const divisor = BigInt(dimensional.divisor);
    billable = max(billable, (volume + divisor - 1n) / divisor);
  }
  return large ? max(billable, BigInt(surcharges.large_package?.billed_pounds ?? 0)) : billable;
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);

function baseOf({ rows, extra }: ZonePrices, pounds: number): Amount | null {
  const row = rows.find(({ up_to_pounds }) => pounds <= up_to_pounds);
  if (row !== undefined) return row;
  const last = rows.at(-1);
  if (last === undefined || extra === null) return null;
  const more = pounds - last.up_to_pounds;
  return {
    price_cents: last.price_cents + more * extra.price_cents,
    cost_cents: last.cost_cents + more * extra.cost_cents,
  };
}

function atLeast(amount: Amount, minimum: Amount | null): Amount {
  if (minimum === null) return amount;
  return {
    price_cents: Math.max(amount.price_cents, minimum.price_cents),
    cost_cents: Math.max(amount.cost_cents, minimum.cost_cents),
  };
}

const sum = (a: Amount, b: Amount): Amount => ({
  price_cents: a.price_cents + b.price_cents,
  cost_cents: a.cost_cents + b.cost_cents,
});

function lineOf(code: string, { price_cents, cost_cents }: Amount): PricedLine {
  return { code, amount_cents: price_cents, cost_cents };
}

/** A share of an amount in basis points, rounded half up to whole cents. */
function shareOf({ price_cents, cost_cents }: Amount, basis_points: number): Amount {
  // The product may exceed the safe integers.
  const part = (cents: number) => Number((BigInt(cents) * BigInt(basis_points) + 5000n) / 10_000n);
  return { price_cents: part(price_cents), cost_cents: part(cost_cents) };
}

/** The price of insurance; null up to the included value. `insured_cents` is in hundredths, whatever the currency. */
function insuranceOf({ declared_value, currency }: CardTerms, insured_cents: number | null): Amount | null {
  if (declared_value === null || insured_cents === null) return null;
  const { included_cents, per_hundred, minimum } = declared_value;
  // The value above the included one, in thousandths of the currency, which makes both whole numbers.
  const excess = 10n * BigInt(insured_cents) - BigInt(included_cents) * 10n ** BigInt(3 - decimalsOf(currency));
  if (excess <= 0n) return null;
  const units = Number((excess + 99_999n) / 100_000n);
  return atLeast({ price_cents: units * per_hundred.price_cents, cost_cents: units * per_hundred.cost_cents }, minimum);
}
