import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { money } from "../../kit/money.ts";
import type { ListedCarrier, Offer } from "../offer.ts";

/** Names the quote of an offer, of an account's carrier or of the built-in one. */
export interface Quoter {
  readonly id: (offer: Offer, account_id: number | null) => string;
  readonly expires_at: number;
}

/** An offer as the API shows it, with the quote by which a label can be bought for exactly that. */
export function rateView(offer: Offer, account_id: number | null, quotes: Quoter) {
  return {
    quote_id: quotes.id(offer, account_id),
    expires_at: iso(quotes.expires_at),
    carrier: offer.carrier,
    carrier_name: offer.carrier_name,
    service: offer.service,
    service_name: offer.service_name,
    account_id: account_id === null ? null : wireId("carrier_account", account_id),
    rate: money(offer.rate_cents),
    rate_cents: offer.rate_cents,
    currency: offer.currency,
    breakdown: offer.breakdown,
    billable_weight: offer.billable_pounds,
    billable_weight_unit: "lb" as const,
    zone: offer.zone,
    zone_estimated: offer.zone_estimated,
    delivery_days: offer.delivery_days,
    ship_date: offer.ship_date,
    delivery_date: isoOrNull(offer.delivery_date),
  };
}

/** A carrier as the API lists it; its services are the codes that a purchase names. */
export function carrierView({ code, name, services }: ListedCarrier) {
  return { code, name, services: services.map((service) => service.code) };
}
