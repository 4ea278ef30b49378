import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { Fault, invalid } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
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
import { listShipments } from "../../orders/shipments/store.ts";
import { trackingUrl } from "../../orders/shipments/tracking_url.ts";
import { lockOrder } from "../../orders/store.ts";
import { printableLine, unprintableLetters } from "../../typesetting/text/shaping.ts";
import { type Address, addressOf, readAddress } from "../address.ts";
import type { Carriage, End, Offer } from "../offer.ts";
import { type Parcel, readParcel } from "../parcel.ts";
import { type BuiltInCarrier, builtInCarrier } from "../rates/carrier.ts";
import { offerBy, type ReadyCard } from "../rates/offers.ts";
import { listReadyCards } from "../rates/store.ts";
import { checkAddress } from "../rules.ts";
import { originOfOrder } from "../store.ts";
import { gramsOf } from "../weight.ts";
import { drawLabel, type LabelWarning } from "./face.ts";
import type { Label } from "./label.ts";
import { checkPrintable, chooseCard, duplicate_within_ms, purchaseFingerprint } from "./rules.ts";
import type { CreateLabel } from "./schemas.ts";
import { demonstrationPrefix, ssccOf } from "./sscc.ts";
import { labelMoves } from "./status.ts";
import {
  allotSerial,
  type BoughtLabel,
  getLabel,
  insertLabel,
  listBoughtLabels,
  lockOrderOfLabels,
  saveVoided,
} from "./store.ts";
import { ownTrackingNumber, testPrefix } from "./tracking_number.ts";

const livePrefix = "WH";

/** Who buys a label, and how. */
export interface Buying {
  readonly actor: Actor;
  /** An equal label bought a moment ago is no mistake: this one is for another carton. */
  readonly additional: boolean;
}

/** A label just bought, with its parcel and order. `estimated_delivery` is in milliseconds. */
export interface Bought {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly label: Label;
  readonly estimated_delivery: number;
}

/**
 * Buys a label of the built-in carrier for a parcel of an order. It follows no parcel and tells nobody: the one command
 * that does all of it is tracking's `buyTrackedLabel`.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition.
 */
export async function buyLabel(tx: Tx, input: CreateLabel, buying: Buying): Promise<Bought> {
  const carrier = builtInCarrier(tx.mode);
  const card = chooseCard(carrier, await listReadyCards(tx), input);
  const { service } = card.card;
  const parcel = readParcel(input.package, "package.");
  const from = givenAddress("from_address", input);
  const to = givenAddress("to_address", input);
  const order_id = await resolveOrder(tx, input.order_id);
  await lockOrderOfLabels(tx, order_id);
  const earlier = await listBoughtLabels(tx, order_id);
  const { dimensions } = parcel.package;
  const facts = [carrier.code, service, gramsOf(parcel.weight), dimensions, from, to, input.items];
  const fingerprint = purchaseFingerprint(facts);
  if (!buying.additional) refuseDuplicate(tx, earlier, fingerprint);
  const units = await unitsOf(tx, input, order_id, buying.additional && earlier.length > 0);
  const opened = await openShipment(tx, order_id, { carrier: carrier.code, service, units });
  const { order, shipment } = opened;
  const origin = await originOfOrder(tx, order_id, order.warehouse_id);
  const to_address = to ?? addressOf(order.shipping_address);
  const from_address = from ?? origin.address;
  checkPrintable({ from_address, to_address });
  const way = { from_address, to_address, origin_zone: origin.timezone, reference: order.order_number };
  const offer = offerOf(carrier, card, { ...way, ...parcel }, tx.now);
  const label = await makeLabel(tx, {
    order,
    shipment_id: shipment.id,
    carrier,
    offer,
    parcel,
    from_address,
    to_address,
    fingerprint,
  });
  const { tracking_number } = label;
  assert(tracking_number !== null, "a bought label has a tracking number");
  const labelled = await labelShipment(tx, opened, tracking_number, buying.actor);
  return { ...labelled, label, estimated_delivery: offer.delivery_date };
}

function givenAddress(field: "from_address" | "to_address", input: CreateLabel): Address | null {
  const given = input[field];
  if (given === undefined) return null;
  const address = readAddress(given);
  checkAddress(field, address);
  return address;
}

function refuseDuplicate(tx: Tx, earlier: readonly BoughtLabel[], fingerprint: string): void {
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

interface Way extends Parcel {
  readonly from_address: Address;
  readonly to_address: Address;
  readonly origin_zone: string;
  readonly reference: string;
}

/** The offer of the built-in carrier for one parcel, which always has a date. Refuses: validation_failed. */
function offerOf(carrier: BuiltInCarrier, card: ReadyCard, way: Way, now: number): DatedOffer {
  const { from_address, to_address, ...same } = way;
  const carriage: Carriage = {
    ...same,
    from: endOf(from_address),
    to: endOf(to_address),
    value_cents: null,
    insurance: false,
    return: false,
  };
  const { offer, messages } = offerBy(carrier, card, carriage, now);
  if (offer !== null) {
    const { delivery_date, ship_date } = offer;
    assert(delivery_date !== null && ship_date !== null, "the built-in carrier promises a day");
    return { ...offer, delivery_date, ship_date };
  }
  const { code, message } = messages.at(-1) ?? { code: "invalid_value", message: "is not carried" };
  const field =
    code === "over_weight_limit" ? "package.weight" : code === "over_size_limit" ? "package.dimensions" : "to_address";
  throw invalid(field, `is not carried: ${message.replace(/\.$/, "")}`, field === "to_address" ? code : "too_large");
}

function endOf(address: Address): End {
  const { country, postal_code, state, city } = address;
  return { country, postal_code, state, city, address, residential: null };
}

type DatedOffer = Offer & { readonly delivery_date: number; readonly ship_date: string };

interface Purchase {
  readonly order: Order;
  readonly shipment_id: number;
  readonly carrier: BuiltInCarrier;
  readonly offer: DatedOffer;
  readonly parcel: Parcel;
  readonly from_address: Address;
  readonly to_address: Address;
  readonly fingerprint: string;
}

/** Draws a label and stores it. */
async function makeLabel(tx: Tx, purchase: Purchase): Promise<Label> {
  const { order, shipment_id, carrier, offer, parcel, from_address, to_address } = purchase;
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
  return insertLabel(tx, {
    shipment_id,
    order_id: order.id,
    status: labelMoves.complete.to,
    carrier: carrier.code,
    service: offer.service,
    tracking_number,
    cost_cents: offer.rate_cents,
    currency: offer.currency,
    package: parcel.package,
    from_address,
    to_address,
    drawing,
    documents: [],
    warnings: [...lost, ...unlike, ...warnings],
    fingerprint: purchase.fingerprint,
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
 * Voids a label whose parcel has not left, and takes the parcel apart: its units can go into another one. Voiding it
 * again changes nothing.
 * Refuses: resource_missing, label_not_voidable, invalid_state_transition.
 * Emits: order.shipped, order.delivered, when all else of the order had left already.
 */
export async function voidLabel(tx: Tx, id: string | number, actor: Actor): Promise<Label> {
  const { order_id } = await getLabel(tx, id);
  await lockOrderOfLabels(tx, order_id);
  const label = await getLabel(tx, id);
  if (label.status === "voided") return label;
  const parcels = await parcelsInHouse(tx, order_id);
  if (!parcels.has(label.shipment_id)) {
    throw new Fault("label_not_voidable", "The parcel has left; create a return instead.", {
      shipment_id: wireId("shipment", label.shipment_id),
    });
  }
  return voidBought(tx, label, actor);
}

/**
 * Voids the labels of an order whose parcels have not left, before the order is cancelled. An identifier that names no
 * order names no labels.
 * Refuses: ambiguous_identifier, invalid_state_transition.
 */
export async function voidLabelsOfOrder(tx: Tx, id: string | number, actor: Actor): Promise<void> {
  const order_id = (await findOrderId(tx, id, null)) ?? 0;
  await lockOrderOfLabels(tx, order_id);
  const bought = await listBoughtLabels(tx, order_id);
  if (bought.length === 0) return;
  await voidAll(tx, bought, await parcelsInHouse(tx, order_id), actor);
}

/**
 * Voids the labels of the parcels that lose units when these items of an order are cancelled.
 * Refuses: resource_missing, validation_failed, invalid_state_transition.
 */
export async function voidLabelsOfItems(tx: Tx, id: string, items: readonly ItemInput[], actor: Actor): Promise<void> {
  const order = await lockOrder(tx, id);
  decide(order, "cancel_items");
  const units = itemsToCancel(order, items);
  const parcels = takesAll(order, units) ? order.shipments : losingParcels(order, units).map((one) => one.shipment);
  const losing = new Set(parcels.map((shipment) => shipment.id));
  const bought = await listBoughtLabels(tx, order.id);
  if (bought.some(({ shipment_id }) => losing.has(shipment_id))) await voidAll(tx, bought, losing, actor);
}

async function voidAll(tx: Tx, bought: readonly BoughtLabel[], parcels: ReadonlySet<number>, actor: Actor) {
  for (const { id, shipment_id } of bought) {
    if (parcels.has(shipment_id)) await voidBought(tx, await getLabel(tx, id), actor);
  }
}

/** The ids of an order's parcels that have not left; one that was given up is none that left. */
async function parcelsInHouse(tx: Tx, order_id: number): Promise<Set<number>> {
  const shipments = await listShipments(tx, [order_id]);
  return new Set(shipments.filter(({ status }) => status === "pending" || status === "voided").map(({ id }) => id));
}

async function voidBought(tx: Tx, label: Label, actor: Actor): Promise<Label> {
  const voided: Label = { ...label, status: move(labelMoves, "void", label.status), voided_at: tx.now };
  await voidShipment(tx, label.shipment_id, actor);
  await saveVoided(tx, voided);
  return voided;
}
