import { isSamePlace } from "../../addresses/address.ts";
import { billFacts } from "../../billing/bill_facts.ts";
import type { BillableFact } from "../../billing/billable_event.ts";
import type { Actor } from "../../core/actor.ts";
import { assert, Fault, invalid, orFault, unlessRefused } from "../../core/faults.ts";
import { invalidChoice } from "../../core/field_problems.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { printableLine, unprintableLetters } from "../../documents/shape_text.ts";
import { openLabelled } from "../../orders/fulfillment/label_shipment.ts";
import { parcelPlace, placeInWords } from "../../orders/fulfillment/order_units.ts";
import type { Shipment } from "../../orders/fulfillment/shipment.ts";
import { allotShipmentIds } from "../../orders/fulfillment/shipments.sql.ts";
import type { Order } from "../../orders/order.ts";
import type { Db, Tx } from "../../storage/database.ts";
import type { ParcelAddress } from "../address.ts";
import { endAt, type RateOffer } from "../offer.ts";
import type { WeighedParcel } from "../parcel.ts";
import { type BuiltInCarrier, courseOf, refuseSimulated } from "../rates/built_in_carrier.ts";
import type { RateQuote } from "../rates/quote.ts";
import { listTariffs } from "../rates/rate_cards.sql.ts";
import { offerBy, type ReadyCard } from "../rates/rate_offers.ts";
import { sampleWarning } from "../rates/sample_rate_cards.ts";
import type { Tariff } from "../rates/simulated_tariffs.ts";
import { checkPrintable, drawLabel } from "./draw_label.ts";
import { labelStarts, labelTransitions } from "./label.transitions.ts";
import { type LabelWarning, labelFact, type ShippingLabel } from "./label.ts";
import type { NamedOffer } from "./label_checks.ts";
import type { CreateLabel } from "./labels.schema.ts";
import {
  allotSerials,
  findUsedQuotes,
  insertOwnLabels,
  insertSerials,
  type OwnLabelRow,
  quoteUsed,
} from "./labels.sql.ts";
import { type LabelBuyer, type ReadyParcel, readyParcels } from "./ready_parcels.ts";
import { demonstrationPrefix, ssccOf } from "./sscc.ts";
import { ownPrefixes, ownTrackingNumber } from "./tracking_number.ts";

/** A built-in carrier and its rate card for the service that a purchase names. Refuses: validation_failed. */
function chooseCard(
  tariffs: readonly Tariff[],
  names: NamedOffer,
): Pick<Tariff, "carrier"> & { readonly card: ReadyCard } {
  if (names.carrier === undefined) throw invalid("carrier", "is required", "required");
  const tariff = tariffs.find(({ carrier }) => carrier.code === names.carrier);
  if (tariff === undefined) {
    throw invalidChoice(
      "carrier",
      names.carrier,
      tariffs.map(({ carrier }) => carrier.code),
    );
  }
  const { carrier, cards } = tariff;
  if (names.account_id != null) {
    throw invalid("account_id", `cannot be given with carrier ${carrier.code}, which has no accounts`);
  }
  if (names.service === undefined) throw invalid("service", "is required", "required");
  const card = cards.find((one) => one.card.service === names.service);
  if (card !== undefined) return { carrier, card };
  throw invalidChoice(
    "service",
    names.service,
    cards.map((one) => one.card.service),
  );
}

// Labels of our own: their price by a rate card or a quote, their number, and their drawing.

/** How the price of our own label is found: by a rate card, or by a quote. */
interface OwnSeller {
  readonly carrier: string;
  readonly service: string;
  readonly sold_by: BuiltInCarrier;
  readonly price: { readonly card: ReadyCard } | { readonly quote: RateQuote };
}

/** The seller of our own labels for a purchase. Refuses: validation_failed. */
export async function ownSeller(
  db: Db,
  names: Pick<CreateLabel, "carrier" | "service" | "account_id">,
  quote: RateQuote | null,
): Promise<OwnSeller> {
  return sellerOf(quote === null ? await listTariffs(db) : [], names, quote);
}

function sellerOf(
  tariffs: readonly Tariff[],
  names: Pick<CreateLabel, "carrier" | "service" | "account_id">,
  quote: RateQuote | null,
): OwnSeller {
  if (quote !== null) {
    const { carrier, carrier_name: name, service } = quote.offer;
    return { carrier, service, sold_by: { code: carrier, name }, price: { quote } };
  }
  const { carrier: sold_by, card } = chooseCard(tariffs, names);
  return { carrier: sold_by.code, service: card.card.service, sold_by, price: { card } };
}

/** A label just bought, with its parcel and order. `estimated_delivery` is in milliseconds. */
export interface BoughtLabel {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly label: ShippingLabel;
  readonly estimated_delivery: number | null;
}

/** A purchase of a label. */
export interface LabelOrder {
  readonly input: CreateLabel;
  readonly buying: LabelBuyer;
}

/** A purchase that passed all checks; only a quote that somebody uses at this moment can still refuse it. */
interface SoldLabel {
  readonly seller: OwnSeller;
  readonly actor: Actor;
  readonly ready: ReadyParcel;
  readonly offer: DatedOffer;
  readonly reference: OwnReference;
}

/**
 * Buys labels of the built-in carrier for parcels of orders, by about as many statements for many as for one. Answers
 * each label or its refusal, which has changed nothing; or that a label has to be bought alone, since one before it is
 * for the same order. It does not start tracking and emits nothing: tracking's `buyTrackedLabels` does all of it.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition,
 * quote_mismatch, quote_used; and all of them at once: quote_used, when somebody else uses a quote at this moment.
 */
export async function buyLabels(tx: Tx, asked: readonly LabelOrder[]): Promise<(BoughtLabel | Fault | "alone")[]> {
  const tariffs = asked.some(({ buying }) => buying.quote === null) ? await listTariffs(tx) : [];
  const sellers = asked.map(({ input, buying }) =>
    orFault(() => ({ input, buying, seller: sellerOf(tariffs, input, buying.quote) })),
  );
  const sold = await unlessRefused(sellers, async (some) => {
    const parcels = await readyParcels(tx, some);
    return parcels.map((ready, at) => {
      const one = some[at];
      if (one === undefined || ready === "alone") return "alone" as const;
      return ready instanceof Fault ? ready : orFault(() => soldBy(tx, one.seller, one.buying.actor, ready));
    });
  });
  const left = await refuseUsedQuotes(tx, sold);
  const bought = (await handOut(tx, left.filter(isSold))).values();
  return left.map((one) => (isSold(one) ? (bought.next().value as BoughtLabel) : one));
}

/** Refuses purchases whose quote is used already, by a label or by a purchase before them. */
async function refuseUsedQuotes(tx: Tx, sold: readonly (SoldLabel | Fault | "alone")[]): Promise<typeof sold> {
  const nonces = sold.map((one) => (isSold(one) && "quote" in one.seller.price ? one.seller.price.quote.nonce : null));
  const used = await findUsedQuotes(
    tx,
    nonces.filter((nonce) => nonce !== null),
  );
  return sold.map((one, at) => {
    const nonce = nonces[at] ?? null;
    if (nonce === null) return one;
    if (used.has(nonce)) return quoteUsed();
    used.add(nonce);
    return one;
  });
}

const isSold = (one: SoldLabel | Fault | "alone"): one is SoldLabel => !(one === "alone" || one instanceof Fault);

/**
 * The price of a parcel's label and what is printed on it. Refuses: validation_failed, carrier_refused, carrier_error.
 */
function soldBy({ now, mode }: Tx, seller: OwnSeller, actor: Actor, ready: ReadyParcel): SoldLabel {
  const { order, to_address } = ready;
  const known = isSamePlace(order.shipping_address, to_address) ? order.address_verification : null;
  const reference = printedNumber(order);
  const goods = { ...ready, return_id: null, residential: known?.residential ?? null, reference };
  if (mode === "test") refuseSimulated(seller.carrier, to_address);
  return { seller, actor, ready, offer: offerFor(seller, goods, now), reference };
}

/** Opens the parcels of labels that are sold, draws the labels and stores them. Refuses: quote_used. */
async function handOut(tx: Tx, sold: readonly SoldLabel[]): Promise<BoughtLabel[]> {
  if (sold.length === 0) return [];
  const numbers = await parcelNumbers(tx, await allotShipmentIds(tx, sold.length), sold);
  const numbered = sold.flatMap((one, at) => {
    const number = numbers[at];
    return number === undefined ? [] : { ...one, number };
  });
  const parcels = await openLabelled(
    tx,
    numbered.map(({ ready: { order, units: lines }, seller: { carrier, service }, number, actor }) => {
      const { shipment_id: id, tracking_number } = number;
      return { order, actor, parcel: { id, carrier, service, tracking_number, lines } };
    }),
  );
  await insertSerials(
    tx,
    numbers.flatMap(({ serial, shipment_id }) => (serial === null ? [] : { serial, shipment_id })),
  );
  const drawn = numbered.map(({ seller, ready, offer, reference, number }, at) => {
    const parcel = parcels[at];
    const place = parcel === undefined ? null : parcelPlace(parcel.order, parcel.shipment.id);
    return drawnLabel(tx, seller, offer, {
      ...ready,
      id: null,
      shipment_id: number.shipment_id,
      merchant_id: ready.order.merchant_id,
      order_id: ready.order.id,
      return_id: null,
      number,
      reference,
      parcel_text: place === null ? "" : placeInWords(place),
      qr_text: parcel?.shipment.tracking_url ?? null,
    });
  });
  const labels = await insertOwnLabels(tx, drawn);
  billFacts(tx, labelFacts(labels, sold));
  return parcels.flatMap((parcel, at) => {
    const label = labels[at];
    return label === undefined ? [] : { ...parcel, label, estimated_delivery: label.delivery_date };
  });
}

/** What labels are billed as that were sold. */
function labelFacts(labels: readonly ShippingLabel[], sold: readonly SoldLabel[]): BillableFact[] {
  return labels.flatMap((label, at) => {
    const ready = sold[at]?.ready;
    if (ready === undefined) return [];
    const warehouse = { id: ready.warehouse_id, timezone: ready.origin_zone };
    return labelFact(label, ready.order.merchant_id, warehouse);
  });
}

/** What a label of our own is priced by. */
interface OwnGoods {
  readonly parcel: WeighedParcel;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from_address: ParcelAddress;
  readonly to_address: ParcelAddress;
  /** Whether the recipient's address is residential; null when unknown. */
  readonly residential: boolean | null;
  readonly origin_zone: string;
  readonly return_id: number | null;
  /** The number of the order or of the return. */
  readonly reference: OwnReference;
  /** Warnings about the units in the parcel. */
  readonly warnings: readonly LabelWarning[];
}

/** What a label of our own is made of, besides its costs. */
interface OwnLabel extends Omit<OwnGoods, "residential" | "origin_zone"> {
  /** Its id, if one was allotted before; null for the next one. */
  readonly id: number | null;
  readonly shipment_id: number | null;
  readonly merchant_id: number;
  readonly order_id: number;
  readonly fingerprint: string;
  readonly number: OwnNumber;
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

/** Prices, draws and stores a label of our own. Refuses: validation_failed. */
export async function drawOwnLabel(tx: Tx, seller: OwnSeller, made: OwnLabel & OwnGoods): Promise<ShippingLabel> {
  const row = drawnLabel(tx, seller, offerFor(seller, made, tx.now), made);
  const [label] = await insertOwnLabels(tx, [row]);
  assert(label !== undefined, "a stored label is answered");
  return label;
}

/** What our own label costs and when it arrives. Refuses: validation_failed. */
function offerFor({ price, sold_by }: OwnSeller, goods: OwnGoods, now: number): DatedOffer {
  checkPrintable(goods);
  return dated("quote" in price ? price.quote.offer : offerOf(sold_by, price.card, goods, now));
}

/** A label of our own, drawn, before it is stored. */
function drawnLabel(tx: Tx, seller: OwnSeller, offer: DatedOffer, made: OwnLabel): OwnLabelRow {
  const { parcel, from_address, to_address, number, reference, value_cents, insurance } = made;
  const { price, sold_by } = seller;
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
  const sample = offer.sample === true;
  const priced = sample && tx.mode === "live" ? [sampleWarning] : [];
  return {
    ...(made.id !== null && { id: made.id }),
    shipment_id: made.shipment_id,
    ...(made.return_id !== null && { return_id: made.return_id }),
    order_id: made.order_id,
    merchant_id: made.merchant_id,
    status: transition(labelTransitions, "complete", labelStarts),
    carrier: seller.carrier,
    service: offer.service,
    tracking_number: number.tracking_number,
    cost_cents: rate_cents,
    carrier_cost_cents: cost_cents,
    currency,
    breakdown,
    sample,
    zone,
    billable_pounds,
    delivery_date,
    package: parcel.package,
    value_cents,
    insurance,
    from_address,
    to_address,
    drawing,
    warnings: [...made.warnings, ...reference.warnings, ...number.warnings, ...warnings, ...priced],
    fingerprint: made.fingerprint,
    ...("quote" in price && { quote_nonce: price.quote.nonce }),
    created_at: tx.now,
    voided_at: null,
  };
}

/** The offer of the built-in carrier for one parcel. Refuses: validation_failed. */
function offerOf(carrier: BuiltInCarrier, card: ReadyCard, made: OwnGoods, now: number): RateOffer {
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

type DatedOffer = RateOffer & { readonly delivery_date: number; readonly ship_date: string };

/** The built-in carrier always promises a day. */
function dated(offer: RateOffer): DatedOffer {
  const { delivery_date, ship_date } = offer;
  assert(delivery_date !== null && ship_date !== null, "the built-in carrier promises a day");
  return { ...offer, delivery_date, ship_date };
}

/** The number of a parcel, and the serial of its SSCC if it was allotted one. */
interface ParcelNumber extends OwnNumber {
  readonly shipment_id: number;
  readonly serial: number | null;
}

/** The numbers of parcels: SSCCs if the operator has set a GS1 prefix, else numbers made of the parcels' ids. */
async function parcelNumbers(
  tx: Tx,
  shipment_ids: readonly number[],
  sold: readonly Pick<SoldLabel, "ready">[],
): Promise<ParcelNumber[]> {
  const test = tx.mode === "test";
  const { gs1_prefix } = tx.site;
  const own = shipment_ids.map((shipment_id, at) => {
    const to = sold[at]?.ready.to_address;
    const course = test && to !== undefined ? courseOf(to) : "";
    const tracking_number = ownTrackingNumber(ownPrefixes[tx.mode], shipment_id) + course;
    return { shipment_id, serial: null, tracking_number, warnings: [], course };
  });
  if (gs1_prefix === null) return own;
  const serials = await allotSerials(tx, own.length);
  return own.map((number, at) => {
    const serial = serials[at] ?? 0;
    // The number carries the magic word of the address to the simulation, and an SSCC has no room for it.
    if (number.course !== "") return { ...number, serial };
    const sscc = ssccOf(test ? demonstrationPrefix : gs1_prefix, serial);
    if (sscc !== null) return { ...number, serial, tracking_number: sscc };
    const message = "All numbers of the GS1 company prefix are used up, so the label has no SSCC. Set another prefix.";
    return { ...number, serial, warnings: [{ field: "tracking_number", code: "no_sscc", message }] };
  });
}

// Far above the numbers of outgoing parcels.
const returned_from = 500_000_000_000;

/** The number of a parcel that comes back with a label of ours, made of the label's id. */
export function returnNumber({ mode }: Db, label_id: number): OwnNumber {
  return { tracking_number: ownTrackingNumber(ownPrefixes[mode], returned_from + label_id), warnings: [] };
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
