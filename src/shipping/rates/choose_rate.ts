// Which of the offers for an order its shipping choice picks. Pure.
import { dayText, localTime } from "../../core/time_zone.ts";
import { shipBy } from "../../orders/fulfillment/ship_dates.ts";
import type { Order } from "../../orders/order.ts";
import type { ServiceChoice } from "../../orders/shipping_rules/evaluate_rules.ts";
import { serviceOf, serviceText, sourceView } from "../../orders/shipping_rules/shipping_choice.ts";
import type { RateOffer } from "../offer.ts";

export const pickCodes = ["picked", "no_choice", "not_offered", "none_in_time", "none_under_price"] as const;

/** The offer that a choice picks: its position, or null with the reason. */
interface RatePick {
  readonly at: number | null;
  readonly code: (typeof pickCodes)[number];
  readonly reason: string;
}

/** The part of an order that picks a rate. */
type ChoosingOrder = Pick<Order, "shipping_choice"> & Parameters<typeof shipBy>[0];

/** An offer as far as it decides. */
type ComparedOffer = Pick<
  RateOffer,
  "carrier" | "service" | "rate_cents" | "currency" | "delivery_days" | "delivery_date" | "ship_date"
>;

/** Picks the offer that an order's choice of a service asks for. */
export function pickRate(order: ChoosingOrder, offers: readonly ComparedOffer[]): RatePick {
  const choice = serviceOf(order.shipping_choice);
  const ranked = offers.map((offer, at) => ({ ...offer, at }));
  if (choice.carrier !== null) {
    const named = ranked.filter(({ carrier, service }) => carrier === choice.carrier && service === choice.service);
    return pickOf(choice, named.sort(byPrice)[0], "not_offered", "is not offered for this parcel");
  }
  if (choice.choose === "fastest_under") {
    const { price_max_cents, currency } = choice;
    const cheap = ranked.filter((offer) => offer.currency === currency && offer.rate_cents <= (price_max_cents ?? 0));
    return pickOf(choice, cheap.sort(bySpeed)[0], "none_under_price", "no rate is that cheap");
  }
  if (choice.choose === "cheapest_in_time") {
    const kept = ranked.filter((offer) => keepsPromise(offer, choice, lastShipDay(order, ranked)));
    return pickOf(choice, kept.sort(byPrice)[0], "none_in_time", "no rate keeps the promise");
  }
  return { at: null, code: "no_choice", reason: "Neither a rule nor a person has chosen a service." };
}

function pickOf(
  choice: ServiceChoice,
  found: { readonly at: number } | undefined,
  code: RatePick["code"],
  why: string,
): RatePick {
  const text = serviceText(choice);
  if (found === undefined) return { at: null, code, reason: `${text}: ${why}.` };
  return { at: found.at, code: "picked", reason: `${text}.` };
}

/**
 * The last day (`YYYY-MM-DD`) to ship on: that of `ship_by`. Once it is over, the first on which any offer leaves. Null
 * without a promise.
 */
function lastShipDay(order: ChoosingOrder, offers: readonly ComparedOffer[]): string | null {
  const [at, calendar] = [shipBy(order), order.promised_by];
  if (at === null || calendar === null) return null;
  const promised = dayText(localTime(at, calendar.timezone).day);
  const [earliest] = offers.flatMap(({ ship_date }) => ship_date ?? []).sort();
  return earliest !== undefined && earliest > promised ? earliest : promised;
}

function keepsPromise(
  { ship_date, delivery_days }: ComparedOffer,
  { days_max }: ServiceChoice,
  last_day: string | null,
): boolean {
  const leaves = ship_date === null || last_day === null || ship_date <= last_day;
  return leaves && (days_max === null || (delivery_days !== null && delivery_days <= days_max));
}

type Ranked = ComparedOffer & { readonly at: number };

// Prices in different currencies cannot be compared: the caller's order decides.
const byPrice = (a: Ranked, b: Ranked) => (a.currency === b.currency ? a.rate_cents - b.rate_cents : 0) || a.at - b.at;

const latest = Number.MAX_SAFE_INTEGER;
const bySpeed = (a: Ranked, b: Ranked) =>
  (a.delivery_date ?? latest) - (b.delivery_date ?? latest) || a.rate_cents - b.rate_cents || a.at - b.at;

/** The pick as the API shows it, with what decided the order's choice. */
export function pickView(
  { code, reason }: RatePick,
  quote_id: string | null,
  { decided_by }: Pick<Order, "decided_by">,
) {
  return {
    quote_id,
    code,
    reason,
    ...sourceView(decided_by),
  };
}
