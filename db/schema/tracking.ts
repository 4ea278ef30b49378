import {
  type TrackingEventStatus,
  type TrackingStatus,
  trackingEventStatuses,
  trackingStatuses,
} from "../../src/tracking/status.ts";
import { id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";

export const tracking_records = table(
  "tracking_records",
  {
    id: id(),
    tracking_number: text().notNull(),
    carrier: text().notNull(),
    service_type: text(),
    shipment_id: int(),
    status: text().$type<TrackingStatus>().notNull(),
    status_detail: text(),
    message: text(),
    /** The event that decides the status: when it happened, what it said, and its duplicate hash. */
    occurred_at: time(),
    event_status: text().$type<TrackingEventStatus>(),
    event_hash: text(),
    estimated_delivery: time(),
    current_location: json<{
      city: string | null;
      state: string | null;
      country: string | null;
      facility: string | null;
    }>(),
    signed_by: text(),
    weight: text(),
    weight_unit: text(),
    dimensions: json<{ length: number; width: number; height: number; unit: string }>(),
    version: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("tracking_records_number").on(t.tracking_number),
    // A number may be another parcel's later.
    unique("tracking_records_shipment").on(t.shipment_id),
    oneOf("tracking_records", "status", trackingStatuses),
  ],
);

export const tracking_events = table(
  "tracking_events",
  {
    id: id(),
    record_id: int()
      .notNull()
      .references(() => tracking_records.id),
    source: text().notNull(),
    source_event_id: text(),
    /** Equal for equal events: a repeated one is stored once. */
    hash: text().notNull(),
    status: text().$type<TrackingEventStatus>().notNull(),
    message: text(),
    status_detail: text(),
    location: json<{ city: string | null; state: string | null; country: string | null; facility: string | null }>(),
    carrier_status: text(),
    carrier_code: text(),
    reason: text(),
    occurred_at: time().notNull(),
    created_at: time().notNull(),
  },
  (t) => [
    unique("tracking_events_hash").on(t.record_id, t.hash),
    unique("tracking_events_source").on(t.source, t.source_event_id).where(where("source_event_id is not null")),
    index("tracking_events_record").on(t.record_id, t.occurred_at),
    oneOf("tracking_events", "status", trackingEventStatuses),
  ],
);
