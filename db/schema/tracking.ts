import {
  type TrackingEventStatus,
  type TrackingStatus,
  trackingEventStatuses,
  trackingStatuses,
} from "../../src/shipping/carriers/tracking.transitions.ts";
import type { WaitingUpdate } from "../../src/tracking/tracking_record.ts";
import { bool, id, index, int, json, oneOf, packedJson, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

export const tracking_records = table(
  "tracking_records",
  {
    id: id(),
    merchant_id: owner(),
    tracking_number: text().notNull(),
    carrier: text().notNull(),
    service_type: text(),
    shipment_id: int(),
    /** The order of a followed number; a parcel's order is in its shipment. */
    order_id: int(),
    /** The carrier account that sends updates; null for manual scans only. */
    account_id: int(),
    /** The carrier's public tracking URL. */
    tracking_url: text(),
    status: text().$type<TrackingStatus>().notNull(),
    status_detail: text(),
    message: text(),
    /** The event that determines the status: its time, contents and duplicate hash. */
    occurred_at: time(),
    event_status: text().$type<TrackingEventStatus>(),
    event_hash: text(),
    estimated_delivery: time(),
    /** When the carrier sent this. The newest value wins. */
    estimated_at: time(),
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
    /** Whether a number without a parcel here is being followed. */
    followed: bool().notNull().default(false),
    /** Whether the carrier sends us updates of the parcel. */
    taken_up: bool().notNull().default(false),
    /** When the carrier is polled next; null if it is not. */
    look_at: time(),
    /** The number of consecutive failed polls. */
    look_failures: int().notNull().default(0),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("tracking_records_number").on(t.tracking_number),
    // Carriers reuse numbers.
    unique("tracking_records_shipment").on(t.shipment_id),
    unique("tracking_records_followed").on(t.tracking_number, t.merchant_id).where(where("followed")),
    index("tracking_records_order").on(t.order_id).where(where("order_id is not null")),
    index("tracking_records_look").on(t.account_id, t.look_at).where(where("look_at is not null")),
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
    /** Equal for equal events, so that repeated ones are stored once. */
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

/** Received carrier callbacks. Repeated ones are acknowledged and ignored. */
export const carrier_callbacks = table(
  "carrier_callbacks",
  {
    id: id(),
    account_id: int().notNull(),
    /** The carrier's event id, or a digest of the contents if it has none. */
    event_id: text().notNull(),
    received_at: time().notNull(),
  },
  (t) => [
    unique("carrier_callbacks_event").on(t.account_id, t.event_id),
    index("carrier_callbacks_account").on(t.account_id, t.received_at),
    index("carrier_callbacks_received").on(t.received_at),
  ],
);

/** Carrier updates of unknown parcels, until the parcel is created. */
export const waiting_updates = table(
  "waiting_updates",
  {
    id: id(),
    account_id: int().notNull(),
    tracking_number: text().notNull(),
    told: packedJson<WaitingUpdate>().notNull(),
    received_at: time().notNull(),
  },
  (t) => [index("waiting_updates_number").on(t.tracking_number), index("waiting_updates_received").on(t.received_at)],
);
