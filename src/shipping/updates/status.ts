import type { EventType } from "../../outbox/catalog.ts";

// What a parcel's tracking record can say. The SQL CHECKs, the schemas and the rules all read these tuples.

export const trackingStatuses = [
  "pending",
  "picked_up",
  "in_transit",
  "out_for_delivery",
  "delivered",
  "exception",
  "returned",
] as const;
export type TrackingStatus = (typeof trackingStatuses)[number];

// What one event can say, in order of rank: of two events at the same moment the later word in this list wins.
export const trackingEventStatuses = [
  "pending",
  "accepted",
  "picked_up",
  "in_transit",
  "out_for_delivery",
  "exception",
  "delivered",
  "returned",
] as const;
export type TrackingEventStatus = (typeof trackingEventStatuses)[number];

/** What one event status does to the record, and who hears of it. */
export interface TrackingMeaning {
  /** The record's status while an event of this kind is the deciding one. */
  readonly shows: TrackingStatus;
  /** A final event gives way to no event that is not final, however late that one happened. */
  readonly final: boolean;
  /** Emitted when the record's status becomes `shows`, after `shipment.tracking_updated`. */
  readonly emits: Extract<EventType, "shipment.in_transit" | "shipment.delivered" | "shipment.exception"> | null;
  /** What the order does on such an event, early or late, unless it has done so: the carrier has the parcel, or gave it
   * up. `deliver` performs a missing `ship` first. */
  readonly order_act: "ship" | "deliver" | null;
}

// A row is the whole truth about one event status.
// biome-ignore format: a table is read by its columns.
export const trackingMeanings = {
  //                 the record shows           final         emits on entry                the order
  pending:          { shows: "pending",          final: false, emits: null,                  order_act: null },
  accepted:         { shows: "picked_up",        final: false, emits: null,                  order_act: "ship" },
  picked_up:        { shows: "picked_up",        final: false, emits: null,                  order_act: "ship" },
  in_transit:       { shows: "in_transit",       final: false, emits: "shipment.in_transit", order_act: "ship" },
  out_for_delivery: { shows: "out_for_delivery", final: false, emits: null,                  order_act: "ship" },
  exception:        { shows: "exception",        final: false, emits: "shipment.exception",  order_act: null },
  delivered:        { shows: "delivered",        final: true,  emits: "shipment.delivered",  order_act: "deliver" },
  returned:         { shows: "returned",         final: true,  emits: null,                  order_act: "ship" },
} as const satisfies Record<TrackingEventStatus, TrackingMeaning>;

/** Where every parcel begins: its carrier has not scanned it. */
export const trackingStarts = "pending" satisfies TrackingEventStatus & TrackingStatus;

/** Whether its carrier has not scanned the parcel. */
export function isAwaited(status: TrackingEventStatus): boolean {
  return status === "pending";
}

/** Whether the parcel was delivered: somebody may have signed for it. */
export function isDelivered(status: TrackingEventStatus): boolean {
  return status === "delivered";
}

/** Whether a carrier has the parcel, and has not come to an end with it. */
export function isUnderWay(status: TrackingEventStatus): boolean {
  return !isAwaited(status) && !trackingMeanings[status].final;
}

/** What the carrier of a parcel of the past would have reported, by the moments that are known, the oldest first. */
export const pastScans = [
  { status: "picked_up", moment: "shipped_at" },
  { status: "delivered", moment: "delivered_at" },
] as const satisfies readonly { readonly status: TrackingEventStatus; readonly moment: string }[];
