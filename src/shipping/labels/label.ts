import type { BillableFact } from "../../billing/billable_event.ts";
import type { Actor } from "../../core/actor.ts";
import { iso, isoOrNull } from "../../core/clock.ts";
import type { CsvCell } from "../../core/csv.ts";
import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import { money, value_currency } from "../../core/money.ts";
import type { Site } from "../../core/operator_settings.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import type { LabelDrawing } from "../../documents/drawing.ts";
import { carrierPage, trackingPagePath } from "../../orders/fulfillment/tracking_url.ts";
import { addressView } from "../address.ts";
import { breakdownView, type PriceLine, type RateOffer } from "../offer.ts";
import type { ParcelPackage } from "../parcel.ts";
import { deliveryDay, placeTimeZone } from "../rates/delivery_date.ts";
import { type LabelStatus, shownVoidStatus, type VoidStatus } from "./label.transitions.ts";
import {
  documentLinks,
  isBuiltInLabel,
  type LinkSigner,
  link_lifetime_ms,
  listedDocuments,
  type StoredDocument,
} from "./label_documents.ts";

/**
 * A part of a label that was not printed as requested, or another warning. `field` is a path, as in `recipient.name`.
 */
export interface LabelWarning {
  readonly field: string;
  readonly code:
    | "unprintable_text"
    | "shortened_text"
    | "no_postal_barcode"
    | "no_qr_code"
    | "no_sscc"
    | "po_box"
    | "no_document"
    | "sample_rates"
    | "not_reserved"
    | "refund_elsewhere";
  readonly message: string;
}

/**
 * A label without its drawing: its costs, and the state of its purchase. Built-in labels and those that were bought
 * elsewhere have null in the fields that only carriers set.
 */
export interface PlainLabel {
  readonly id: number;
  readonly merchant_id: number;
  /** The parcel of the label; null for a return label. */
  readonly shipment_id: number | null;
  readonly order_id: number;
  /** The return of the label; null for an outgoing parcel. */
  readonly return_id: number | null;
  /** The carrier account that buys it. */
  readonly account_id: number | null;
  /** Whether it was bought elsewhere, so that no carrier is called for it. */
  readonly external: boolean;
  readonly status: LabelStatus;
  readonly carrier: string;
  readonly service: string;
  /** Null until it is bought. */
  readonly tracking_number: string | null;
  /** The carrier's public page of the parcel. */
  readonly tracking_url: string | null;
  /** What the merchant is charged; zero until an offer is chosen. */
  readonly cost_cents: number;
  /** What the carrier charges. */
  readonly carrier_cost_cents: number;
  readonly currency: string;
  readonly breakdown: readonly PriceLine[] | null;
  /** Whether it was bought at the prices of a sample card. */
  readonly sample: boolean;
  readonly zone: string | null;
  readonly billable_pounds: number | null;
  /** The promised delivery of the offer, in milliseconds. */
  readonly delivery_date: number | null;
  /** The id of the quote that it was bought with. */
  readonly quote_nonce: string | null;
  /** The carrier's reference of the offer, stored before payment; null until an offer is chosen. */
  readonly offer_ref: string | null;
  /** The carrier's reference of the purchase. */
  readonly carrier_ref: string | null;
  readonly tracker_ref: string | null;
  readonly package: ParcelPackage;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from_address: CompleteAddress;
  readonly to_address: CompleteAddress;
  readonly documents: readonly StoredDocument[];
  readonly warnings: readonly LabelWarning[];
  /** A digest that is equal for equal purchases. */
  readonly fingerprint: string;
  /** The actor that requested the purchase or the voiding. */
  readonly asked_by: Actor | null;
  /** Until then only the claiming server may call the carrier (ms); null when nothing is open. */
  readonly claimed_until: number | null;
  /** The number of claims so far. */
  readonly attempts: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly void_status: VoidStatus | null;
  readonly created_at: number;
  readonly voided_at: number | null;
  /** When it was first printed (ms), and how often. */
  readonly printed_at: number | null;
  readonly prints: number;
}

/** A label with its printable documents. */
export interface ShippingLabel extends PlainLabel {
  /** The drawing of a built-in label, from which each format is rendered. */
  readonly drawing: LabelDrawing | null;
}

/** The purchase fields of a built-in label, except costs. */
export const own_purchase = {
  return_id: null,
  account_id: null,
  external: false,
  tracking_url: null,
  quote_nonce: null,
  offer_ref: null,
  carrier_ref: null,
  tracker_ref: null,
  documents: [],
  asked_by: null,
  claimed_until: null,
  attempts: 0,
  error_code: null,
  error_message: null,
  void_status: null,
  printed_at: null,
  prints: 0,
} as const satisfies Partial<ShippingLabel>;

/** Whether its costs are known. */
const isPriced = ({ account_id, offer_ref, quote_nonce }: PlainLabel) =>
  account_id === null || offer_ref !== null || quote_nonce !== null;

/** The inputs of a label's links: the service's origin, the signer, the environment and the present time. */
interface LinkContext {
  readonly origin: string;
  readonly site: Site;
  readonly signer: LinkSigner;
  readonly mode: Environment;
  readonly now: number;
}

/** Returns the label as the API shows it, with signed links to its documents. */
export function labelView(label: PlainLabel, context: LinkContext) {
  const { return_id, account_id, error_code, error_message } = label;
  const { origin, signer, mode, now } = context;
  const expires = Math.floor((now + link_lifetime_ms) / 1000);
  const linkTo = documentLinks(origin, { label_id: label.id, mode, expires }, signer);
  const documents = listedDocuments(label).map(({ kind, ...choice }) => ({
    kind,
    format: choice.format,
    url: linkTo(choice),
  }));
  return {
    label_id: wireId("label", label.id),
    merchant_id: wireId("merchant", label.merchant_id),
    shipment_id: wireIdOrNull("shipment", label.shipment_id),
    order_id: wireId("order", label.order_id),
    return_id: wireIdOrNull("return", return_id),
    account_id: wireIdOrNull("carrier_account", account_id),
    external: label.external,
    status: label.status,
    carrier: label.carrier,
    service: label.service,
    tracking_number: label.tracking_number,
    tracking_url: trackingPage(label, context),
    cost: isPriced(label) ? money(label.cost_cents, label.currency) : null,
    carrier_cost: isPriced(label) ? money(label.carrier_cost_cents, label.currency) : null,
    currency: label.currency,
    breakdown: label.breakdown && breakdownView(label.breakdown, label.currency),
    sample: label.sample,
    billable_weight: label.billable_pounds,
    zone: label.zone,
    ...deliveryView(label),
    label_url: documents.find(({ kind }) => kind === "label")?.url ?? null,
    documents,
    package: packageView(label),
    from_address: addressView(label.from_address),
    to_address: addressView(label.to_address),
    warnings: label.warnings,
    error: error_code === null ? null : { code: error_code, message: error_message ?? "" },
    void_status: shownVoidStatus(label.void_status),
    created_at: iso(label.created_at),
    voided_at: isoOrNull(label.voided_at),
    printed_at: isoOrNull(label.printed_at),
    print_count: label.prints,
  };
}

function deliveryView({ delivery_date: at, account_id, from_address, to_address: to }: PlainLabel) {
  if (at === null) return { delivery_date: null, delivery_day: null };
  const { day, end } = deliveryDay({
    at,
    to,
    by_carrier: account_id !== null,
    origin_zone: placeTimeZone(from_address),
  });
  return { delivery_date: iso(end), delivery_day: day };
}

/** The public page of the parcel: the carrier's; or ours if the carrier has none and the parcel is outgoing. */
function trackingPage(label: PlainLabel, at: LinkContext) {
  const { carrier, shipment_id, tracking_number, tracking_url } = label;
  if (tracking_number === null) return null;
  const carrier_page = isBuiltInLabel(label) ? null : (carrierPage(carrier, tracking_number) ?? tracking_url);
  if (carrier_page !== null || shipment_id === null) return carrier_page;
  return at.origin + trackingPagePath(at.site, at.mode, { shipment_id });
}

function packageView({ package: { weight, ...same }, value_cents, insurance }: PlainLabel) {
  return {
    weight: Number(weight),
    ...same,
    value: value_cents === null ? null : money(value_cents, value_currency),
    insurance,
  };
}

/** The fields of a label that an offer sets. */
export function pricedBy(offer: RateOffer) {
  const { rate_cents, cost_cents, currency, breakdown, zone, billable_pounds, delivery_date } = offer;
  return {
    cost_cents: rate_cents,
    carrier_cost_cents: cost_cents,
    currency,
    breakdown,
    sample: offer.sample === true,
    zone,
    billable_pounds,
    delivery_date,
  };
}

/** Returns the billable fact of a purchased label. */
export function labelFact(label: PlainLabel, warehouse: BillableFact["warehouse"]): BillableFact {
  const { id, merchant_id, order_id, shipment_id, return_id, account_id } = label;
  const attributes = {
    order_id: wireId("order", order_id),
    shipment_id: wireIdOrNull("shipment", shipment_id),
    return_id: wireIdOrNull("return", return_id),
    account_id: wireIdOrNull("carrier_account", account_id),
    external: label.external,
    carrier: label.carrier,
    service: label.service,
    zone: label.zone,
    billable_weight: label.billable_pounds,
    package: label.package,
    cost: money(label.cost_cents, label.currency),
    currency: label.currency,
  };
  return { act: "label.buy", merchant_id, warehouse, quantity: 1, source: { id }, attributes };
}

/** A label in a list, with its order number. */
export interface ListedLabel extends PlainLabel {
  readonly order_number: string;
}

/** The columns of the CSV file of labels. */
const columns: readonly (readonly [name: string, cell: (label: ListedLabel) => CsvCell])[] = [
  ["label_id", ({ id }) => wireId("label", id)],
  ["created_at", ({ created_at }) => iso(created_at)],
  ["status", ({ status }) => status],
  ["carrier", ({ carrier }) => carrier],
  ["service", ({ service }) => service],
  ["tracking_number", ({ tracking_number }) => tracking_number],
  ["order_id", ({ order_id }) => wireId("order", order_id)],
  ["order_number", ({ order_number }) => order_number],
  ["shipment_id", ({ shipment_id }) => wireIdOrNull("shipment", shipment_id)],
  ["return_id", ({ return_id }) => wireIdOrNull("return", return_id)],
  ["account_id", ({ account_id }) => wireIdOrNull("carrier_account", account_id)],
  ["cost", ({ cost_cents, currency }) => money(cost_cents, currency)],
  ["carrier_cost", ({ carrier_cost_cents, currency }) => money(carrier_cost_cents, currency)],
  ["sample", ({ sample }) => sample],
  ["currency", ({ currency }) => currency],
  ["zone", ({ zone }) => zone],
  ["billable_weight", ({ billable_pounds }) => billable_pounds],
  ["weight", ({ package: packed }) => packed.weight],
  ["weight_unit", ({ package: packed }) => packed.weight_unit],
  ["to_name", ({ to_address }) => to_address.name],
  ["to_city", ({ to_address }) => to_address.city],
  ["to_state", ({ to_address }) => to_address.state],
  ["to_zip", ({ to_address }) => to_address.postal_code],
  ["to_country", ({ to_address }) => to_address.country],
  ["error", ({ error_code }) => error_code],
  ["voided_at", ({ voided_at }) => isoOrNull(voided_at)],
  ["external", ({ external }) => external],
];

/** The columns that merchants do not see. */
const operator_columns = new Set(["account_id", "carrier_cost"]);

export const labelColumns = columns.map(([name]) => name);

/** Returns a label as a CSV row. Merchants do not see the operator's columns. */
export function labelCells(label: ListedLabel, merchant_id: number | null): readonly CsvCell[] {
  return columns.map(([name, cell]) => (merchant_id !== null && operator_columns.has(name) ? null : cell(label)));
}

// Merchants do not see a carrier label's account, its cost to the operator or the carrier's messages.

type LabelViewShown = ReturnType<typeof labelView>;

/** Returns the view of a label for its merchant. */
export function forMerchant(shown: LabelViewShown): LabelViewShown {
  const { account_id, carrier, error } = shown;
  const reduced = { ...shown, account_id: null, carrier_cost: null, breakdown: null };
  if (account_id === null || error === null) return reduced;
  const message =
    error.code === "purchase_unknown"
      ? `It is unknown whether the carrier ${carrier} sold this label. Ask the warehouse operator.`
      : notDone("sold", carrier);
  return { ...reduced, error: { code: error.code, message } };
}

const notDone = (done: "sold" | "voided", carrier: string) =>
  `The carrier ${carrier} has not ${done} this label. Ask the warehouse operator for the reason.`;

const merchant_error_fields = ["label_id", "permanent", "retry_after_seconds"];

/**
 * Returns the function that rewrites a carrier's refusal for the caller: merchants do not see the carrier's message.
 */
export function refusalFor(
  { merchant_id }: { readonly merchant_id: number | null },
  done: "sold" | "voided",
): (label: ShippingLabel, fault: Fault) => Fault {
  return ({ carrier }, fault) => {
    if (merchant_id === null) return fault;
    const facts = Object.fromEntries(
      Object.entries(fault.facts).filter(([name]) => merchant_error_fields.includes(name)),
    );
    return new Fault(fault.code, notDone(done, carrier), facts);
  };
}
