// The parcel that a label is bought for, whoever sells the label.
import type { Tx } from "../../../database/store.ts";
import type { Actor } from "../../../kit/actor.ts";
import { Fault } from "../../../kit/fault.ts";
import { wireId } from "../../../kit/ids.ts";
import { readCents } from "../../../kit/money.ts";
import { addedUp, namedUnits, unitsInParcels, unitsWithoutParcel } from "../../../orders/fulfillment/rules.ts";
import { openShipment } from "../../../orders/labelling/commands.ts";
import { resolveOrder } from "../../../orders/names/store.ts";
import { type Order, openUnits } from "../../../orders/order.ts";
import type { Shipment } from "../../../orders/shipments/shipment.ts";
import { lockOrder } from "../../../orders/store.ts";
import { type Address, addressOf, readAddress } from "../../address.ts";
import { endAt } from "../../offer.ts";
import { type Parcel, readParcel } from "../../parcel.ts";
import { checkQuote, type Quote } from "../../quotes/quote.ts";
import { checkAddress } from "../../rules.ts";
import { originOfOrder } from "../../store.ts";
import { gramsOf } from "../../weight.ts";
import { duplicate_within_ms, notQuoted, purchaseFingerprint } from "../rules.ts";
import type { CreateLabel } from "../schemas.ts";
import { findEqualLabel, hasValidLabel } from "../store.ts";

/** Who buys a label, and how. */
export interface Buying {
  readonly actor: Actor;
  /** An equal label bought a moment ago is no mistake: this label is for another carton. */
  readonly additional: boolean;
  /** The quoted price, which is charged. */
  readonly quote: Quote | null;
}

/** A parcel opened for a label, and all that the label says of it. */
interface ReadyParcel {
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
 * Opens the parcel for a label. Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label,
 * invalid_state_transition, quote_mismatch.
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

/** The value of the goods and whether it is insured: as quoted, or as the request says. */
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
  const message =
    "An equal label was bought for this order less than ten minutes ago. Send additional: true" + " for another one.";
  throw new Fault("duplicate_label", message, { label_id: wireId("label", equal) });
}

/** The units in the parcel; null for all that are in no other parcel. An additional carton may have none. */
function unitsOf(order: Order, { items }: CreateLabel, one_more: boolean) {
  if (items === undefined && !one_more) return null;
  if (items === undefined) return unitsWithoutParcel(order);
  const parcelled = unitsInParcels(order);
  return addedUp(namedUnits(order, items, (line) => openUnits(line) - (parcelled.get(line.id) ?? 0)));
}
