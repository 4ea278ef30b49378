import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { money } from "../../kit/money.ts";
import type { Amount, CardContent, CardTerms, PriceRow, RateCard, SizeLimits, Surcharge } from "./card.ts";

const amountView = ({ price_cents, cost_cents }: Amount, currency: string) => ({
  price: money(price_cents, currency),
  cost: money(cost_cents, currency),
});
const amountOrNull = (amount: Amount | null, currency: string) =>
  amount === null ? null : amountView(amount, currency);
const numberOrNull = (text: string | null) => (text === null ? null : Number(text));

function limitsView(limits: SizeLimits) {
  return {
    longest_over: numberOrNull(limits.longest_over),
    second_over: numberOrNull(limits.second_over),
    length_and_girth_over: numberOrNull(limits.length_and_girth_over),
    volume_over: numberOrNull(limits.volume_over),
    weight_over: numberOrNull(limits.weight_over),
  };
}

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
      ...limitsView(additional_handling),
    },
    large_package: large_package && {
      ...surchargeView(large_package, currency),
      ...limitsView(large_package),
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

/** A time of day as `16:00`. */
function timeText(minutes: number): string {
  const part = (value: number) => String(value).padStart(2, "0");
  return `${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`;
}

/** A row of prices as the API shows it. */
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
    cut_off: timeText(terms.cut_off_minute),
    ship_days: terms.ship_days,
    saturday_delivery: terms.saturday_delivery,
    sunday_delivery: terms.sunday_delivery,
    transit_days: terms.transit_days,
    holidays: terms.holidays,
  };
}

/** The fields of a card as the API shows them. */
export function contentView(content: CardContent) {
  return {
    ...plainView(content),
    prices: content.terms.prices.map((row) => priceRowView(row, content.terms.currency)),
  };
}

function stampsOf({ version, created_at, updated_at }: RateCard) {
  return { version, created_at: iso(created_at), updated_at: iso(updated_at) };
}

/** A card as the API shows it. */
export function cardView(card: RateCard) {
  return { id: wireId("rate_card", card.id), ...contentView(card), ...stampsOf(card) };
}

/** A card in a list, without its prices. */
export function listedCardView(card: RateCard) {
  const price_rows = card.terms.prices.length;
  return { id: wireId("rate_card", card.id), ...plainView(card), price_rows, ...stampsOf(card) };
}
