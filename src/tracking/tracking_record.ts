import type { Actor } from "../core/actor.ts";
import { iso, isoOrNull } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import type { TrackingEventStatus } from "../shipping/carriers/tracking.transitions.ts";
import type { TrackingLocation, TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import type { ParcelDimensions } from "../shipping/parcel.ts";
import { beforeEvents, type TrackingStanding } from "./tracking_events.ts";

/** What is known of a parcel on its way. The fields of `Standing` identify the event that decides its status. */
export interface TrackingRecord extends TrackingStanding {
  readonly id: number;
  readonly merchant_id: number;
  readonly tracking_number: string;
  readonly carrier: string;
  readonly service_type: string | null;
  readonly shipment_id: number | null;
  /** The order of a number that is tracked for one without being its parcel. */
  readonly order_id: number | null;
  /** The carrier account that reports on the parcel; null when only scans are entered. */
  readonly account_id: number | null;
  /** The carrier's public page of the parcel, as the purchase gave it. */
  readonly tracking_url: string | null;
  readonly status_detail: string | null;
  readonly message: string | null;
  readonly estimated_delivery: number | null;
  /** When the carrier gave this date: the newest report wins. Null for an estimate of ours. */
  readonly estimated_at: number | null;
  readonly current_location: TrackingLocation | null;
  readonly signed_by: string | null;
  /** Decimal text in `weight_unit`. */
  readonly weight: string | null;
  readonly weight_unit: string | null;
  readonly dimensions: ParcelDimensions | null;
  /** Somebody asked to track the number, and did not stop; it is no parcel of ours. */
  readonly followed: boolean;
  /** Whether the account's carrier was asked to track the parcel. */
  readonly taken_up: boolean;
  /** When its carrier is polled next; null when never again. */
  readonly look_at: number | null;
  /** How many polls in a row failed. */
  readonly look_failures: number;
  readonly version: number;
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
  /** The order of the parcel, or the one that the number is tracked for. */
  readonly order_id: number | null;
  /** The public tracking page, or null. */
  readonly tracking_url: string | null;
}

/** Who reports on parcels for carriers. */
export interface UpdateSource {
  /** The code of the connector, or `sim` for the simulated carrier. */
  readonly source: string;
  readonly actor: Actor;
}

/** A report on a number that is no parcel here yet. */
export interface WaitingUpdate {
  readonly teller: UpdateSource;
  readonly update: TrackingUpdate;
}

/** The message of a scan that has none. */
const words: Readonly<Record<TrackingEventStatus, string>> = {
  pending: "Label created, awaiting pickup",
  accepted: "Accepted by the carrier",
  picked_up: "Picked up by the carrier",
  in_transit: "In transit",
  out_for_delivery: "Out for delivery",
  exception: "Exception",
  delivered: "Delivered",
  returned: "Returned to sender",
};

const nowhere: TrackingLocation = { city: null, state: null, country: null, facility: null };

/** The record as the tracking reference shows it, together with the fields of the shipping reference. */
export function trackingView({ events, ...tracked }: TrackingHistory) {
  const { record } = tracked;
  const { weight, weight_unit, dimensions } = record;
  return {
    ...trackedView(tracked),
    events: events.map((event) => ({
      timestamp: iso(event.occurred_at),
      status: event.status,
      location: event.location ?? nowhere,
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

/** The record without its scans, as lists show it. */
export function trackedView({ record, order_id, tracking_url }: Omit<TrackingHistory, "events">) {
  const { shipment_id, account_id } = record;
  return {
    tracking_number: record.tracking_number,
    merchant_id: wireId("merchant", record.merchant_id),
    ...standingView(record),
    carrier: record.carrier,
    service_type: record.service_type,
    shipment_id: shipment_id === null ? null : wireId("shipment", shipment_id),
    order_id: order_id === null ? null : wireId("order", order_id),
    account_id: account_id === null ? null : wireId("carrier_account", account_id),
    tracking_url,
    next_look_at: isoOrNull(record.look_at),
  };
}

/** The status of a parcel, as its record and the events about its shipment show it. */
export function standingView(record: TrackingRecord) {
  const said = record.event_status ?? record.status;
  return {
    status: record.status,
    status_detail: record.status_detail ?? words[said],
    message: messageOf(said, record.message),
    estimated_delivery: isoOrNull(record.estimated_delivery),
    current_location: record.current_location ?? nowhere,
    signed_by: record.signed_by,
  };
}

/** The record exactly as the shipping reference shows it. */
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
      location: placeText(event.location ?? nowhere),
      timestamp: iso(event.occurred_at),
    })),
  };
}

function messageOf(status: TrackingEventStatus, message: string | null): string {
  return message ?? words[status];
}

function placeText({ facility, city, state, country }: TrackingLocation): string {
  return [facility, city, state, country].filter((part) => part !== null && part !== "").join(", ");
}

/** Whoever imported a past parcel gave only the times when it left and arrived. */
export const no_expectation = {
  message: null,
  status_detail: null,
  location: null,
  carrier_status: null,
  carrier_code: null,
  reason: null,
};

/** What nobody has reported yet. */
export const silence = {
  status_detail: null,
  message: null,
  estimated_delivery: null,
  estimated_at: null,
  current_location: null,
  signed_by: null,
} as const;

/** What is known of a number that is not followed. */
export const unfollowed = {
  order_id: null,
  account_id: null,
  tracking_url: null,
  followed: false,
  taken_up: false,
  look_at: null,
  look_failures: 0,
} as const;

/** What a parcel has by which it is tracked. */
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

/** The record of a parcel before any report. */
export function newRecord(now: number, fields: NewRecord): Omit<TrackingRecord, "id"> {
  const moments = { created_at: now, updated_at: now };
  return { ...beforeEvents, ...silence, ...unfollowed, ...fields, version: 1, ...moments };
}
