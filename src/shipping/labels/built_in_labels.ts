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
import { parcelPlace, placeText } from "../../orders/fulfillment/order_units.ts";
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

/** Chooses the built-in carrier and the rate card of the service in a purchase. Refuses: validation_failed. */
function chooseCard(
  tariffs: readonly Tariff[],
  wanted: NamedOffer,
): Pick<Tariff, "carrier"> & { readonly card: ReadyCard } {
  if (wanted.carrier === undefined) throw invalid("carrier", "is required", "required");
  const tariff = tariffs.find(({ carrier }) => carrier.code === wanted.carrier);
  if (tariff === undefined) {
    throw invalidChoice(
      "carrier",
      wanted.carrier,
      tariffs.map(({ carrier }) => carrier.code),
    );
  }
  const { carrier, cards } = tariff;
  if (wanted.account_id != null) {
    throw invalid("account_id", `is not allowed with carrier ${carrier.code}, which has no accounts`);
  }
  if (wanted.service === undefined) throw invalid("service", "is required", "required");
  const card = cards.find((candidate) => candidate.card.service === wanted.service);
  if (card !== undefined) return { carrier, card };
  throw invalidChoice(
    "service",
    wanted.service,
    cards.map((candidate) => candidate.card.service),
  );
}

/** The carrier and service of a built-in label, and the source of its price. */
interface OwnSeller {
  readonly carrier: string;
  readonly service: string;
  readonly sold_by: BuiltInCarrier;
  readonly price: { readonly card: ReadyCard } | { readonly quote: RateQuote };
}

/** Returns the seller of a built-in carrier's label for a purchase. Refuses: validation_failed. */
export async function ownSeller(
  db: Db,
  wanted: Pick<CreateLabel, "carrier" | "service" | "account_id">,
  quote: RateQuote | null,
): Promise<OwnSeller> {
  return sellerOf(quote === null ? await listTariffs(db) : [], wanted, quote);
}

function sellerOf(
  tariffs: readonly Tariff[],
  wanted: Pick<CreateLabel, "carrier" | "service" | "account_id">,
  quote: RateQuote | null,
): OwnSeller {
  if (quote !== null) {
    const { carrier, carrier_name: name, service } = quote.offer;
    return { carrier, service, sold_by: { code: carrier, name }, price: { quote } };
  }
  const { carrier: sold_by, card } = chooseCard(tariffs, wanted);
  return { carrier: sold_by.code, service: card.card.service, sold_by, price: { card } };
}

/** A purchased label with its parcel and order. `estimated_delivery` is in milliseconds. */
export interface BoughtLabel {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly label: ShippingLabel;
  readonly estimated_delivery: number | null;
}

/** A purchase of a label: the request and its context. */
export interface LabelOrder {
  readonly input: CreateLabel;
  readonly buying: LabelBuyer;
}

/** A purchase that passed all checks. Only concurrent use of its quote can still refuse it. */
interface SoldLabel {
  readonly seller: OwnSeller;
  readonly actor: Actor;
  readonly ready: ReadyParcel;
  readonly offer: DatedOffer;
  readonly reference: OwnReference;
}

/**
 * Buys labels of built-in carriers for parcels of orders, with about as many statements for many as for one. Returns
 * for each purchase its label; or its refusal, which changed nothing; or "run_individually", since an
 * earlier purchase is for the same order. Tracking and events are left to tracking's `buyTrackedLabels`. Concurrent use
 * of a quote refuses all purchases at once (quote_used).
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition,
 * quote_mismatch, quote_used.
 */
export async function buyLabels(
  tx: Tx,
  purchases: readonly LabelOrder[],
): Promise<(BoughtLabel | Fault | "run_individually")[]> {
  const tariffs = purchases.some(({ buying }) => buying.quote === null) ? await listTariffs(tx) : [];
  const sellers = purchases.map(({ input, buying }) =>
    orFault(() => ({ input, buying, seller: sellerOf(tariffs, input, buying.quote) })),
  );
  const sold = await unlessRefused(sellers, async (valid) => {
    const parcels = await readyParcels(tx, valid);
    return parcels.map((ready, at) => {
      const purchase = valid[at];
      if (purchase === undefined || ready === "run_individually") return "run_individually" as const;
      return ready instanceof Fault ? ready : orFault(() => soldBy(tx, purchase.seller, purchase.buying.actor, ready));
    });
  });
  const checked = await refuseUsedQuotes(tx, sold);
  const bought = (await issueLabels(tx, checked.filter(isSold))).values();
  return checked.map((outcome) => (isSold(outcome) ? (bought.next().value as BoughtLabel) : outcome));
}

/** Refuses purchases whose quote was already used, by a label or by an earlier purchase in the list. */
async function refuseUsedQuotes(
  tx: Tx,
  sold: readonly (SoldLabel | Fault | "run_individually")[],
): Promise<typeof sold> {
  const nonces = sold.map((sale) =>
    isSold(sale) && "quote" in sale.seller.price ? sale.seller.price.quote.nonce : null,
  );
  const used = await findUsedQuotes(
    tx,
    nonces.filter((nonce) => nonce !== null),
  );
  return sold.map((sale, at) => {
    const nonce = nonces[at] ?? null;
    if (nonce === null) return sale;
    if (used.has(nonce)) return quoteUsed();
    used.add(nonce);
    return sale;
  });
}

const isSold = (sale: SoldLabel | Fault | "run_individually"): sale is SoldLabel =>
  !(sale === "run_individually" || sale instanceof Fault);

/** Prices a parcel's label and sets its reference. Refuses: validation_failed, carrier_refused, carrier_error. */
function soldBy({ now, mode }: Tx, seller: OwnSeller, actor: Actor, ready: ReadyParcel): SoldLabel {
  const { order, to_address } = ready;
  const verification = isSamePlace(order.shipping_address, to_address) ? order.address_verification : null;
  const reference = printedNumber(order);
  const goods = { ...ready, return_id: null, residential: verification?.residential ?? null, reference };
  if (mode === "test") refuseSimulated(seller.carrier, to_address);
  return { seller, actor, ready, offer: offerFor(seller, goods, now), reference };
}

/** Opens the parcels of sold labels, draws the labels and inserts them. Refuses: quote_used. */
async function issueLabels(tx: Tx, sold: readonly SoldLabel[]): Promise<BoughtLabel[]> {
  if (sold.length === 0) return [];
  const numbers = await parcelNumbers(tx, await allotShipmentIds(tx, sold.length), sold);
  const numbered = sold.flatMap((sale, at) => {
    const number = numbers[at];
    return number === undefined ? [] : { ...sale, number };
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
      parcel_text: place === null ? "" : placeText(place),
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

/** Returns the billable facts of sold labels. */
function labelFacts(labels: readonly ShippingLabel[], sold: readonly SoldLabel[]): BillableFact[] {
  return labels.flatMap((label, at) => {
    const ready = sold[at]?.ready;
    if (ready === undefined) return [];
    const warehouse = { id: ready.warehouse_id, timezone: ready.origin_zone };
    return labelFact(label, ready.order.merchant_id, warehouse);
  });
}

/** The inputs of a built-in label's price. */
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
  /** Warnings about units in the parcel. */
  readonly warnings: readonly LabelWarning[];
}

/** The content of a built-in label, except its costs. */
interface OwnLabel extends Omit<OwnGoods, "residential" | "origin_zone"> {
  /** An id allotted in advance; null to use the next one. */
  readonly id: number | null;
  readonly shipment_id: number | null;
  readonly merchant_id: number;
  readonly order_id: number;
  readonly fingerprint: string;
  readonly number: OwnNumber;
  /** The position of the parcel in its order, such as `2 of 6`; empty when unknown. */
  readonly parcel_text: string;
  readonly qr_text: string | null;
}

/** A tracking number, with a warning if it is not of the expected kind. */
interface OwnNumber {
  readonly tracking_number: string;
  readonly warnings: readonly LabelWarning[];
}

/** The printed reference, and warnings about it. */
interface OwnReference {
  readonly text: string;
  readonly warnings: readonly LabelWarning[];
}

/** Prices, draws and inserts a built-in label. Refuses: validation_failed. */
export async function drawOwnLabel(tx: Tx, seller: OwnSeller, content: OwnLabel & OwnGoods): Promise<ShippingLabel> {
  const row = drawnLabel(tx, seller, offerFor(seller, content, tx.now), content);
  const [label] = await insertOwnLabels(tx, [row]);
  assert(label !== undefined, "an inserted label is returned");
  return label;
}

/** Returns the offer of a built-in label. Refuses: validation_failed. */
function offerFor({ price, sold_by }: OwnSeller, goods: OwnGoods, now: number): DatedOffer {
  checkPrintable(goods);
  return dated("quote" in price ? price.quote.offer : offerOf(sold_by, price.card, goods, now));
}

/** Returns a built-in label, drawn, before it is inserted. */
function drawnLabel(tx: Tx, seller: OwnSeller, offer: DatedOffer, content: OwnLabel): OwnLabelRow {
  const { parcel, from_address, to_address, number, reference, value_cents, insurance } = content;
  const { price, sold_by } = seller;
  const { drawing, warnings } = drawLabel({
    carrier: sold_by.name,
    service: offer.service_name,
    sender: from_address,
    recipient: to_address,
    weight: `${parcel.package.weight} ${parcel.package.weight_unit}`,
    parcel: content.parcel_text,
    tracking_number: number.tracking_number,
    qr_text: content.qr_text,
    order_number: reference.text,
    date: offer.ship_date,
    test: tx.mode === "test",
  });
  const { rate_cents, cost_cents, currency, breakdown, zone, billable_pounds, delivery_date } = offer;
  const sample = offer.sample === true;
  const priced = sample && tx.mode === "live" ? [sampleWarning] : [];
  return {
    ...(content.id !== null && { id: content.id }),
    shipment_id: content.shipment_id,
    ...(content.return_id !== null && { return_id: content.return_id }),
    order_id: content.order_id,
    merchant_id: content.merchant_id,
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
    warnings: [...content.warnings, ...reference.warnings, ...number.warnings, ...warnings, ...priced],
    fingerprint: content.fingerprint,
    ...("quote" in price && { quote_nonce: price.quote.nonce }),
    created_at: tx.now,
    voided_at: null,
  };
}

/** Returns the offer of one card for one parcel. Refuses: validation_failed. */
function offerOf(carrier: BuiltInCarrier, card: ReadyCard, inputs: OwnGoods, now: number): RateOffer {
  const { parcel, from_address, to_address, value_cents, insurance, origin_zone, reference } = inputs;
  const ends = { from: endAt(from_address), to: { ...endAt(to_address), residential: inputs.residential } };
  const goods = { ...parcel, value_cents, insurance, origin_zone, reference: reference.text };
  const carriage = { ...ends, ...goods, return: inputs.return_id !== null };
  const { offer, messages } = offerBy(carrier, card, carriage, now);
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

type DatedOffer = RateOffer & { readonly delivery_date: number; readonly ship_date: string };

/** Built-in carriers always promise a delivery date. */
function dated(offer: RateOffer): DatedOffer {
  const { delivery_date, ship_date } = offer;
  assert(delivery_date !== null && ship_date !== null, "a built-in carrier promises a delivery date");
  return { ...offer, delivery_date, ship_date };
}

/** The number of a parcel, and the serial of its SSCC if one was allotted. */
interface ParcelNumber extends OwnNumber {
  readonly shipment_id: number;
  readonly serial: number | null;
}

/** Returns the numbers of parcels: SSCCs if the operator has a GS1 prefix, otherwise numbers from the parcels' ids. */
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
    // The number passes the magic word of the address to the simulation. An SSCC has no room for it.
    if (number.course !== "") return { ...number, serial };
    const sscc = ssccOf(test ? demonstrationPrefix : gs1_prefix, serial);
    if (sscc !== null) return { ...number, serial, tracking_number: sscc };
    const message =
      "All numbers of the GS1 company prefix are used up, so the label has no SSCC. Configure another prefix.";
    return { ...number, serial, warnings: [{ field: "tracking_number", code: "no_sscc", message }] };
  });
}

// Far above the numbers of outgoing parcels.
const return_numbers_from = 500_000_000_000;

/** Returns the number of a parcel that comes back with a built-in label, from the label's id. */
export function returnNumber({ mode }: Db, label_id: number): OwnNumber {
  return { tracking_number: ownTrackingNumber(ownPrefixes[mode], return_numbers_from + label_id), warnings: [] };
}

/** The printed reference: the order number, or the order's id if no font has all characters of the number. */
function printedNumber({ id, order_number }: Order): OwnReference {
  if (unprintableLetters(printableLine(order_number)).length === 0) return { text: order_number, warnings: [] };
  const message =
    "The order number has characters that the installed fonts cannot print, so the order's id is printed instead.";
  return {
    text: wireId("order", id),
    warnings: [{ field: "order_number", code: "unprintable_text", message }],
  };
}
