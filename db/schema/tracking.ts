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
    /** The order that a followed number is told to; of a parcel its shipment knows it. */
    order_id: int(),
    /** The carrier account that tells of the parcel; null when nobody but who scans does. */
    account_id: int(),
    /** Where the carrier shows the parcel to anyone. */
    tracking_url: text(),
    status: text().$type<TrackingStatus>().notNull(),
    status_detail: text(),
    message: text(),
    /** The event that decides the status: when it happened, what it said, and its duplicate hash. */
    occurred_at: time(),
    event_status: text().$type<TrackingEventStatus>(),
    event_hash: text(),
    estimated_delivery: time(),
    /** When the carrier told so: the newest telling wins. */
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
    /** Somebody asked to follow the number, of which no parcel is here; true until it is given up. */
    followed: bool().notNull().default(false),
    /** Whether the account's carrier knows that we follow the parcel. */
    taken_up: bool().notNull().default(false),
    /** When its carrier is asked next; null when it is asked no more. */
    look_at: time(),
    /** How often in a row asking failed. */
    look_failures: int().notNull().default(0),
    version: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("tracking_records_number").on(t.tracking_number),
    // A number may be another parcel's later.
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

/** A callback of a carrier that was taken: a repeated one is answered and passed over. */
export const carrier_callbacks = table(
  "carrier_callbacks",
  {
    id: id(),
    account_id: int().notNull(),
    /** How the carrier calls it; a digest of what it said where it has no name. */
    event_id: text().notNull(),
    received_at: time().notNull(),
  },
  (t) => [
    unique("carrier_callbacks_event").on(t.account_id, t.event_id),
    index("carrier_callbacks_account").on(t.account_id, t.received_at),
    index("carrier_callbacks_received").on(t.received_at),
  ],
);

/** What a carrier told of a parcel that nobody here knows yet. It waits for the parcel. */
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
