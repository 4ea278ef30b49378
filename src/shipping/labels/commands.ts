import { isSamePlace } from "../../addresses/address.ts";
import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { Fault, invalid } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { readCents } from "../../kit/money.ts";
import { move } from "../../kit/moves.ts";
import { itemsToCancel, losingParcels, takesAll } from "../../orders/cancellations/rules.ts";
import {
  addedUp,
  type ItemInput,
  namedUnits,
  parcelPlace,
  placeInWords,
  unitsInParcels,
  unitsWithoutParcel,
} from "../../orders/fulfillment/rules.ts";
import { findOrderId, resolveOrder } from "../../orders/names/store.ts";
import { type Order, openUnits } from "../../orders/order.ts";
import { decide } from "../../orders/rules.ts";
import { labelShipment, openShipment, voidShipment } from "../../orders/shipments/commands.ts";
import type { Shipment } from "../../orders/shipments/shipment.ts";
import { trackingUrl } from "../../orders/shipments/tracking_url.ts";
import { lockOrder } from "../../orders/store.ts";
import { printableLine, unprintableLetters } from "../../typesetting/text/shaping.ts";
import { type Address, addressOf, readAddress } from "../address.ts";
import { endAt, type Offer } from "../offer.ts";
import { type Parcel, readParcel } from "../parcel.ts";
import { checkQuote, type Quote } from "../quotes/quote.ts";
import { type BuiltInCarrier, builtInCarrier } from "../rates/carrier.ts";
import { offerBy, type ReadyCard } from "../rates/offers.ts";
import { listReadyCards } from "../rates/store.ts";
import { checkAddress } from "../rules.ts";
import { originOfOrder } from "../store.ts";
import { gramsOf } from "../weight.ts";
import { drawLabel, type LabelWarning } from "./face.ts";
import type { Label } from "./label.ts";
import {
  checkPrintable,
  chooseCard,
  duplicate_within_ms,
  isIn,
  notQuoted,
  purchaseFingerprint,
  refuseLeft,
  refuseUnderWay,
} from "./rules.ts";
import type { CreateLabel } from "./schemas.ts";
import { demonstrationPrefix, ssccOf } from "./sscc.ts";
import { labelMoves } from "./status.ts";
import {
  allotSerial,
  getLabel,
  insertOwnLabel,
  listParcelsInHouse,
  listValidLabels,
  lockOrderOfLabels,
  saveVoided,
  type ValidLabel,
} from "./store.ts";
import { ownTrackingNumber, testPrefix } from "./tracking_number.ts";

const livePrefix = "WH";

/** Who buys a label, and how. */
export interface Buying {
  readonly actor: Actor;
  /** An equal label bought a moment ago is no mistake: this one is for another carton. */
  readonly additional: boolean;
  /** What was quoted for it, and is charged. */
  readonly quote: Quote | null;
}

/** A label just bought, with its parcel and order. `estimated_delivery` is in milliseconds. */
export interface Bought {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly label: Label;
  readonly estimated_delivery: number | null;
}

/**
 * Buys a label of the built-in carrier for a parcel of an order. It follows no parcel and tells nobody: the one command
 * that does all of it is tracking's `buyTrackedLabel`.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition,
 * quote_mismatch, quote_used.
 */
export async function buyLabel(tx: Tx, input: CreateLabel, buying: Buying): Promise<Bought> {
  const carrier = builtInCarrier(tx.mode);
  const card = buying.quote === null ? chooseCard(carrier, await listReadyCards(tx), input) : null;
  const service = card === null ? (buying.quote?.offer.service ?? "") : card.card.service;
  const ready = await openParcel(tx, input, buying, { carrier: carrier.code, service });
  const { order, shipment, from_address, to_address } = ready;
  checkPrintable({ from_address, to_address });
  const offer = dated(card === null ? buying.quote?.offer : offerOf(carrier, card, ready, tx.now));
  const label = await makeLabel(tx, { ...ready, carrier, offer, quote: buying.quote });
  const { tracking_number } = label;
  assert(tracking_number !== null, "a bought label has a tracking number");
  const labelled = await labelShipment(tx, { order, shipment }, tracking_number, buying.actor);
  return { ...labelled, label, estimated_delivery: offer.delivery_date };
}

/** A parcel that was opened for a label, and all that the label says of it. */
export interface ReadyParcel {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly parcel: Parcel;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from_address: Address;
  readonly to_address: Address;
  /** The IANA zone of the warehouse. */
  readonly origin_zone: string;
  readonly fingerprint: string;
}

/**
 * Opens the parcel that a label is asked for, whoever sells the label.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition,
 * quote_mismatch.
 */
export async function openParcel(
  tx: Tx,
  input: CreateLabel,
  buying: Buying,
  seller: { readonly carrier: string; readonly service: string },
): Promise<ReadyParcel> {
  const { carrier, service } = seller;
  const parcel = readParcel(input.package, "package.");
  const { value_cents, insurance } = worthOf(input, buying.quote);
  const from = givenAddress("from_address", input);
  const to = givenAddress("to_address", input);
  const order_id = await resolveOrder(tx, input.order_id);
  await lockOrderOfLabels(tx, order_id);
  const earlier = await listValidLabels(tx, order_id);
  const { dimensions } = parcel.package;
  const worth = value_cents === null && !insurance ? [] : [value_cents, insurance];
  const facts = [carrier, service, gramsOf(parcel.weight), dimensions, from, to, input.items, ...worth];
  const fingerprint = purchaseFingerprint(facts);
  if (!buying.additional) refuseDuplicate(tx, earlier, fingerprint);
  const units = await unitsOf(tx, input, order_id, buying.additional && earlier.length > 0);
  const { order, shipment } = await openShipment(tx, order_id, { carrier, service, units });
  const origin = await originOfOrder(tx, order_id, order.warehouse_id);
  const to_address = to ?? addressOf(order.shipping_address);
  const from_address = from ?? origin.address;
  const origin_zone = origin.timezone;
  if (buying.quote !== null) {
    checkQuote(buying.quote, { ...parcel, from: endAt(from_address), to: endAt(to_address) }, order.id);
  }
  return { order, shipment, parcel, value_cents, insurance, from_address, to_address, origin_zone, fingerprint };
}

/** What the goods are worth and whether that is insured: as it was quoted, or as the request says. */
function worthOf({ package: said }: CreateLabel, quote: Quote | null) {
  const value_cents = said.value == null ? null : readCents(said.value);
  const insurance = said.insurance ?? false;
  if (quote === null) return { value_cents, insurance };
  const differs = [
    ...(said.value === undefined || value_cents === quote.value_cents ? [] : ["package.value"]),
    ...(said.insurance === undefined || insurance === quote.insurance ? [] : ["package.insurance"]),
  ];
  if (differs.length > 0) throw notQuoted(differs);
  return { value_cents: quote.value_cents, insurance: quote.insurance };
}

function givenAddress(field: "from_address" | "to_address", input: CreateLabel): Address | null {
  const given = input[field];
  if (given === undefined) return null;
  const address = readAddress(given);
  checkAddress(field, address);
  return address;
}

function refuseDuplicate(tx: Tx, earlier: readonly ValidLabel[], fingerprint: string): void {
  const recently = tx.now - duplicate_within_ms;
  const equal = earlier.find((label) => label.fingerprint === fingerprint && label.created_at > recently);
  if (equal === undefined) return;
  const message = "An equal label was bought for this order within ten minutes. Send additional: true for another one.";
  throw new Fault("duplicate_label", message, { label_id: wireId("label", equal.id) });
}

/** The units in the parcel; null for all that are in no other one. One more carton may hold none of its own. */
async function unitsOf(tx: Tx, { items }: CreateLabel, order_id: number, one_more: boolean) {
  if (items === undefined && !one_more) return null;
  const order = await lockOrder(tx, order_id);
  if (items === undefined) return unitsWithoutParcel(order);
  const parcelled = unitsInParcels(order);
  return addedUp(namedUnits(order, items, (line) => openUnits(line) - (parcelled.get(line.id) ?? 0)));
}

/** The offer of the built-in carrier for one parcel. Refuses: validation_failed. */
function offerOf(carrier: BuiltInCarrier, card: ReadyCard, ready: ReadyParcel, now: number): Offer {
  const { order, parcel, from_address, to_address, value_cents, insurance, origin_zone } = ready;
  const known = isSamePlace(order.shipping_address, to_address) ? order.address_verification : null;
  const to = { ...endAt(to_address), residential: known?.residential ?? null };
  const ends = { from: endAt(from_address), to };
  const goods = { ...parcel, value_cents, insurance, origin_zone, reference: order.order_number, return: false };
  const { offer, messages } = offerBy(carrier, card, { ...ends, ...goods }, now);
  if (offer !== null) return offer;
  const { code, message } = messages.at(-1) ?? { code: "invalid_value", message: "is not carried" };
  const field =
    code === "over_weight_limit" ? "package.weight" : code === "over_size_limit" ? "package.dimensions" : "to_address";
  throw invalid(field, `is not carried: ${message.replace(/\.$/, "")}`, field === "to_address" ? code : "too_large");
}

type DatedOffer = Offer & { readonly delivery_date: number; readonly ship_date: string };

/** The built-in carrier always promises a day. */
function dated(offer: Offer | undefined): DatedOffer {
  assert(offer !== undefined, "a quote has an offer");
  const { delivery_date, ship_date } = offer;
  assert(delivery_date !== null && ship_date !== null, "the built-in carrier promises a day");
  return { ...offer, delivery_date, ship_date };
}

interface Purchase extends ReadyParcel {
  readonly carrier: BuiltInCarrier;
  readonly offer: DatedOffer;
  readonly quote: Quote | null;
}

/** Draws a label and stores it. */
async function makeLabel(tx: Tx, purchase: Purchase): Promise<Label> {
  const { order, carrier, offer, parcel, from_address, to_address } = purchase;
  const shipment_id = purchase.shipment.id;
  const test = tx.mode === "test";
  const { tracking_number, unlike } = await numberOf(tx, shipment_id);
  const { order_number, lost } = printedNumber(order);
  const place = parcelPlace(order, shipment_id);
  const { drawing, warnings } = drawLabel({
    carrier: carrier.name,
    service: offer.service_name,
    sender: from_address,
    recipient: to_address,
    weight: `${parcel.package.weight} ${parcel.package.weight_unit}`,
    parcel: place === null ? "" : placeInWords(place),
    tracking_number,
    qr_text: trackingUrl(tx, { id: shipment_id, carrier: carrier.code, tracking_number }),
    order_number,
    date: offer.ship_date,
    test,
  });
  const { rate_cents, cost_cents, currency, breakdown, zone, billable_pounds, delivery_date } = offer;
  return insertOwnLabel(tx, {
    shipment_id,
    order_id: order.id,
    status: labelMoves.complete.to,
    carrier: carrier.code,
    service: offer.service,
    tracking_number,
    ...{ cost_cents: rate_cents, carrier_cost_cents: cost_cents, currency, breakdown, zone, billable_pounds },
    delivery_date,
    package: parcel.package,
    value_cents: purchase.value_cents,
    insurance: purchase.insurance,
    from_address,
    to_address,
    drawing,
    warnings: [...lost, ...unlike, ...warnings],
    fingerprint: purchase.fingerprint,
    ...(purchase.quote !== null && { quote_nonce: purchase.quote.nonce }),
    created_at: tx.now,
    voided_at: null,
  });
}

/**
 * The number of a parcel: an SSCC where the operator has a prefix of GS1 for them, else what the parcel's number in our
 * books makes.
 */
async function numberOf(tx: Tx, shipment_id: number): Promise<{ tracking_number: string; unlike: LabelWarning[] }> {
  const test = tx.mode === "test";
  const { gs1_prefix } = tx.site;
  const own = ownTrackingNumber(test ? testPrefix : livePrefix, shipment_id);
  if (gs1_prefix === null) return { tracking_number: own, unlike: [] };
  const sscc = ssccOf(test ? demonstrationPrefix : gs1_prefix, await allotSerial(tx, shipment_id));
  if (sscc !== null) return { tracking_number: sscc, unlike: [] };
  const message =
    "All numbers behind the GS1 company prefix are used up, so the label has no SSCC. Set another prefix.";
  return { tracking_number: own, unlike: [{ field: "tracking_number", code: "no_sscc", message }] };
}

/** The order's number; its id where no font has the number's letters, since nobody can change the number. */
function printedNumber({ id, order_number }: Order): { order_number: string; lost: LabelWarning[] } {
  if (unprintableLetters(printableLine(order_number)).length === 0) return { order_number, lost: [] };
  const message = "The order's number has letters that no font here can print, so its id is printed instead.";
  return {
    order_number: wireId("order", id),
    lost: [{ field: "order_number", code: "unprintable_text", message }],
  };
}

/**
 * Voids a label of our own whose parcel has not left, and takes the parcel apart: its units can go into another one.
 * Voiding it again changes nothing.
 * Refuses: resource_missing, label_not_voidable, label_in_progress, invalid_state_transition.
 * Emits: order.shipped, order.delivered, when all else of the order had left already.
 */
export async function voidLabel(tx: Tx, id: string | number, actor: Actor): Promise<Label> {
  const { order_id } = await getLabel(tx, id);
  await lockOrderOfLabels(tx, order_id);
  const label = await getLabel(tx, id);
  if (label.status === "voided") return label;
  refuseLeft(label, await listParcelsInHouse(tx, order_id));
  return voidBought(tx, label, actor);
}

/**
 * Voids the labels of an order whose parcels have not left, before the order is cancelled. An identifier that names no
 * order names no labels. Those of carriers are given back before.
 * Refuses: ambiguous_identifier, invalid_state_transition, label_not_voidable (a carrier's), label_in_progress.
 */
export async function voidLabelsOfOrder(tx: Tx, id: string | number, actor: Actor): Promise<void> {
  const order_id = (await findOrderId(tx, id, null)) ?? 0;
  await lockOrderOfLabels(tx, order_id);
  const valid = await listValidLabels(tx, order_id);
  if (valid.length === 0) return;
  await voidAll(tx, valid, await listParcelsInHouse(tx, order_id), actor);
}

/**
 * Voids the labels of the parcels that lose units when these items of an order are cancelled. Those of carriers are
 * given back before.
 * Refuses: resource_missing, validation_failed, invalid_state_transition, label_not_voidable (a carrier's),
 * label_in_progress.
 */
export async function voidLabelsOfItems(tx: Tx, id: string, items: readonly ItemInput[], actor: Actor): Promise<void> {
  const order = await lockOrder(tx, id);
  const losing = parcelsLosing(order, items);
  await voidAll(tx, await listValidLabels(tx, order.id), losing, actor);
}

/**
 * The ids of the parcels that lose units when these items of an order are cancelled.
 * Refuses: validation_failed, resource_missing, invalid_state_transition.
 */
export function parcelsLosing(order: Order, items: readonly ItemInput[]): Set<number> {
  decide(order, "cancel_items");
  const units = itemsToCancel(order, items);
  const parcels = takesAll(order, units) ? order.shipments : losingParcels(order, units).map((one) => one.shipment);
  return new Set(parcels.map((shipment) => shipment.id));
}

async function voidAll(tx: Tx, valid: readonly ValidLabel[], parcels: ReadonlySet<number>, actor: Actor) {
  for (const { id } of valid.filter((label) => isIn(label, parcels))) {
    await voidBought(tx, await getLabel(tx, id), actor);
  }
}

async function voidBought(tx: Tx, label: Label, actor: Actor): Promise<Label> {
  refuseUnderWay(label);
  const { account_id, shipment_id } = label;
  if (account_id !== null) {
    const message = "The label is a carrier's, who has not taken it back. Send the request again.";
    throw new Fault("label_not_voidable", message, { label_id: wireId("label", label.id) });
  }
  const voided: Label = { ...label, status: move(labelMoves, "void", label.status), voided_at: tx.now };
  if (shipment_id !== null) await voidShipment(tx, shipment_id, actor);
  await saveVoided(tx, voided);
  return voided;
}
