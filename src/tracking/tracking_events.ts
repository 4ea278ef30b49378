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
  /** The event's own duplicate hash, which orders two events of one moment and status. */
  readonly event_hash: string;
}

/** The status of a record and the event that decided it. All but `status` are null before any event. */
export interface TrackingStanding {
  readonly status: TrackingStatus;
  readonly event_status: TrackingEventStatus | null;
  readonly occurred_at: number | null;
  readonly event_hash: string | null;
}

/** The events that a change emits, in this order. */
type TrackingEventType = Extract<
  EventType,
  "shipment.tracking_updated" | "shipment.in_transit" | "shipment.delivered" | "shipment.exception"
>;

/** What one event changed in a record. */
export interface TrackingStep {
  readonly standing: TrackingStanding;
  /** Whether the event decides the status now, so that its message and place are shown. */
  readonly decides: boolean;
  /** Whether the record's status changed. */
  readonly changed: boolean;
  /** The event types to emit; none when the status did not change. */
  readonly emits: readonly TrackingEventType[];
  /**
   * The act on the order, unless it was done before. An event asks for it even when it comes too late to decide the
   * status.
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
 * Adds one event to a record's standing. Of all events the greatest by (finality, occurred_at, rank) decides, so that
 * the order of arrival does not matter: a late old event changes nothing, after `delivered` only `returned` does, and
 * after `returned` nothing does.
 */
export function afterEvent(standing: TrackingStanding, event: TrackingFact): TrackingStep {
  const { shows, emits }: TrackingMeaning = trackingMeanings[event.status];
  const order_act = orderActAfter(standing, event);
  if (!outranks(event, standing)) return { standing, decides: false, changed: false, emits: [], order_act };
  const { status: event_status, occurred_at, event_hash } = event;
  const changed = shows !== standing.status;
  const news: TrackingEventType[] = changed ? ["shipment.tracking_updated"] : [];
  if (changed && emits !== null) news.push(emits);
  const next: TrackingStanding = { status: shows, event_status, occurred_at, event_hash };
  return { standing: next, decides: true, changed, emits: news, order_act };
}

/** The act on the order that an event asks for. A delivery after the parcel came back is one to its sender. */
function orderActAfter(standing: TrackingStanding, { status, occurred_at }: TrackingFact): TrackingStep["order_act"] {
  const { order_act }: TrackingMeaning = trackingMeanings[status];
  const isBack = isReturned(standing.status) && occurred_at >= (standing.occurred_at ?? 0);
  return isBack && isDelivered(status) ? null : order_act;
}

/**
 * The act on the order, with all events known before: a return that a later one has outranked also precedes a delivery
 * to the sender.
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

/** The status of a record after these events, given in any order. */
export function standingAfter(events: readonly TrackingFact[]): TrackingStanding {
  return events.reduce((standing, event) => afterEvent(standing, event).standing, beforeEvents);
}

/**
 * Events in the order in which they happened, oldest first: what each changes is emitted in this order. A delivery at
 * the moment of a return is one to the sender, so it comes after it.
 */
export function inOrder<Event extends Pick<TrackingFact, "status" | "occurred_at">>(events: readonly Event[]): Event[] {
  const turn = (status: TrackingEventStatus) => (isDelivered(status) ? trackingEventStatuses.length : rank(status));
  return events.toSorted((one, other) => {
    return one.occurred_at - other.occurred_at || turn(one.status) - turn(other.status);
  });
}

/** The facts of a parcel besides its status that a carrier may know better. */
interface Expectation {
  readonly carrier: string;
  readonly service_type: string | null;
  readonly estimated_delivery: number | null;
  readonly estimated_at: number | null;
}

/**
 * A carrier's facts about a parcel besides its scans; `reported_at` is the time that it gives, else the time of its newest
 * scan.
 */
interface ReportedService {
  readonly carrier: string | null;
  readonly service: string | null;
  readonly estimated_delivery: number | null;
  readonly reported_at?: number | null;
  readonly events: readonly { readonly occurred_at: number }[];
}

/** The carrier of a parcel for which none was given. */
export const unknown_carrier = "unknown";

/**
 * What a carrier's report changes of a parcel besides its status, or null. Of two expected dates the newer report wins,
 * of two reports of one moment the later date, so that the order of arrival does not matter. Carrier and service are
 * set where they were unknown.
 */
export function newFacts(known: Expectation, told: ReportedService, now: number): Partial<Expectation> | null {
  const moments = told.events.map(({ occurred_at }) => occurred_at);
  const at = told.reported_at ?? (moments.length === 0 ? now : Math.max(...moments));
  const due = told.estimated_delivery;
  const before = known.estimated_at ?? Number.NEGATIVE_INFINITY;
  const newer = due !== null && (at > before || (at === before && due > (known.estimated_delivery ?? 0)));
  const facts = {
    ...(newer && { estimated_delivery: due, estimated_at: at }),
    ...(known.carrier === unknown_carrier && told.carrier !== null && { carrier: told.carrier }),
    ...(known.service_type === null && told.service !== null && { service_type: told.service }),
  };
  return Object.keys(facts).length === 0 ? null : facts;
}

/** A hash that is equal for two reports of one event. `occurred_at` is in milliseconds; the answer is hexadecimal. */
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

/** A parcel that left, and perhaps arrived, before its order was imported. Moments in milliseconds. */
interface ImportedParcel {
  readonly tracking_number: string | null;
  readonly shipped_at: number | null;
  readonly delivered_at: number | null;
}

/** The scans that the carrier of such a parcel would have reported, oldest first. */
export function pastFacts({ tracking_number, ...moments }: ImportedParcel): TrackingFact[] {
  const said = { tracking_number: tracking_number ?? "", location: null, message: null };
  return pastScans.flatMap(({ status, moment }) => {
    const occurred_at = moments[moment];
    if (occurred_at === null) return [];
    return { status, occurred_at, event_hash: duplicateHash({ ...said, status, occurred_at }) };
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
