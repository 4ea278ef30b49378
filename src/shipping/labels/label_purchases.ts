import { isUndeliverable } from "../../addresses/address.ts";
import { hasUnknownZip } from "../../addresses/verify_address.ts";
import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { systemActor } from "../../core/actor.ts";
import { assert, Fault, invalid } from "../../core/faults.ts";
import { invalidChoice } from "../../core/field_problems.ts";
import { readId } from "../../core/ids.ts";
import { type CompleteAddress, isSamePlace } from "../../core/postal_address.ts";
import { retryWait } from "../../core/retry.ts";
import { transition } from "../../core/transitions.ts";
import { labelShipment, openShipment, voidShipment } from "../../orders/fulfillment/label_shipment.ts";
import { parcelPlace, placeText } from "../../orders/fulfillment/order_units.ts";
import type { Shipment, ShipmentLine } from "../../orders/fulfillment/shipment.ts";
import { plainTrackingNumber } from "../../orders/fulfillment/tracking_url.ts";
import { isGivenUp, isUnshipped } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import { productsToWeigh } from "../../orders/order_weight.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import { findProducts } from "../../products/products.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import type { ClaimedWork } from "../../storage/queue.ts";
import { boxWarnings } from "../address_checks.ts";
import { isSelling } from "../carriers/account.transitions.ts";
import { findAccount, listActiveAccounts } from "../carriers/accounts.sql.ts";
import { type BoughtPostage, endAt, type ParcelContent, type RateOffer, type ShipmentRequest } from "../offer.ts";
import { originOfOrder } from "../origins.sql.ts";
import { contentsOf, goodsIn, needsDeclaration, refuseUndeclared } from "../parcel_contents.ts";
import { builtInCarriers } from "../rates/built_in_carrier.ts";
import { hasAddresses, type RateQuote } from "../rates/quote.ts";
import { isBeingBought, labelStarts, labelTransitions } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";
import { labelFact, pricedBy } from "./label.ts";
import {
  call_ms_max,
  carriageOf,
  checkRetries,
  documentWarnings,
  type FailureReason,
  lease_ms,
} from "./label_purchase.ts";
import { lockLabel, purchaseQueue } from "./label_purchases.sql.ts";
import type { CreateLabel } from "./labels.schema.ts";
import { insertDocuments, insertLabel, lockOrderOfLabels, saveLabel } from "./labels.sql.ts";
import { type LabelBuyer, readyParcels } from "./ready_parcels.ts";

/** The account that sells a label, with a carrier and service, or the offer of a quote. */
export interface LabelSeller {
  readonly account_id: number;
  readonly carrier: string;
  readonly service: string;
  readonly quote: RateQuote | null;
}

const unknownAccount = (): Fault => invalid("account_id", "is not an active carrier account");

/**
 * Returns the account that sells a purchase's carrier and service, the oldest if there are several. Merchants cannot
 * name an account, since all accounts are the operator's. Refuses: validation_failed.
 */
export async function chooseSeller(
  db: Db,
  { carrier, service, account_id }: Pick<CreateLabel, "carrier" | "service" | "account_id">,
  { merchant_id }: { readonly merchant_id: number | null },
): Promise<LabelSeller> {
  if (merchant_id !== null && account_id != null) throw unknownAccount();
  if (carrier === undefined) throw invalid("carrier", "is required", "required");
  if (service === undefined) throw invalid("service", "is required", "required");
  const active = await listActiveAccounts(db);
  const named_id = account_id === undefined || account_id === null ? null : readId("carrier_account", account_id);
  const accounts = active.filter(({ id }) => account_id === undefined || account_id === null || id === named_id);
  if (accounts.length === 0 && active.length > 0) throw unknownAccount();
  const listed = accounts.flatMap(({ id, carriers }) => carriers.map((sold) => ({ account_id: id, ...sold })));
  const selling = listed.filter(({ code }) => code === carrier);
  if (selling.length === 0) {
    const codes = new Set([...builtInCarriers(db.mode), ...listed].map(({ code }) => code));
    throw invalidChoice("carrier", carrier, [...codes]);
  }
  const codesOf = ({ services }: (typeof selling)[number]) => services.map(({ code }) => code);
  const lists = selling.find((seller) => codesOf(seller).includes(service));
  // An account that lists no services may sell any; its carrier decides.
  const chosen = lists ?? selling.find(({ services }) => services.length === 0);
  if (chosen === undefined) throw invalidChoice("service", service, [...new Set(selling.flatMap(codesOf))]);
  return { account_id: chosen.account_id, carrier, service, quote: null };
}

/** Returns the account of a quoted offer. Refuses: validation_failed, when it is paused or deleted. */
export async function sellerOfQuote(db: Db, quote: RateQuote): Promise<LabelSeller> {
  const account = quote.account_id === null ? null : await findAccount(db, quote.account_id);
  if (account === null || !isSelling(account.status)) {
    throw invalid("quote_id", "belongs to a carrier account that was paused or deleted; request rates again");
  }
  const { carrier, service } = quote.offer;
  return { account_id: account.id, carrier, service, quote };
}

/**
 * Claims the purchase of a carrier's label for a parcel of an order: opens the parcel and inserts the label as
 * `processing`.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, pickup_order,
 * invalid_state_transition, quote_mismatch, quote_used.
 */
export async function beginPurchase(
  tx: Tx,
  input: CreateLabel,
  buying: LabelBuyer,
  seller: LabelSeller,
): Promise<ShippingLabel> {
  const [ready] = await readyParcels(tx, [{ input, buying, seller }]);
  if (ready instanceof Fault) throw ready;
  assert(ready !== undefined && ready !== "run_individually", "a single purchase never waits for another");
  const { value_cents, insurance, from_address, to_address, fingerprint, warnings } = ready;
  await refuseUnknownZip(tx, ready.order, to_address);
  await refuseUndeclaredUnits(tx, { from_address, to_address }, ready.order, ready.units);
  const { shipment } = await openShipment(tx, ready.order, seller, ready.units);
  return claimNew(tx, seller, buying.actor, {
    shipment_id: shipment.id,
    merchant_id: ready.order.merchant_id,
    order_id: ready.order.id,
    return_id: null,
    package: ready.parcel.package,
    value_cents,
    insurance,
    from_address,
    to_address,
    fingerprint,
    warnings,
  });
}

/** Refuses an unknown ZIP code unless a carrier has verified this very address. Refuses: validation_failed. */
async function refuseUnknownZip(
  tx: Tx,
  { shipping_address, address_verification }: Order,
  to: CompleteAddress,
): Promise<void> {
  const by_carrier = address_verification !== null && address_verification.method !== "offline";
  if (by_carrier && !isUndeliverable(address_verification.status) && isSamePlace(shipping_address, to)) return;
  if (!(await hasUnknownZip(tx, to))) return;
  const remedy = "correct the order's address, or have a carrier verify it";
  const message = `is not a known ZIP code (${to.postal_code}): ${remedy}`;
  throw invalid("to_address.zip", message, "unknown_zip");
}

/** The fields of a label that a claim needs. */
type ClaimedLabel = Pick<
  ShippingLabel,
  | "shipment_id"
  | "order_id"
  | "return_id"
  | "package"
  | "merchant_id"
  | "value_cents"
  | "insurance"
  | "from_address"
  | "to_address"
  | "fingerprint"
  | "warnings"
>;

/** Inserts a label before its carrier is called. Refuses: quote_used. */
export async function claimNew(
  tx: Tx,
  seller: LabelSeller,
  asked_by: Actor,
  fields: ClaimedLabel,
): Promise<ShippingLabel> {
  const { account_id, carrier, service, quote } = seller;
  // A quoted international offer contains an earlier customs declaration, so a new offer is requested for this
  // parcel.
  const as_quoted = quote !== null && hasAddresses(quote) && !needsDeclaration(wayOf(fields));
  const label = await insertLabel(tx, {
    ...fields,
    account_id,
    external: false,
    carrier,
    service,
    status: labelStarts,
    quote_nonce: quote?.id ?? null,
    ...(quote === null ? unpriced : { ...pricedBy(quote.offer), offer_ref: as_quoted ? quote.offer.ref : null }),
    tracking_number: null,
    tracking_url: null,
    carrier_ref: null,
    tracker_ref: null,
    drawing: null,
    documents: [],
    warnings: [...fields.warnings, ...boxWarnings(carrier, fields.to_address)],
    asked_by,
    claimed_until: tx.now + lease_ms,
    attempts: 1,
    error_code: null,
    error_message: null,
    void_status: null,
    created_at: tx.now,
    voided_at: null,
    printed_at: null,
    prints: 0,
  });
  await purchaseQueue.hold(tx, label.id);
  return label;
}

const unpriced = {
  cost_cents: 0,
  carrier_cost_cents: 0,
  currency: "USD",
  breakdown: null,
  sample: false,
  zone: null,
  billable_pounds: null,
  delivery_date: null,
  offer_ref: null,
} as const;

/**
 * Returns the request to a label's carrier, from the present order and products. Refuses: validation_failed, when the
 * parcel crosses customs and cannot be declared.
 */
export async function carriageOfLabel(
  tx: Tx,
  label: ShippingLabel,
  callbacks: LabelCallbacks,
): Promise<ShipmentRequest> {
  const order = await lockOrder(tx, label.order_id);
  const { timezone } = await originOfOrder(tx, order);
  const place = label.shipment_id === null ? null : parcelPlace(order, label.shipment_id);
  const reference = place === null ? order.order_number : `${order.order_number}, parcel ${placeText(place)}`;
  const units =
    label.return_id === null
      ? (order.shipments.find(({ id }) => id === label.shipment_id)?.lines ?? [])
      : await callbacks.unitsOfReturn(tx, label.return_id);
  const carriage = { ...carriageOf(label, timezone, reference), contents: await contentsOfUnits(tx, order, units) };
  refuseUndeclared(carriage);
  return carriage;
}

/** Returns the customs contents of units of an order. */
async function contentsOfUnits(db: Db, order: Order, units: readonly ShipmentLine[]): Promise<ParcelContent[]> {
  if (units.length === 0) return [];
  const products = await findProducts(db, productsToWeigh(order));
  return contentsOf(goodsIn(order, units), products, order.currency);
}

type LabelAddresses = Pick<ShippingLabel, "from_address" | "to_address">;

const wayOf = ({ from_address, to_address }: LabelAddresses) => ({ from: endAt(from_address), to: endAt(to_address) });

/** Refuses a parcel that crosses customs with goods that cannot be declared. Refuses: validation_failed. */
export async function refuseUndeclaredUnits(
  tx: Tx,
  addresses: LabelAddresses,
  order: Order,
  units: readonly ShipmentLine[],
): Promise<void> {
  const way = wayOf(addresses);
  if (needsDeclaration(way)) refuseUndeclared({ ...way, contents: await contentsOfUnits(tx, order, units) });
}

/** Locks a claimed label and its order; null when another server has taken over the claim, or the purchase is over. */
export async function lockClaimed(tx: Tx, claim: ShippingLabel): Promise<ShippingLabel | null> {
  await lockOrderOfLabels(tx, claim.order_id);
  const current = await lockLabel(tx, claim.id);
  const same =
    current?.attempts === claim.attempts &&
    current.status === claim.status &&
    current.void_status === claim.void_status;
  return same ? current : null;
}

/**
 * Prepares a payment: stores the offer, if it was just chosen, and renews the claim. Returns null when another server
 * took over the purchase.
 */
export async function preparePayment(
  tx: Tx,
  claim: ShippingLabel,
  offer: RateOffer | null,
): Promise<ShippingLabel | null> {
  const label = await lockClaimed(tx, claim);
  if (label === null) return null;
  const claimed_until = await purchaseQueue.hold(tx, label.id, call_ms_max);
  return saveLabel(tx, label, { ...(offer === null ? {} : offerFields(label, offer)), claimed_until });
}

/** The fields of a label that an offer sets. A quoted price stays. */
function offerFields({ quote_nonce }: ShippingLabel, offer: RateOffer): Partial<ShippingLabel> {
  if (quote_nonce === null) return { ...pricedBy(offer), offer_ref: offer.ref };
  return { offer_ref: offer.ref, carrier_cost_cents: offer.cost_cents };
}

/** A label that a carrier sold, with its parcel and order; null for a return. */
interface RecordedPurchase {
  readonly label: ShippingLabel;
  readonly parcel: { readonly order: Order; readonly shipment: Shipment } | null;
}

/**
 * The functions of higher features that a purchase needs, called in the transaction that records a carrier's reply.
 */
export interface LabelCallbacks {
  /** Returns the units that come back with a return label. */
  readonly unitsOfReturn: (db: Db, return_id: number) => Promise<readonly ShipmentLine[]>;
  /** Called when the carrier sold the label; `parcel` is null for a return label. */
  readonly bought: (tx: Tx, bought: RecordedPurchase) => Promise<void>;
  /** Called when the label was voided. */
  readonly voided: (tx: Tx, label: ShippingLabel, actor: Actor) => Promise<void>;
}

/**
 * Records a purchase once: the label gets its number and documents, its parcel the number. It does not start tracking
 * and emits nothing. Returns null when the purchase is already recorded.
 */
export async function recordBought(
  tx: Tx,
  claim: ShippingLabel,
  bought: BoughtPostage,
): Promise<RecordedPurchase | null> {
  await lockOrderOfLabels(tx, claim.order_id);
  const before = await lockLabel(tx, claim.id);
  if (before === null || !isBeingBought(before.status)) return null;
  const tracking_number = plainTrackingNumber(bought.tracking_number);
  await insertDocuments(tx, before.id, bought.documents);
  const label = await saveLabel(tx, before, {
    status: transition(labelTransitions, "complete", before.status),
    tracking_number,
    tracking_url: bought.tracking_url,
    // A refund that comes with a purchase is not a cost.
    carrier_cost_cents: Math.max(bought.cost_cents, 0),
    delivery_date: bought.estimated_delivery ?? before.delivery_date,
    carrier_ref: bought.carrier_ref,
    tracker_ref: bought.tracker_ref,
    claimed_until: null,
    warnings: [...before.warnings, ...documentWarnings(before, bought)],
  });
  const order = await lockOrder(tx, label.order_id);
  billFacts(tx, [labelFact(label, await originOfOrder(tx, order))]);
  if (label.shipment_id === null) return { label, parcel: null };
  const shipment = order.shipments.find(({ id }) => id === label.shipment_id);
  assert(shipment !== undefined, "an order has the parcels of its labels");
  const parcel = { order, shipment };
  // A parcel that was given up in the meantime gets no number. Its label can still be voided.
  if (isGivenUp(shipment.status)) return { label, parcel };
  const tracking = { tracking_number, told_url: bought.tracking_url };
  return { label, parcel: await labelShipment(tx, parcel, tracking, purchaseActor(label)) };
}

/** Returns the actor of a recorded purchase: the buyer, or the job. */
export function purchaseActor({ asked_by }: ShippingLabel): Actor {
  return asked_by ?? systemActor(purchaseQueue.job);
}

/**
 * Records that nothing was bought. The units of the parcel become free for another parcel. The quote can be used again
 * if the result is known. The order is complete if everything else of it had left. Returns null when another server
 * took over the purchase.
 * Emits: order.shipped, order.delivered.
 */
export async function recordFailed(
  tx: Tx,
  claim: ShippingLabel,
  reason: FailureReason & { readonly known: boolean },
): Promise<ShippingLabel | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const { code: error_code, message: error_message, known } = reason;
  const status = transition(labelTransitions, "fail", before.status);
  const { shipment_id } = before;
  if (shipment_id !== null && (await isUnshippedParcel(tx, before, shipment_id))) {
    await voidShipment(tx, shipment_id, purchaseActor(before));
  }
  const quote_nonce = known ? null : before.quote_nonce;
  return saveLabel(tx, before, { status, error_code, error_message, quote_nonce, claimed_until: null });
}

async function isUnshippedParcel(tx: Tx, { order_id }: ShippingLabel, shipment_id: number): Promise<boolean> {
  const { shipments } = await lockOrder(tx, order_id);
  return shipments.some(({ id, status }) => id === shipment_id && isUnshipped(status));
}

/** Schedules another lookup. Returns null when another server took over the purchase. */
export async function checkLater(
  tx: Tx,
  claim: ShippingLabel,
  retry_after_seconds: number | null,
): Promise<ShippingLabel | null> {
  const label = await lockClaimed(tx, claim);
  if (label === null) return null;
  const claimed_until = tx.now + retryWait(checkRetries, label.attempts, retry_after_seconds);
  tx.wake(purchaseQueue.job, claimed_until);
  return saveLabel(tx, label, { claimed_until });
}

/** A label to finish, of an account that is called once at a time. */
export interface LabelTask {
  readonly connection: { readonly id: number };
  readonly label: ShippingLabel;
}

/**
 * Claims due labels: at most one of each account on which this server is not busy, so that each is handled before its
 * claim expires.
 */
export async function claimDue(tx: Tx, busy: ReadonlySet<number>): Promise<ClaimedWork<LabelTask>> {
  const accounts = (await purchaseQueue.lanes(tx)).filter(({ id }) => !busy.has(id));
  return purchaseQueue.claimLanes(tx, accounts, async (connection) => {
    const [label] = await purchaseQueue.claim(tx, { lane: connection.id, limit: 1 });
    return label === undefined ? null : { connection, label: { ...label, documents: [] } };
  });
}
