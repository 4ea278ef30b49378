import { type ShipmentStatus, shipmentStatuses } from "../../src/orders/shipments/status.ts";
import type { LabelWarning } from "../../src/shipping/documents/label.ts";
import { type LabelStatus, labelStatuses } from "../../src/shipping/status.ts";
import {
  bool,
  check,
  id,
  index,
  int,
  json,
  oneOf,
  packedJson,
  plainNumber,
  table,
  text,
  time,
  unique,
  where,
} from "../kit.ts";
import { order_lines, orders } from "./orders.ts";
import type { Place } from "./warehouses.ts";

/** A parcel of an order: what is in it, and who carries it. */
export const shipments = table(
  "shipments",
  {
    id: id(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    status: text().$type<ShipmentStatus>().notNull(),
    carrier: text(),
    service: text(),
    tracking_number: text(),
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
 * A label. `drawing` is the list of operations from which every format is rendered, the same each time; it is null
 * while the label is `processing`.
 */
export const labels = table(
  "labels",
  {
    id: id(),
    shipment_id: int()
      .notNull()
      .references(() => shipments.id),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    status: text().$type<LabelStatus>().notNull(),
    carrier: text().notNull(),
    service: text().notNull(),
    tracking_number: text(),
    cost_cents: int().notNull(),
    currency: text().notNull(),
    package: json<Record<string, unknown>>().notNull(),
    from_address: json<Place>().notNull(),
    to_address: json<Place>().notNull(),
    drawing: packedJson<unknown>(),
    /** What is not printed as it was given. */
    warnings: json<LabelWarning[]>().notNull(),
    /** Equal for equal purchases: a second one within ten minutes is refused. */
    fingerprint: text().notNull(),
    created_at: time().notNull(),
    voided_at: time(),
  },
  (t) => [
    unique("labels_tracking").on(t.carrier, t.tracking_number),
    index("labels_order").on(t.order_id),
    index("labels_shipment").on(t.shipment_id),
    oneOf("labels", "status", labelStatuses),
    check("labels_cost", "cost_cents >= 0"),
  ],
);
