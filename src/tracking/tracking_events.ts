import { createHash } from "node:crypto";
import type { EventType } from "../events/event_types.ts";
import {
  isDelivered,
  isReturned,
  pastScans,
  type TrackingEventStatus,
  type TrackingMeaning,
  type TrackingStatus,
  trackingEventStatuses,
  trackingMeanings,
  trackingStarts,
} from "../shipping/carriers/tracking.transitions.ts";
import type { TrackingLocation } from "../shipping/carriers/tracking_update.ts";

/** The fields of a tracking event that decide a record's status. `occurred_at` is in milliseconds. */
export interface TrackingFact {
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  /** The event's duplicate hash, which orders two events with equal time and status. */
  readonly event_hash: string;
}

/** The status of a record and the event that decided it. Before any event, all but `status` are null. */
export interface TrackingStanding {
  readonly status: TrackingStatus;
  readonly event_status: TrackingEventStatus | null;
  readonly occurred_at: number | null;
  readonly event_hash: string | null;
}

/** The event types that a change emits, in this order. */
type TrackingEventType = Extract<
  EventType,
  "shipment.tracking_updated" | "shipment.in_transit" | "shipment.delivered" | "shipment.exception"
>;

/** The change that one event makes to a record. */
export interface TrackingStep {
  readonly standing: TrackingStanding;
  /** Whether the event now decides the status, so that its message and place are shown. */
  readonly decides: boolean;
  /** Whether the record's status changed. */
  readonly changed: boolean;
  /** The event types to emit; none when the status did not change. */
  readonly emits: readonly TrackingEventType[];
  /**
   * The act on the order, unless it is already done. An event that is too late to decide the status requires it too.
   */
  readonly order_act: "ship" | "deliver" | null;
}

/** A record before its first event. */
export const beforeEvents: TrackingStanding = {
  status: trackingStarts,
  event_status: null,
  occurred_at: null,
  event_hash: null,
};

/**
 * Adds one event to a record's standing. The greatest event by (finality, occurred_at, rank) decides, so the order of
 * arrival does not matter: a late old event changes nothing, after `delivered` only `returned` does, and after
 * `returned` nothing does.
 */
export function afterEvent(standing: TrackingStanding, event: TrackingFact): TrackingStep {
  const { shows, emits }: TrackingMeaning = trackingMeanings[event.status];
  const order_act = orderActAfter(standing, event);
  if (!outranks(event, standing)) return { standing, decides: false, changed: false, emits: [], order_act };
  const { status: event_status, occurred_at, event_hash } = event;
  const changed = shows !== standing.status;
  const emitted: TrackingEventType[] = changed ? ["shipment.tracking_updated"] : [];
  if (changed && emits !== null) emitted.push(emits);
  const next: TrackingStanding = { status: shows, event_status, occurred_at, event_hash };
  return { standing: next, decides: true, changed, emits: emitted, order_act };
}

/** The act on the order that an event requires. A delivery after a return is one to the sender. */
function orderActAfter(standing: TrackingStanding, { status, occurred_at }: TrackingFact): TrackingStep["order_act"] {
  const { order_act }: TrackingMeaning = trackingMeanings[status];
  const isBack = isReturned(standing.status) && occurred_at >= (standing.occurred_at ?? 0);
  return isBack && isDelivered(status) ? null : order_act;
}

/**
 * The act on the order, given all earlier events. A delivery after any return, even an outranked one, is to the
 * sender.
 */
export function orderActAmong(
  { order_act }: TrackingStep,
  event: TrackingFact,
  earlier: readonly Pick<TrackingFact, "status" | "occurred_at">[],
): TrackingStep["order_act"] {
  if (!isDelivered(event.status)) return order_act;
  const cameBack = earlier.some(({ status, occurred_at }) => isReturned(status) && occurred_at <= event.occurred_at);
  return cameBack ? null : order_act;
}

/** Returns the standing of a record after events in any order. */
export function standingAfter(events: readonly TrackingFact[]): TrackingStanding {
  return events.reduce((standing, event) => afterEvent(standing, event).standing, beforeEvents);
}

/**
 * Sorts events by time, oldest first, for emitting. A delivery at the time of a return is one to the sender, so it
 * comes after it.
 */
export function inOrder<Event extends Pick<TrackingFact, "status" | "occurred_at">>(events: readonly Event[]): Event[] {
  const turn = (status: TrackingEventStatus) => (isDelivered(status) ? trackingEventStatuses.length : rank(status));
  return events.toSorted((a, b) => {
    return a.occurred_at - b.occurred_at || turn(a.status) - turn(b.status);
  });
}

/** The fields of a record that a carrier may know better. */
interface Expectation {
  readonly carrier: string;
  readonly service_type: string | null;
  readonly estimated_delivery: number | null;
  readonly estimated_at: number | null;
}

/** A carrier's facts about a parcel, without scans. `reported_at` defaults to the time of the newest scan. */
interface ReportedService {
  readonly carrier: string | null;
  readonly service: string | null;
  readonly estimated_delivery: number | null;
  readonly reported_at?: number | null;
  readonly events: readonly { readonly occurred_at: number }[];
}

/** The carrier of a parcel without a known carrier. */
export const unknown_carrier = "unknown";

/**
 * Returns the facts that a carrier's report changes, or null. Of two expected dates the newer report wins; of two
 * reports with equal time, the later date. So the order of arrival does not matter. Carrier and service are set only if
 * they were unknown.
 */
export function newFacts(known: Expectation, report: ReportedService, now: number): Partial<Expectation> | null {
  const moments = report.events.map(({ occurred_at }) => occurred_at);
  const at = report.reported_at ?? (moments.length === 0 ? now : Math.max(...moments));
  const due = report.estimated_delivery;
  const before = known.estimated_at ?? Number.NEGATIVE_INFINITY;
  const newer = due !== null && (at > before || (at === before && due > (known.estimated_delivery ?? 0)));
  const facts = {
    ...(newer && { estimated_delivery: due, estimated_at: at }),
    ...(known.carrier === unknown_carrier && report.carrier !== null && { carrier: report.carrier }),
    ...(known.service_type === null && report.service !== null && { service_type: report.service }),
  };
  return Object.keys(facts).length === 0 ? null : facts;
}

/** Returns a hexadecimal hash that is equal for two reports of one event. `occurred_at` is in milliseconds. */
export function duplicateHash(event: {
  readonly tracking_number: string;
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  readonly location: TrackingLocation | null;
  readonly message: string | null;
}): string {
  const { tracking_number, status, occurred_at, location, message } = event;
  const place = location === null ? null : [location.city, location.state, location.country, location.facility];
  const facts = JSON.stringify([tracking_number, status, occurred_at, place, message]);
  return createHash("sha256").update(facts).digest("hex");
}

/** A parcel that left, and perhaps arrived, before its order was imported. Timestamps are in milliseconds. */
interface ImportedParcel {
  readonly tracking_number: string | null;
  readonly shipped_at: number | null;
  readonly delivered_at: number | null;
}

/** Returns the scans that a carrier would have reported for an imported parcel, oldest first. */
export function pastFacts({ tracking_number, ...moments }: ImportedParcel): TrackingFact[] {
  const details = { tracking_number: tracking_number ?? "", location: null, message: null };
  return pastScans.flatMap(({ status, moment }) => {
    const occurred_at = moments[moment];
    if (occurred_at === null) return [];
    return { status, occurred_at, event_hash: duplicateHash({ ...details, status, occurred_at }) };
  });
}

function outranks(event: TrackingFact, standing: TrackingStanding): boolean {
  if (standing.event_status === null || standing.occurred_at === null || standing.event_hash === null) return true;
  const more = finality(event.status) - finality(standing.event_status);
  if (more !== 0) return more > 0;
  if (event.occurred_at !== standing.occurred_at) return event.occurred_at > standing.occurred_at;
  if (event.status !== standing.event_status) return rank(event.status) > rank(standing.event_status);
  return event.event_hash > standing.event_hash;
}

const finality = (status: TrackingEventStatus): number => (trackingMeanings[status].final ? rank(status) : 0);

const rank = (status: TrackingEventStatus): number => trackingEventStatuses.indexOf(status);
