import type { RateMessage, RateOffer, RateOffers, ShipmentEnd, ShipmentRequest } from "../offer.ts";
import type { ParcelDimensions } from "../parcel.ts";
import { readSide, type Sides, sidesOf } from "../parcel.ts";
import { chooseZone } from "../zones/choose_zone.ts";
import type { ZoneChoice } from "../zones/zone.ts";
import { plainPostalCode } from "../zones/zone.ts";
import type { ReadySystem } from "../zones/zone_system.ts";
import type { BuiltInCarrier } from "./built_in_carrier.ts";
import { placeTimeZone, promiseDelivery } from "./delivery_date.ts";
import { type MeasuredParcel, priceParcel, type ReadyTerms } from "./price_parcel.ts";
import { any_zone, type RateCard, type Surcharges } from "./rate_card.ts";

/** A rate card, prepared for pricing. */
export interface ReadyCard {
  readonly card: RateCard;
  readonly terms: ReadyTerms;
  readonly zones: ReadySystem;
  readonly isHoliday: (day: number) => boolean;
}

/** The result of one card: its offer, or null, with messages. */
interface CardAnswer {
  readonly offer: RateOffer | null;
  readonly messages: readonly RateMessage[];
}

/** Prices a parcel by the cards of a built-in carrier, in the order of the cards. */
export function offersBy(
  carrier: BuiltInCarrier,
  cards: readonly ReadyCard[],
  carriage: ShipmentRequest,
  now: number,
): RateOffers {
  const offers: RateOffer[] = [];
  const messages: RateMessage[] = [];
  const parcel = measured(carriage);
  for (const card of cards) {
    const answer = answerBy(carrier, card, carriage, parcel, now);
    if (answer.offer !== null) offers.push(answer.offer);
    messages.push(...answer.messages);
  }
  if (cards.length === 0) messages.push(noCards(carrier));
  return { offers, messages: [...messages, ...insuranceMessages(carrier, cards, carriage)] };
}

/** Prices a parcel by one card of a built-in carrier. */
export function offerBy(carrier: BuiltInCarrier, card: ReadyCard, carriage: ShipmentRequest, now: number): CardAnswer {
  return answerBy(carrier, card, carriage, measured(carriage), now);
}

function measured({ weight, package: { dimensions } }: ShipmentRequest): MeasuredParcel {
  return { weight, sides: dimensions === null ? null : sidesOfDimensions(dimensions) };
}

function sidesOfDimensions({ length, width, height, unit }: ParcelDimensions): Sides | null {
  const [a, b, c] = [readSide(length, unit), readSide(width, unit), readSide(height, unit)];
  return a === null || b === null || c === null ? null : sidesOf(a, b, c);
}

function answerBy(
  carrier: BuiltInCarrier,
  ready: ReadyCard,
  carriage: ShipmentRequest,
  parcel: MeasuredParcel,
  now: number,
): CardAnswer {
  const { card, terms } = ready;
  const { from, to, origin_zone } = carriage;
  const messageOf = (level: RateMessage["level"], code: string, message: string): RateMessage => {
    return { carrier: carrier.code, service: card.service, level, code, message };
  };
  const choice = chooseZone(from, to, card.terms.zones, ready.zones);
  const messages = zipMessages(choice, card, messageOf);
  if (choice.zone === null) {
    const not_served = messageOf("info", "zone_not_served", `${card.name} does not deliver there.`);
    return { offer: null, messages: messages.length > 0 ? messages : [not_served] };
  }
  const priced = priceParcel(terms, parcel, {
    zone: choice.zone,
    residential: to.residential === true,
    remote: isRemote(to, card.terms.surcharges),
    insured_cents: carriage.insurance ? carriage.value_cents : null,
  });
  if ("refused" in priced) {
    const what =
      priced.refused === "zone_not_served" ? `does not serve zone ${priced.limit}` : `accepts at most ${priced.limit}`;
    return { offer: null, messages: [...messages, messageOf("info", priced.refused, `${card.name} ${what}.`)] };
  }
  const transit_days = terms.transit_days.get(choice.zone) ?? terms.transit_days.get(any_zone) ?? 0;
  const { ship_date, delivery_date } = promiseDelivery({
    now,
    origin_zone,
    destination_zone: placeTimeZone(to),
    service: card.terms,
    transit_days,
    isHoliday: ready.isHoliday,
  });
  const offer: RateOffer = {
    carrier: carrier.code,
    carrier_name: carrier.name,
    service: card.service,
    service_name: card.name,
    rate_cents: priced.lines.reduce((sum, line) => sum + line.amount_cents, 0),
    cost_cents: priced.lines.reduce((sum, line) => sum + line.cost_cents, 0),
    currency: card.terms.currency,
    breakdown: priced.lines.map(({ code, amount_cents }) => ({ code, amount_cents })),
    billable_pounds: priced.billable_pounds,
    zone: choice.zone,
    zone_estimated: choice.estimated,
    delivery_days: transit_days,
    ship_date,
    delivery_date,
    ...(card.sample && { sample: true as const }),
    ref: card.service,
  };
  return { offer, messages };
}

type RateMessageWriter = (level: RateMessage["level"], code: string, message: string) => RateMessage;

function zipMessages({ unknown, zone }: ZoneChoice, { name }: RateCard, messageOf: RateMessageWriter): RateMessage[] {
  if (unknown.length === 0) return [];
  const zips = unknown.map((zip3) => `${zip3}…`).join(" and ");
  if (zone === null) return [messageOf("info", "zip_unknown", `No known ZIP code starts with ${zips}.`)];
  return [
    messageOf("warning", "zip_unknown", `No known ZIP code starts with ${zips}. ${name} is priced for zone ${zone}.`),
  ];
}

function isRemote({ country, postal_code }: ShipmentEnd, { remote_area }: Surcharges): boolean {
  if (remote_area === null || postal_code === null) return false;
  const code = plainPostalCode(postal_code, country);
  return remote_area.places.some(
    (place) => place.country === country && place.prefixes.some((prefix) => code.startsWith(prefix)),
  );
}

function noCards({ code, name }: BuiltInCarrier): RateMessage {
  const message = `${name} has no rate card in effect. Create a rate card.`;
  return { carrier: code, service: null, level: "warning", code: "no_rate_card", message };
}

/** The warnings when insurance is requested but not included in the rates. */
function insuranceMessages(
  { code, name }: BuiltInCarrier,
  cards: readonly ReadyCard[],
  carriage: ShipmentRequest,
): RateMessage[] {
  if (!carriage.insurance) return [];
  const messageOf = (service: string | null, message: string): RateMessage => {
    return { carrier: code, service, level: "warning", code: "insurance_not_offered", message };
  };
  if (carriage.value_cents === null)
    return [messageOf(null, "Insurance needs `value`. The rates do not include insurance.")];
  const without = cards.filter(({ card }) => card.terms.declared_value === null);
  if (without.length === cards.length)
    return [messageOf(null, `${name} does not insure parcels. Its rates do not include insurance.`)];
  return without.map(({ card }) =>
    messageOf(card.service, `${card.name} does not insure parcels. Its rate does not include insurance.`),
  );
}
