import type { TrackingRecord } from "./record.ts";
import { beforeEvents } from "./rules.ts";

/** Whoever imported a past parcel gave only the times when it left and arrived. */
export const unsaid = {
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
