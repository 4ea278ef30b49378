// Labels of our own: their price by a rate card or a quote, their number, and their drawing.

import { isSamePlace } from "../../../addresses/address.ts";
import type { Db, Tx } from "../../../database/store.ts";
import { assert } from "../../../kit/assert.ts";
import { invalid } from "../../../kit/fault.ts";
import { wireId } from "../../../kit/ids.ts";
import { move } from "../../../kit/moves.ts";
import { parcelPlace, placeInWords } from "../../../orders/fulfillment/rules.ts";
import { labelShipment } from "../../../orders/labelling/commands.ts";
import type { Order } from "../../../orders/order.ts";
import type { Shipment } from "../../../orders/shipments/shipment.ts";
import { trackingUrl } from "../../../orders/shipments/tracking_url.ts";
import { printableLine, unprintableLetters } from "../../../typesetting/text/shaping.ts";
import type { Address } from "../../address.ts";
import { endAt, type Offer } from "../../offer.ts";
import type { Parcel } from "../../parcel.ts";
import type { Quote } from "../../quotes/quote.ts";
import { type BuiltInCarrier, builtInCarrier } from "../../rates/carrier.ts";
import { offerBy, type ReadyCard } from "../../rates/offers.ts";
import { listReadyCards } from "../../rates/store.ts";
import { drawLabel } from "../drawing/face.ts";
import { checkPrintable } from "../drawing/printable.ts";
import type { Label, LabelWarning } from "../label.ts";
import { type Buying, openParcel } from "../parcels/commands.ts";
import type { CreateLabel } from "../schemas.ts";
import { demonstrationPrefix, ssccOf } from "../sscc.ts";
import { labelMoves, labelStarts } from "../status.ts";
import { allotSerial, insertOwnLabel } from "../store.ts";
import { ownTrackingNumber, testPrefix } from "../tracking_number.ts";
import { chooseCard } from "./rules.ts";

const livePrefix = "WH";

/** How the price of our own label is found: by a rate card, or by a quote. */
interface OwnSeller {
  readonly carrier: string;
  readonly service: string;
  readonly sold_by: BuiltInCarrier;
  readonly price: { readonly card: ReadyCard } | { readonly quote: Quote };
}

/** The seller of our own labels for a purchase. Refuses: validation_failed. */
export async function ownSeller(
  db: Db,
  names: Pick<CreateLabel, "carrier" | "service" | "account_id">,
  quote: Quote | null,
): Promise<OwnSeller> {
  const sold_by = builtInCarrier(db.mode);
  const { code: carrier } = sold_by;
  if (quote !== null) return { carrier, service: quote.offer.service, sold_by, price: { quote } };
  const card = chooseCard(sold_by, await listReadyCards(db), names);
  return { carrier, service: card.card.service, sold_by, price: { card } };
}

/** A label just bought, with its parcel and order. `estimated_delivery` is in milliseconds. */
export interface BoughtLabel {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly label: Label;
  readonly estimated_delivery: number | null;
}

/**
 * Buys a label of the built-in carrier for a parcel of an order. It does not start tracking and emits nothing:
 * tracking's `buyTrackedLabel` does all of it. Refuses: validation_failed, resource_missing, ambiguous_identifier,
 * duplicate_label, invalid_state_transition, quote_mismatch, quote_used.
 */
export async function buyLabel(tx: Tx, input: CreateLabel, buying: Buying): Promise<BoughtLabel> {
  const seller = await ownSeller(tx, input, buying.quote);
  const ready = await openParcel(tx, input, buying, seller);
  const { order, shipment } = ready;
  const place = parcelPlace(order, shipment.id);
  const number = await parcelNumber(tx, shipment.id);
  const { tracking_number } = number;
  const known = isSamePlace(order.shipping_address, ready.to_address) ? order.address_verification : null;
  const label = await drawOwnLabel(tx, seller, {
    ...ready,
    residential: known?.residential ?? null,
    id: null,
    shipment_id: shipment.id,
    order_id: order.id,
    return_id: null,
    number,
    reference: printedNumber(order),
    parcel_text: place === null ? "" : placeInWords(place),
    qr_text: trackingUrl(tx, { id: shipment.id, carrier: seller.carrier, tracking_number, told_url: null }),
  });
  const labelled = await labelShipment(tx, { order, shipment }, { tracking_number, told_url: null }, buying.actor);
  return { ...labelled, label, estimated_delivery: label.delivery_date };
}

/** What a label of our own is made of, besides its costs. */
interface OwnLabel {
  /** Its id, if one was allotted before; null for the next one. */
  readonly id: number | null;
  readonly shipment_id: number | null;
  readonly return_id: number | null;
  readonly order_id: number;
  readonly parcel: Parcel;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from_address: Address;
  readonly to_address: Address;
  /** Whether the recipient's address is residential; null when unknown. */
  readonly residential: boolean | null;
  readonly origin_zone: string;
  readonly fingerprint: string;
  readonly number: OwnNumber;
  /** The number of the order or of the return. */
  readonly reference: OwnReference;
  /** Which of how many parcels it is, in words; empty when unknown. */
  readonly parcel_text: string;
  readonly qr_text: string | null;
}

/** A tracking number, and a warning if it is not the expected kind. */
interface OwnNumber {
  readonly tracking_number: string;
  readonly warnings: readonly LabelWarning[];
}

/** The printed reference, and warnings about it. */
interface OwnReference {
  readonly text: string;
  readonly warnings: readonly LabelWarning[];
}

/** Prices, draws and stores a label of our own. Refuses: validation_failed, quote_used. */
export async function drawOwnLabel(tx: Tx, seller: OwnSeller, made: OwnLabel): Promise<Label> {
  const { parcel, from_address, to_address, number, reference, value_cents, insurance } = made;
  checkPrintable({ from_address, to_address });
  const { price, sold_by } = seller;
  const offer = dated("quote" in price ? price.quote.offer : offerOf(sold_by, price.card, made, tx.now));
  const { drawing, warnings } = drawLabel({
    carrier: sold_by.name,
    service: offer.service_name,
    sender: from_address,
    recipient: to_address,
    weight: `${parcel.package.weight} ${parcel.package.weight_unit}`,
    parcel: made.parcel_text,
    tracking_number: number.tracking_number,
    qr_text: made.qr_text,
    order_number: reference.text,
    date: offer.ship_date,
    test: tx.mode === "test",
  });
  const { rate_cents, cost_cents, currency, breakdown, zone, billable_pounds, delivery_date } = offer;
  return insertOwnLabel(tx, {
    ...(made.id !== null && { id: made.id }),
    shipment_id: made.shipment_id,
    ...(made.return_id !== null && { return_id: made.return_id }),
    order_id: made.order_id,
    status: move(labelMoves, "complete", labelStarts),
    carrier: seller.carrier,
    service: offer.service,
    tracking_number: number.tracking_number,
    cost_cents: rate_cents,
    carrier_cost_cents: cost_cents,
    currency,
    breakdown,
    zone,
    billable_pounds,
    delivery_date,
    package: parcel.package,
    value_cents,
    insurance,
    from_address,
    to_address,
    drawing,
    warnings: [...reference.warnings, ...number.warnings, ...warnings],
    fingerprint: made.fingerprint,
    ...("quote" in price && { quote_nonce: price.quote.nonce }),
    created_at: tx.now,
    voided_at: null,
  });
}

/** The offer of the built-in carrier for one parcel. Refuses: validation_failed. */
function offerOf(carrier: BuiltInCarrier, card: ReadyCard, made: OwnLabel, now: number): Offer {
  const { parcel, from_address, to_address, value_cents, insurance, origin_zone, reference } = made;
  const ends = { from: endAt(from_address), to: { ...endAt(to_address), residential: made.residential } };
  const goods = { ...parcel, value_cents, insurance, origin_zone, reference: reference.text };
  const carriage = { ...ends, ...goods, return: made.return_id !== null };
  const { offer, messages } = offerBy(carrier, card, carriage, now);
  if (offer !== null) return offer;
  const { code, message } = messages.at(-1) ?? { code: "invalid_value", message: "is not carried" };
  const field =
    code === "over_weight_limit" ? "package.weight" : code === "over_size_limit" ? "package.dimensions" : "to_address";
  throw invalid(field, `is not carried: ${message.replace(/\.$/, "")}`, field === "to_address" ? code : "too_large");
}

type DatedOffer = Offer & { readonly delivery_date: number; readonly ship_date: string };

/** The built-in carrier always promises a day. */
function dated(offer: Offer): DatedOffer {
  const { delivery_date, ship_date } = offer;
  assert(delivery_date !== null && ship_date !== null, "the built-in carrier promises a day");
  return { ...offer, delivery_date, ship_date };
}

/**
 * The number of a parcel: an SSCC if the operator has set a GS1 prefix, else a tracking number made of the parcel's id.
 */
async function parcelNumber(tx: Tx, shipment_id: number): Promise<OwnNumber> {
  const test = tx.mode === "test";
  const { gs1_prefix } = tx.site;
  const own = ownTrackingNumber(test ? testPrefix : livePrefix, shipment_id);
  if (gs1_prefix === null) return { tracking_number: own, warnings: [] };
  const sscc = ssccOf(test ? demonstrationPrefix : gs1_prefix, await allotSerial(tx, shipment_id));
  if (sscc !== null) return { tracking_number: sscc, warnings: [] };
  const message = "All numbers of the GS1 company prefix are used up, so the label has no SSCC. Set another prefix.";
  return { tracking_number: own, warnings: [{ field: "tracking_number", code: "no_sscc", message }] };
}

// Far above the numbers of outgoing parcels.
const returned_from = 500_000_000_000;

/** The number of a parcel that comes back with a label of ours, made of the label's id. */
export function returnNumber({ mode }: Db, label_id: number): OwnNumber {
  const prefix = mode === "test" ? testPrefix : livePrefix;
  return { tracking_number: ownTrackingNumber(prefix, returned_from + label_id), warnings: [] };
}

/** The order's number; its id if no font has the number's letters, since nobody can change the number. */
function printedNumber({ id, order_number }: Order): OwnReference {
  if (unprintableLetters(printableLine(order_number)).length === 0) return { text: order_number, warnings: [] };
  const message = "No font here can print all letters of the order number, so the order's id is printed instead.";
  return {
    text: wireId("order", id),
    warnings: [{ field: "order_number", code: "unprintable_text", message }],
  };
}
