import type { Actor } from "../core/actor.ts";
import { iso, isoOrNull } from "../core/clock.ts";
import { wireId, wireIdOrNull } from "../core/ids.ts";
import type { TrackingEventStatus } from "../shipping/carriers/tracking.transitions.ts";
import type { TrackingLocation, TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import type { ParcelDimensions } from "../shipping/parcel.ts";
import { beforeEvents, type TrackingStanding } from "./tracking_events.ts";

/** The state of a tracked parcel. The fields of `TrackingStanding` identify the event that decides its status. */
export interface TrackingRecord extends TrackingStanding {
  readonly id: number;
  readonly merchant_id: number;
  readonly tracking_number: string;
  readonly carrier: string;
  readonly service_type: string | null;
  readonly shipment_id: number | null;
  /** The order that a number is tracked for, if it is none of its parcels. */
  readonly order_id: number | null;
  /** The carrier account that reports on the parcel; null when only people enter scans. */
  readonly account_id: number | null;
  /** The carrier's public page of the parcel, from the purchase. */
  readonly tracking_url: string | null;
  readonly status_detail: string | null;
  readonly message: string | null;
  readonly estimated_delivery: number | null;
  /** When the carrier set the date; the newest report wins. Null for our own estimate. */
  readonly estimated_at: number | null;
  readonly current_location: TrackingLocation | null;
  readonly signed_by: string | null;
  /** Decimal text in `weight_unit`. */
  readonly weight: string | null;
  readonly weight_unit: string | null;
  readonly dimensions: ParcelDimensions | null;
  /** Whether the number is tracked on request and is no parcel of an order. */
  readonly followed: boolean;
  /** Whether the carrier was asked to track the parcel. */
  readonly taken_up: boolean;
  /** When the carrier is polled next; null for never. */
  readonly look_at: number | null;
  /** The number of consecutive failed polls. */
  readonly look_failures: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** One scan, as a carrier or a person reported it. */
export interface TrackingEvent {
  readonly status: TrackingEventStatus;
  readonly message: string | null;
  readonly status_detail: string | null;
  readonly location: TrackingLocation | null;
  /** The carrier's message, unchanged. */
  readonly carrier_status: string | null;
  readonly carrier_code: string | null;
  readonly reason: string | null;
  readonly occurred_at: number;
}

/** A record with its scans, newest first. */
export interface TrackingHistory {
  readonly record: TrackingRecord;
  readonly events: readonly TrackingEvent[];
  /** The order of the parcel, or the order that the number is tracked for. */
  readonly order_id: number | null;
  /** The public tracking page, or null. */
  readonly tracking_url: string | null;
}

/** The source of a carrier's reports. */
export interface UpdateSource {
  /** The code of the connector, or `sim` for the simulated carrier. */
  readonly source: string;
  readonly actor: Actor;
}

/** A stored report on a number that is no parcel yet. */
export interface WaitingUpdate {
  readonly teller: UpdateSource;
  readonly update: TrackingUpdate;
}

/** The default messages of scans. */
const default_messages: Readonly<Record<TrackingEventStatus, string>> = {
  pending: "Label created, awaiting pickup",
  accepted: "Accepted by the carrier",
  picked_up: "Picked up by the carrier",
  in_transit: "In transit",
  out_for_delivery: "Out for delivery",
  exception: "Exception",
  delivered: "Delivered",
  returned: "Returned to sender",
};

const no_location: TrackingLocation = { city: null, state: null, country: null, facility: null };

/** Returns the record as the tracking reference shows it, with the fields of the shipping reference. */
export function trackingView({ events, ...tracked }: TrackingHistory) {
  const { record } = tracked;
  const { weight, weight_unit, dimensions } = record;
  return {
    ...trackedView(tracked),
    events: events.map((event) => ({
      timestamp: iso(event.occurred_at),
      status: event.status,
      location: event.location ?? no_location,
      description: messageOf(event.status, event.message),
      message: messageOf(event.status, event.message),
      status_detail: event.status_detail,
      carrier_status: event.carrier_status,
      carrier_code: event.carrier_code,
      reason: event.reason,
    })),
    shipment_details: { weight, weight_unit, dimensions },
    updated_at: iso(record.updated_at),
  };
}

/** Returns the record as lists show it, without scans. */
export function trackedView({ record, order_id, tracking_url }: Omit<TrackingHistory, "events">) {
  const { shipment_id, account_id } = record;
  return {
    tracking_number: record.tracking_number,
    merchant_id: wireId("merchant", record.merchant_id),
    ...standingView(record),
    carrier: record.carrier,
    service_type: record.service_type,
    shipment_id: wireIdOrNull("shipment", shipment_id),
    order_id: wireIdOrNull("order", order_id),
    account_id: wireIdOrNull("carrier_account", account_id),
    tracking_url,
    next_poll_at: isoOrNull(record.look_at),
  };
}

/** Returns the status of a parcel as its record and its shipment events show it. */
export function standingView(record: TrackingRecord) {
  const status = record.event_status ?? record.status;
  return {
    status: record.status,
    status_detail: record.status_detail ?? default_messages[status],
    message: messageOf(status, record.message),
    estimated_delivery: isoOrNull(record.estimated_delivery),
    current_location: record.current_location ?? no_location,
    signed_by: record.signed_by,
  };
}

/** Returns the record exactly as the shipping reference shows it. */
export function shortTrackingView({ record, events }: TrackingHistory) {
  const { status, status_detail, estimated_delivery } = standingView(record);
  return {
    tracking_number: record.tracking_number,
    carrier: record.carrier,
    status,
    status_detail,
    estimated_delivery,
    events: events.map((event) => ({
      status: event.status,
      message: messageOf(event.status, event.message),
      location: placeText(event.location ?? no_location),
      timestamp: iso(event.occurred_at),
    })),
  };
}

function messageOf(status: TrackingEventStatus, message: string | null): string {
  return message ?? default_messages[status];
}

function placeText({ facility, city, state, country }: TrackingLocation): string {
  return [facility, city, state, country].filter((part) => part !== null && part !== "").join(", ");
}

/** The empty fields of an event that comes from an import or a manual act, which have only times. */
export const no_details = {
  message: null,
  status_detail: null,
  location: null,
  carrier_status: null,
  carrier_code: null,
  reason: null,
};

/** The fields of a record before any report. */
export const no_reports = {
  status_detail: null,
  message: null,
  estimated_delivery: null,
  estimated_at: null,
  current_location: null,
  signed_by: null,
} as const;

/** The fields of a number that is not tracked on request. */
export const unfollowed = {
  order_id: null,
  account_id: null,
  tracking_url: null,
  followed: false,
  taken_up: false,
  look_at: null,
  look_failures: 0,
} as const;

/** The fields of a new record. */
export type NewRecord = Pick<
  TrackingRecord,
  | "merchant_id"
  | "tracking_number"
  | "carrier"
  | "service_type"
  | "shipment_id"
  | "estimated_delivery"
  | "weight"
  | "weight_unit"
  | "dimensions"
> &
  Partial<Pick<TrackingRecord, keyof typeof unfollowed>>;

/** Returns the record of a parcel before any report. */
export function newRecord(now: number, fields: NewRecord): Omit<TrackingRecord, "id"> {
  const moments = { created_at: now, updated_at: now };
  return { ...beforeEvents, ...no_reports, ...unfollowed, ...fields, revision: 1, ...moments };
}
