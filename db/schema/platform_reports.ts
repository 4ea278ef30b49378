import { type ShipmentUpdateStatus, shipmentUpdateStatuses } from "../../src/platforms/platforms.transitions.ts";
import { id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { orders } from "./orders.ts";
import { shipments } from "./shipments.ts";

/** Shipment updates: parcels that are reported to their order's platform. */
export const platform_reports = table(
  "platform_reports",
  {
    id: id(),
    connection_id: int().notNull(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    shipment_id: int()
      .notNull()
      .references(() => shipments.id),
    /** The platform's lines, with the units of each in the parcel. */
    lines: json<{ external_id: string; quantity: number }[]>().notNull(),
    status: text().$type<ShipmentUpdateStatus>().notNull(),
    /** The number of attempts since it was queued. */
    attempts: int().notNull(),
    /** When it is tried next; during an attempt, when the attempt counts as lost. Null unless it is queued. */
    next_at: time(),
    give_up_at: time().notNull(),
    /** The platform's id of the parcel. */
    external_id: text(),
    /** Why it was not reported. */
    error_code: text(),
    error_message: text(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    reported_at: time(),
  },
  (t) => [
    unique("platform_reports_shipment").on(t.shipment_id),
    index("platform_reports_order").on(t.order_id, t.id),
    index("platform_reports_connection").on(t.connection_id, t.created_at, t.id),
    index("platform_reports_due").on(t.connection_id, t.next_at).where(where("status = 'queued'")),
    index("platform_reports_reported").on(t.connection_id, t.reported_at).where(where("reported_at is not null")),
    index("platform_reports_failed").on(t.updated_at).where(where("status = 'failed'")),
    oneOf("platform_reports", "status", shipmentUpdateStatuses),
  ],
);
