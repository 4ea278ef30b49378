import type { EventType } from "../../events/event_types.ts";

// The statuses of a parcel's tracking record. The SQL CHECKs, the schemas and the rules all read these tuples.

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

// The statuses of events in order of rank: of two events with the same time, the later in this list decides.
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

/** The effect of an event status on the tracking record, the order and the emitted events. */
export interface TrackingMeaning {
  /** The record's status while an event of this status decides it. */
  readonly shows: TrackingStatus;
  /**
   * After a final event, other events change nothing, however late they happened. Of two final events the one of
   * higher rank decides, so nothing overrides `returned`.
   */
  readonly final: boolean;
  /** Emitted after `shipment.tracking_updated` when the record's status becomes `shows`. */
  readonly emits: Extract<EventType, "shipment.in_transit" | "shipment.delivered" | "shipment.exception"> | null;
  /**
   * The act on the order, unless it is already done: `ship` when the carrier has the parcel, `deliver` when it has
   * delivered it. `deliver` ships first if needed.
   */
  readonly order_act: "ship" | "deliver" | null;
}

// A row holds everything about one event status.
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

/** The status of every parcel until its carrier scans it. */
export const trackingStarts = "pending" satisfies TrackingEventStatus & TrackingStatus;

/** Whether the carrier has not scanned the parcel yet. */
export function isAwaited(status: TrackingEventStatus): boolean {
  return status === "pending";
}

/** Whether the parcel was delivered. */
export function isDelivered(status: TrackingEventStatus): boolean {
  return status === "delivered";
}

/** Whether the parcel came back to its sender. Later events are about the way back. */
export function isReturned(status: TrackingEventStatus): boolean {
  return status === "returned";
}

/** Whether the carrier has scanned the parcel and its status is not final. */
export function isUnderWay(status: TrackingEventStatus): boolean {
  return !isAwaited(status) && !trackingMeanings[status].final;
}

/** The scans that a carrier would have reported for an imported past order, oldest first. */
export const pastScans = [
  { status: "picked_up", moment: "shipped_at" },
  { status: "delivered", moment: "delivered_at" },
] as const satisfies readonly { readonly status: TrackingEventStatus; readonly moment: string }[];
