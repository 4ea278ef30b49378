// The built-in carriers as a connector. They sell by rate cards and number their parcels themselves. No outside server
// is called, so a purchase is part of the transaction of its request.

import { assert, invalid } from "../../core/faults.ts";
import { invalidChoice } from "../../core/field_problems.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { checkPrintable } from "../labels/draw_label.ts";
import type { NamedOffer } from "../labels/label_checks.ts";
import { allotSerials } from "../labels/labels.sql.ts";
import { demonstrationPrefix, ssccOf } from "../labels/sscc.ts";
import { ownPrefixes, ownTrackingNumber } from "../labels/tracking_number.ts";
import { endAt, type RateMessage, type RateOffer, type RateOffers, type ShipmentRequest } from "../offer.ts";
import type { WeighedParcel } from "../parcel.ts";
import { type BuiltInCarrier, courseOf, refusesVoid, silentCarrier } from "../rates/built_in_carrier.ts";
import type { RateQuote } from "../rates/quote.ts";
import { listTariffs } from "../rates/rate_cards.sql.ts";
import { offerBy, offersBy, type ReadyCard } from "../rates/rate_offers.ts";
import { sampleMessage } from "../rates/sample_rate_cards.ts";
import type { Tariff } from "../rates/simulated_tariffs.ts";
import type { OwnCarrier, OwnNumber } from "./connector.ts";

/** The connector of the built-in carriers. Test data has several, which are simulated. */
export const builtIn: OwnCarrier = {
  calls: "nobody",
  carriers: async (db) => (await listTariffs(db)).map(listed),
  offers,
  buy: numberParcels,
  void: ({ mode }, { to_address }) => (mode === "test" && refusesVoid(to_address) ? "rejected" : "voided"),
};

function listed({ carrier, cards }: Tariff) {
  return { ...carrier, services: cards.map(({ card }) => ({ code: card.service, name: card.name })) };
}

async function offers(db: Db, carriage: ShipmentRequest, codes?: readonly string[]): Promise<RateOffers> {
  const tariffs = (await listTariffs(db)).filter(({ carrier }) => codes?.includes(carrier.code) ?? true);
  const silent = db.mode === "test" ? silentCarrier(carriage.to.address) : null;
  const priced = tariffs.map(({ carrier, cards }) => {
    if (silent === carrier.code) return { offers: [], messages: [noAnswer(carrier)] };
    const { offers, messages } = offersBy(carrier, cards, carriage, db.now);
    const samples = db.mode === "live" && offers.some(({ sample }) => sample === true);
    return { offers, messages: samples ? [...messages, sampleMessage(carrier)] : messages };
  });
  return {
    offers: priced.flatMap(({ offers }) => offers),
    messages: priced.flatMap(({ messages }) => messages),
  };
}

function noAnswer({ code: carrier, name }: BuiltInCarrier): RateMessage {
  const message = `${name} did not answer in time.`;
  return { carrier, service: null, level: "error", code: "carrier_timeout", message };
}

/** The carrier and service that a purchase names, and the source of its price. */
export interface OwnSeller {
  readonly carrier: string;
  readonly service: string;
  readonly price: { readonly sold_by: BuiltInCarrier; readonly card: ReadyCard } | { readonly quote: RateQuote };
}

/** Returns the seller that a purchase or its quote names. Refuses: validation_failed. */
export function ownSeller(tariffs: readonly Tariff[], wanted: NamedOffer, quote: RateQuote | null): OwnSeller {
  if (quote !== null) return { carrier: quote.offer.carrier, service: quote.offer.service, price: { quote } };
  if (wanted.carrier === undefined) throw invalid("carrier", "is required", "required");
  const tariff = tariffs.find(({ carrier }) => carrier.code === wanted.carrier);
  const codes = tariffs.map(({ carrier }) => carrier.code);
  if (tariff === undefined) throw invalidChoice("carrier", wanted.carrier, codes);
  const { carrier: sold_by, cards } = tariff;
  if (wanted.account_id != null) {
    throw invalid("account_id", `is not allowed with carrier ${sold_by.code}, which has no accounts`);
  }
  const { service } = wanted;
  if (service === undefined) throw invalid("service", "is required", "required");
  const card = cards.find((candidate) => candidate.card.service === service);
  if (card !== undefined) return { carrier: sold_by.code, service, price: { sold_by, card } };
  const services = cards.map((candidate) => candidate.card.service);
  throw invalidChoice("service", service, services);
}

/** The inputs of a built-in label's price. */
export interface PricedGoods {
  readonly parcel: WeighedParcel;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from_address: CompleteAddress;
  readonly to_address: CompleteAddress;
  /** Whether the recipient's address is residential; null when unknown. */
  readonly residential: boolean | null;
  readonly origin_zone: string;
  readonly return_id: number | null;
  /** The number of the order or of the return. */
  readonly reference: string;
}

/** An offer of a built-in carrier, which always promises a delivery date. */
export type DatedOffer = RateOffer & { readonly delivery_date: number; readonly ship_date: string };

/** Returns the offer of a built-in label: the quoted one, or that of its rate card. Refuses: validation_failed. */
export function ownOffer({ price }: OwnSeller, goods: PricedGoods, now: number): DatedOffer {
  checkPrintable(goods);
  const offer = "quote" in price ? price.quote.offer : offerOf(price.sold_by, price.card, goods, now);
  const { delivery_date, ship_date } = offer;
  assert(delivery_date !== null && ship_date !== null, "a built-in carrier promises a delivery date");
  return { ...offer, delivery_date, ship_date };
}

/** Returns the offer of one card for one parcel. Refuses: validation_failed. */
function offerOf(carrier: BuiltInCarrier, card: ReadyCard, inputs: PricedGoods, now: number): RateOffer {
  const { parcel, from_address, to_address, residential, return_id, ...goods } = inputs;
  const ends = { from: endAt(from_address), to: { ...endAt(to_address), residential } };
  const { offer, messages } = offerBy(carrier, card, { ...goods, ...parcel, ...ends, return: return_id !== null }, now);
  if (offer !== null) return offer;
  const { code, message } = messages.at(-1) ?? { code: "invalid_value", message: "no offer" };
  const field =
    code === "over_weight_limit" ? "package.weight" : code === "over_size_limit" ? "package.dimensions" : "to_address";
  throw invalid(
    field,
    `cannot be shipped with this service: ${message.replace(/\.$/, "")}`,
    field === "to_address" ? code : "too_large",
  );
}

/** Returns the numbers of parcels: SSCCs if the operator has a GS1 prefix, otherwise numbers from the parcels' ids. */
async function numberParcels(
  tx: Tx,
  parcels: readonly { readonly shipment_id: number; readonly to_address: CompleteAddress }[],
): Promise<OwnNumber[]> {
  const test = tx.mode === "test";
  const { gs1_prefix } = tx.site;
  const serials = gs1_prefix === null ? [] : await allotSerials(tx, parcels.length);
  return parcels.map(({ shipment_id, to_address }, at) => {
    const course = test ? courseOf(to_address) : "";
    const serial = serials[at] ?? null;
    const own = {
      serial,
      tracking_number: ownTrackingNumber(ownPrefixes[tx.mode], shipment_id) + course,
      warnings: [],
    };
    // The number passes the magic word of the address to the simulation. An SSCC has no room for it.
    if (gs1_prefix === null || serial === null || course !== "") return own;
    const sscc = ssccOf(test ? demonstrationPrefix : gs1_prefix, serial);
    if (sscc !== null) return { ...own, tracking_number: sscc };
    const message =
      "All numbers of the GS1 company prefix are used up, so the label has no SSCC. Configure another prefix.";
    return { ...own, warnings: [{ field: "tracking_number", code: "no_sscc", message }] };
  });
}

// Far above the numbers of outgoing parcels.
const return_numbers_from = 500_000_000_000;

/** Returns the number of a parcel that comes back with a built-in label, from the label's id. */
export function returnNumber({ mode }: Db, label_id: number): string {
  return ownTrackingNumber(ownPrefixes[mode], return_numbers_from + label_id);
}
