// Buys labels of built-in carriers, which call no server: many purchases share one transaction.

import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { assert, Fault, orFault, unlessRefused } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { isSamePlace } from "../../core/postal_address.ts";
import { transition } from "../../core/transitions.ts";
import { printableLine, unprintableLetters } from "../../documents/shape_text.ts";
import { openLabelled } from "../../orders/fulfillment/label_shipment.ts";
import { parcelPlace, placeText } from "../../orders/fulfillment/order_units.ts";
import { allotShipmentIds } from "../../orders/fulfillment/shipments.sql.ts";
import type { Order, OrderParcel } from "../../orders/order.ts";
import type { Tx } from "../../storage/database.ts";
import {
  builtIn,
  type DatedOffer,
  type OwnSeller,
  ownOffer,
  ownSeller,
  type PricedGoods,
} from "../carriers/built_in.ts";
import { refuseSimulated } from "../rates/built_in_carrier.ts";
import { listTariffs } from "../rates/rate_cards.sql.ts";
import { sampleWarning } from "../rates/sample_rate_cards.ts";
import { drawLabel } from "./draw_label.ts";
import { labelStarts, labelTransitions } from "./label.transitions.ts";
import { type LabelWarning, labelFact, pricedBy, type ShippingLabel } from "./label.ts";
import { findUsedQuotes, insertOwnLabels, insertSerials, type OwnLabelRow, quoteUsed } from "./labels.sql.ts";
import { type ParcelRequest, type ReadyParcel, readyParcels } from "./ready_parcels.ts";

/** A purchased label with its parcel and order. */
export interface BoughtLabel extends OrderParcel {
  readonly label: ShippingLabel;
}

/** A purchase of a label: the request and its context. */
export type LabelOrder = Omit<ParcelRequest, "seller">;

/** A purchase that passed all checks. Only concurrent use of its quote can still refuse it. */
interface SoldLabel {
  readonly seller: OwnSeller;
  readonly actor: Actor;
  readonly ready: ReadyParcel;
  readonly offer: DatedOffer;
  /** The number of the order, as it is printed. */
  readonly reference: string;
}

/**
 * Buys labels of built-in carriers for parcels of orders, with about as many statements for many as for one. Returns
 * for each purchase its label; or its refusal, which changed nothing; or "run_individually", since an
 * earlier purchase is for the same order. Tracking and events are left to tracking's `buyTrackedLabels`. Concurrent use
 * of a quote refuses all purchases at once (quote_used).
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, pickup_order,
 * invalid_state_transition, quote_mismatch, quote_used.
 */
export async function buyLabels(
  tx: Tx,
  purchases: readonly LabelOrder[],
): Promise<(BoughtLabel | Fault | "run_individually")[]> {
  const tariffs = purchases.some(({ buying }) => buying.quote === null) ? await listTariffs(tx) : [];
  const requests = purchases.map(({ input, buying }) =>
    orFault(() => ({ input, buying, seller: ownSeller(tariffs, input, buying.quote) })),
  );
  const sold = await unlessRefused(requests, async (valid) => {
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
  const ids = sold.map((sale) => (isSold(sale) ? quoteIdOf(sale.seller) : null));
  const used = await findUsedQuotes(
    tx,
    ids.filter((id) => id !== null),
  );
  return sold.map((sale, at) => {
    const id = ids[at] ?? null;
    if (id === null) return sale;
    if (used.has(id)) return quoteUsed();
    used.add(id);
    return sale;
  });
}

const quoteIdOf = ({ price }: OwnSeller) => ("quote" in price ? price.quote.id : null);

const isSold = (sale: SoldLabel | Fault | "run_individually"): sale is SoldLabel =>
  !(sale === "run_individually" || sale instanceof Fault);

/** Prices a parcel's label and sets its reference. Refuses: validation_failed, carrier_refused, carrier_error. */
function soldBy({ now, mode }: Tx, seller: OwnSeller, actor: Actor, ready: ReadyParcel): SoldLabel {
  const { order, to_address } = ready;
  const verification = isSamePlace(order.shipping_address, to_address) ? order.address_verification : null;
  const { text: reference, warnings } = printedNumber(order);
  const goods = { ...ready, return_id: null, residential: verification?.residential ?? null, reference };
  if (mode === "test") refuseSimulated(seller.carrier, to_address);
  const offer = ownOffer(seller, goods, now);
  return { seller, actor, ready: { ...ready, warnings: [...ready.warnings, ...warnings] }, offer, reference };
}

/** Opens the parcels of sold labels, draws the labels and inserts them. Refuses: quote_used. */
async function issueLabels(tx: Tx, sold: readonly SoldLabel[]): Promise<BoughtLabel[]> {
  if (sold.length === 0) return [];
  const numbered = await numberParcels(tx, sold);
  const parcels = await openLabelled(
    tx,
    numbered.map(({ ready: { order, units: lines }, seller: { carrier, service }, id, tracking_number, actor }) => {
      return { order, actor, parcel: { id, carrier, service, tracking_number, lines } };
    }),
  );
  await insertSerials(
    tx,
    numbered.flatMap(({ serial, id }) => (serial === null ? [] : { serial, shipment_id: id })),
  );
  const drawn = numbered.map(({ seller, ready, offer, reference, id, tracking_number, warnings }, at) => {
    const parcel = parcels[at];
    const place = parcel === undefined ? null : parcelPlace(parcel.order, id);
    return drawnLabel(tx, seller, offer, {
      ...ready,
      id: null,
      shipment_id: id,
      merchant_id: ready.order.merchant_id,
      order_id: ready.order.id,
      return_id: null,
      tracking_number,
      reference,
      warnings: [...ready.warnings, ...warnings],
      parcel_text: place === null ? "" : placeText(place),
      qr_text: parcel?.shipment.tracking_url ?? null,
    });
  });
  const labels = await insertOwnLabels(tx, drawn);
  billFacts(
    tx,
    labels.flatMap((label, at) => {
      const ready = sold[at]?.ready;
      return ready === undefined ? [] : labelFact(label, { id: ready.warehouse_id, timezone: ready.origin_zone });
    }),
  );
  return parcels.flatMap((parcel, at) => {
    const label = labels[at];
    return label === undefined ? [] : { ...parcel, label };
  });
}

/** Buys the numbers of the parcels of sold labels. */
async function numberParcels(tx: Tx, sold: readonly SoldLabel[]) {
  const ids = await allotShipmentIds(tx, sold.length);
  const parcels = sold.map((sale, at) => ({ ...sale, id: ids[at] ?? 0 }));
  const numbers = await builtIn.buy(
    tx,
    parcels.map(({ id, ready }) => ({ shipment_id: id, to_address: ready.to_address })),
  );
  return parcels.flatMap((parcel, at) => {
    const number = numbers[at];
    return number === undefined ? [] : { ...parcel, ...number };
  });
}

/** The content of a built-in label, except its costs. */
interface OwnLabel
  extends Pick<
    ReadyParcel,
    "parcel" | "value_cents" | "insurance" | "from_address" | "to_address" | "fingerprint" | "warnings"
  > {
  /** An id allotted in advance; null to use the next one. */
  readonly id: number | null;
  readonly shipment_id: number | null;
  readonly merchant_id: number;
  readonly order_id: number;
  readonly return_id: number | null;
  readonly tracking_number: string;
  /** The number of the order or of the return. */
  readonly reference: string;
  /** The position of the parcel in its order, such as `2 of 6`; empty when unknown. */
  readonly parcel_text: string;
  readonly qr_text: string | null;
}

/** Prices, draws and inserts a built-in label. Refuses: validation_failed. */
export async function drawOwnLabel(tx: Tx, seller: OwnSeller, content: OwnLabel & PricedGoods): Promise<ShippingLabel> {
  const [label] = await insertOwnLabels(tx, [drawnLabel(tx, seller, ownOffer(seller, content, tx.now), content)]);
  assert(label !== undefined, "an inserted label is returned");
  return label;
}

/** Returns a built-in label, drawn, before it is inserted. */
function drawnLabel(tx: Tx, seller: OwnSeller, offer: DatedOffer, content: OwnLabel): OwnLabelRow {
  const { parcel, from_address, to_address, tracking_number } = content;
  const quote_nonce = quoteIdOf(seller);
  const { drawing, warnings } = drawLabel({
    carrier: offer.carrier_name,
    service: offer.service_name,
    sender: from_address,
    recipient: to_address,
    weight: `${parcel.package.weight} ${parcel.package.weight_unit}`,
    parcel: content.parcel_text,
    tracking_number,
    qr_text: content.qr_text,
    order_number: content.reference,
    date: offer.ship_date,
    test: tx.mode === "test",
  });
  const price = pricedBy(offer);
  const priced = price.sample && tx.mode === "live" ? [sampleWarning] : [];
  return {
    ...(content.id !== null && { id: content.id }),
    shipment_id: content.shipment_id,
    ...(content.return_id !== null && { return_id: content.return_id }),
    order_id: content.order_id,
    merchant_id: content.merchant_id,
    status: transition(labelTransitions, "complete", labelStarts),
    carrier: offer.carrier,
    service: offer.service,
    tracking_number,
    ...price,
    package: parcel.package,
    value_cents: content.value_cents,
    insurance: content.insurance,
    from_address,
    to_address,
    drawing,
    warnings: [...content.warnings, ...warnings, ...priced],
    fingerprint: content.fingerprint,
    ...(quote_nonce !== null && { quote_nonce }),
    created_at: tx.now,
    voided_at: null,
  };
}

/** The printed reference: the order number, or the order's id if no font has all characters of the number. */
function printedNumber({ id, order_number }: Order): {
  readonly text: string;
  readonly warnings: readonly LabelWarning[];
} {
  if (unprintableLetters(printableLine(order_number)).length === 0) return { text: order_number, warnings: [] };
  const message =
    "The order number has characters that the installed fonts cannot print, so the order's id is printed instead.";
  return {
    text: wireId("order", id),
    warnings: [{ field: "order_number", code: "unprintable_text", message }],
  };
}
