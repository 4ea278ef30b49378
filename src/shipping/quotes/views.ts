import { isoOrNull } from "../../kit/clock.ts";
import { money } from "../../kit/money.ts";
import type { ListedCarrier, Offer } from "../offer.ts";

/** An offer as the API shows it. */
export function offerView(offer: Offer) {
  return {
    carrier: offer.carrier,
    service: offer.service,
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
