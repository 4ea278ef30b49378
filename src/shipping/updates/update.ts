import type { TrackingEventStatus } from "./status.ts";

/** Where a scan happened, as far as the carrier says. */
export interface TrackingLocation {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly facility: string | null;
}

/** One thing that a carrier reports of a parcel. `occurred_at` is in milliseconds. */
export interface CarrierEvent {
  /** The carrier's own id of the event, if any: a repeated id is a repeated event. */
  readonly source_event_id: string | null;
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  readonly message: string | null;
  readonly location: TrackingLocation | null;
  /** The carrier's message, unchanged. */
  readonly carrier_status: string | null;
  readonly carrier_code: string | null;
  readonly status_detail: string | null;
  readonly reason: string | null;
  readonly signed_by: string | null;
}

/** All that a carrier reports of one parcel now. Events may be old, out of order, or repeated. */
export interface TrackingUpdate {
  readonly tracking_number: string;
  /** The carrier in small letters; null when it was not named. */
  readonly carrier: string | null;
  readonly service: string | null;
  readonly estimated_delivery: number | null;
  /** When the carrier reported this, if it says so; otherwise the time of the newest event counts. */
  readonly told_at?: number | null;
  readonly events: readonly CarrierEvent[];
}
