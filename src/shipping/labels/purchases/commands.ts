import { isSamePlace } from "../../../addresses/address.ts";
import { hasUnknownZip } from "../../../addresses/commands.ts";
import { isUndeliverable } from "../../../addresses/status.ts";
import type { Db, Tx } from "../../../database/store.ts";
import type { Actor } from "../../../kit/actor.ts";
import { system } from "../../../kit/actor.ts";
import { assert } from "../../../kit/assert.ts";
import { invalid } from "../../../kit/fault.ts";
import { invalidChoice } from "../../../kit/field_problems.ts";
import { readId } from "../../../kit/ids.ts";
import { move } from "../../../kit/moves.ts";
import { parcelPlace, placeInWords } from "../../../orders/fulfillment/rules.ts";
import { labelShipment, voidShipment } from "../../../orders/labelling/commands.ts";
import type { Order } from "../../../orders/order.ts";
import type { Shipment } from "../../../orders/shipments/shipment.ts";
import { isGivenUp, isInHouse } from "../../../orders/shipments/status.ts";
import { plainTrackingNumber } from "../../../orders/shipments/tracking_number.ts";
import { lockOrder } from "../../../orders/store.ts";
import { findProducts } from "../../../products/store.ts";
import { isSelling } from "../../accounts/status.ts";
import { findAccount, listActiveAccounts } from "../../accounts/store.ts";
import type { Address } from "../../address.ts";
import { contentsOf, goodsIn, productsToWeigh } from "../../contents.ts";
import type { Bought, Carriage, Content, Offer } from "../../offer.ts";
import { hasAddresses, type Quote } from "../../quotes/quote.ts";
import { builtInCarrier } from "../../rates/carrier.ts";
import { boxWarnings } from "../../rules.ts";
import { originOfOrder } from "../../store.ts";
import type { Label } from "../label.ts";
import { type Buying, openParcel } from "../parcels/commands.ts";
import type { CreateLabel } from "../schemas.ts";
import { isBeingBought, labelMoves, labelStarts } from "../status.ts";
import { insertDocuments, insertLabel, lockOrderOfLabels, saveLabel } from "../store.ts";
import { carriageOf, lease_ms, lookWait, paperWarnings, type Reason } from "./rules.ts";
import { lockDue, lockLabel, nextDueAt } from "./store.ts";

/** The job that finishes purchases which a request has left. */
export const finishing_job = "shipping.finish_purchases";

/** By which account a label is bought, and for what: the offer of a quote, or a service whose offer is yet to come. */
export interface Seller {
  readonly account_id: number;
  readonly carrier: string;
  readonly service: string;
  readonly quote: Quote | null;
}

/**
 * The account that sells what a purchase names, the oldest where several do. Refuses: validation_failed.
 */
export async function chooseSeller(
  db: Db,
  { carrier, service, account_id }: Pick<CreateLabel, "carrier" | "service" | "account_id">,
): Promise<Seller> {
  if (carrier === undefined) throw invalid("carrier", "is required", "required");
  if (service === undefined) throw invalid("service", "is required", "required");
  const active = await listActiveAccounts(db);
  const named = account_id === undefined || account_id === null ? null : readId("carrier_account", account_id);
  const asked = active.filter(({ id }) => account_id === undefined || account_id === null || id === named);
  if (asked.length === 0 && active.length > 0) throw invalid("account_id", "names no active carrier account");
  const listed = asked.flatMap(({ id, carriers }) => carriers.map((sold) => ({ account_id: id, ...sold })));
  const selling = listed.filter(({ code }) => code === carrier);
  if (selling.length === 0) {
    throw invalidChoice("carrier", carrier, [builtInCarrier(db.mode).code, ...new Set(listed.map(({ code }) => code))]);
  }
  const codesOf = ({ services }: (typeof selling)[number]) => services.map(({ code }) => code);
  const lists = selling.find((one) => codesOf(one).includes(service));
  // Where an account lists no services at all, its carrier knows.
  const found = lists ?? selling.find(({ services }) => services.length === 0);
  if (found === undefined) throw invalidChoice("service", service, [...new Set(selling.flatMap(codesOf))]);
  return { account_id: found.account_id, carrier, service, quote: null };
}

/** The account whose offer was quoted. Refuses: validation_failed, when it sells nothing any more. */
export async function sellerOfQuote(db: Db, quote: Quote): Promise<Seller> {
  const account = quote.account_id === null ? null : await findAccount(db, quote.account_id);
  if (account === null || !isSelling(account.status)) {
    throw invalid("quote_id", "is of a carrier account that is paused or gone; ask for rates again");
  }
  const { carrier, service } = quote.offer;
  return { account_id: account.id, carrier, service, quote };
}

/**
 * Claims the purchase of a carrier's label for a parcel of an order: the parcel is opened, and the label waits.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, invalid_state_transition,
 * quote_mismatch, quote_used.
 */
export async function beginPurchase(tx: Tx, input: CreateLabel, buying: Buying, seller: Seller): Promise<Label> {
  const ready = await openParcel(tx, input, buying, seller);
  const { value_cents, insurance, from_address, to_address, fingerprint } = ready;
  await refuseUnknownZip(tx, ready.order, to_address);
  return claimNew(tx, seller, buying.actor, {
    shipment_id: ready.shipment.id,
    order_id: ready.order.id,
    return_id: null,
    package: ready.parcel.package,
    value_cents,
    insurance,
    from_address,
    to_address,
    fingerprint,
  });
}

/**
 * A carrier takes no ZIP code that nobody knows, unless one has found that very address before.
 * Refuses: validation_failed.
 */
async function refuseUnknownZip(tx: Tx, { shipping_address, address_verification }: Order, to: Address): Promise<void> {
  const found = address_verification !== null && address_verification.method !== "offline";
  if (found && !isUndeliverable(address_verification.status) && isSamePlace(shipping_address, to)) return;
  if (!(await hasUnknownZip(tx, to))) return;
  const remedy = "correct the order's address, or have a carrier verify it";
  const message = `is no ZIP code that is known here (${to.postal_code}): ${remedy}`;
  throw invalid("to_address.zip", message, "unknown_zip");
}

/** What a label is for. */
type Wanted = Pick<
  Label,
  | "shipment_id"
  | "order_id"
  | "return_id"
  | "package"
  | "value_cents"
  | "insurance"
  | "from_address"
  | "to_address"
  | "fingerprint"
>;

/** Stores a label that its carrier is about to be asked for. */
export async function claimNew(tx: Tx, seller: Seller, asked_by: Actor, wanted: Wanted): Promise<Label> {
  const { account_id, carrier, service, quote } = seller;
  const claimed_until = tx.now + lease_ms;
  tx.wake(finishing_job, claimed_until);
  return insertLabel(tx, {
    ...wanted,
    account_id,
    carrier,
    service,
    status: labelStarts,
    quote_nonce: quote?.nonce ?? null,
    ...(quote === null ? unpriced : { ...pricedBy(quote.offer), ...(hasAddresses(quote) ? {} : { offer_ref: null }) }),
    tracking_number: null,
    tracking_url: null,
    carrier_ref: null,
    tracker_ref: null,
    drawing: null,
    documents: [],
    warnings: boxWarnings(carrier, wanted.to_address),
    asked_by,
    claimed_until,
    attempts: 1,
    error_code: null,
    error_message: null,
    void_status: null,
    created_at: tx.now,
    voided_at: null,
  });
}

const unpriced = {
  cost_cents: 0,
  carrier_cost_cents: 0,
  currency: "USD",
  breakdown: null,
  zone: null,
  billable_pounds: null,
  delivery_date: null,
  offer_ref: null,
} as const;

/** What an offer says of a label. */
function pricedBy(offer: Offer) {
  const { rate_cents, cost_cents, currency, breakdown, zone, billable_pounds, delivery_date, ref } = offer;
  return {
    cost_cents: rate_cents,
    carrier_cost_cents: cost_cents,
    currency,
    breakdown,
    zone,
    billable_pounds,
    delivery_date,
    offer_ref: ref,
  };
}

/** What the carrier of a label is asked to carry, as the order stands now. */
export async function carriageOfLabel(tx: Tx, label: Label): Promise<Carriage> {
  const order = await lockOrder(tx, label.order_id);
  const { timezone } = await originOfOrder(tx, order.id, order.warehouse_id);
  const place = label.shipment_id === null ? null : parcelPlace(order, label.shipment_id);
  const reference = place === null ? order.order_number : `${order.order_number}, parcel ${placeInWords(place)}`;
  return { ...carriageOf(label, timezone, reference), contents: await contentsOfLabel(tx, label, order) };
}

/** What is in the parcel of a label, as far as its products tell; nothing of what comes back. */
async function contentsOfLabel(db: Db, { shipment_id }: Label, order: Order): Promise<Content[]> {
  const lines = order.shipments.find(({ id }) => id === shipment_id)?.lines ?? [];
  if (lines.length === 0) return [];
  const products = await findProducts(db, productsToWeigh(order));
  return contentsOf(goodsIn(order, lines), products, order.currency);
}

/** The label of a claim, with its order locked; null when another server has claimed it since, or it is settled. */
export async function lockClaimed(tx: Tx, claim: Label): Promise<Label | null> {
  await lockOrderOfLabels(tx, claim.order_id);
  const now = await lockLabel(tx, claim.id);
  const same = now?.attempts === claim.attempts && now.status === claim.status && now.void_status === claim.void_status;
  return same ? now : null;
}

/**
 * The last thing that is stored before the carrier is paid: the offer, if it was just chosen, and that this server is
 * the one that pays. Null when another server took the purchase over.
 */
export async function readyToPay(tx: Tx, claim: Label, offer: Offer | null): Promise<Label | null> {
  const label = await lockClaimed(tx, claim);
  if (label === null) return null;
  const claimed_until = tx.now + lease_ms;
  tx.wake(finishing_job, claimed_until);
  return saveLabel(tx, label, { ...(offer === null ? {} : costing(label, offer)), claimed_until });
}

/** What an offer says of a label, except that a quote keeps its price. */
function costing({ quote_nonce }: Label, offer: Offer): Partial<Label> {
  if (quote_nonce === null) return pricedBy(offer);
  return { offer_ref: offer.ref, carrier_cost_cents: offer.cost_cents };
}

/** A label that a carrier sold, with its parcel and order where it leaves. */
interface Recorded {
  readonly label: Label;
  readonly parcel: { readonly order: Order; readonly shipment: Shipment } | null;
}

/** What follows in the same transaction when a carrier's answer about a label is recorded. */
export interface LabelNews {
  /** The carrier sold the label; `parcel` is null for a label of a return. */
  readonly bought: (tx: Tx, bought: Recorded) => Promise<void>;
  /** The label is void. */
  readonly voided: (tx: Tx, label: Label, actor: Actor) => Promise<void>;
}

/**
 * Records what a carrier sold, once, whoever learnt of it: the label has its number and documents, and its parcel the
 * number. It follows no parcel and tells nobody. Null when it is recorded already.
 */
export async function recordBought(tx: Tx, claim: Label, bought: Bought): Promise<Recorded | null> {
  await lockOrderOfLabels(tx, claim.order_id);
  const before = await lockLabel(tx, claim.id);
  if (before === null || !isBeingBought(before.status)) return null;
  const tracking_number = plainTrackingNumber(bought.tracking_number);
  await insertDocuments(tx, before.id, bought.documents);
  const label = await saveLabel(tx, before, {
    status: move(labelMoves, "complete", before.status),
    tracking_number,
    tracking_url: bought.tracking_url,
    // Money that a carrier returns with a purchase is no cost.
    carrier_cost_cents: Math.max(bought.cost_cents, 0),
    delivery_date: bought.estimated_delivery ?? before.delivery_date,
    carrier_ref: bought.carrier_ref,
    tracker_ref: bought.tracker_ref,
    claimed_until: null,
    warnings: [...before.warnings, ...paperWarnings(before, bought)],
  });
  if (label.shipment_id === null) return { label, parcel: null };
  const order = await lockOrder(tx, label.order_id);
  const shipment = order.shipments.find(({ id }) => id === label.shipment_id);
  assert(shipment !== undefined, "an order has the parcels that its labels name");
  const parcel = { order, shipment };
  // A parcel that was given up meanwhile keeps no number; its label can be voided.
  if (isGivenUp(shipment.status)) return { label, parcel };
  const told = { tracking_number, told_url: bought.tracking_url };
  return { label, parcel: await labelShipment(tx, parcel, told, whoAsked(label)) };
}

/** In whose name a purchase is told. */
export function whoAsked({ asked_by }: Label): Actor {
  return asked_by ?? system(finishing_job);
}

/**
 * Records that nothing was bought: the units of the parcel are free for another label, and so is the quote, unless
 * nobody knows what the carrier did. Null when another server took the purchase over.
 * Emits: order.shipped, order.delivered, when all else of the order had left already.
 */
export async function recordFailed(
  tx: Tx,
  claim: Label,
  reason: Reason & { readonly known: boolean },
): Promise<Label | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const { code: error_code, message: error_message, known } = reason;
  const status = move(labelMoves, "fail", before.status);
  const { shipment_id } = before;
  if (shipment_id !== null && (await waitsInHouse(tx, before, shipment_id))) {
    await voidShipment(tx, shipment_id, whoAsked(before));
  }
  const quote_nonce = known ? null : before.quote_nonce;
  return saveLabel(tx, before, { status, error_code, error_message, quote_nonce, claimed_until: null });
}

async function waitsInHouse(tx: Tx, { order_id }: Label, shipment_id: number): Promise<boolean> {
  const { shipments } = await lockOrder(tx, order_id);
  return shipments.some(({ id, status }) => id === shipment_id && isInHouse(status));
}

/** Lets the job look again later. Null when another server took it over. */
export async function lookLater(tx: Tx, claim: Label, retry_after_seconds: number | null): Promise<Label | null> {
  const label = await lockClaimed(tx, claim);
  if (label === null) return null;
  const claimed_until = tx.now + lookWait(label.attempts, retry_after_seconds);
  tx.wake(finishing_job, claimed_until);
  return saveLabel(tx, label, { claimed_until });
}

const claimed_together_max = 20;

/** What was claimed, and when there will be more to claim unless something else happens first. */
interface ClaimedLabels {
  readonly claims: readonly Label[];
  readonly next_at: number | null;
}

/**
 * Claims labels whose servers are gone, or whose carriers are to be asked again: one of each account that this server
 * has nothing under way of, so that none of them waits for longer than its claim holds.
 */
export async function claimDue(tx: Tx, busy: ReadonlySet<number>): Promise<ClaimedLabels> {
  const taken = new Set(busy);
  const claims: Label[] = [];
  while (claims.length < claimed_together_max) {
    const label = await lockDue(tx, taken);
    if (label === null) break;
    taken.add(label.account_id ?? 0);
    claims.push(await saveLabel(tx, label, { claimed_until: tx.now + lease_ms, attempts: label.attempts + 1 }));
  }
  return { claims, next_at: await nextDueAt(tx, taken) };
}
