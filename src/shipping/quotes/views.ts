import { iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { money } from "../../kit/money.ts";
import { deliveryDay } from "../delivery/delivery_day.ts";
import type { Carriage, ListedCarrier, Message, Offer } from "../offer.ts";
import type { Package } from "../parcel.ts";

/** Something of a carrier with its account; null for the built-in carrier. */
export interface OfAccount {
  readonly account_id: number | null;
}

const nameOf = ({ account_id }: OfAccount) => (account_id === null ? null : wireId("carrier_account", account_id));

/** Makes the ids of quotes. */
interface Quoter {
  readonly id: (offer: Offer, account_id: number | null) => string;
  readonly expires_at: number;
}

/** An offer as the API shows it, with a quote for exactly its price. */
export function rateView(
  { offer, account_id }: OfAccount & { readonly offer: Offer },
  quotes: Quoter,
  { to, origin_zone }: Pick<Carriage, "to" | "origin_zone">,
) {
  const { delivery_date: at } = offer;
  const delivery = at === null ? null : deliveryDay({ at, to, origin_zone, by_carrier: account_id !== null });
  return {
    quote_id: quotes.id(offer, account_id),
    expires_at: iso(quotes.expires_at),
    carrier: offer.carrier,
    carrier_name: offer.carrier_name,
    service: offer.service,
    service_name: offer.service_name,
    account_id: nameOf({ account_id }),
    rate: money(offer.rate_cents, offer.currency),
    rate_cents: offer.rate_cents,
    currency: offer.currency,
    breakdown: offer.breakdown,
    billable_weight: offer.billable_pounds,
    billable_weight_unit: "lb" as const,
    zone: offer.zone,
    zone_estimated: offer.zone_estimated,
    delivery_days: offer.delivery_days,
    ship_date: offer.ship_date,
    delivery_date: delivery === null ? null : iso(delivery.end),
    delivery_day: delivery?.day ?? null,
    sample: offer.sample === true,
  };
}

/**
 * A carrier's message as a merchant is shown it. What an account answered, and what it is called, is between the
 * operator and the carrier.
 */
export function withoutAccount<Said extends OfAccount & Message>(said: Said): Said {
  if (said.account_id === null) return said;
  const message = said.level === "info" ? said.message : `${said.carrier} offers no rate for this parcel now.`;
  return { ...said, account_id: null, message };
}

/** A carrier's message as the API shows it. */
export function messageView({ carrier, service, account_id, level, code, message }: OfAccount & Message) {
  return { carrier, service, account_id: nameOf({ account_id }), level, code, message };
}

/** The parcel of the rates. */
export function packageView({ weight, ...same }: Package) {
  return { weight: Number(weight), ...same };
}

/** A carrier as the API lists it, with the codes of its services. */
export function carrierView({
  code,
  name,
  services,
  connector,
  account_id,
}: OfAccount & ListedCarrier & { readonly connector: string }) {
  return {
    code,
    name,
    services: services.map((service) => service.code),
    service_names: Object.fromEntries(services.map((service) => [service.code, service.name])),
    connector,
    account_id: nameOf({ account_id }),
  };
}
