// Validates the parcels that labels are bought for, for every kind of seller.

import type { Actor } from "../../core/actor.ts";
import { Fault, orFault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { centsOf, value_currency } from "../../core/money.ts";
import { type CompleteAddress, completeAddress } from "../../core/postal_address.ts";
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
import { namedAddress, type ShippingOrigin, underCompany } from "../address.ts";
import { readAddressField, refuseExample } from "../address_checks.ts";
import { endAt } from "../offer.ts";
import { originsOfOrders } from "../origins.sql.ts";
import { gramsOf, readParcel, type WeighedParcel } from "../parcel.ts";
import { checkQuote, type RateQuote } from "../rates/quote.ts";
import type { LabelWarning } from "./label.ts";
import { duplicate_within_ms, notQuoted, notReserved, purchaseFingerprint } from "./label_checks.ts";
import type { CreateLabel } from "./labels.schema.ts";
import { listPurchases } from "./labels.sql.ts";

/** The buyer of a label, and the options of the purchase. */
export interface LabelBuyer {
  readonly actor: Actor;
  /** Whether an equal label bought moments ago is intended: this label is for another carton. */
  readonly additional: boolean;
  /** The quote with the price to charge. */
  readonly quote: RateQuote | null;
  /**
   * Whether it was bought elsewhere: its number tells it from others, and its printed addresses may
   * be known here in part only.
   */
  readonly elsewhere?: boolean;
  /** Who reports the parcel's scans: in test data the simulated carrier, unless the buyer has others to record. */
  readonly scans?: "by_carrier" | "by_buyer";
}

/** A purchase of a label, and its seller. */
export interface ParcelRequest {
  readonly input: CreateLabel;
  readonly buying: LabelBuyer;
  readonly seller: { readonly carrier: string; readonly service: string };
}

/** The parcel as the request describes it. */
interface RequestedParcel {
  readonly parcel: WeighedParcel;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from: CompleteAddress | null;
  readonly to: CompleteAddress | null;
  readonly fingerprint: string;
}

/** A validated parcel with everything that its label shows. */
export interface ReadyParcel extends Omit<RequestedParcel, "from" | "to"> {
  /** The order, locked, without the parcel. */
  readonly order: Order;
  readonly units: readonly ShipmentLine[];
  readonly from_address: CompleteAddress;
  readonly to_address: CompleteAddress;
  /** The warehouse that ships it, and its IANA zone. */
  readonly warehouse_id: number;
  readonly origin_zone: string;
  readonly warnings: readonly LabelWarning[];
}

/**
 * Locks the orders of purchases and validates their parcels. Returns for each its parcel; or its refusal; or
 * "run_individually", since an earlier purchase is for the same order.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, pickup_order,
 * invalid_state_transition, quote_mismatch.
 */
export async function readyParcels(
  tx: Tx,
  requests: readonly ParcelRequest[],
): Promise<(ReadyParcel | Fault | "run_individually")[]> {
  const parcels = requests.map((request) => orFault(() => requestedParcel(request)));
  const ids = await resolveOrders(
    tx,
    requests.map(({ input }) => input.order_id),
    "order_id",
  );
  const wanted = ids.filter((id, at): id is number => !(id instanceof Fault || parcels[at] instanceof Fault));
  const orders = await lockOrders(tx, [...new Set(wanted)]);
  const bought = Map.groupBy(await listPurchases(tx, [...orders.keys()]), ({ order_id }) => order_id);
  const origins = await originsOfOrders(tx, [...orders.values()]);
  const taken = new Set<number>();
  return requests.map((request, at) => {
    const [facts, id] = [parcels[at], ids[at]];
    if (facts === undefined || facts instanceof Fault) return facts ?? "run_individually";
    if (id === undefined || id instanceof Fault) return id ?? "run_individually";
    if (taken.has(id)) return "run_individually";
    taken.add(id);
    const [order, origin] = [orders.get(id), origins.get(id)];
    if (order === undefined || origin === undefined) return unknownOrder(request.input.order_id, "order_id");
    return orFault(() => readyOf(tx, request, facts, { order, origin, bought: bought.get(id) ?? [] }));
  });
}

/** Reads the parcel from a request, without the database. Refuses: validation_failed, quote_mismatch. */
function requestedParcel({ input, buying, seller: { carrier, service } }: ParcelRequest): RequestedParcel {
  const parcel = readParcel(input.package, "package.");
  const { value_cents, insurance } = declaredValue(input, buying.quote);
  const from = readAddressField("from_address", input.from_address);
  const to = readAddressField("to_address", input.to_address);
  const { dimensions } = parcel.package;
  const worth = value_cents === null && !insurance ? [] : [value_cents, insurance];
  const facts = [carrier, service, gramsOf(parcel.weight), dimensions, from, to, input.items, ...worth];
  return { parcel, value_cents, insurance, from, to, fingerprint: purchaseFingerprint(facts) };
}

/** A locked order with its origin and its recent purchases. */
interface LockedOrder {
  readonly order: Order;
  readonly origin: ShippingOrigin;
  readonly bought: Awaited<ReturnType<typeof listPurchases>>;
}

function readyOf(
  { now, mode }: Tx,
  { input, buying }: ParcelRequest,
  requested: RequestedParcel,
  { order, origin, bought }: LockedOrder,
): ReadyParcel {
  const { from, to, ...facts } = requested;
  const { additional, quote, elsewhere = false } = buying;
  if (!(additional || elsewhere)) refuseDuplicate(bought, requested.fingerprint, now - duplicate_within_ms);
  const units = unitsToLabel(order, unitsOf(order, input, additional && bought.length > 0));
  const recipient = completeAddress(order.shipping_address);
  const to_address = to ?? (elsewhere ? underCompany(recipient) : namedAddress(recipient, "to_address"));
  if (from === null && mode === "live" && !elsewhere) refuseExample(origin, "from_address");
  const from_address = from ?? origin.address;
  if (quote !== null) {
    checkQuote(quote, { ...requested.parcel, from: endAt(from_address), to: endAt(to_address) }, order.id);
  }
  const { id: warehouse_id, timezone: origin_zone } = origin;
  const warnings = unreservedUnits(order, units).map((unit) => notReserved(unit, input.reason));
  return { ...facts, order, units, from_address, to_address, warehouse_id, origin_zone, warnings };
}

/** The declared value and whether it is insured: from the quote, or from the request. */
function declaredValue({ package: input }: CreateLabel, quote: RateQuote | null) {
  const value_cents = input.value == null ? null : centsOf(input.value, value_currency, "package.value");
  const insurance = input.insurance ?? false;
  if (quote === null) return { value_cents, insurance };
  const differs = [
    ...(input.value === undefined || value_cents === quote.value_cents ? [] : ["package.value"]),
    ...(input.insurance === undefined || insurance === quote.insurance ? [] : ["package.insurance"]),
  ];
  if (differs.length > 0) throw notQuoted(differs);
  return { value_cents: quote.value_cents, insurance: quote.insurance };
}

function refuseDuplicate(bought: LockedOrder["bought"], fingerprint: string, since: number): void {
  const equal = bought.find((label) => label.fingerprint === fingerprint && label.created_at > since);
  if (equal === undefined) return;
  const message =
    "An equal label was bought for this order less than ten minutes ago. To buy another, send `additional: true`.";
  throw new Fault("duplicate_label", message, { label_id: wireId("label", equal.id) });
}

/** The units in the parcel; null for all unpacked units. An additional carton may be empty. */
function unitsOf(order: Order, { items }: CreateLabel, one_more: boolean) {
  if (items === undefined && !one_more) return null;
  if (items === undefined) return unitsWithoutParcel(order);
  const packed = unitsInParcels(order);
  return addedUp(namedUnits(order, items, (line) => openUnits(line) - (packed.get(line.id) ?? 0)));
}
