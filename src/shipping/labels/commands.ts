import { isSamePlace } from "../../addresses/address.ts";
import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { Fault } from "../../kit/fault.ts";
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
import { labelShipment, openShipment, voidShipment } from "../../orders/labelling/commands.ts";
import { findOrderId, resolveOrder } from "../../orders/names/store.ts";
import { type Order, openUnits } from "../../orders/order.ts";
import { refuseForbidden } from "../../orders/rules.ts";
import type { Shipment } from "../../orders/shipments/shipment.ts";
import { trackingUrl } from "../../orders/shipments/tracking_url.ts";
import { lockOrder } from "../../orders/store.ts";
import { type Address, addressOf, readAddress } from "../address.ts";
import { endAt } from "../offer.ts";
import { type Parcel, readParcel } from "../parcel.ts";
import { checkQuote, type Quote } from "../quotes/quote.ts";
import { checkAddress } from "../rules.ts";
import { originOfOrder } from "../store.ts";
import { gramsOf } from "../weight.ts";
import type { Label } from "./label.ts";
import { drawOwnLabel, ownCounter, parcelNumber, printedNumber } from "./own/commands.ts";
import { duplicate_within_ms, isIn, notQuoted, purchaseFingerprint, refuseLeft, refuseUnderWay } from "./rules.ts";
import type { CreateLabel } from "./schemas.ts";
import { labelMoves } from "./status.ts";
import {
  findEqualLabel,
  getLabel,
  hasValidLabel,
  listParcelsInHouse,
  listValidLabels,
  lockOrderOfLabels,
  saveVoided,
  type ValidLabel,
} from "./store.ts";

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
  const counter = await ownCounter(tx, input, buying.quote);
  const ready = await openParcel(tx, input, buying, counter);
  const { order, shipment } = ready;
  const place = parcelPlace(order, shipment.id);
  const number = await parcelNumber(tx, shipment.id);
  const { tracking_number } = number;
  const known = isSamePlace(order.shipping_address, ready.to_address) ? order.address_verification : null;
  const label = await drawOwnLabel(tx, counter, {
    ...ready,
    residential: known?.residential ?? null,
    ...{ id: null, shipment_id: shipment.id, order_id: order.id, return_id: null },
    ...{ number, reference: printedNumber(order), parcel_text: place === null ? "" : placeInWords(place) },
    qr_text: trackingUrl(tx, { id: shipment.id, carrier: counter.carrier, tracking_number, told_url: null }),
  });
  const labelled = await labelShipment(tx, { order, shipment }, { tracking_number, told_url: null }, buying.actor);
  return { ...labelled, label, estimated_delivery: label.delivery_date };
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
  const before = await lockOrder(tx, order_id);
  const { dimensions } = parcel.package;
  const worth = value_cents === null && !insurance ? [] : [value_cents, insurance];
  const facts = [carrier, service, gramsOf(parcel.weight), dimensions, from, to, input.items, ...worth];
  const fingerprint = purchaseFingerprint(facts);
  if (!buying.additional) await refuseDuplicate(tx, order_id, fingerprint);
  const units = unitsOf(before, input, buying.additional && (await hasValidLabel(tx, order_id)));
  const { order, shipment } = await openShipment(tx, before, { carrier, service, units });
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

async function refuseDuplicate(tx: Tx, order_id: number, fingerprint: string): Promise<void> {
  const equal = await findEqualLabel(tx, order_id, fingerprint, tx.now - duplicate_within_ms);
  if (equal === null) return;
  const message = "An equal label was bought for this order within ten minutes. Send additional: true for another one.";
  throw new Fault("duplicate_label", message, { label_id: wireId("label", equal) });
}

/** The units in the parcel; null for all that are in no other one. One more carton may hold none of its own. */
function unitsOf(order: Order, { items }: CreateLabel, one_more: boolean) {
  if (items === undefined && !one_more) return null;
  if (items === undefined) return unitsWithoutParcel(order);
  const parcelled = unitsInParcels(order);
  return addedUp(namedUnits(order, items, (line) => openUnits(line) - (parcelled.get(line.id) ?? 0)));
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
  refuseForbidden(order, "cancel_items");
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
