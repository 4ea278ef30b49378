// The parcel that a label is bought for, whoever sells the label.

import type { Actor } from "../../core/actor.ts";
import { Fault, orFault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { centsOf, value_currency } from "../../core/money.ts";
import { unitsToLabel } from "../../orders/fulfillment/label_shipment.ts";
import {
  addedUp,
  namedUnits,
  unitsInParcels,
  unitsWithoutParcel,
  unreservedUnits,
} from "../../orders/fulfillment/order_units.ts";
import type { ShipmentLine } from "../../orders/fulfillment/shipment.ts";
import { resolveOrders, unknownOrder } from "../../orders/lifecycle/order_lookup.sql.ts";
import { type Order, openUnits } from "../../orders/order.ts";
import { lockOrders } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import type { ShippingOrigin } from "../address.ts";
import { addressOf, type ParcelAddress, readAddress } from "../address.ts";
import { checkAddress, refuseExample } from "../address_checks.ts";
import { endAt } from "../offer.ts";
import { originsOfOrders } from "../origins.sql.ts";
import { gramsOf, readParcel, type WeighedParcel } from "../parcel.ts";
import { checkQuote, type RateQuote } from "../rates/quote.ts";
import type { LabelWarning } from "./label.ts";
import { duplicate_within_ms, notQuoted, notReserved, purchaseFingerprint } from "./label_checks.ts";
import type { CreateLabel } from "./labels.schema.ts";
import { listPurchases } from "./labels.sql.ts";

/** Who buys a label, and how. */
export interface LabelBuyer {
  readonly actor: Actor;
  /** An equal label bought a moment ago is no mistake: this label is for another carton. */
  readonly additional: boolean;
  /** The quoted price, which is charged. */
  readonly quote: RateQuote | null;
}

/** A purchase of a label, and who sells it. */
interface ParcelRequest {
  readonly input: CreateLabel;
  readonly buying: LabelBuyer;
  readonly seller: { readonly carrier: string; readonly service: string };
}

/** What a request says of a parcel. */
interface RequestedParcel {
  readonly parcel: WeighedParcel;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from: ParcelAddress | null;
  readonly to: ParcelAddress | null;
  readonly fingerprint: string;
}

/** A parcel that can be opened for a label, and all that the label says of it. */
export interface ReadyParcel extends Omit<RequestedParcel, "from" | "to"> {
  /** The order, locked, without the parcel. */
  readonly order: Order;
  readonly units: readonly ShipmentLine[];
  readonly from_address: ParcelAddress;
  readonly to_address: ParcelAddress;
  /** The warehouse that it leaves, and its IANA zone. */
  readonly warehouse_id: number;
  readonly origin_zone: string;
  readonly warnings: readonly LabelWarning[];
}

/**
 * Locks the orders of purchases and answers what parcels they are for, each with its refusal; or that a purchase has to
 * wait, since one before it is for the same order. Refuses: validation_failed, resource_missing, ambiguous_identifier,
 * duplicate_label, invalid_state_transition, quote_mismatch.
 */
export async function readyParcels(
  tx: Tx,
  asked: readonly ParcelRequest[],
): Promise<(ReadyParcel | Fault | "alone")[]> {
  const said = asked.map((one) => orFault(() => saidOf(one)));
  const ids = await resolveOrders(
    tx,
    asked.map(({ input }) => input.order_id),
    "order_id",
  );
  const wanted = ids.filter((id, at): id is number => !(id instanceof Fault || said[at] instanceof Fault));
  const orders = await lockOrders(tx, [...new Set(wanted)]);
  const bought = Map.groupBy(await listPurchases(tx, [...orders.keys()]), ({ order_id }) => order_id);
  const origins = await originsOfOrders(tx, [...orders.values()]);
  const taken = new Set<number>();
  return asked.map((one, at) => {
    const [facts, id] = [said[at], ids[at]];
    if (facts === undefined || facts instanceof Fault) return facts ?? "alone";
    if (id === undefined || id instanceof Fault) return id ?? "alone";
    if (taken.has(id)) return "alone";
    taken.add(id);
    const [order, origin] = [orders.get(id), origins.get(id)];
    if (order === undefined || origin === undefined) return unknownOrder(one.input.order_id, "order_id");
    return orFault(() => readyOf(tx, one, facts, { order, origin, bought: bought.get(id) ?? [] }));
  });
}

/** What a request says, before anything is looked up. Refuses: validation_failed, quote_mismatch. */
function saidOf({ input, buying, seller: { carrier, service } }: ParcelRequest): RequestedParcel {
  const parcel = readParcel(input.package, "package.");
  const { value_cents, insurance } = worthOf(input, buying.quote);
  const from = givenAddress("from_address", input);
  const to = givenAddress("to_address", input);
  const { dimensions } = parcel.package;
  const worth = value_cents === null && !insurance ? [] : [value_cents, insurance];
  const facts = [carrier, service, gramsOf(parcel.weight), dimensions, from, to, input.items, ...worth];
  return { parcel, value_cents, insurance, from, to, fingerprint: purchaseFingerprint(facts) };
}

/** A locked order, where it leaves from, and its labels. */
interface LockedOrder {
  readonly order: Order;
  readonly origin: ShippingOrigin;
  readonly bought: Awaited<ReturnType<typeof listPurchases>>;
}

function readyOf(
  { now, mode }: Tx,
  { input, buying }: ParcelRequest,
  said: RequestedParcel,
  { order, origin, bought }: LockedOrder,
): ReadyParcel {
  const { from, to, ...facts } = said;
  const { additional, quote } = buying;
  if (!additional) refuseDuplicate(bought, said.fingerprint, now - duplicate_within_ms);
  const units = unitsToLabel(order, unitsOf(order, input, additional && bought.length > 0));
  const to_address = to ?? addressOf(order.shipping_address);
  if (from === null && mode === "live") refuseExample(origin, "from_address");
  const from_address = from ?? origin.address;
  if (quote !== null) {
    checkQuote(quote, { ...said.parcel, from: endAt(from_address), to: endAt(to_address) }, order.id);
  }
  const { id: warehouse_id, timezone: origin_zone } = origin;
  const warnings = unreservedUnits(order, units).map((one) => notReserved(one, input.reason));
  return { ...facts, order, units, from_address, to_address, warehouse_id, origin_zone, warnings };
}

/** The value of the goods and whether it is insured: as quoted, or as the request says. */
function worthOf({ package: said }: CreateLabel, quote: RateQuote | null) {
  const value_cents = said.value == null ? null : centsOf(said.value, value_currency, "package.value");
  const insurance = said.insurance ?? false;
  if (quote === null) return { value_cents, insurance };
  const differs = [
    ...(said.value === undefined || value_cents === quote.value_cents ? [] : ["package.value"]),
    ...(said.insurance === undefined || insurance === quote.insurance ? [] : ["package.insurance"]),
  ];
  if (differs.length > 0) throw notQuoted(differs);
  return { value_cents: quote.value_cents, insurance: quote.insurance };
}

function givenAddress(field: "from_address" | "to_address", input: CreateLabel): ParcelAddress | null {
  const given = input[field];
  if (given === undefined) return null;
  const address = readAddress(given);
  checkAddress(field, address);
  return address;
}

function refuseDuplicate(bought: LockedOrder["bought"], fingerprint: string, since: number): void {
  const equal = bought.find((label) => label.fingerprint === fingerprint && label.created_at > since);
  if (equal === undefined) return;
  const message =
    "An equal label was bought for this order less than ten minutes ago. Send additional: true" + " for another one.";
  throw new Fault("duplicate_label", message, { label_id: wireId("label", equal.id) });
}

/** The units in the parcel; null for all that are in no other parcel. An additional carton may have none. */
function unitsOf(order: Order, { items }: CreateLabel, one_more: boolean) {
  if (items === undefined && !one_more) return null;
  if (items === undefined) return unitsWithoutParcel(order);
  const parcelled = unitsInParcels(order);
  return addedUp(namedUnits(order, items, (line) => openUnits(line) - (parcelled.get(line.id) ?? 0)));
}
