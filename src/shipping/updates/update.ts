import type { TrackingEventStatus } from "./status.ts";

/** Where a scan happened, as far as the carrier says. */
export interface TrackingLocation {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly facility: string | null;
}

/** One thing that a carrier saw of a parcel. `occurred_at` is in milliseconds. */
export interface CarrierEvent {
  /** The carrier's own name of the event, if it has one: a repeated name is a repeated event. */
  readonly source_event_id: string | null;
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  readonly message: string | null;
  readonly location: TrackingLocation | null;
  /** The carrier's own words, kept as they came. */
  readonly carrier_status: string | null;
  readonly carrier_code: string | null;
  readonly status_detail: string | null;
  readonly reason: string | null;
  readonly signed_by: string | null;
}

/** All that a carrier tells of one parcel now. Its events may be old, out of order, or told before. */
export interface TrackingUpdate {
  readonly tracking_number: string;
  /** The carrier in small letters, or null when it was not named. */
  readonly carrier: string | null;
  readonly service: string | null;
  readonly estimated_delivery: number | null;
  /** When the carrier said all this, where it tells; else the moment of the newest event counts. */
  readonly told_at?: number | null;
  readonly events: readonly CarrierEvent[];
}
