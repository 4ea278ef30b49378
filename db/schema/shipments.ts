import type { Actor } from "../../src/core/actor.ts";
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
import type { Place } from "./warehouses.ts";

/** A parcel of an order: what is in it, and who carries it. */
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
    /** Where its carrier said to show the parcel to anyone. */
    told_url: text(),
    created_at: time().notNull(),
    shipped_at: time(),
    delivered_at: time(),
    /** True from when it left until the platform that its order came from has it in its list of reports. */
    untold: bool().notNull().default(false),
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
 * A label, of a parcel or of a return. `drawing` is the list of operations from which every format of a label of our
 * own is rendered, the same each time; a carrier's label has its documents in `label_documents`.
 */
export const labels = table(
  "labels",
  {
    id: id(),
    merchant_id: owner(),
    /** Null for a parcel that comes back. */
    shipment_id: int().references(() => shipments.id),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    /** The return that its parcel comes back for; null for a parcel that leaves. */
    return_id: int().references(() => returns.id),
    /** The carrier account that it is bought with; null for a label of our own. */
    account_id: int().references(() => carrier_accounts.id),
    status: text().$type<LabelStatus>().notNull(),
    carrier: text().notNull(),
    service: text().notNull(),
    tracking_number: text(),
    /** Where the carrier shows the parcel to anyone. */
    tracking_url: text(),
    /** What is charged for it. */
    cost_cents: int().notNull(),
    /** What the carrier takes for it. */
    carrier_cost_cents: int().notNull().default(0),
    currency: text().notNull(),
    breakdown: json<PriceLine[]>(),
    /** Whether it was priced by a sample card. */
    sample: bool().notNull().default(false),
    zone: text(),
    billable_pounds: int(),
    /** When it is to arrive, as it was offered. */
    delivery_date: time(),
    /** The quote that it was bought by: each is used once. */
    quote_nonce: text(),
    /** What the carrier is paid for, stored before it is. Null until an offer is chosen. */
    offer_ref: text(),
    /** What the carrier calls the purchase. */
    carrier_ref: text(),
    tracker_ref: text(),
    package: json<ParcelPackage>().notNull(),
    /** What the goods are worth, as the request said. */
    value_cents: int(),
    insurance: bool().notNull().default(false),
    from_address: json<Place>().notNull(),
    to_address: json<Place>().notNull(),
    drawing: packedJson<unknown>(),
    /** What is not printed as it was given. */
    warnings: json<LabelWarning[]>().notNull(),
    /** Equal for equal purchases: a second one within ten minutes is refused. */
    fingerprint: text().notNull(),
    /** Who asked for it, until it is bought and told in that name. */
    asked_by: json<Actor>(),
    /** Until when a server alone may ask the carrier; then the job looks what became of it. Null when all is said. */
    claimed_until: time(),
    /** How often the carrier was asked. */
    attempts: int().notNull().default(0),
    error_code: text(),
    error_message: text(),
    /** What became of the wish to give it back to the carrier. */
    void_status: text().$type<VoidStatus>(),
    created_at: time().notNull(),
    voided_at: time(),
  },
  (t) => [
    // Carriers use their numbers again after some time.
    unique("labels_tracking").on(t.carrier, t.tracking_number).where(where("account_id is null")),
    unique("labels_quote").on(t.quote_nonce).where(where("quote_nonce is not null")),
    index("labels_number").on(t.tracking_number).where(where("tracking_number is not null")),
    index("labels_order").on(t.order_id),
    index("labels_created").on(t.created_at, t.id),
    index("labels_merchant").on(t.merchant_id, t.created_at, t.id),
    index("labels_shipment").on(t.shipment_id),
    index("labels_return").on(t.return_id).where(where("return_id is not null")),
    index("labels_failed").on(t.created_at).where(where("status = 'error'")),
    index("labels_claimed").on(t.claimed_until).where(where("claimed_until is not null")),
    oneOf("labels", "status", labelStatuses),
    oneOf("labels", "void_status", voidStatuses),
    check("labels_cost", "cost_cents >= 0 and carrier_cost_cents >= 0"),
    check("labels_place", "(shipment_id is null) <> (return_id is null)"),
    check("labels_bought", "tracking_number is not null or status in ('processing', 'error')"),
    check("labels_failed", "(status = 'error') = (error_code is not null)"),
    // Nothing is left for ever: whatever is under way has a moment at which somebody looks.
    check(
      "labels_under_way",
      "(status = 'processing' or coalesce(void_status, '') = 'asked') = (claimed_until is not null)",
    ),
    check("labels_asked", "claimed_until is null or account_id is not null"),
  ],
);

/** A parcel that got an SSCC. The serial in it is this id, so that no two parcels ever have the same. */
export const ssccs = table("ssccs", {
  id: id(),
  shipment_id: int()
    .notNull()
    .references(() => shipments.id),
  created_at: time().notNull(),
});

/** A paper of a label that a carrier drew, as it came. */
export const label_documents = table(
  "label_documents",
  {
    label_id: int()
      .notNull()
      .references(() => labels.id),
    /** Counted from zero, in the carrier's order. */
    position: int().notNull(),
    kind: text().$type<DocumentKind>().notNull(),
    content_type: text().$type<DocumentType>().notNull(),
    bytes: bytes().notNull(),
  },
  (t) => [primaryKey({ columns: [t.label_id, t.position] })],
);
