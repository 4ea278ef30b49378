import type { Actor } from "../../kit/actor.ts";
import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { Mode } from "../../kit/mode.ts";
import { money, value_currency } from "../../kit/money.ts";
import type { Site } from "../../kit/site.ts";
import { trackingPagePath } from "../../orders/shipments/tracking_page.ts";
import { carrierPage } from "../../orders/shipments/tracking_url.ts";
import type { Drawing } from "../../typesetting/drawings/drawing.ts";
import { type Address, addressView } from "../address.ts";
import { deliveryDay } from "../delivery/delivery_day.ts";
import { placeTimeZone } from "../delivery/time_zones.ts";
import type { PriceLine } from "../offer.ts";
import type { Package } from "../parcel.ts";
import { listedDocuments, type StoredDocument } from "./document.ts";
import { documentLinks, type LinkSigner, link_lifetime_ms } from "./links.ts";
import type { LabelStatus, VoidStatus } from "./status.ts";

/** Text that is not printed as it was given. `field` is a path into the facts, as in `recipient.name`. */
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
    | "not_reserved";
  readonly message: string;
}

/**
 * A label without its drawing: its costs, and the state of its purchase. Fields that only carriers give are null on our
 * own labels.
 */
export interface PlainLabel {
  readonly id: number;
  readonly merchant_id: number;
  /** The parcel that it is for; null for a return label. */
  readonly shipment_id: number | null;
  readonly order_id: number;
  /** The return that it is for; null for a parcel that leaves. */
  readonly return_id: number | null;
  /** The carrier account that buys it. */
  readonly account_id: number | null;
  readonly status: LabelStatus;
  readonly carrier: string;
  readonly service: string;
  /** Null until it is bought. */
  readonly tracking_number: string | null;
  /** The carrier's public page of the parcel. */
  readonly tracking_url: string | null;
  /** What is charged for it; zero until an offer is chosen. */
  readonly cost_cents: number;
  /** What the carrier takes for it. */
  readonly carrier_cost_cents: number;
  readonly currency: string;
  readonly breakdown: readonly PriceLine[] | null;
  /** Whether it was bought at prices of a sample card. */
  readonly sample: boolean;
  readonly zone: string | null;
  readonly billable_pounds: number | null;
  /** The promised delivery, as the offer said. */
  readonly delivery_date: number | null;
  /** The quote that it is bought with. */
  readonly quote_nonce: string | null;
  /** The carrier's reference of the offer, stored before it is paid; null until an offer is chosen. */
  readonly offer_ref: string | null;
  /** The carrier's reference of the purchase. */
  readonly carrier_ref: string | null;
  readonly tracker_ref: string | null;
  readonly package: Package;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  readonly from_address: Address;
  readonly to_address: Address;
  readonly documents: readonly StoredDocument[];
  readonly warnings: readonly LabelWarning[];
  /** Equal for equal purchases. */
  readonly fingerprint: string;
  /** Who requested the purchase from the carrier. */
  readonly asked_by: Actor | null;
  /** Until when only one server may ask the carrier; null when nothing is left to ask. */
  readonly claimed_until: number | null;
  /** How often a server has claimed it. */
  readonly attempts: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly void_status: VoidStatus | null;
  readonly created_at: number;
  readonly voided_at: number | null;
}

/** A label with its printable documents. */
export interface Label extends PlainLabel {
  /** The drawing of our own label, from which each format is rendered. */
  readonly drawing: Drawing | null;
}

/** What a label of our own records of its purchase, besides costs. */
export const own_purchase = {
  return_id: null,
  account_id: null,
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
} as const satisfies Partial<Label>;

/** Whether its costs are known. */
const isPriced = ({ account_id, offer_ref, quote_nonce }: PlainLabel) =>
  account_id === null || offer_ref !== null || quote_nonce !== null;

/** What the links of a label depend on: the service's address, the signer, the mode and the present time. */
interface LinkContext {
  readonly origin: string;
  readonly site: Site;
  readonly signer: LinkSigner;
  readonly mode: Mode;
  readonly now: number;
}

/** The label as the API shows it, with links to its documents that need no key. */
export function labelView(label: PlainLabel, context: LinkContext) {
  const { return_id, account_id, error_code, error_message } = label;
  const { origin, signer, mode, now } = context;
  const expires = Math.floor((now + link_lifetime_ms) / 1000);
  const linkTo = documentLinks(origin, { label_id: label.id, mode, expires }, signer);
  const documents = listedDocuments(label).map(({ kind, ...wish }) => ({
    kind,
    format: wish.format,
    url: linkTo(wish),
  }));
  return {
    label_id: wireId("label", label.id),
    merchant_id: wireId("merchant", label.merchant_id),
    shipment_id: label.shipment_id === null ? null : wireId("shipment", label.shipment_id),
    order_id: wireId("order", label.order_id),
    return_id: return_id === null ? null : wireId("return", return_id),
    account_id: account_id === null ? null : wireId("carrier_account", account_id),
    status: label.status,
    carrier: label.carrier,
    service: label.service,
    tracking_number: label.tracking_number,
    tracking_url: trackingPage(label, context),
    cost: isPriced(label) ? money(label.cost_cents, label.currency) : null,
    carrier_cost: isPriced(label) ? money(label.carrier_cost_cents, label.currency) : null,
    currency: label.currency,
    breakdown: label.breakdown,
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
    void_status: label.void_status,
    created_at: iso(label.created_at),
    voided_at: isoOrNull(label.voided_at),
  };
}

function deliveryView({ delivery_date: at, account_id, from_address, to_address: to }: PlainLabel) {
  if (at === null) return { delivery_date: null, delivery_day: null };
  const { day, end } = deliveryDay({
    ...{ at, to, by_carrier: account_id !== null },
    origin_zone: placeTimeZone(from_address),
  });
  return { delivery_date: iso(end), delivery_day: day };
}

/** The public page of the parcel: the carrier's, or ours if the carrier has none and the parcel leaves. */
function trackingPage(
  { account_id, carrier, shipment_id, tracking_number, tracking_url }: PlainLabel,
  at: LinkContext,
) {
  if (tracking_number === null) return null;
  const carriers = account_id === null ? null : (carrierPage(carrier, tracking_number) ?? tracking_url);
  if (carriers !== null || shipment_id === null) return carriers;
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
