import type { Actor } from "../../src/core/actor.ts";
import type { ContactAddress } from "../../src/core/postal_address.ts";
import { type ShipmentStatus, shipmentStatuses } from "../../src/orders/order.transitions.ts";
import {
  type LabelStatus,
  labelStatuses,
  type VoidStatus,
  voidStatuses,
} from "../../src/shipping/labels/label.transitions.ts";
import type { LabelWarning } from "../../src/shipping/labels/label.ts";
import type { DocumentKind, DocumentType, PriceLine } from "../../src/shipping/offer.ts";
import type { ParcelPackage } from "../../src/shipping/parcel.ts";
import {
  bool,
  bytes,
  check,
  id,
  index,
  int,
  json,
  oneOf,
  packedJson,
  plainNumber,
  primaryKey,
  table,
  text,
  time,
  unique,
  where,
} from "../kit.ts";
import { carrier_accounts } from "./carrier_accounts.ts";
import { owner } from "./merchants.ts";
import { order_lines, orders } from "./orders.ts";
import { returns } from "./returns.ts";

/** Parcels of orders. */
export const shipments = table(
  "shipments",
  {
    id: id(),
    merchant_id: owner(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    status: text().$type<ShipmentStatus>().notNull(),
    carrier: text(),
    service: text(),
    tracking_number: text(),
    /** The carrier's public tracking URL. */
    told_url: text(),
    created_at: time().notNull(),
    shipped_at: time(),
    delivered_at: time(),
    /** Whether it has shipped and must still be queued as a report to its order's platform. */
    untold: bool().notNull().default(false),
    /** When its label was first printed. */
    label_printed_at: time(),
    /** How often its packing slip was printed. */
    slip_prints: int().notNull().default(0),
  },
  (t) => [
    index("shipments_order").on(t.order_id),
    index("shipments_untold").on(t.id).where(where("untold")),
    index("shipments_tracking").on(t.tracking_number).where(where("tracking_number is not null")),
    oneOf("shipments", "status", shipmentStatuses),
    plainNumber("shipments", "tracking_number"),
  ],
);

export const shipment_lines = table(
  "shipment_lines",
  {
    id: id(),
    shipment_id: int()
      .notNull()
      .references(() => shipments.id),
    order_line_id: int()
      .notNull()
      .references(() => order_lines.id),
    quantity: int().notNull(),
  },
  (t) => [
    unique("shipment_lines_line").on(t.shipment_id, t.order_line_id),
    index("shipment_lines_order_line").on(t.order_line_id),
    check("shipment_lines_quantity", "quantity between 1 and 1000000"),
  ],
);

/**
 * Labels of parcels and returns. `drawing` lists the operations from which all formats of our own labels are rendered.
 * A carrier's label, and one that was bought elsewhere, has its files in `label_documents`.
 */
export const labels = table(
  "labels",
  {
    id: id(),
    merchant_id: owner(),
    /** Null for a return. */
    shipment_id: int().references(() => shipments.id),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    /** The return; null for an outbound parcel. */
    return_id: int().references(() => returns.id),
    /** The carrier account that buys it; null for our own labels. */
    account_id: int().references(() => carrier_accounts.id),
    /** Whether it was bought elsewhere, so that no carrier is called for it. */
    external: bool().notNull().default(false),
    status: text().$type<LabelStatus>().notNull(),
    carrier: text().notNull(),
    service: text().notNull(),
    tracking_number: text(),
    /** The carrier's public tracking URL. */
    tracking_url: text(),
    /** The price charged. */
    cost_cents: int().notNull(),
    /** The carrier's cost. */
    carrier_cost_cents: int().notNull().default(0),
    currency: text().notNull(),
    breakdown: json<PriceLine[]>(),
    /** Whether a sample rate card priced it. */
    sample: bool().notNull().default(false),
    zone: text(),
    billable_pounds: int(),
    /** The delivery date of the offer. */
    delivery_date: time(),
    /** The quote that was used. Each works once. */
    quote_nonce: text(),
    /** The carrier's offer, stored before it is bought. Null until one is chosen. */
    offer_ref: text(),
    /** The carrier's id of the purchase. */
    carrier_ref: text(),
    tracker_ref: text(),
    package: json<ParcelPackage>().notNull(),
    /** The declared value of the goods. */
    value_cents: int(),
    insurance: bool().notNull().default(false),
    from_address: json<ContactAddress>().notNull(),
    to_address: json<ContactAddress>().notNull(),
    drawing: packedJson<unknown>(),
    /** Texts that are printed differently than entered. */
    warnings: json<LabelWarning[]>().notNull(),
    /** Equal for equal purchases. A second one within ten minutes is refused. */
    fingerprint: text().notNull(),
    /** The actor who requested it, until it is bought. */
    asked_by: json<Actor>(),
    /** The end of a server's lease to call the carrier. Then the job checks the result. Null when finished. */
    claimed_until: time(),
    /** The number of calls to the carrier. */
    attempts: int().notNull().default(0),
    error_code: text(),
    error_message: text(),
    /** The state of voiding it at the carrier. */
    void_status: text().$type<VoidStatus>(),
    created_at: time().notNull(),
    voided_at: time(),
    /** When it was first printed, and how often. */
    printed_at: time(),
    prints: int().notNull().default(0),
  },
  (t) => [
    // Carriers reuse numbers after some time.
    unique("labels_tracking").on(t.carrier, t.tracking_number).where(where("account_id is null and not external")),
    unique("labels_quote").on(t.quote_nonce).where(where("quote_nonce is not null")),
    index("labels_number").on(t.tracking_number).where(where("tracking_number is not null")),
    index("labels_order").on(t.order_id),
    index("labels_created").on(t.created_at, t.id),
    index("labels_merchant").on(t.merchant_id, t.created_at, t.id),
    index("labels_shipment").on(t.shipment_id),
    index("labels_return").on(t.return_id).where(where("return_id is not null")),
    index("labels_unprinted")
      .on(t.order_id)
      .where(where("printed_at is null and return_id is null and voided_at is null and tracking_number is not null")),
    index("labels_failed").on(t.created_at).where(where("status = 'error'")),
    index("labels_claimed").on(t.claimed_until).where(where("claimed_until is not null")),
    oneOf("labels", "status", labelStatuses),
    oneOf("labels", "void_status", voidStatuses),
    check("labels_cost", "cost_cents >= 0 and carrier_cost_cents >= 0"),
    check("labels_place", "(shipment_id is null) <> (return_id is null)"),
    check("labels_bought", "tracking_number is not null or status in ('processing', 'error')"),
    check("labels_failed", "(status = 'error') = (error_code is not null)"),
    // Every unfinished purchase has a time at which it is checked.
    check(
      "labels_under_way",
      "(status = 'processing' or coalesce(void_status, '') = 'asked') = (claimed_until is not null)",
    ),
    check("labels_asked", "claimed_until is null or account_id is not null"),
  ],
);

/** Parcels with an SSCC. The id is its serial number, so it is unique. */
export const ssccs = table("ssccs", {
  id: id(),
  shipment_id: int()
    .notNull()
    .references(() => shipments.id),
  created_at: time().notNull(),
});

/** Files of labels that were not drawn here, as received. */
export const label_documents = table(
  "label_documents",
  {
    label_id: int()
      .notNull()
      .references(() => labels.id),
    /** The position in the carrier's order, from 0. */
    position: int().notNull(),
    kind: text().$type<DocumentKind>().notNull(),
    content_type: text().$type<DocumentType>().notNull(),
    bytes: bytes().notNull(),
  },
  (t) => [primaryKey({ columns: [t.label_id, t.position] })],
);
